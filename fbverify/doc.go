// Package fbverify proves that a FlatBuffer can be read, and holds the proof in
// a type.
//
//	root, err := fbverify.Root[hero.Hero](buf) // one pass over the buffer
//	if err != nil {
//		return err // what, where, and what was allowed
//	}
//	name := root.Root().Name() // unchecked from here on
//
// [Root] and its kin give a [Verified], the proof, which hands out views that the
// command fbgen generates from a schema. Without generated code there are [Compile]
// and [Type.Verify], and package dynamic to read with. [RootAs] is for types that
// `flatc --go` generated.
//
// # What is promised
//
// After a nil error no sequence of reads through the schema's accessors leaves
// the buffer, misreads an offset, meets a string that is not terminated or not
// UTF-8, a required field that is absent, or a union whose type promises a value
// that is not there. A buffer is refused only if it breaks that promise or a
// limit of [Options]. In particular these are accepted:
//
//   - fields, enum values and union types that only a newer schema knows; such
//     unions are never followed
//   - a union of type NONE with a value, which is never followed either
//   - vtables, strings, vectors and tables that several offsets share
//   - empty vectors that are misaligned, as some writers leave them
//   - anything at all in deprecated fields, which have no accessors
//
// [Options.Strict] also refuses what the format forbids though no read depends on
// it: a declared table size that does not hold the table's fields, fields inside a
// table's first four bytes, misaligned empty vectors, NUL bytes in strings, bools
// other than 0 and 1, enum values and union types that the schema does not name,
// NONE with a value, vectors that are not sorted by their key, and bytes after a
// size-prefixed message. Strict is for checking writers; it is several times
// slower.
//
// Positions and alignment count from the first byte of the buffer, wherever that
// lies in memory; in a nested buffer from its own first byte; in a size-prefixed one
// from the first byte of the prefix, as C++ writes it, or from after the prefix if
// the whole message keeps to that.
//
// # What is not
//
// The proof is about shape, not sense: that two structs of one size were meant to be
// the one you read, that counts and indexes in the data fit each other, or that
// an optional field is there, is for the reader to check. And it is about the bytes
// as they were: see [Verified].
//
// # What it costs
//
// Time is linear in the buffer's bytes, whatever they say: shared subtrees that
// stand for billions of tables are counted, not walked, and refused by
// [Options.MaxTables] (a buffer without sharing never is). Nothing is allocated for
// a buffer that is accepted, once a Type has seen a few; [Options.Strict] allocates.
package fbverify
