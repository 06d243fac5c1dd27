package fbverify

import (
	"strconv"
	"strings"

	"github.com/fbverify/go/fbverify/internal/rule"
)

// Kind says which rule of the format, or which limit, a buffer breaks. A Kind
// is itself an error, so that errors.Is(err, fbverify.ErrOutOfBounds) asks for
// it.
type Kind uint8

// The kinds of faults.
const (
	ErrTooShort   Kind = iota + 1 // fewer bytes than a root offset, identifier or size prefix takes
	ErrTooLarge                   // more bytes than the format's offsets can address
	ErrSizePrefix                 // a size prefix promises more bytes than there are
	ErrTrailing                   // Strict: bytes after a size-prefixed message
	ErrIdentifier                 // not the file identifier asked for

	ErrOutOfBounds // something reaches past the end, or before the start, of the buffer
	ErrMisaligned  // a position is no multiple of the alignment its type needs
	ErrBadOffset   // an offset is zero, so it points at itself
	ErrBadVTable   // a vtable's size is below 4 or odd
	ErrTableSize   // Strict: a vtable declares a table size that does not hold its fields

	ErrNotTerminated // a string has no NUL byte after it
	ErrInvalidUTF8   // a string is not UTF-8
	ErrEmbeddedNUL   // Strict: a string has a NUL byte in it

	ErrMissingRequired // a required field is absent

	ErrUnionValueMissing    // a union's tag names a member, but there is no value
	ErrUnionValueUnexpected // Strict: a union's tag is NONE, but there is a value
	ErrUnionTagUnknown      // Strict: a union's tag names no member of the schema
	ErrUnionVectors         // the two vectors of a vector of unions differ in length, or one is absent

	ErrBadBool     // Strict: a bool is neither 0 nor 1
	ErrUnknownEnum // Strict: an enum has a value, or a flag bit, that the schema does not name
	ErrUnsorted    // Strict: a vector of tables or structs with a key is not sorted by it

	ErrIndex       // a constraint: an index is not below the length that it is for
	ErrKey         // a constraint: a key is not found where it is looked for
	ErrValue       // a constraint: a number is not among those allowed, or has no name in the schema
	ErrLength      // a constraint: a vector or a string has too many or too few elements
	ErrNotSet      // a constraint: a field is absent, or a union NONE
	ErrExtent      // a constraint: an offset and a length do not lie in what they are for
	ErrOrder       // a constraint: the elements are not sorted
	ErrDuplicate   // a constraint: two elements are equal
	ErrUnsatisfied // a constraint: a function said no
	ErrUnstated    // a constraint needs a fact, or a function, that nobody stated

	ErrDepthLimit // tables nest deeper than Options.MaxDepth
	ErrTableLimit // more tables than Options.MaxTables
	ErrSizeLimit  // more bytes than Options.MaxApparentSize
	ErrOverlap    // strings, vectors or buffers overlap so much that no linear walk can prove them

	ErrOptions  // the Options are wrong, not the buffer
	ErrInternal // refused, but no fault could be named: a bug in this package, please report it
)

// Error returns the kind in a few words, such as "out of bounds".
func (k Kind) Error() string {
	if int(k) < len(kindNames) && kindNames[k].words != "" {
		return "flatbuffer: " + kindNames[k].words
	}
	return "flatbuffer: kind " + strconv.Itoa(int(k))
}

// IsConstraint reports whether the kind is one of a constraint of the schema, so that
// the shape of the buffer is proved, and what is wrong is a value.
func (k Kind) IsConstraint() bool { return k >= ErrIndex && k <= ErrUnstated }

// Name returns the kind as one word with dashes, such as "out-of-bounds": the
// value of "kind" in fbinspect's JSON. Names do not change between releases.
func (k Kind) Name() string {
	if int(k) < len(kindNames) {
		return kindNames[k].name
	}
	return "kind-" + strconv.Itoa(int(k))
}

