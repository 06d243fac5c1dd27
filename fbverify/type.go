package fbverify

import (
	"fmt"
	"strings"
	"sync"

	"github.com/fbverify/go/fbverify/internal/program"
	"github.com/fbverify/go/fbverify/internal/sense"
	"github.com/fbverify/go/internal/sound"
	"github.com/fbverify/go/schema"
)

// Type is a root table of a schema, compiled for verification. It is compiled
// once and used for ever, like a regexp, and is safe for concurrent use.
type Type struct {
	program *program.Program // to the letter
	sense   *sense.Program   // nil where no constraint is on the way from the root

	// lenient is the program with the exceptions of the schema, which is nil without them. It
	// is compiled when a buffer first is not what the letter asks for.
	lenient func() *program.Program
}

// Compile prepares the table named root of s, by its full name with namespace
// or, where that is unambiguous, by its last word; "" means the schema's
// root_type. It fails when there is no such table or the schema is not sound
// ([schema.Schema.Check]).
func Compile(s *schema.Schema, root string) (*Type, error) {
	if s == nil {
		return nil, fmt.Errorf("fbverify: the schema is nil")
	}
	if !sound.Marked(s) {
		if err := s.Check(); err != nil {
			return nil, fmt.Errorf("fbverify: the schema is not sound: %w", err)
		}
	}
	o, err := rootTable(s, root)
	if err != nil {
		return nil, err
	}
	p, err := program.Compile(s, o, false)
	if err != nil {
		return nil, fmt.Errorf("fbverify: %w", err)
	}
	asked, err := sense.Compile(p)
	if err != nil {
		return nil, fmt.Errorf("fbverify: %w", err)
	}
	t := &Type{program: p, sense: asked}
	if p.Excepts {
		t.lenient = sync.OnceValue(func() *program.Program {
			p, err := program.Compile(s, o, true)
			if err != nil {
				panic(err) // it was compiled without the exceptions
			}
			return p
		})
	}
	return t, nil
}

// Excepts reports whether a field that can be reached from t has an attribute by which a
// schema lets pass what FlatBuffers forbid: may_be_binary, for strings that need not be
// UTF-8, and may_align, for vectors whose elements need not be aligned as their type asks.
// Buffers that need such an exception are accepted, unless the options say Strict or
// NoExceptions.
func (t *Type) Excepts() bool { return t.lenient != nil }

func rootTable(s *schema.Schema, root string) (*schema.Object, error) {
	if root == "" {
		if s.Root == nil {
			return nil, fmt.Errorf("fbverify: the schema has no root_type: name the root table, one of %s", tableNames(s))
		}
		return s.Root, nil
	}
	o := s.Object(root)
	switch {
	case o == nil:
		return nil, fmt.Errorf("fbverify: the schema has no single table %q: it has %s", root, tableNames(s))
	case o.IsStruct:
		return nil, fmt.Errorf("fbverify: %s is a struct: only a table can be the root of a buffer", o.Name)
	}
	return o, nil
}

// tableNames lists the tables of a schema for an error, not more than a few.
func tableNames(s *schema.Schema) string {
	const most = 12
	var names []string
	for _, o := range s.Objects {
		if o.IsStruct {
			continue
		}
		if len(names) == most {
			names = append(names, "…")
			break
		}
		names = append(names, o.Name)
	}
	if len(names) == 0 {
		return "no tables"
	}
	return strings.Join(names, ", ")
}

// MustCompile is Compile for schemas known to be good, such as those of
// generated code; it panics on an error.
func MustCompile(s *schema.Schema, root string) *Type {
	t, err := Compile(s, root)
	if err != nil {
		panic(err)
	}
	return t
}

// Schema returns the schema that t was compiled from. It must not be changed.
func (t *Type) Schema() *schema.Schema { return t.program.Schema }

// Root returns the root table's definition. It must not be changed.
func (t *Type) Root() *schema.Object { return t.program.Root.Object }

// String returns the full name of the root table.
func (t *Type) String() string { return t.Root().Name }
