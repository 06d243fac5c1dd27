package fbs

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/fbverify/go/schema"
)

func TestSeveralFaultsAreReportedAtOnce(t *testing.T) {
	const text = `namespace Zoo;

enum Size : byte { small, large = 300 }

table Animal {
  name string;
  size:Size = smal;
	keeper:Keper;   // behind a tab
  legs:ubyte = 1000;
  tail:bool (requird);
}

tabel Keeper {
  name:string;
}

struct Cage { animal:Animal; }

root_type Anmal;
`
	_, err := ParseFS(fstest.MapFS{"zoo/zoo.fbs": {Data: []byte(text)}}, "zoo/zoo.fbs")
	const expected = `zoo/zoo.fbs:3:35: the value of large: "300" does not fit byte, whose values are -128 to 127
    enum Size : byte { small, large = 300 }
                                      ^^^
zoo/zoo.fbs:6:8: found "string", expected ":" and the type of the field
      name string;
           ^^^^^^
zoo/zoo.fbs:7:15: the enum Zoo.Size has no value "smal", did you mean "small"?
      size:Size = smal;
                  ^^^^
zoo/zoo.fbs:8:9: there is no type "Keper"
    	keeper:Keper;   // behind a tab
    	       ^^^^^
zoo/zoo.fbs:9:16: "1000" does not fit ubyte, whose values are 0 to 255: expected an integer from 0 to 255, "Enum.Value" in quotes, or null
      legs:ubyte = 1000;
                   ^^^^
zoo/zoo.fbs:10:14: the attribute "requird" is not declared, did you mean "required"? (declare it before its use: attribute "requird";)
      tail:bool (requird);
                 ^^^^^^^
zoo/zoo.fbs:13:1: found "tabel", expected a declaration, did you mean "table"?: allowed are namespace, table, struct, enum, union, root_type, file_identifier, file_extension, attribute, rpc_service
    tabel Keeper {
    ^^^^^
zoo/zoo.fbs:17:22: a struct can hold only scalars, enums, structs and arrays of these, and Zoo.Animal is a table
    struct Cage { animal:Animal; }
                         ^^^^^^
zoo/zoo.fbs:19:11: there is no table "Anmal", did you mean "Animal"? (a root type has to be declared before, and its namespace be given unless it is the current one)
    root_type Anmal;
              ^^^^^`
	if err == nil || err.Error() != expected {
		t.Errorf("got\n%v\nexpected\n%s", err, expected)
	}
}

func TestErrorsAreValues(t *testing.T) {
	files := fstest.MapFS{"a.fbs": {Data: []byte("include \"b.fbs\";\ntable T { x:Unknown; }")}}
	_, err := ParseFS(files, "a.fbs")
	var list ErrorList
	var one *Error
	if !errors.As(err, &list) || !errors.As(err, &one) || !errors.Is(err, fs.ErrNotExist) {
		t.Fatalf("%T: %v", err, err)
	}
	// A type that is unknown may be in the file that is missing.
	if len(list) != 1 || one.File != "a.fbs" || one.Line != 1 || one.Column != 9 {
		t.Errorf("%v", err)
	}
	_, err = ParseFS(files, "c.fbs")
	if !errors.Is(err, fs.ErrNotExist) || err.Error() != "c.fbs: there is no such file" {
		t.Errorf("%v", err)
	}
	if _, err = ParseFS(fstest.MapFS{"d/x.fbs": {}}, "d"); !errors.Is(err, errFolder) {
		t.Errorf("%v", err)
	}
}

func TestTheParserGivesUpAfterManyErrors(t *testing.T) {
	_, err := Parse("x.fbs", []byte(strings.Repeat("table T { x:int y; }\n", 1000)))
	var list ErrorList
	if !errors.As(err, &list) || len(list) != schema.MaxErrors {
		t.Errorf("%d errors", len(list))
	}
}

func TestLongLinesAndControlCharactersStayOutOfErrors(t *testing.T) {
	text := "table T { x:int; /* \x1b[31m \u202e */ " + strings.Repeat("y", 500) + " " + strings.Repeat("z", 5000)
	_, err := Parse("x.fbs", []byte(text))
	if err == nil || len(err.Error()) > 2000 || strings.ContainsAny(err.Error(), "\x1b\u202e") {
		t.Errorf("%d bytes: %v", len(err.Error()), err)
	}
	// The caret stands under the place although the line was cut.
	var one *Error
	if !errors.As(err, &one) {
		t.Fatal(err)
	}
	source, caret := []rune(one.Source), strings.IndexByte(one.Caret, '^')
	if caret < 0 || caret >= len(source) || source[caret] != 'z' {
		t.Errorf("\n%s\n%s", one.Source, one.Caret)
	}
}

