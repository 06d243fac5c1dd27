package protobuf

import (
	"strings"

	"github.com/fbverify/go/schema"
)

// GoNames returns names in Go for the types of a schema that [Schema] made, by their full names
// in the schema, for fbgen, which otherwise takes the last word of each: what is declared in a message has the
// message's name before it, as protoc-gen-go has it. Where two types still have one
// name, the later of the two in the order of full names has its package's name before it.
func GoNames(s *schema.Schema) map[string]string {
	names, taken := map[string]string{}, map[string]bool{}
	add := func(full string) {
		words := strings.Split(full, ".")
		name := ""
		n := len(words) - 1
		for ; n >= 0; n-- {
			word, nested := strings.CutSuffix(words[n], "__")
			if !nested && n < len(words)-1 {
				break
			}
			name = camel(word) + name
		}
		for ; taken[strings.ToLower(name)] && n >= 0; n-- {
			name = camel(words[n]) + name
		}
		for taken[strings.ToLower(name)] {
			name += "2"
		}
		taken[strings.ToLower(name)] = true
		names[full] = name
	}
	for _, o := range s.Objects {
		add(o.Name)
	}
	for _, e := range s.Enums {
		add(e.Name)
	}
	return names
}
