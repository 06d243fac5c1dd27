// Package flatgeobuf opens FlatGeobuf files by their header, and finds features in a box by their index.
//
// [Open] reads the beginning of a file, and verifies the header: columns, kind of geometries, reference system, how
// many features there are and whether there is an index. [File.All] gives the features in the order of the file,
// [File.Search] those that the index says touch a box. Each is verified before it is returned.
//
//	f, err := flatgeobuf.Open(ctx, file, size, nil)
//	if err != nil { … }
//	for feature, err := range f.Search(ctx, flatgeobuf.Box{MinX: 5, MinY: 50, MaxX: 6, MaxY: 51}) {
//		if err != nil { … }
//		properties, err := f.Properties(feature)
//		…
//	}
//
// # How much is read
//
// The header is one read, together with the beginning of the index. A search reads of each level of the index
// what the level above leads to, close nodes at once, and then the features that were found, again at once where they lie close together.
//
// # What is checked
//
// An index has the size that the header gives it, each of its nodes leads to where a packed tree has the next level, and the features that a
// search finds lie in the file in the order of the index, none on top of another. That a box in the index holds what lies below it is not
// looked at: a file can hide features from a search, or show some that do not touch the box.
// What geometries say of themselves (ends, dimensions) is as the writer left it.
//
// # What deviates and opens all the same
//
// Positions need not be aligned (old writers), bytes after the last feature are not looked at, nor is a single one after a feature's
// properties (GDAL), and the patch version may
// be any.
//
// All that is exported here is meant to stay.
package flatgeobuf
