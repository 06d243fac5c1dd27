package fbverify_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/fbverify/go/fbverify"
	. "github.com/fbverify/go/internal/fbasm"
	"github.com/fbverify/go/internal/walk"
)

// sharedRules is the schema of the rules with a vector of its root.
var sharedRules = strings.Replace(rulesSchema, "colors:[Color];       // 31", "colors:[Color]; rs:[R]; // 31, 32", 1)

// behindSharing puts a buffer at the end of one whose root first leads to one table
// very many times, so that whatever walks it remembers results from then on, and
// then three times to the buffer's root. It returns where the buffer starts.
func behindSharing(buf []byte) (all []byte, start int) {
	const times = 100
	parts := []Part{
		Offset("root"), Label("vt"), slots(12, 15, 4, 32, 8), Align(4), Label("root"), VTable("vt"), Offset("leaves"), Offset("rs"),
		Label("leaves"), U32(times),
	}
	for range times {
		parts = append(parts, Offset("leaf"))
	}
	parts = append(parts, leaf("leaf"), Align(4), Label("rs"), U32(3), Label("first"), U32(0, 0, 0), Align(32), Label("start"))
	all, at := Assemble(parts...)
	start = at["start"]
	if len(buf) >= 4 {
		for i := range 3 {
			here := at["first"] + 4*i
			binary.LittleEndian.PutUint32(all[here:], uint32(start-here)+binary.LittleEndian.Uint32(buf))
		}
	}
	return append(all, buf...), start
}

// TestRulesHoldWhereResultsAreRemembered: the verdict on the buffers of the rules, and
// on every change of one byte of each, does not depend on what was walked before.
func TestRulesHoldWhereResultsAreRemembered(t *testing.T) {
	if !strings.Contains(sharedRules, "rs:[R]") {
		t.Fatal("the schema of the rules has changed")
	}
	typ := typeOf(t, sharedRules)
	shared := 0
	for _, c := range ruleCases() {
		if c.opts.Strict || c.opts.MaxTables > 0 || c.opts.MaxDepth > 0 || c.opts.MaxApparentSize > 0 || c.opts.Identifier != "" {
			continue
		}
		inner := Build(c.parts...)
		if len(inner) > 1024 {
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			buf, start := behindSharing(inner)
			o := c.opts
			walkOptions := &walk.Options{
				Rules: true, SkipUTF8: o.SkipUTF8, SkipAlignment: o.SkipAlignment, SkipNullTerminator: o.SkipNullTerminator, SkipNested: o.NestedUnchecked,
			}
			judge := func(what string, at int) {
				t.Helper()
				err, want := typ.Verify(buf, &o), walk.Message(typ.Schema(), typ.Root(), buf, walkOptions)
				if errors.Is(err, fbverify.ErrInternal) || (err == nil) != (want == nil) {
					t.Errorf("%s at %d: Verify says %v, the reference walk %v", what, at, err, want)
				}
				if faults := typ.Explain(buf, &o); (err == nil) != (faults == nil) {
					t.Errorf("%s at %d: Verify says %v, Explain %v", what, at, err, faults)
				}
				if err == nil {
					shared++
				}
			}
			judge("unchanged", 0)
			for i := start; i < len(buf); i++ {
				old := buf[i]
				values := []byte{0, old + 1, old + 4, old ^ 0x80, 0xff, old - 1, 1, 2}
				if testing.Short() {
					values = values[:4]
				}
				for _, v := range values {
					buf[i] = v
					judge(fmt.Sprintf("0x%02x for 0x%02x", v, old), i-start)
				}
				buf[i] = old
			}
		})
	}
	if shared == 0 {
		t.Error("none was accepted")
	}
}

// TestStrictHoldsWhereResultsAreRemembered: the same for the rules of Strict.
func TestStrictHoldsWhereResultsAreRemembered(t *testing.T) {
	typ := typeOf(t, sharedRules)
	for _, c := range ruleCases() {
		if !c.opts.Strict {
			continue
		}
		buf, _ := behindSharing(Build(c.parts...))
		if err := typ.Verify(buf, &c.opts); c.kind == 0 && err != nil || c.kind != 0 && !errors.Is(err, c.kind) {
			t.Errorf("%s: %v, want kind %v", c.name, err, c.kind)
		}
	}
}