var kindNames = [rule.NumKinds]struct{ name, words string }{
	rule.TooShort:             {"too-short", "too short"},
	rule.TooLarge:             {"too-large", "too large"},
	rule.SizePrefix:           {"size-prefix", "size prefix does not fit"},
	rule.Trailing:             {"trailing-bytes", "bytes after the message"},
	rule.Identifier:           {"identifier", "wrong file identifier"},
	rule.OutOfBounds:          {"out-of-bounds", "out of bounds"},
	rule.Misaligned:           {"misaligned", "misaligned"},
	rule.BadOffset:            {"bad-offset", "bad offset"},
	rule.BadVTable:            {"bad-vtable", "bad vtable"},
	rule.BadTableSize:         {"table-size", "bad table size"},
	rule.NotTerminated:        {"not-terminated", "string not terminated"},
	rule.InvalidUTF8:          {"invalid-utf8", "string not UTF-8"},
	rule.EmbeddedNUL:          {"embedded-nul", "NUL byte in string"},
	rule.MissingRequired:      {"missing-required", "required field missing"},
	rule.UnionValueMissing:    {"union-value-missing", "union value missing"},
	rule.UnionValueUnexpected: {"union-value-unexpected", "union value unexpected"},
	rule.UnionTagUnknown:      {"union-tag-unknown", "union tag unknown"},
	rule.UnionVectors:         {"union-vectors", "union vectors do not match"},
	rule.BadBool:              {"bad-bool", "bool neither 0 nor 1"},
	rule.UnknownEnum:          {"unknown-enum", "enum value unknown"},
	rule.Unsorted:             {"unsorted", "keyed vector not sorted"},
	rule.Index:                {"index", "index leads nowhere"},
	rule.Key:                  {"key", "key not found"},
	rule.Value:                {"value", "value not allowed"},
	rule.Length:               {"length", "length not allowed"},
	rule.NotSet:               {"not-set", "field not set"},
	rule.Extent:               {"extent", "past the end of what it lies in"},
	rule.Order:                {"order", "not in order"},
	rule.Duplicate:            {"duplicate", "there twice"},
	rule.Unsatisfied:          {"unsatisfied", "a function of the schema refused it"},
	rule.Unstated:             {"unstated", "a fact was not stated"},
	rule.DepthLimit:           {"depth-limit", "too deep"},
	rule.TableLimit:           {"table-limit", "too many tables"},
	rule.SizeLimit:            {"size-limit", "too many bytes"},
	rule.Overlap:              {"overlap", "parts overlap too much"},
	rule.Options:              {"options", "wrong options"},
	rule.Internal:             {"internal", "refused without a reason (a bug in fbverify, please report it)"},
}

// Thing is what a fault is of.
type Thing uint8

// The things. The zero Thing stands where no bytes are at fault, as in ErrOptions.
const (
	ThingBuffer       Thing = iota + 1 // the whole, or its end
	ThingSizePrefix                    // the length before the message
	ThingIdentifier                    // the file identifier
	ThingOffset                        // an offset that leads forward: the root offset, one in a table or in a vector
	ThingVTableOffset                  // the offset at the start of a table that leads back to its vtable
	ThingVTable                        // a vtable's size
	ThingTable                         // a table, or its size as the vtable has it
	ThingField                         // a field of a table: its place, or its value
	ThingVector                        // a vector: its length, or the place of its elements
	ThingString                        // a string: its length, or its bytes
	ThingStruct                        // a struct that an offset leads to
	ThingUnionType                     // a union's type, or the vector of them
	ThingUnionValue                    // a union's value, or the vector of them
)

var thingNames = [rule.NumThings]string{
	rule.ThingBuffer:       "buffer",
	rule.ThingSizePrefix:   "size-prefix",
	rule.ThingIdentifier:   "identifier",
	rule.ThingOffset:       "offset",
	rule.ThingVTableOffset: "vtable-offset",
	rule.ThingVTable:       "vtable",
	rule.ThingTable:        "table",
	rule.ThingField:        "field",
	rule.ThingVector:       "vector",
	rule.ThingString:       "string",
	rule.ThingStruct:       "struct",
	rule.ThingUnionType:    "union-type",
	rule.ThingUnionValue:   "union-value",
}

// String returns the thing as one word with dashes, such as "vtable-offset"; "" for the
// zero Thing. Names do not change between releases.
func (t Thing) String() string {
	if int(t) < len(thingNames) {
		return thingNames[t]
	}
	return "thing-" + strconv.Itoa(int(t))
}

