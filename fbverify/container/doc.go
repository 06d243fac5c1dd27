// Package container finds the FlatBuffers inside files of known formats.
//
// Few FlatBuffers lie in a file alone. A Vortex file has five or more, found
// through a trailer; an Arrow file has one for each batch, and a footer; a
// FlatGeobuf file has one for each feature. [Open] says which format a file has,
// [File.Parts] where each FlatBuffer lies, of which type it is and with which
// limits the format's own readers verify it, and [File.Regions] what every
// other byte of the file is for.
//
//	f, err := container.Open(file, size, nil)
//	if err != nil { … } // of no known kind: the error says what it looks like
//	for part, err := range f.Parts() {
//		if err != nil { … } // a fault of the framing; what is sound goes on
//		err = part.Verify(nil)
//	}
//
// # What is read
//
// A file is an [io.ReaderAt] and a size. Parts reads the few words that lead from
// one FlatBuffer to the next (lengths, footers, the layout tree) and skips data, so
// a file of many gigabytes costs as little as its metadata. Nothing is kept of
// a part once the next is asked for; where a format lists its segments in a footer,
// what is kept is in proportion to that footer.
//
// # What is trusted
//
// Nothing. Positions, lengths and counts are checked against the file
// before they are used. The FlatBuffers that lead to others are read here with
// accessors that check each step, without a verification first: so that listing the
// parts of a damaged footer gets as far as the footer is sound, and so that
// each part is verified once, by the caller, and not a second time in here.
// A nil error from Parts is no verdict on a part: [Part.Verify] is.
//
// A fault of the framing is an [*Error], given in the place of the part it
// concerns; the parts that can still be found follow it. Work is in proportion
// to the size of the file, whatever is in it: parts that overlap others are
// refused, and shared subtrees are visited once.
//
// # Sound, deviating, damaged
//
// A finding has a [Severity]. A [Fault] is damage. A [Deviation] breaks the letter of the format,
// and the readers that people use open the file all the same. A [Note] tells what is odd, or was
// not looked at. [File.Parts] tells faults, [File.Findings] everything; [Options.Strict] makes
// faults of deviations. [Part.Judge] says the same of one FlatBuffer: whether it is [Sound],
// [Deviating] as its schema lets pass field by field, or [Damaged], and which values of a newer
// writer nobody looked at. The deviations, and the readers that were tried and let them pass
// (testdata/writers/readers.tsv says which versions, and who refuses what):
//
//   - Arrow file, no ARROW1 at its start: pyarrow, arrow-go, arrow-rs, Arrow Java, Polars.
//   - Arrow file, no length before the schema message (Polars from some version before 1.44 on
//     writes that), or no schema message (arrow-js does that): pyarrow, arrow-go, arrow-rs,
//     Arrow Java, arrow-js, Polars.
//   - Arrow stream, bytes after the end-of-stream mark: pyarrow, arrow-go, arrow-rs,
//     Arrow Java, arrow-js, Polars, nanoarrow, flechette.
//   - Both, keys and values of metadata that are not UTF-8 (pyarrow writes that), the attribute
//     may_be_binary; and vectors of structs and numbers on multiples of four (Polars up to 1.21,
//     arrow2 and arrow-rs 30 write that), may_align: pyarrow, arrow-go, arrow-js, Polars,
//     flechette.
//   - Vortex, no VTXF at its start: vortex-data.
//   - FlatGeobuf, bytes after as many features as the header says: GDAL.
//   - A size-prefixed message, bytes after it: all that read one message, as flatc does.
//
// Those of both kinds of Arrow stand on the schema, as attributes of fields: see
// [fbverify.Options.NoExceptions]. Feather, TFLite and .bfbs have no deviations.
package container
