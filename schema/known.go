package schema

import (
	"embed"
	"fmt"
	"io/fs"
	"path"
	"strings"
	"sync"
)

//go:embed arrow/*.fbs bench/*.fbs flatgeobuf/*.fbs reflection/*.fbs tflite/*.fbs vortex/*.fbs
var embedded embed.FS

// Embedded returns the schemas that come with this package, a folder for each
// format: "vortex/layout.fbs". They are written for this project; their names,
// ids, types and defaults are those of the formats' own.
func Embedded() fs.FS { return embedded }

// KnownFormat is a schema that comes with this package.
type KnownFormat struct {
	Name   string // "vortex/layout", what [LoadKnown] takes
	Format string // "vortex", the folder
	Path   string // "vortex/layout.fbs", in [Embedded]
	load   func() (*Schema, error)
}

// Load returns the schema. It is parsed the first time and shared after that: it
// must not be changed.
func (k KnownFormat) Load() (*Schema, error) { return k.load() }

var known = sync.OnceValue(func() []KnownFormat {
	paths, err := fs.Glob(embedded, "*/*.fbs")
	if err != nil {
		panic(err) // the pattern is malformed
	}
	list := make([]KnownFormat, len(paths))
	for i, p := range paths {
		list[i] = KnownFormat{
			Name:   strings.TrimSuffix(p, ".fbs"),
			Format: path.Dir(p),
			Path:   p,
			load: sync.OnceValues(func() (*Schema, error) {
				// Each folder stands alone, as it would on disk.
				dir, err := fs.Sub(embedded, path.Dir(p))
				if err != nil {
					return nil, err
				}
				return ParseFS(dir, path.Base(p))
			}),
		}
	}
	return list
})

// Known returns the schemas that come with this package, in order of their names.
func Known() []KnownFormat { return append([]KnownFormat(nil), known()...) }

// LoadKnown returns the schema of that name, such as "vortex/layout" or
// "arrow/Message". It is shared and must not be changed. Upper and lower case are
// the same. The error for a name there is none of lists those there are.
func LoadKnown(name string) (*Schema, error) {
	var names []string
	for _, k := range known() {
		if strings.EqualFold(k.Name, name) {
			return k.Load()
		}
		names = append(names, k.Name)
	}
	return nil, fmt.Errorf("schema: no schema %q comes with this package; there are %s", name, strings.Join(names, ", "))
}
