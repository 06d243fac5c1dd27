package traversal

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/fbverify/go/fbverify/internal/program"
	"github.com/fbverify/go/fbverify/internal/program/programtest"
	"github.com/fbverify/go/fbverify/internal/rule"
	. "github.com/fbverify/go/internal/fbasm"
	"github.com/fbverify/go/schema"
)

// stopSchema has what can be at fault behind what is.
const stopSchema = `
struct Bools { a:bool; b:bool; c:[bool:2]; }
union U { K, Bools, Text:string }
union Small : byte { K = 1 }
union Middle : short { K = 1 }
union Large : int { K = 1 }
table K { a:string; b:string; n:[long]; }
table R { k:K; ks:[K]; u:U; bools:Bools; words:[string]; us:[U]; small:Small; middle:Middle; large:Large; v:[Bools]; }
root_type R;
`

// fieldsOf starts a buffer whose root has the fields, each four bytes further on, at
// a multiple of eight.
func fieldsOf(p *program.Program, names ...string) Part {
	vt := make([]uint16, 2+len(p.Root.Fields))
	vt[0], vt[1] = uint16(2*len(vt)), uint16(4+4*len(names))
	for i, name := range names {
		vt[2+p.Root.Object.Field(name).ID] = uint16(4 + 4*i)
	}
	return Sequence(Offset("root"), Label("R vt"), U16(vt...), Align(8), Label("root"), VTable("R vt"))
}

// tableK is a K at a label whose a is bad and whose b and n are good.
func tableK(label string, parts ...Part) Part {
	return Sequence(Align(4), Label("K vt"), U16(10, 16, 4, 8, 12), Align(4), Label(label), VTable("K vt"), Sequence(parts...))
}

// TestNothingIsLookedAtBehindTheLastFault, nor counted: the bytes are those up to it.
func TestNothingIsLookedAtBehindTheLastFault(t *testing.T) {
	p := programtest.Compile(t, stopSchema)
	text := Sequence(Align(4), Label("text"), U32(3), Text("abc"), Bytes(0), Align(8), U32(0), Label("numbers"), U32(1), Label("zeros"), U32(0, 0, 0, 0, 0))
	far := U32(0x7fff0000)
	const root, k = 8, 16
	for _, c := range []struct {
		name   string
		parts  []Part
		strict bool
		fault  rule.Kind
		bytes  uint64
		faults int // without a limit
	}{
		{"two strings", []Part{fieldsOf(p, "k"), Offset("k"), tableK("k", far, Offset("text"), Offset("numbers")), text}, false, rule.OutOfBounds, root + k, 1},
		{"two bad strings", []Part{fieldsOf(p, "k"), Offset("k"), tableK("k", far, far, Offset("numbers")), text}, false, rule.OutOfBounds, root + k, 2},
		{"the second string", []Part{fieldsOf(p, "k"), Offset("k"), tableK("k", Offset("text"), far, Offset("numbers")), text}, false, rule.OutOfBounds, root + k + 8, 1},
		{"text that is neither UTF-8 nor without a NUL", []Part{fieldsOf(p, "k"), Offset("k"), tableK("k", Offset("bad"), Offset("text"), Offset("numbers")), Label("bad"), U32(3), Bytes(0xff, 0, 'x', 0), text}, true, rule.InvalidUTF8, root + k + 8, 2},
		{"a struct's bools", []Part{fieldsOf(p, "bools"), Bytes(0, 2, 3, 4)}, true, rule.BadBool, root + 2, 3},
		{"tables in a vector", []Part{fieldsOf(p, "ks"), Offset("ks"), Label("ks"), U32(2), far, Offset("k"), tableK("k", Offset("text"), Offset("text"), Offset("numbers")), text}, false, rule.OutOfBounds, root + 12, 1},
		{"strings in a vector", []Part{fieldsOf(p, "words"), Offset("words"), Label("words"), U32(3), far, Offset("text"), far, text}, false, rule.OutOfBounds, root + 16, 2},
		{"unions in a vector", []Part{fieldsOf(p, "us"), U32(0), text}, false, rule.UnionVectors, root, 1},
	} {
		buf := Build(c.parts...)
		for _, shared := range []bool{false, true} {
			cfg := unlimited()
			cfg.Strict, cfg.Shared = c.strict, shared
			if w := walked(p, buf, cfg); len(w.faults) != c.faults {
				t.Errorf("%s: %v, want %d", c.name, w.faults, c.faults)
			}
			cfg.MaxFaults = 1
			if w := walked(p, buf, cfg); len(w.faults) != 1 || w.faults[0].Kind != c.fault || !c.strict && w.bytes != c.bytes {
				t.Errorf("%s, shared %v: %v and %d bytes, want %d", c.name, shared, w.faults, w.bytes, c.bytes)
			}
		}
	}
}