func TestIncludesAreSearchedBesideThenAlongThePath(t *testing.T) {
	files := fstest.MapFS{
		"app/main.fbs":  {Data: []byte("include \"part.fbs\"; table M { p:P; }")},
		"lib1/part.fbs": {Data: []byte("table P { one:int; }")},
		"lib2/part.fbs": {Data: []byte("table P { two:int; }")},
	}
	first := func(o Options) string {
		s, err := o.ParseFS(files, "app/main.fbs")
		if err != nil {
			return err.Error()
		}
		return s.Object("P").Fields[0].Name
	}
	if got := first(Options{Include: []string{"lib2", "lib1"}}); got != "two" {
		t.Error(got)
	}
	files["app/part.fbs"] = &fstest.MapFile{Data: []byte("table P { beside:int; }")}
	if got := first(Options{Include: []string{"lib2", "lib1"}}); got != "beside" {
		t.Error(got)
	}
	delete(files, "app/part.fbs")
	if got := first(Options{}); !strings.Contains(got, "looked for app/part.fbs") {
		t.Error(got)
	}
}

func TestAParseFindsTheFilesOfTheSchema(t *testing.T) {
	s, err := Options{Include: []string{"testdata/language/search"}}.ParseFS(os.DirFS("."), "testdata/language/include/root.fbs")
	if err != nil {
		t.Fatal(err)
	}
	got := fmt.Sprint(s.Files)
	const expected = "[{//../search/found.fbs []} {//circle.fbs [//deep/leaf.fbs]} {//deep/leaf.fbs [//circle.fbs]} " +
		"{//left.fbs [//deep/leaf.fbs]} {//right.fbs [//deep/leaf.fbs //left.fbs]} " +
		"{//root.fbs [//deep/leaf.fbs //left.fbs //right.fbs //../search/found.fbs]}]"
	if got != expected {
		t.Errorf("got\n%s\nexpected\n%s", got, expected)
	}
	if o := s.Object("Found"); o == nil || o.DeclarationFile != "//../search/found.fbs" {
		t.Errorf("%+v", o)
	}
	if s.FileIdentifier != "" || s.Root.Name != "Root.Root" {
		t.Errorf("identifier %q and root %s come from an included file", s.FileIdentifier, s.Root.Name)
	}
}

func TestDefaultsAreExact(t *testing.T) {
	s, err := Parse("x.fbs", []byte(`
enum Mask : ulong (bit_flags) { low, high = 63 }
table T {
  a:ulong = 18446744073709551615;
  b:Mask = "low high";
  c:float = -0.0;
  d:double = 5e-324;
  e:double = 1.7976931348623157e308;
  f:float = rad(180);
  g:string = "\u00e9\x41\"";
  h:[int] = [];
  i:string = "";
}`))
	if err != nil {
		t.Fatal(err)
	}
	o := s.Object("T")
	if o.Field("a").DefaultInteger != -1 || uint64(o.Field("b").DefaultInteger) != 1<<63|1 {
		t.Errorf("%d, %d", o.Field("a").DefaultInteger, o.Field("b").DefaultInteger)
	}
	if c := o.Field("c").DefaultReal; c != 0 || 1/c > 0 {
		t.Errorf("-0.0 became %v", c)
	}
	if o.Field("d").DefaultReal != 5e-324 || o.Field("e").DefaultReal != 1.7976931348623157e308 || o.Field("f").DefaultReal != 3.141592653590 {
		t.Errorf("%v, %v, %v", o.Field("d").DefaultReal, o.Field("e").DefaultReal, o.Field("f").DefaultReal)
	}
	if g := o.Field("g"); g.DefaultString != "éA\"" || !g.HasDefaultString || g.Optional {
		t.Errorf("%+v", g)
	}
	if !o.Field("h").HasDefaultVector || !o.Field("i").HasDefaultString {
		t.Errorf("%+v, %+v", o.Field("h"), o.Field("i"))
	}
	readBack(t, s)
}
