// Package bytemap says of every byte of a FlatBuffer what it is for. annotate, stats and html
// stand on it.
//
// [Of] walks a buffer that nobody vouches for, as far as it is sound, and returns a [Map]:
// the objects it met (tables, vtables, vectors, strings, nested buffers) and spans, each of
// which is some bytes of one object with one meaning. The spans are in the order of
// the bytes, do not overlap and leave nothing out; what no object claims is padding or
// a gap. Where two objects claim the same bytes, which only damaged or hostile
// buffers do, the one that was met first keeps them.
//
// The walk goes breadth first, so an object's path is the shortest that leads to it. A
// part of an object is followed only where the object was the first to claim it: that
// bounds the work by the size of the buffer, whatever is in it.
package bytemap
