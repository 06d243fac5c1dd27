// Package trust holds the tests that show that what fbinspect says of a buffer is read from the
// buffer and costs no more than in proportion to it. It goes on where internal/trust
// of the library ends, with the same flags:
//
//	go test ./cmd/fbinspect/internal/trust -seeds 1000
package trust
