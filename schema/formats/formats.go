// Package formats holds the schemas of the file formats that this project knows, as .fbs
// text: Arrow, Feather, FlatGeobuf, TFLite, Vortex, and the binary form of schemas itself.
package formats

import (
	"embed"
	"fmt"
	"io/fs"
	"path"
	"strings"
	"sync"

	"github.com/fbverify/go/schema"
	"github.com/fbverify/go/schema/fbs"
)

//go:embed arrow/*.fbs flatgeobuf/*.fbs reflection/*.fbs tflite/*.fbs vortex/*.fbs
var embedded embed.FS

// Files returns the schemas that come with this package, a folder for each
// format: "vortex/layout.fbs". They are written for this project; their names,
// ids, types and defaults are those of the formats' own.
func Files() fs.FS { return embedded }

// Format is a schema that comes with this package.
type Format struct {
	Name   string // "vortex/layout", what [Load] takes
	Format string // "vortex", the folder
	Path   string // "vortex/layout.fbs", in [Files]
	load   func() (*schema.Schema, error)
}

// Load returns the schema. It is parsed the first time and shared after that: it
// must not be changed.
func (k Format) Load() (*schema.Schema, error) { return k.load() }

var known = sync.OnceValue(func() []Format {
	paths, err := fs.Glob(embedded, "*/*.fbs")
	if err != nil {
		panic(err) // the pattern is malformed
	}
	list := make([]Format, len(paths))
	for i, p := range paths {
		list[i] = Format{
			Name:   strings.TrimSuffix(p, ".fbs"),
			Format: path.Dir(p),
			Path:   p,
			load: sync.OnceValues(func() (*schema.Schema, error) {
				// Each folder stands alone, as it would on disk.
				dir, err := fs.Sub(embedded, path.Dir(p))
				if err != nil {
					return nil, err
				}
				return fbs.ParseFS(dir, path.Base(p))
			}),
		}
	}
	return list
})

// All returns the schemas that come with this package, in order of their names.
func All() []Format { return append([]Format(nil), known()...) }

// Load returns the schema of that name, such as "vortex/layout" or
// "arrow/Message". It is shared and must not be changed. Upper and lower case are
// the same. The error for a name there is none of lists those there are.
func Load(name string) (*schema.Schema, error) {
	var names []string
	for _, k := range known() {
		if strings.EqualFold(k.Name, name) {
			return k.Load()
		}
		names = append(names, k.Name)
	}
	return nil, fmt.Errorf("formats: no schema %q comes with this package; there are %s", name, strings.Join(names, ", "))
}
