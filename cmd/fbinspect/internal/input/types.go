package input

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/fbverify/go/cmd/fbinspect/internal/ui"
	"github.com/fbverify/go/fbverify"
	"github.com/fbverify/go/fbverify/container"
	"github.com/fbverify/go/internal/files"
	"github.com/fbverify/go/internal/suggest"
	"github.com/fbverify/go/schema"
	"github.com/fbverify/go/schema/bfbs"
)

// ErrNoSchema is what TypeOf's error wraps where only the user can know the type of a
// FlatBuffer.
var ErrNoSchema = errors.New("its schema is not known")

// Types says of which type a FlatBuffer is: by what the user named, and by what
// its file's format prescribes. It is safe for concurrent use.
type Types struct {
	schema *schema.Schema // as named by --schema, or the known one that has --root; may be nil
	root   *fbverify.Type
	named  bool // root was named, and not only declared by the schema

	compiled     sync.Map    // full name of a table of schema -> *fbverify.Type
	undeprecated sync.Map    // schema and root -> *fbverify.Type; see Whole
	asked, used  atomic.Bool // for the type of a part; of a type of schema
}

// LoadTypes reads the schema file (.fbs or .bfbs) and finds the root type in it. Both may
// be "": a root without a schema is looked for in the known schemas, and a schema
// without a root has that of its root_type. A schema without either can still type the
// parts of a container.
func LoadTypes(schemaFile string, include []string, root string) (*Types, error) {
	var s *schema.Schema
	var err error
	switch {
	case schemaFile != "":
		s, err = LoadSchema(schemaFile, include)
	case root != "":
		s, err = KnownSchemaWith(root)
	}
	if err != nil {
		return nil, err
	}
	return TypesOf(s, root)
}

// TypesOf is LoadTypes for a schema that was read; nil for none.
func TypesOf(s *schema.Schema, root string) (*Types, error) {
	t := &Types{schema: s, named: root != ""}
	if s == nil || root == "" && s.Root == nil {
		return t, nil
	}
	if root != "" {
		if err := checkRoot(s, root); err != nil {
			return nil, err
		}
	}
	var err error
	t.root, err = fbverify.Compile(s, root)
	return t, err
}

// checkRoot explains why root is no table of s, with names near to it.
func checkRoot(s *schema.Schema, root string) error {
	switch o := s.Object(root); {
	case o == nil:
		var tables, same []string
		for _, o := range s.Objects {
			if o.ShortName() == root {
				same = append(same, o.Name)
			}
			if !o.IsStruct {
				tables = append(tables, o.Name)
			}
		}
		if len(same) > 1 {
			return fmt.Errorf("--root %s: the schema has several tables of that name: %s", ui.Name(root), ui.List(same))
		}
		hint := ui.DidYouMean(root, tables)
		if hint == "" && len(tables) > 0 {
			shown := tables[:min(len(tables), 10)]
			hint = "; it has " + strings.Join(shown, ", ")
			if len(shown) < len(tables) {
				hint += fmt.Sprintf(" and %d more (fbinspect schema list shows all)", len(tables)-len(shown))
			}
		}
		return fmt.Errorf("--root %s: the schema has no such table%s", ui.Name(root), hint)
	case o.IsStruct:
		return fmt.Errorf("--root %s: it is a struct, and only a table can be the root of a FlatBuffer", ui.Name(root))
	}
	return nil
}

// LoadSchema reads a schema in either form, told apart by its bytes and not by its name.
// Where there is no such file the name may be that of a known schema, "vortex/layout".
// Includes are looked for beside the file that has them, then in the folders of include.
//
// It is read once, so that it may be a pipe. Standard input has its includes beside the
// working folder.
func LoadSchema(name string, include []string) (*schema.Schema, error) {
	if name == Stdin {
		if info, err := os.Stdin.Stat(); err == nil && isDevice(info) {
			return nil, fmt.Errorf("standard input: it is a device, not a file")
		}
	}
	b, err := files.Read(name, files.MostSchema)
	if err != nil {
		err = plain(name, err)
		if errors.Is(err, fs.ErrNotExist) {
			if known, ok := knownSchema(name); ok {
				return known, nil
			}
			plainName := strings.TrimSuffix(strings.TrimSuffix(name, ".bfbs"), ".fbs")
			if hint := ui.DidYouMean(plainName, KnownNames()); hint != "" && (plainName == name || strings.Contains(name, "/")) {
				return nil, fmt.Errorf("%w, and no known schema of that name%s", err, hint)
			}
			err = fmt.Errorf("%w%s", err, suggest.File(name, ".fbs", ".bfbs"))
		}
		return nil, err
	}
	if name == Stdin {
		name = "standard input"
	}
	return parseSchema(name, b, func() (*schema.Schema, error) { return files.ParseSchema(name, b, include) })
}

