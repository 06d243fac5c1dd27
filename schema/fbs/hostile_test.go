package fbs

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/fbverify/go/schema"
	"github.com/fbverify/go/schema/internal/words"
)

// repeat makes a text of about n bytes; the piece may hold one %[1]d.
func repeat(n int, before, piece, after string) string {
	var b strings.Builder
	b.WriteString(before)
	for i := 0; b.Len() < n; i++ {
		if strings.Contains(piece, "%[1]d") {
			fmt.Fprintf(&b, piece, i)
		} else {
			b.WriteString(piece)
		}
	}
	b.WriteString(after)
	return b.String()
}

func TestHostileTextTakesLittleTime(t *testing.T) {
	size := 1 << 20
	if testing.Short() {
		size = 1 << 16 // emulated processors are fifty times slower
	}
	deep := strings.Repeat("A.", words.MaxParts-1) + "A"
	values := repeat(size/2, "enum E : int {", "v%[1]d,", "}\n")
	for _, c := range []struct{ name, text string }{
		{"open brackets", repeat(size, "table T { x:", "[", "")},
		{"open braces", repeat(size, "", "{", "")},
		{"open calls", repeat(size, "table T { x:float = ", "sin(", "")},
		{"open comments", repeat(size, "", "/*", "")},
		{"doc comments", repeat(size, "", "///\n", "table T {}")},
		{"quotes", repeat(size, "", "\"", "")},
		{"dots", repeat(size, "namespace a", ".a", ";")},
		{"tables that are not closed", repeat(size, "", "table T {\n", "")},
		{"keywords", repeat(size, "table T { ", "\ntable ", "")},
		{"semicolons", repeat(size, "", ";", "")},
		{"unknown attributes", repeat(size, "table T { x:int (", "a%[1]d, ", "a); }")},
		{"many attributes", repeat(size, "", "attribute a%[1]d;", repeat(size/2, "table T { x:int (", "a%[1]d, ", "a1); }"))},
		{"attributes again and again", repeat(size, "table T { x:int (", "id, ", "id); }")},
		{"unknown types", repeat(size, "table T {", "f%[1]d:U%[1]d;", "}")},
		{"unknown types among many", repeat(size/2, "", "table T%[1]d{}", repeat(size/2, "table T {", "f%[1]d:U%[1]d;", "}"))},
		{"deep lookups", repeat(size, "namespace "+deep+"; table T{", "f%[1]d:B%[1]d.C;", "}")},
		{"deep nested", repeat(size, "namespace "+deep+"; table T{", "f%[1]d:[ubyte](nested_flatbuffer:\"B%[1]d\");", "}")},
		{"duplicates", repeat(size, "table T {", "x:int;", "}")},
		{"tables of one name", repeat(size, "", "table T{}", "")},
		{"values of one name", repeat(size, "enum E : int {", "a,", "}")},
		{"values as defaults", values + repeat(size/2, "table T {", "f%[1]d:E=v9;", "}")},
		{"one long default", values + repeat(size/2, "table T { x:E=\"v9", " v9", "\"; }")},
		{"clashing names", repeat(size, "table T {", "f%[1]d:string; f%[1]dByteVector:int;", "}")},
		{"one big struct", repeat(size, "struct S {", "f%[1]d:byte;", "}")},
		{"nested structs", repeat(size, "struct S0 { x:int; }", "struct S%[1]d_ { x:S0; y:S0; }", "")},
		{"doubling structs", doublingStructs()},
		{"ids", repeat(size, "table T {", "f%[1]d:int(id:%[1]d);", "}")},
		{"equal ids", repeat(size, "table T {", "f%[1]d:int(id:0);", "}")},
		{"methods", repeat(size, "table T{} rpc_service S{", "m%[1]d(T):T;", "}")},
		{"includes", repeat(size, "", "include \"x.fbs\";", "")},
		{"one line", repeat(size, "table T { x:int = ", "1", "; }")},
		{"one name", repeat(size, "table ", "a", "{}")},
	} {
		t.Run(c.name, func(t *testing.T) {
			start := time.Now()
			s, err := Parse("x.fbs", []byte(c.text))
			if took := time.Since(start); took > 10*time.Second {
				t.Errorf("%d bytes took %v", len(c.text), took)
			}
			var list ErrorList
			if err != nil && (!errors.As(err, &list) || len(list) > schema.MaxErrors) {
				t.Errorf("%d errors, %T", len(list), err)
			}
			if len(list) > 0 && len(err.Error()) > 100_000 {
				t.Errorf("the message has %d bytes", len(err.Error()))
			}
			if err == nil {
				if err := s.Check(); err != nil {
					t.Error(err)
				}
			}
		})
	}
}

