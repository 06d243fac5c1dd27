package fbverify

import (
	"github.com/fbverify/go/schema"
)

// Type is a root table of a schema, compiled for verification. It is compiled
// once and used for ever, like a regexp, and is safe for concurrent use.
type Type struct {
	schema *schema.Schema
	root   *schema.Object
}

// Compile prepares the table named root of s, by its full name with namespace
// or, where that is unambiguous, by its last word; "" means the schema's
// root_type. It fails when there is no such table or the schema is not sound
// ([schema.Schema.Check]).
func Compile(s *schema.Schema, root string) (*Type, error) { panic("bones") }

// MustCompile is Compile for schemas known to be good, such as those of
// generated code; it panics on an error.
func MustCompile(s *schema.Schema, root string) *Type {
	t, err := Compile(s, root)
	if err != nil {
		panic("fbverify: Compile: " + err.Error())
	}
	return t
}

// Schema returns the schema that t was compiled from. It must not be changed.
func (t *Type) Schema() *schema.Schema { return t.schema }

// Root returns the root table's definition. It must not be changed.
func (t *Type) Root() *schema.Object { return t.root }

// String returns the full name of the root table.
func (t *Type) String() string { return t.root.Name }

// Verify proves that every read of buf as t stays inside it, or returns the
// first fault in the order of reading as an *Error. Nil opts are the defaults.
// The proof holds for as long as nobody writes to buf.
func (t *Type) Verify(buf []byte, opts *Options) error { panic("bones") }

// VerifySizePrefixed is Verify for a buffer that starts with its own length, a
// uint32 (a uint64 for schemas with 64-bit offsets at the root, see Width).
func (t *Type) VerifySizePrefixed(buf []byte, opts *Options) error { panic("bones") }

// Explain returns every fault of buf as t, in the order of reading, nil when
// there is none. Below a fault nothing can be said, so its subtree is left out;
// a faulty part that several offsets share is reported once. At most 10,000
// faults are returned.
func (t *Type) Explain(buf []byte, opts *Options) []*Error { panic("bones") }

// ExplainSizePrefixed is Explain for a buffer that starts with its own length.
func (t *Type) ExplainSizePrefixed(buf []byte, opts *Options) []*Error { panic("bones") }
