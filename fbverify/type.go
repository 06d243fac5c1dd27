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
	if err := usable(s); err != nil {
		return nil, err
	}
	o, err := rootTable(s, root)
	if err != nil {
		return nil, err
	}
	list, err := compile(s, []*schema.Object{o})
	if err != nil {
		return nil, err
	}
	return list[0], nil
}

// CompileAll prepares every table of s as a root, in the order of s.Objects. The types
// share what they reach: that takes no longer than Compile does for a table that reaches
// all. It fails when the schema is not sound.
func CompileAll(s *schema.Schema) ([]*Type, error) {
	if err := usable(s); err != nil {
		return nil, err
	}
	var roots []*schema.Object
	for _, o := range s.Objects {
		if !o.IsStruct {
			roots = append(roots, o)
		}
	}
	if len(roots) == 0 {
		return nil, nil
	}
	return compile(s, roots)
}

// usable checks a schema, if nobody has.
func usable(s *schema.Schema) error {
	if s == nil {
		return fmt.Errorf("fbverify: the schema is nil")
	}
	if !sound.Marked(s) {
		if err := s.Check(); err != nil {
			return fmt.Errorf("fbverify: the schema is not sound: %w", err)
		}
	}
	return nil
}

func compile(s *schema.Schema, roots []*schema.Object) ([]*Type, error) {
	programs, err := program.CompileAll(s, roots, false)
	if err != nil {
		return nil, fmt.Errorf("fbverify: %w", err)
	}
	asked, err := sense.CompileAll(programs)
	if err != nil {
		return nil, fmt.Errorf("fbverify: %w", err)
	}
	lenient := sync.OnceValue(func() []*program.Program {
		programs, err := program.CompileAll(s, roots, true)
		if err != nil {
			panic(err) // they were compiled without the exceptions
		}
		return programs
	})
	types := make([]*Type, len(roots))
	for i, p := range programs {
		types[i] = &Type{program: p, sense: asked[i]}
		if p.Excepts {
			types[i].lenient = func() *program.Program { return lenient()[i] }
		}
	}
	return types, nil
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
