package fbs

import (
	"errors"
	"fmt"

	"github.com/fbverify/go/schema"
)

// verify reads what was written and compares, so that no text leaves that says
// something else.
func (f *fbsWriter) verify() error {
	back, err := Parse("written.fbs", f.out.Bytes())
	if err != nil {
		return fmt.Errorf("schema: this schema cannot be written as .fbs: %w", err)
	}
	f.adopt(back)
	if found := schema.Differences(f.s, back, 1); len(found) > 0 {
		return errors.New("schema: this schema cannot be written as .fbs, as it would not read back the same: " + found[0])
	}
	return nil
}

// adopt gives the schema that was read back what Write does not promise.
func (f *fbsWriter) adopt(back *schema.Schema) {
	back.Files, back.Features = f.s.Files, f.s.Features
	drop := func(owner string, list []schema.Attribute) []schema.Attribute {
		var kept []schema.Attribute
		for _, a := range list {
			if !f.added[addedTo{owner, a.Key}] {
				kept = append(kept, a)
			}
		}
		return kept
	}
	for i, o := range f.s.Objects {
		if i >= len(back.Objects) || back.Objects[i].Name != o.Name {
			return
		}
		read := back.Objects[i]
		read.DeclarationFile = o.DeclarationFile
		read.Attributes = drop(o.Name, read.Attributes)
		for j, field := range o.Fields {
			if j >= len(read.Fields) {
				break
			}
			g := read.Fields[j]
			g.Attributes = drop(o.Name+"."+g.Name, g.Attributes)
			if !field.HasDefaultString && g.HasDefaultString && g.DefaultString == "" {
				g.HasDefaultString = false
			}
			if !field.HasDefaultVector {
				g.HasDefaultVector = false
			}
		}
	}
	for i, e := range f.s.Enums {
		if i >= len(back.Enums) || back.Enums[i].Name != e.Name {
			return
		}
		back.Enums[i].DeclarationFile = e.DeclarationFile
		back.Enums[i].Attributes = drop(e.Name, back.Enums[i].Attributes)
	}
	for i, v := range f.s.Services {
		if i >= len(back.Services) || back.Services[i].Name != v.Name {
			return
		}
		back.Services[i].DeclarationFile = v.DeclarationFile
	}
}