// Error is one fault of a buffer: which rule it breaks, and where.
type Error struct {
	Kind Kind

	// Type is the full name of the table or struct type at fault; the root type
	// for faults of the buffer as a whole.
	Type string

	// Path leads from the root to the fault, "Model.subgraphs[0].tensors[3].shape".
	// Its first word is the root type's name without namespace. Where the paths that
	// one Explain returns come to a megabyte, further ones of more than 256 bytes have
	// an ellipsis for all but their ends.
	Path string

	// Offset is the position of the fault, in bytes from the start of the slice
	// that was given to be verified (also inside nested and size-prefixed
	// buffers).
	Offset int

	// Size is the number of bytes at fault, from Offset on: 4 for most offsets, 2 for
	// an entry of a vtable; 0 where no bytes in particular are. They are inside the slice.
	Size int

	// Thing is what is at fault. Of an offset, Leads is what it is for, and Target the
	// position where it leads, counted as Offset is: before the start of the slice or past
	// its end, where that is the fault. Of an index or a key that leads nowhere, Target is where the
	// vector is that it should have led into, and 0 where there is none. An offset is what is at fault where its target is
	// nothing, outside of the buffer or misaligned; else it is what it leads to.
	Thing  Thing
	Leads  Thing
	Target int64

	// Found is the number that breaks the rule, and Allowed what bounds it:
	//
	//	ErrTooShort, ErrTooLarge                   bytes there are; how many are needed or reached
	//	ErrSizePrefix                              bytes promised; bytes that follow
	//	ErrTrailing                                bytes after the message; 0
	//	ErrIdentifier                              the bytes found and asked for, as little-endian numbers
	//	ErrOutOfBounds of an offset                the offset; where the buffer ends, or where the first vtable may start
	//	ErrBadOffset                               0; 1
	//	ErrOutOfBounds of a vector or string       elements or bytes; how many there is room for
	//	ErrOutOfBounds of a vtable                 its bytes; how many there is room for
	//	ErrOutOfBounds of a field                  its position; where the buffer ends
	//	ErrMisaligned                              the position, or the offset that leads there; its alignment
	//	ErrBadVTable                               its bytes; the nearest number that is sound
	//	ErrTableSize                               bytes declared, or the field's end; how many there may be
	//	ErrNotTerminated, ErrInvalidUTF8           the byte, or the string's length where no byte is left; 0
	//	ErrUnionValueMissing, ErrUnionTagUnknown   the union's type; 0
	//	ErrUnionVectors                            number of types; number of values; both 0 where one is absent
	//	ErrBadBool                                 the byte; 1
	//	ErrUnknownEnum                             the value; all flags that there are, of bit flags
	//	ErrIndex                                   the index; the length
	//	ErrKey, ErrDuplicate                       the number; 0. Both 0 of strings
	//	ErrValue, ErrLength                        the number, or the length; the nearest that is allowed, or what it is compared with. Both 0 of floats
	//	ErrExtent                                  the end, or what is negative; the end of what it has to lie in
	//	ErrOrder                                   the number; the one before. Both 0 of strings
	//	ErrDepthLimit, ErrTableLimit, ErrSizeLimit what was met; the limit
	//	ErrOverlap                                 bytes walked; how many are warranted
	//
	// Both are 0 for other kinds. What is beyond an int64 is the largest one.
	Found, Allowed int64

	// Detail is a sentence that says what was found and what was allowed.
	Detail string
}

// Error returns the path, offset and detail in one line.
func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString(e.Kind.Error())
	if e.Path != "" {
		b.WriteString(": ")
		b.WriteString(e.Path)
	}
	if e.Kind != ErrOptions {
		b.WriteString(" at offset ")
		b.WriteString(strconv.Itoa(e.Offset))
	}
	if e.Detail != "" {
		b.WriteString(": ")
		b.WriteString(e.Detail)
	}
	return b.String()
}

// Unwrap returns the kind, so that errors.Is(err, ErrOutOfBounds) works.
func (e *Error) Unwrap() error { return e.Kind }
