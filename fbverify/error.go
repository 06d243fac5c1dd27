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
	ErrTooShort   = Kind(rule.TooShort)   // fewer bytes than a root offset, identifier or size prefix takes
	ErrTooLarge   = Kind(rule.TooLarge)   // more bytes than the format's offsets can address
	ErrSizePrefix = Kind(rule.SizePrefix) // a size prefix promises more bytes than there are
	ErrTrailing   = Kind(rule.Trailing)   // Strict: bytes after a size-prefixed message
	ErrIdentifier = Kind(rule.Identifier) // not the file identifier asked for

	ErrOutOfBounds = Kind(rule.OutOfBounds)  // something reaches past the end, or before the start, of the buffer
	ErrMisaligned  = Kind(rule.Misaligned)   // a position is no multiple of the alignment its type needs
	ErrBadOffset   = Kind(rule.BadOffset)    // an offset is zero, so it points at itself
	ErrBadVTable   = Kind(rule.BadVTable)    // a vtable's size is below 4 or odd
	ErrTableSize   = Kind(rule.BadTableSize) // Strict: a vtable declares a table size that does not hold its fields

	ErrNotTerminated = Kind(rule.NotTerminated) // a string has no NUL byte after it
	ErrInvalidUTF8   = Kind(rule.InvalidUTF8)   // a string is not UTF-8
	ErrEmbeddedNUL   = Kind(rule.EmbeddedNUL)   // Strict: a string has a NUL byte in it

	ErrMissingRequired = Kind(rule.MissingRequired) // a required field is absent

	ErrUnionValueMissing    = Kind(rule.UnionValueMissing)    // a union's tag names a member, but there is no value
	ErrUnionValueUnexpected = Kind(rule.UnionValueUnexpected) // Strict: a union's tag is NONE, but there is a value
	ErrUnionTagUnknown      = Kind(rule.UnionTagUnknown)      // Strict: a union's tag names no member of the schema
	ErrUnionVectors         = Kind(rule.UnionVectors)         // the two vectors of a vector of unions differ in length, or one is absent

	ErrBadBool     = Kind(rule.BadBool)     // Strict: a bool is neither 0 nor 1
	ErrUnknownEnum = Kind(rule.UnknownEnum) // Strict: an enum has a value, or a flag bit, that the schema does not name
	ErrUnsorted    = Kind(rule.Unsorted)    // Strict: a vector of tables or structs with a key is not sorted by it

	ErrDepthLimit = Kind(rule.DepthLimit) // tables nest deeper than Options.MaxDepth
	ErrTableLimit = Kind(rule.TableLimit) // more tables than Options.MaxTables
	ErrSizeLimit  = Kind(rule.SizeLimit)  // more bytes than Options.MaxApparentSize
	ErrOverlap    = Kind(rule.Overlap)    // strings, vectors or buffers overlap so much that no linear walk can prove them

	ErrOptions  = Kind(rule.Options)  // the Options are wrong, not the buffer
	ErrInternal = Kind(rule.Internal) // refused, but no fault could be named: a bug in this package, please report it
)

// Error returns the kind in a few words, such as "out of bounds".
func (k Kind) Error() string {
	if int(k) < len(kindNames) && kindNames[k].words != "" {
		return "flatbuffer: " + kindNames[k].words
	}
	return "flatbuffer: kind " + strconv.Itoa(int(k))
}

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
	rule.DepthLimit:           {"depth-limit", "too deep"},
	rule.TableLimit:           {"table-limit", "too many tables"},
	rule.SizeLimit:            {"size-limit", "too many bytes"},
	rule.Overlap:              {"overlap", "parts overlap too much"},
	rule.Options:              {"options", "wrong options"},
	rule.Internal:             {"internal", "refused without a reason (a bug in fbverify, please report it)"},
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

	// Found and Allowed are the numbers that the fault is about, in the unit that its
	// kind speaks of; see [Kind].
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