// doublingStructs doubles a size until no size can hold it.
func doublingStructs() string {
	var b strings.Builder
	b.WriteString("struct S0 { x:int; }\n")
	for i := 1; i <= schema.MaxStructDepth; i++ {
		fmt.Fprintf(&b, "struct S%d { a:[S%d:65535]; b:S%d; }\n", i, i-1, i-1)
	}
	return b.String()
}

// endlessFile is a file that has no end.
type endlessFile struct{ fs.File }

func (endlessFile) Read(b []byte) (int, error) {
	for i := range b {
		b[i] = ' '
	}
	return len(b), nil
}

type endlessFS struct{ fstest.MapFS }

func (f endlessFS) Open(name string) (fs.File, error) {
	file, err := f.MapFS.Open(name)
	if name == "endless.fbs" {
		return endlessFile{file}, err
	}
	return file, err
}

func TestTheTextOfAllFilesIsBounded(t *testing.T) {
	files := fstest.MapFS{
		"endless.fbs": {}, "a.fbs": {Data: []byte("include \"endless.fbs\";")},
		"b.fbs": {Data: []byte(repeat(maxText/2+1000, "include \"c.fbs\";", " ", "table T{}"))},
		"c.fbs": {Data: []byte(repeat(maxText/2, "", " ", "table U{}"))},
	}
	for _, name := range []string{"endless.fbs", "a.fbs", "b.fbs"} {
		if _, err := ParseFS(endlessFS{files}, name); !errors.Is(err, errTooLarge) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := Parse("x", []byte(strings.Repeat(" ", maxText+1))); !errors.Is(err, errTooLarge) {
		t.Error(err)
	}
}

func TestTheNumberOfFilesAndTheirDepthAreBounded(t *testing.T) {
	chain, wide := fstest.MapFS{}, fstest.MapFS{}
	var root strings.Builder
	for i := range maxFiles + 2 {
		chain[fmt.Sprintf("%d.fbs", i)] = &fstest.MapFile{Data: fmt.Appendf(nil, "include \"%d.fbs\"; table T%d{}", i+1, i)}
		wide[fmt.Sprintf("%d.fbs", i)] = &fstest.MapFile{Data: fmt.Appendf(nil, "table T%d{}", i)}
		fmt.Fprintf(&root, "include \"%d.fbs\";", i)
	}
	wide["root.fbs"] = &fstest.MapFile{Data: []byte(root.String())}
	if _, err := ParseFS(chain, "0.fbs"); err == nil || !strings.Contains(err.Error(), "256 deep") {
		t.Error(err)
	}
	if _, err := ParseFS(wide, "root.fbs"); !errors.Is(err, errTooMany) {
		t.Error(err)
	}
}

func FuzzParse(f *testing.F) {
	// Beside the seeds in testdata: files, and texts of other tests.
	for _, tree := range fbsTrees(f) {
		for _, text := range tree.files(f) {
			f.Add(string(text))
		}
	}
	for _, r := range refusals {
		f.Add(r.text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s, err := ParseFS(fstest.MapFS{"x.fbs": {Data: []byte(text)}, "other.fbs": {Data: []byte("table Other { x:int; }")}}, "x.fbs")
		if err != nil {
			var list ErrorList
			if !errors.As(err, &list) || len(list) == 0 || len(list) > schema.MaxErrors {
				t.Fatalf("%T with %d errors", err, len(list))
			}
			if err.Error() == "" || s != nil {
				t.Fatal("an error without a text, or with a schema")
			}
			return
		}
		if err := s.Check(); err != nil {
			t.Fatalf("a parsed schema does not pass the check: %v", err)
		}
		var b strings.Builder
		if err := Write(&b, s); err == nil {
			readBack(t, s)
		}
	})
}
