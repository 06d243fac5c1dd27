// Package bytemap says of every byte of a FlatBuffer what it is for. annotate, stats and html
// stand on it.
//
// [Walk] goes through a buffer that nobody vouches for, as far as it is sound, and tells a
// [Sink] of the objects it meets (tables, vtables, vectors, strings, nested buffers) and of
// spans, each of which is some bytes of one object with one meaning. Spans do not overlap
// and leave nothing out; what no object claims is padding or a gap. Where two
// objects claim the same bytes, which only damaged or hostile buffers do, the one that
// was met first keeps them. The walk itself keeps few bits for each byte: what only counts,
// as stats does, keeps no object.
//
// [Of] returns all that a walk tells as a [Map], with the spans in the order of the bytes.
//
// The walk is that of package traverse, depth first, and an object's path is the one by which
// it was met first. A part of an object is followed only where the object was the first to
// claim it: that bounds the work by the size of the buffer, whatever is in it.
package bytemap
