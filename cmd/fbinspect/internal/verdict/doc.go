// Package verdict is the work of fbinspect verify: it says of each file whether the
// FlatBuffers in it are sound, and of each fault where it is and what to make of it.
//
// [Checker.Check] judges one file, [Run] many of them in parallel, in order, with
// memory that does not grow with their number. [Text] and [JSON] write what they found.
package verdict
