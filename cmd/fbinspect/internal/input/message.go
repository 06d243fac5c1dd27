package input

import (
	"github.com/fbverify/go/fbverify"
	"github.com/fbverify/go/fbverify/dynamic"
	"github.com/fbverify/go/schema"
)

// Whole returns a type like typ for which no field is deprecated: typ itself, where none is.
// It is for those who show data, since who looks at a file wants to see all that is in it. A
// buffer that is sound as typ need not be sound as that type.
func (t *Types) Whole(typ *fbverify.Type) *fbverify.Type {
	type key struct {
		schema *schema.Schema
		root   string
	}
	k := key{typ.Schema(), typ.Root().Name}
	if w, ok := t.undeprecated.Load(k); ok {
		return w.(*fbverify.Type)
	}
	w := typ
	if hasDeprecated(typ.Schema()) {
		if all, err := dynamic.IncludeDeprecated(typ); err == nil {
			w = all
		}
	}
	found, _ := t.undeprecated.LoadOrStore(k, w)
	return found.(*fbverify.Type)
}

func hasDeprecated(s *schema.Schema) bool {
	for _, o := range s.Objects {
		for _, f := range o.Fields {
			if f.Deprecated {
				return true
			}
		}
	}
	return false
}
