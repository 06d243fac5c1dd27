package input

import (
	"fmt"
	"sort"

	"github.com/fbverify/go/cmd/fbinspect/internal/ui"
	"github.com/fbverify/go/schema"
	"github.com/fbverify/go/schema/formats"
)

// KnownSchemaWith returns the known schema that has the table root: by its full name, or
// by the last word of that where only one table has it.
func KnownSchemaWith(root string) (*schema.Schema, error) {
	var byWord *schema.Schema
	full := map[string]bool{} // names of tables that have root as their last word
	var all []string
	seen := map[string]bool{}
	for _, k := range formats.All() {
		s, err := k.Load()
		if err != nil {
			return nil, fmt.Errorf("known schema %s: %w", k.Name, err)
		}
		for _, o := range s.Objects {
			switch {
			case o.IsStruct:
				continue
			case o.Name == root:
				return s, nil
			case o.ShortName() == root:
				full[o.Name], byWord = true, s
			}
			if !seen[o.Name] {
				seen[o.Name] = true
				all = append(all, o.Name)
			}
		}
	}
	switch len(full) {
	case 1:
		return byWord, nil
	case 0:
		hint := ui.DidYouMean(root, all)
		if hint == "" {
			hint = "; give its schema with --schema"
		}
		return nil, fmt.Errorf("--root %s: no known schema has such a table%s", ui.Name(root), hint)
	}
	var names []string
	for name := range full {
		names = append(names, name)
	}
	sort.Strings(names)
	return nil, fmt.Errorf("--root %s: several known schemas have such a table: name one of %s", ui.Name(root), ui.List(names))
}

// knownSchema returns the known schema of that name, "vortex/layout", and whether there
// is one.
func knownSchema(name string) (*schema.Schema, bool) {
	s, err := formats.Load(name)
	return s, err == nil
}

// KnownNames returns the names of the known schemas.
func KnownNames() []string {
	var names []string
	for _, k := range formats.All() {
		names = append(names, k.Name)
	}
	return names
}
