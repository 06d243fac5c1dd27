// Package vortex opens Vortex files by their metadata.
//
// [Open] reads the end of a file and what its postscript leads to: type, layout, footer and
// statistics, in one read of 64 KiB or in two. It verifies them, and holds all that they say about the
// file against it. Then [File.Columns] lists names, types and statistics, and [Column.Chunks] where in
// the file a column's values are.
//
//	f, err := vortex.Open(ctx, file, size, nil)
//	if err != nil { … }
//	for _, c := range f.Columns() {
//		fmt.Println(c.Name, c.Type)
//		for _, chunk := range c.Chunks() {
//			fmt.Println(chunk.Role, chunk.FirstRow, chunk.Rows, chunk.Offset, chunk.Length)
//		}
//	}
//
// What is in a segment that holds a serialized array, [File.Array] and [File.Arrays] read and verify.
// How its buffers are decoded is for others.
//
// After a nil error of Open: each segment lies between the first mark and the postscript, and none
// overlaps another or the metadata, unless two are the same; each layout's encoding and segments are ones that the
// footer lists; the root struct has as many layouts, and statistics where it has any, as fields;
// the rows of a column's layouts are as many as the file has. Layouts of encodings that are not known are listed
// with their segments, and nothing is said of their rows.
//
// All that is exported here is meant to stay, except what [Chunk.Role] says of encodings to come.
package vortex
