// Package benches measures what reading FlatBuffers costs: verification, reads,
// decoding of rows, streams, real files and hostile ones.
//
//	go test -bench . ./benches
//
// Every benchmark first shows that its input is valid and that all variants of
// it compute the same; a benchmark whose variants disagree fails and has no
// figure. Names do not change, since reports and comparisons key on them.
//
// What is verified is stated in package families: real files, working sets that no
// cache holds, large buffers, varied shapes, and the first verification of a process.
//
// Against other implementations: go run ./benches/cmd/peers.
package benches
