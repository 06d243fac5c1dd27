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
package container
