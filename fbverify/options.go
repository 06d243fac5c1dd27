package fbverify

// Options are the limits and exceptions of a verification. The zero value, and
// a nil *Options, are the defaults. Limits bound what hostile input can cost;
// they are no speed knob, and setting them makes nothing faster.
type Options struct {
	// Framing says whether the message's length stands before it. Bytes after a
	// size-prefixed message are left alone, unless Strict.
	Framing Framing

	// MaxDepth is how deep tables may nest, the root being at depth 1 and
	// nested FlatBuffers counting on; 0 means 64, and 65,536 is the highest.
	MaxDepth int

	// MaxTables is how many tables an expanded walk may meet: a table that two
	// offsets share counts twice, with all below it. 0 means the larger of
	// 1,000,000 and len(buf)/4, so that a buffer without sharing is never
	// refused.
	MaxTables int

	// MaxApparentSize is how many bytes an expanded walk may meet: the inline
	// bytes of tables, and vectors and strings with their length words. 0 means
	// no limit. Without sharing it is at most len(buf).
	MaxApparentSize int64

	// Identifier is the four-byte file identifier that the buffer must have;
	// "" means that any will do. A different length is an error.
	Identifier string

	// SkipUTF8 accepts strings of any bytes. Arrow writers put binary metadata
	// into string fields.
	SkipUTF8 bool

	// SkipAlignment accepts values at any position, as some old writers left
	// them. Reads stay correct, but slices of numbers are then copied where the
	// machine cannot read them in place.
	SkipAlignment bool

	// SkipNullTerminator accepts strings without the NUL byte after them. No
	// read in Go depends on it.
	SkipNullTerminator bool

	// NestedUnchecked does not look into nested_flatbuffer fields: they are byte
	// vectors then. Whoever opens one through a view vouches for its bytes, as with
	// RootUnchecked.
	NestedUnchecked bool

	// SkipConstraints does not ask what the schema's constraints (must_index and so on)
	// ask of values.
	SkipConstraints bool

	// Facts are the numbers that constraints of the schema name: "body" is what "@body"
	// stands for. One that stands for a table that is not around, since the root is below
	// it, is stated by its path: "Map.layers". A constraint whose fact is not here is
	// broken, with an error of kind ErrUnstated, where it is met. The map is only read.
	Facts map[string]int64

	// NoExceptions refuses also what the fields of the schema let pass by their attributes
	// may_be_binary and may_align, because the readers of a format do: see
	// [Type.Excepts]. Strict refuses it too.
	NoExceptions bool

	// Strict refuses all that the format forbids, also what no read depends on:
	// see the package documentation.
	Strict bool

	// Parallel is the number of goroutines to use for a large buffer; 0 and 1
	// mean the caller's own only. The verdict does not depend on it. It pays for
	// buffers of some hundred kilobytes that follow one another closely, and for
	// larger ones: the others are slow to wake, and stay awake for some tens of
	// microseconds.
	Parallel int

	// Copy verifies a private copy of the bytes and keeps that, for buffers
	// that others may write to. It has a meaning only where a Verified is made.
	Copy bool
}
