package diff

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/fbverify/go/fbverify"
	"github.com/fbverify/go/fbverify/dynamic"
	"github.com/fbverify/go/schema/fbs"
)

func compile(t *testing.T, text string) *fbverify.Type {
	t.Helper()
	s, err := fbs.ParseFS(fstest.MapFS{"s.fbs": {Data: []byte(text)}}, "s.fbs")
	if err != nil {
		t.Fatal(err)
	}
	typ, err := fbverify.Compile(s, "")
	if err != nil {
		t.Fatal(err)
	}
	return typ
}

func message(t *testing.T, typ *fbverify.Type, text string) dynamic.Message {
	t.Helper()
	buf, err := dynamic.EncodeJSON(typ, []byte(text), nil)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return open(t, typ, buf)
}

func open(t *testing.T, typ *fbverify.Type, buf []byte) dynamic.Message {
	t.Helper()
	m, err := dynamic.Root(typ, buf, nil)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// differences are the changes between two messages, one a line.
func differences(t *testing.T, a, b dynamic.Message, opts Options) string {
	t.Helper()
	var lines []string
	text := func(v dynamic.Value) string {
		b, err := dynamic.AppendValueJSON(nil, v, nil)
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	err := Compare(context.Background(), a, b, opts, func(c Change) bool {
		switch c.Op {
		case Added:
			lines = append(lines, "+ "+c.Path+": "+text(c.New))
		case Removed:
			lines = append(lines, "- "+c.Path+": "+text(c.Old))
		default:
			lines = append(lines, "~ "+c.Path+": "+text(c.Old)+" > "+text(c.New))
		}
		return true
	})
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(lines, "\n")
}

const diffSchema = `
	union U { T, S, Text:string }
	struct S { a:int; f:float; }
	struct ByStruct { k:S (key); n:int; }
	struct ByArray { k:[ubyte:2] (key); n:int; }
	table ByName { name:string (key); t:T; }
	table T {
		n:int = 3; o:int = null; f:double; s:string; st:S; c:T; l:[T]; v:[int]; b:[ubyte]; w:[string]; u:U; us:[U]; ss:[S];
		names:[ByName]; structs:[ByStruct]; arrays:[ByArray]; nest:[ubyte] (nested_flatbuffer:"T"); flex:[ubyte] (flexbuffer);
	}
	root_type T;`

func TestDifferences(t *testing.T) {
	typ := compile(t, diffSchema)
	for _, c := range []struct{ a, b, want string }{
		{`{n:1}`, `{n:1}`, ``},
		{`{n:3}`, `{}`, ``},
		{`{o:0}`, `{}`, `- T.o: 0`},
		{`{f:nan}`, `{f:nan}`, ``},
		{`{f:nan}`, `{f:1}`, "~ T.f: \"nan\" > 1.0"},
		{`{s:"a"}`, `{s:"b"}`, `~ T.s: "a" > "b"`},
		{`{s:""}`, `{}`, `- T.s: ""`},
		{`{st:{a:1,f:0}}`, `{st:{a:1,f:-0}}`, ``},
		{`{st:{a:1,f:2}}`, `{st:{a:3,f:2}}`, `~ T.st.a: 1 > 3`},
		{`{v:[1,2,3]}`, `{v:[0,1,2,3]}`, `+ T.v[0]: 0`},
		{`{v:[1,2,3]}`, `{v:[1,3]}`, `- T.v[1]: 2`},
		{`{v:[1,2,3]}`, `{v:[1,2,4]}`, `~ T.v[2]: 3 > 4`},
		{`{v:[1,2,3,4]}`, `{v:[1,5,4]}`, "~ T.v[1]: 2 > 5\n- T.v[2]: 3"},
		{`{v:[]}`, `{v:[1]}`, `+ T.v[0]: 1`},
		{`{w:["a","b"]}`, `{w:["x","a","b"]}`, `+ T.w[0]: "x"`},
		{`{l:[{n:1},{n:2}]}`, `{l:[{n:1},{n:9},{n:2}]}`, `+ T.l[1]: {"n":9}`},
		{`{u_type:T,u:{n:1}}`, `{u_type:T,u:{n:2}}`, `~ T.u.n: 1 > 2`},
		{`{u_type:T,u:{n:1}}`, `{u_type:Text,u:"x"}`, "~ T.u_type: \"T\" > \"Text\"\n~ T.u: {\"n\":1} > \"x\""},
		{`{us_type:[T,S],us:[{n:1},{a:1,f:0}]}`, `{us_type:[T,S],us:[{n:1},{a:2,f:0}]}`, `~ T.us[1].a: 1 > 2`},
		{`{names:[{name:"a"},{name:"c"}]}`, `{names:[{name:"b"},{name:"c",t:{n:1}}]}`, "- T.names[\"a\"]: {\"name\":\"a\"}\n+ T.names[\"b\"]: {\"name\":\"b\"}\n+ T.names[\"c\"].t: {\"n\":1}"},
		{`{names:[{name:"a"},{name:"a",t:{n:1}}]}`, `{names:[{name:"a"},{name:"a",t:{n:2}},{name:"a"}]}`, "~ T.names[\"a\"].t.n: 1 > 2\n+ T.names[\"a\"]: {\"name\":\"a\"}"},
		{`{structs:[{k:{a:1,f:2},n:1}]}`, `{structs:[{k:{a:1,f:2},n:2},{k:{a:1,f:1},n:1}]}`, "+ T.structs[k={\"a\":1,\"f\":1.0}]: {\"k\":{\"a\":1,\"f\":1.0},\"n\":1}\n~ T.structs[k={\"a\":1,\"f\":2.0}].n: 1 > 2"},
		{`{arrays:[{k:[1,2],n:1}]}`, `{arrays:[{k:[2,1],n:1}]}`, "- T.arrays[k=[1,2]]: {\"k\":[1,2],\"n\":1}\n+ T.arrays[k=[2,1]]: {\"k\":[2,1],\"n\":1}"},
		{`{nest:{n:1}}`, `{nest:{n:2}}`, `~ T.nest.n: 1 > 2`},
		{`{flex:{a:1,b:[2]}}`, `{flex:{b:[2],a:1}}`, ``},
		{`{flex:{a:1}}`, `{flex:{a:2}}`, `~ T.flex: {"a":1} > {"a":2}`},
	} {
		if got := differences(t, message(t, typ, c.a), message(t, typ, c.b), Options{}); got != c.want {
			t.Errorf("%s and %s:\n%s\nwant\n%s", c.a, c.b, got, c.want)
		}
	}
	if got := differences(t, message(t, typ, `{n:3}`), message(t, typ, `{}`), Options{Presence: true}); got != "- T.n: 3" {
		t.Errorf("presence: %s", got)
	}
}

// randomText is a table of that depth.
func randomText(r *rand.Rand, depth int) string {
	var m []string
	add := func(format string, args ...any) { m = append(m, fmt.Sprintf(format, args...)) }
	list := func(item func() string) string {
		var l []string
		for range r.IntN(5) {
			l = append(l, item())
		}
		return "[" + strings.Join(l, ",") + "]"
	}
	small := func() string { return fmt.Sprint(r.IntN(3)) }
	if r.IntN(2) == 0 {
		add(`n:%d`, r.IntN(3)+4)
	}
	if r.IntN(3) == 0 {
		add(`v:%s`, list(small))
	}
	if r.IntN(3) == 0 {
		add(`w:%s`, list(func() string { return `"` + small() + `"` }))
	}
	if r.IntN(3) == 0 {
		add(`structs:%s`, list(func() string { return fmt.Sprintf(`{k:{a:%s,f:%s},n:%s}`, small(), small(), small()) }))
	}
	if r.IntN(3) == 0 {
		add(`arrays:%s`, list(func() string { return fmt.Sprintf(`{k:[%s,%s],n:%s}`, small(), small(), small()) }))
	}
	if depth > 0 {
		if r.IntN(2) == 0 {
			add(`l:%s`, list(func() string { return randomText(r, depth-1) }))
		}
		if r.IntN(2) == 0 {
			add(`names:%s`, list(func() string { return fmt.Sprintf(`{name:"%s",t:%s}`, small(), randomText(r, depth-1)) }))
		}
		if r.IntN(3) == 0 {
			add(`nest:%s`, randomText(r, depth-1))
		}
	}
	return "{" + strings.Join(m, ",") + "}"
}

// TestThereIsADifferenceWhereTheDataDiffer and none where they do not, whatever was alike
// at a glance.
func TestThereIsADifferenceWhereTheDataDiffer(t *testing.T) {
	typ := compile(t, diffSchema)
	r := rand.New(rand.NewPCG(3, 4))
	alike := 0
	for range 3000 {
		a := message(t, typ, randomText(r, 3))
		b := message(t, typ, randomText(r, 3))
		if r.IntN(3) == 0 {
			b = a
		}
		x, _ := dynamic.AppendJSON(nil, a, nil)
		y, _ := dynamic.AppendJSON(nil, b, nil)
		got := differences(t, a, b, Options{})
		if (got == "") != (string(x) == string(y)) {
			t.Fatalf("%s\n%s\n%s", x, y, got)
		}
		if got == "" {
			alike++
		}
	}
	if alike < 500 || alike > 2500 {
		t.Errorf("%d of 3000 are alike", alike)
	}
}

// TestAGlanceDoesNotHideWhatItDoesNotReach: elements that look the same are compared.
func TestAGlanceDoesNotHideWhatItDoesNotReach(t *testing.T) {
	typ := compile(t, diffSchema)
	long := strings.TrimSuffix(strings.Repeat("1,", 500), ",")
	deep := func(n int) string {
		return strings.Repeat(`{l:[`, 40) + fmt.Sprintf(`{v:[%s,%d]}`, long, n) + strings.Repeat(`]}`, 40)
	}
	a := message(t, typ, `{l:[`+deep(1)+`,`+deep(2)+`]}`)
	b := message(t, typ, `{l:[{},`+deep(1)+`,`+deep(3)+`]}`)
	below := strings.Repeat(".l[0]", 40) + ".v[500]"
	if got, want := differences(t, a, b, Options{}), "+ T.l[0]: {}\n~ T.l[1]"+below+": 2 > 3"; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// work is how many values are compared, and how many differences are told.
func work(t *testing.T, a, b dynamic.Message) (seen, told int) {
	t.Helper()
	c := newComparer(context.Background(), a, b, Options{}, func(c Change) bool { told++; return true })
	c.tables(a.Root(), b.Root())
	return c.seen, told
}

// TestWorkGrowsAsTheFilesDo: with depth, with lists of different lengths at each level, and
// with tables that many others share.
func TestWorkGrowsAsTheFilesDo(t *testing.T) {
	typ := compile(t, diffSchema)
	longer := func(depth int, more string) dynamic.Message {
		text := `{n:1}`
		for range depth {
			text = `{l:[` + more + text + `,{n:2}]}`
		}
		return message(t, typ, text)
	}
	for _, depth := range []int{10, 20, 40, 60} {
		a, b := longer(depth, ``), longer(depth, `{n:7},`)
		if seen, told := work(t, a, b); seen > 20*depth || told == 0 {
			t.Errorf("depth %d, longer lists: %d values are compared, %d differ", depth, seen, told)
		}
		a, b = longer(depth, ``), message(t, typ, strings.Replace(string(must(dynamic.AppendJSON(nil, longer(depth, ``), nil))), `{"n":1}`, `{"n":5}`, 1))
		if seen, told := work(t, a, b); seen > 10*depth || told != 1 {
			t.Errorf("depth %d: %d values are compared, %d differ", depth, seen, told)
		}
	}
}

func must(b []byte, err error) []byte {
	if err != nil {
		panic(err)
	}
	return b
}

// shared is a buffer whose root has count offsets to one table, which has a list of count
// numbers that start with first, and a string as long.
func shared(t *testing.T, typ *fbverify.Type, count, first int) dynamic.Message {
	t.Helper()
	one := fmt.Sprintf(`{s:"%s",v:[%d%s]}`, strings.Repeat("x", count), first, strings.Repeat(",7", count))
	buf := must(dynamic.EncodeJSON(typ, []byte(`{l:[`+one+strings.Repeat(",{}", count)+`]}`), nil))
	m := open(t, typ, buf)
	l, _ := m.Root().Get(m.Root().Field("l"))
	target := l.At(0).Offset()
	for i := range l.Len() {
		at := l.Offset() + 4 + 4*i
		for j, x := 0, uint32(target-at); j < 4; j++ {
			buf[at+j] = byte(x >> (8 * j))
		}
	}
	return open(t, typ, buf)
}

// TestWhatIsSharedIsComparedOnce, and told of as a whole after that.
func TestWhatIsSharedIsComparedOnce(t *testing.T) {
	typ := compile(t, diffSchema)
	for _, count := range []int{100, 1000, 4000} {
		same := [2]dynamic.Message{shared(t, typ, count, 1), shared(t, typ, count, 1)}
		if seen, told := work(t, same[0], same[1]); seen > 4*count+20 || told != 0 {
			t.Errorf("%d, all the same: %d values are compared, %d differ", count, seen, told)
		}
		if seen, told := work(t, same[0], shared(t, typ, count, 2)); seen > 4*count+20 || told != count+1 {
			t.Errorf("%d: %d values are compared, %d differ", count, seen, told)
		}
	}
}

// TestKeysThatAreNotSortedAreMatchedAllTheSame, as writers that sort nothing leave them.
func TestKeysThatAreNotSortedAreMatchedAllTheSame(t *testing.T) {
	keyed := compile(t, `table K { k:string (key); n:int; } table T { v:[K]; } root_type T;`)
	plain := compile(t, `table K { k:string (required); n:int; } table T { v:[K]; } root_type T;`)
	r := rand.New(rand.NewPCG(5, 6))
	tail := ""
	list := func(n int) dynamic.Message {
		var l []string
		for _, i := range r.Perm(50) {
			l = append(l, fmt.Sprintf(`{k:"%03d%s",n:%d}`, i, tail, i*n))
		}
		return open(t, keyed, must(dynamic.EncodeJSON(plain, []byte(`{v:[`+strings.Join(l, ",")+`]}`), nil)))
	}
	for _, tail = range []string{strings.Repeat("long ", 20), ""} {
		for range 20 {
			if got := differences(t, list(1), list(1), Options{}); got != "" {
				t.Error(got)
			}
		}
	}
	lines := strings.Split(differences(t, list(1), list(2), Options{}), "\n")
	if len(lines) != 49 || lines[0] != `~ T.v["001"].n: 1 > 2` || !slices.IsSorted(lines) {
		t.Errorf("%q", lines)
	}
}

// TestLongPathsAreCut: the names are the schema's.
func TestLongPathsAreCut(t *testing.T) {
	name := strings.Repeat("n", 1000)
	typ := compile(t, "table T { "+name+":T; x:int; } root_type T;")
	deep := func(x int) dynamic.Message {
		return message(t, typ, strings.Repeat(`{"`+name+`":`, 50)+fmt.Sprintf(`{x:%d}`, x)+strings.Repeat("}", 50))
	}
	got := differences(t, deep(1), deep(2), Options{})
	if len(got) > 8192 || !strings.HasPrefix(got, "~ T.nnn") || !strings.HasSuffix(got, "n….x: 1 > 2") {
		t.Errorf("%d bytes: %.100s", len(got), got)
	}
}

// TestComparingEndsWithItsContext, and when nobody wants more.
func TestComparingEndsWithItsContext(t *testing.T) {
	typ := compile(t, diffSchema)
	a := message(t, typ, `{v:[`+strings.TrimSuffix(strings.Repeat("1,", 100_000), ",")+`]}`)
	b := message(t, typ, `{v:[`+strings.TrimSuffix(strings.Repeat("2,", 100_000), ",")+`]}`)
	ctx, cancel := context.WithCancel(context.Background())
	n := 0
	err := Compare(ctx, a, b, Options{}, func(Change) bool {
		if n++; n == 10 {
			cancel()
		}
		return true
	})
	if err == nil || n > 10_000 {
		t.Errorf("%d differences are told of after the end: %v", n, err)
	}
	n = 0
	if err := Compare(context.Background(), a, b, Options{}, func(Change) bool { n++; return n < 5 }); err != nil || n != 5 {
		t.Errorf("%d differences are told of, %v", n, err)
	}
}