// TestNothingIsLookedAtBehindALimit, whatever may be wrong with it: what goes beyond
// the limit has a fault of its own, which is not looked for.
func TestNothingIsLookedAtBehindALimit(t *testing.T) {
	p := programtest.Compile(t, stopSchema)
	bad := Sequence(Align(4), Label("bad"), U32(3), Bytes(0xff, 0xff, 0xff, 0))
	for _, c := range []struct {
		name  string
		parts []Part
		kind  rule.Kind
	}{
		{"a table", []Part{fieldsOf(p, "k"), Offset("k"), Label("k"), U32(0x7fff0000)}, rule.TableLimit},
		{"a table's fields", []Part{fieldsOf(p, "k"), Offset("k"), tableK("k", U32(0, 0, 0))}, rule.TableLimit},
		{"a string", []Part{fieldsOf(p, "k"), Offset("k"), tableK("k", Offset("bad"), U32(0, 0)), bad}, rule.SizeLimit},
		{"a union's struct", []Part{fieldsOf(p, "u_type", "u"), Bytes(2, 0, 0, 0), Offset("bools"), Label("bools"), Bytes(9, 9, 9, 9)}, rule.SizeLimit},
		{"a vector of strings", []Part{fieldsOf(p, "words"), Offset("words"), Label("words"), U32(1), Offset("bad"), bad}, rule.SizeLimit},
		{"a vector of structs", []Part{fieldsOf(p, "v"), Offset("v"), Label("v"), U32(1), Bytes(9, 9, 9, 9)}, rule.SizeLimit},
	} {
		buf := Build(c.parts...)
		all := unlimited()
		all.Strict = true
		if w := walked(p, buf, all); len(w.faults) == 0 {
			t.Errorf("%s: nothing is wrong", c.name)
		} else if all.MaxTables = 1; c.kind == rule.SizeLimit {
			all.MaxTables, all.MaxBytes = 1<<40, w.bytes-1
		}
		for all.MaxFaults = range 4 {
			if all.MaxFaults++; len(walked(p, buf, all).faults) != 1 || walked(p, buf, all).faults[0].Kind != c.kind {
				t.Errorf("%s, at most %d faults: %v", c.name, all.MaxFaults, walked(p, buf, all).faults)
			}
		}
	}
}

// TestTagsAreReadByTheirSign also where a fault says which it is.
func TestTagsAreReadByTheirSign(t *testing.T) {
	p := programtest.Compile(t, stopSchema)
	cfg := unlimited()
	cfg.Strict = true
	for _, name := range []string{"small", "middle", "large"} {
		buf := Build(fieldsOf(p, name+"_type"), U32(^uint32(2)))
		w := walked(p, buf, cfg)
		if size := len(w.faults); size != 1 || w.faults[0].Kind != rule.UnionTagUnknown || !strings.Contains(w.faults[0].Detail, "type is -3,") {
			t.Errorf("%s: %v", name, w.faults)
		}
	}
}

// TestStrictCountsWhatItLooksAt: vectors in which nothing could be wrong cost nothing,
// and of others each byte counts.
func TestStrictCountsWhatItLooksAt(t *testing.T) {
	p := programtest.Compile(t, `
		enum E:uint { A }
		struct P { x:double; y:double; }
		struct B { x:[double:7]; b:bool; }
		struct Keyed { k:uint (key); v:uint; }
		table R { numbers:[long]; points:[P]; enums:[E]; bools:[bool]; structs:[B]; keyed:[Keyed]; }
		root_type R;`)
	const count = 50
	for name, strictWork := range map[string]uint64{"numbers": 0, "points": 0, "enums": 4 * count, "bools": count, "structs": 64 * count, "keyed": 8 * count} {
		f := p.Root.Fields[p.Root.Object.Field(name).ID]
		buf := Build(fieldsOf(p, name), Offset("v"), U32(0), Label("v"), U32(count), Bytes(make([]byte, count*f.ElemSize)...))
		for _, strict := range []bool{false, true} {
			cfg := unlimited()
			cfg.Strict = strict
			w := walked(p, buf, cfg)
			work := uint64(0)
			if strict {
				work = strictWork
			}
			if len(w.faults) > 0 || w.work != tableCost+4+work {
				t.Errorf("%s, strict %v: %v, %d bytes of work, want %d", name, strict, w.faults, w.work, tableCost+4+work)
			}
		}
	}
}

// TestLongPathsAreCutOnceThereAreManyOfThem: of a path of more than so many bytes the
// ends are left, of a name that is longer its own ends.
func TestLongPathsAreCutOnceThereAreManyOfThem(t *testing.T) {
	p := programtest.Compile(t, stopSchema)
	long := &schema.Field{Name: strings.Repeat("ü", 3000)}
	for _, c := range []struct {
		name   string
		path   []segment
		before int
		cut    bool
	}{
		{"short, late", make([]segment, 50), maxPaths, false},
		{"long, early", make([]segment, 1000), 0, false},
		{"long, late", make([]segment, 1000), maxPaths, true},
		{"longer than all may be", make([]segment, maxPaths), 0, true},
		{"a long name, early", []segment{{field: long}}, 0, false},
		{"a long name, late", []segment{{field: long}}, maxPaths, true},
		{"a long name between", append([]segment{{}, {field: long}}, make([]segment, 10)...), maxPaths, true},
		{"long names", []segment{{field: long}, {field: long}, {field: long}}, maxPaths, true},
	} {
		w := &walker{p: p, pathBytes: c.before, path: c.path}
		path := w.renderPath()
		if cut := strings.Contains(path, "…"); cut != c.cut || c.cut && (len(path) > mostPath+20 || len(path) < 30) || !utf8.ValidString(path) {
			t.Errorf("%s: %d bytes, %s", c.name, len(path), path)
		}
		if !strings.HasPrefix(path, "R") || c.path[len(c.path)-1].field == nil && !strings.HasSuffix(path, "[0]") {
			t.Errorf("%s: the ends are gone: %s", c.name, path)
		}
	}
}
