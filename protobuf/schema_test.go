package protobuf_test

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/fbverify/go/protobuf"
	"github.com/fbverify/go/schema"
	"github.com/fbverify/go/schema/fbs"
)

var update = flag.Bool("update", false, "write what the tests compare with")

// parse parses files that are given as names and texts.
func parse(t testing.TB, texts ...string) []protoreflect.FileDescriptor {
	t.Helper()
	files, names := fstest.MapFS{}, []string{}
	for i := 0; i < len(texts); i += 2 {
		files[texts[i]] = &fstest.MapFile{Data: []byte(texts[i+1])}
		names = append(names, texts[i])
	}
	list, err := protobuf.ParseFS(files, names...)
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// text writes a schema, and checks that reading it gives the schema again.
func text(t testing.TB, s *schema.Schema) string {
	t.Helper()
	var b bytes.Buffer
	if err := fbs.Write(&b, s); err != nil {
		t.Fatal(err)
	}
	back, err := fbs.Parse("x.fbs", b.Bytes())
	if err != nil {
		t.Fatalf("%v\n%s", err, b.Bytes())
	}
	back.Files = nil
	for _, o := range back.Objects {
		o.DeclarationFile = ""
	}
	for _, e := range back.Enums {
		e.DeclarationFile = ""
	}
	for _, v := range back.Services {
		v.DeclarationFile = ""
	}
	clean := *s
	if d := schema.Differences(&clean, back, 5); len(d) > 0 {
		t.Fatalf("the schema and its text differ: %q\n%s", d, b.Bytes())
	}
	return b.String()
}

func TestTheMappingIsWhatTheDocumentationSays(t *testing.T) {
	files, err := protobuf.ParseFS(os.DirFS("testdata"), "shop.proto")
	if err != nil {
		t.Fatal(err)
	}
	s, warnings, err := protobuf.Schema(files, &protobuf.Options{Root: "shop.v1.Order", Identifier: "SHOP"})
	if err != nil {
		t.Fatal(err)
	}
	got := "// The schema of shop.proto. Warnings:\n"
	for _, w := range warnings {
		got += "//   " + w.String() + "\n"
	}
	got += "\n" + text(t, s)
	if *update {
		if err := os.WriteFile("testdata/shop.fbs", []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile("testdata/shop.fbs")
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("testdata/shop.fbs is another schema (go test -update writes it):\n%s", got)
	}
	names := protobuf.GoNames(s)
	for full, name := range map[string]string{
		"shop.v1.Order__.Item": "OrderItem", "shop.v1.Order__.Item__.Kind": "OrderItemKind",
		"shop.v1.Order__.PayWith": "OrderPayWith", "shop.v1.Level": "Level", "google.protobuf.Timestamp": "Timestamp",
	} {
		if names[full] != name {
			t.Errorf("%s is %q in Go, want %q", full, names[full], name)
		}
	}
}

// Messages in small letters are often called as a field of theirs, which no field of a
// FlatBuffers table may be.
func TestAFieldThatIsCalledAsATableGetsAnotherName(t *testing.T) {
	files := parse(t, "x.proto", `syntax = "proto3"; package a.b;
		message user { user user = 1; repeated int32 group = 2; message in { int32 user = 1; int32 in = 2; } oneof pick { .a.b.group of = 3; in it = 4; } }
		message group { map<string, user> group = 1; int32 free = 2; }`)
	s, warnings, err := protobuf.Schema(files, nil)
	if err != nil {
		t.Fatal(err)
	}
	again := parseFBS(t, text(t, s))
	for _, want := range []string{"a.b.user user_", "a.b.user__.in user_", "a.b.user__.in in_", "a.b.group group_", "a.b.group free"} {
		table, field, _ := strings.Cut(want, " ")
		if again.Object(table).Field(field) == nil {
			t.Errorf("%s has no field %s:\n%s", table, field, text(t, s))
		}
	}
	if len(warnings) < 5 {
		t.Errorf("%d warnings: %v", len(warnings), warnings)
	}
	next, _, err := protobuf.Schema(files, &protobuf.Options{Previous: again})
	if err != nil || text(t, next) != text(t, s) {
		t.Errorf("the next schema is another (%v):\n%s", err, text(t, next))
	}
}

// The compiler's time grows with the square of a line's length, so that a file of
// a megabyte could take minutes; in lines it takes a second.
func TestLinesThatWouldTakeMinutesAreRefused(t *testing.T) {
	var body strings.Builder
	for i := range 18_000 {
		fmt.Fprintf(&body, "int32 m%d = %d;\n", i, i+1)
	}
	whole := "syntax = \"proto3\";\nmessage M {\n" + body.String() + "}\n"
	parse(t, "x.proto", whole)
	long := "syntax = \"proto3\";\n" + strings.ReplaceAll(whole[len("syntax = \"proto3\";\n"):], "\n", " ")
	for _, main := range []string{"x.proto", "y.proto"} {
		_, err := protobuf.ParseFS(fstest.MapFS{
			"x.proto": {Data: []byte(long)},
			"y.proto": {Data: []byte(`syntax = "proto3"; import "x.proto";`)},
		}, main)
		if err == nil || !strings.Contains(err.Error(), "x.proto:2: a line of ") {
			t.Errorf("%s: the error is %v", main, err)
		}
	}
}

func TestWhatNoSchemaCanSayIsAnError(t *testing.T) {
	var members strings.Builder
	for i := range 256 {
		fmt.Fprintf(&members, "int32 f%d = %d; ", i, i+1)
	}
	for _, c := range []struct {
		name, proto, want string
		opts              protobuf.Options
	}{
		{"a oneof with 256 fields", `syntax = "proto3"; message M { oneof o { ` + members.String() + `} }`, "255 members", protobuf.Options{}},
		{"a root that is not there", `syntax = "proto3"; message M {}`, "no message of this name", protobuf.Options{Root: "N"}},
		{"an identifier of three bytes", `syntax = "proto3"; message M {}`, "3 bytes", protobuf.Options{Identifier: "ABC"}},
		{"a schema of other origin", `syntax = "proto3"; message M {}`, "not made of .proto", protobuf.Options{Previous: parseFBS(t, "table M { x: int; }")}},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, _, err := protobuf.Schema(parse(t, "x.proto", c.proto), &c.opts)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Fatalf("the error is %v, want one with %q", err, c.want)
			}
		})
	}
}

func parseFBS(t *testing.T, text string) *schema.Schema {
	t.Helper()
	s, err := fbs.Parse("x.fbs", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestFaultsOfProtoFilesAreAllTold(t *testing.T) {
	files := fstest.MapFS{"a.proto": {Data: []byte("syntax = \"proto3\";\nmessage M {\n  Gone a = 1;\n  Lost b = 2;\n}\n")}}
	_, err := protobuf.ParseFS(files, "a.proto")
	for _, want := range []string{"a.proto:3:3", "Gone", "a.proto:4:3", "Lost"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("the error does not tell of %s: %v", want, err)
		}
	}
}
