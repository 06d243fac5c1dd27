package fbverify_test

import (
	"testing"

	"github.com/fbverify/go/internal/fbasm"
	"github.com/fbverify/go/internal/seeds"
)

// TestSeedsOfRules: each small buffer of the rules is a seed, which is one change away
// from another verdict.
func TestSeedsOfRules(t *testing.T) {
	set := seeds.Set{}
	for _, c := range ruleCases() {
		buf := fbasm.Build(c.parts...)
		if len(buf) > 4<<10 {
			continue
		}
		bits := uint8(0)
		for i, on := range []bool{c.opts.SkipUTF8, c.opts.SkipAlignment, c.opts.SkipNullTerminator, c.opts.NestedUnchecked} {
			if on {
				bits |= 1 << i
			}
		}
		name := seeds.Name(c.name)
		if old, ok := set[name]; ok && string(old[0].([]byte)) != string(buf) {
			t.Errorf("two rules are called %s", name)
		}
		set[name] = seeds.Seed{buf, bits}
	}
	seeds.Check(t, "FuzzRules", set)
}