// LoadSchemaOf is [LoadSchema] of a file of a git revision.
func LoadSchemaOf(r *files.Revision, name string, include []string) (*schema.Schema, error) {
	b, err := r.Read(name)
	if err != nil {
		return nil, plain(r.Name+":"+name, err)
	}
	return parseSchema(r.Name+":"+name, b, func() (*schema.Schema, error) { return r.ParseSchema(name, b, include) })
}

// parseSchema tells the forms of a schema apart; text is what parses one of them.
func parseSchema(name string, b []byte, text func() (*schema.Schema, error)) (*schema.Schema, error) {
	switch {
	case len(b) == 0:
		return nil, fileError(name, errors.New("the file is empty"))
	case isBinarySchema(b):
		return loadBinary(name, b)
	case strings.EqualFold(filepath.Ext(name), ".bfbs"):
		return nil, fileError(name, errors.New("it is no binary schema: the file identifier BFBS is not there"))
	}
	return text()
}

// isBinarySchema reports whether b starts as a .bfbs does.
func isBinarySchema(b []byte) bool { return len(b) >= 8 && string(b[4:8]) == "BFBS" }

func loadBinary(name string, b []byte) (*schema.Schema, error) {
	s, err := bfbs.Load(b)
	if err != nil {
		return nil, fileError(name, err)
	}
	return s, nil
}

// Schema returns the schema that the user named, nil when none was.
func (t *Types) Schema() *schema.Schema { return t.schema }

// Root returns the type of FlatBuffers that do not say of which they are; nil when
// nobody said.
func (t *Types) Root() *fbverify.Type { return t.root }

// Named reports whether the user named a root type.
func (t *Types) Named() bool { return t.named }

// Unused reports whether the user named a schema that no part was of. That is no error, but
// most likely a mistake.
func (t *Types) Unused() bool { return t.schema != nil && t.asked.Load() && !t.used.Load() }

// overrule reports whether a file that was taken for a FlatBuffer of a known format by its
// identifier is one of the root type that the user named. What the user says wins, but for
// files of a folder that do not have the identifier of the user's schema.
func (t *Types) overrule(f *container.File, s *Source) bool {
	if t.root == nil || f.Format().Several() || !f.Format().KnowsTypes() {
		return false
	}
	for p, err := range f.Parts() {
		if err != nil {
			continue
		}
		if p.Root == t.root.String() || !t.named && t.schema.Object(p.Root) != nil {
			return false // the user's is that of the format, perhaps a newer one
		}
		break
	}
	id := t.root.Schema().FileIdentifier
	return t.named || !s.InFolder || id == "" || string(s.Around(4, 4)) == id
}

// Of returns the type of a part. A table of the user's own schema stands in for the known
// one of the same name, so that a newer schema can be used for a known format.
func (t *Types) Of(p container.Part) (*fbverify.Type, error) {
	t.asked.Store(true)
	if t.schema != nil && p.Root != "" {
		if own, ok := t.compiled.Load(p.Root); ok {
			t.used.Store(true)
			return own.(*fbverify.Type), nil
		}
		for _, o := range t.schema.Objects {
			if o.Name == p.Root && !o.IsStruct {
				own, err := fbverify.Compile(t.schema, o.Name)
				if err != nil {
					return nil, err
				}
				t.compiled.Store(p.Root, own)
				t.used.Store(true)
				return own, nil
			}
		}
	}
	if typ := p.Type(); typ != nil {
		if typ == t.root {
			t.used.Store(true)
		}
		return typ, nil
	}
	if t.schema != nil && t.root == nil {
		return nil, fmt.Errorf("%w: the schema has no root_type: name the root table with --root", ErrNoSchema)
	}
	return nil, fmt.Errorf("%w: give it with --schema, and its root table with --root", ErrNoSchema)
}
