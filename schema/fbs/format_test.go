package fbs

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// tokensOf are the tokens and comments of a text, as they are written but for the spaces in
// which lines of comments end.
func tokensOf(text string) string {
	var all []string
	for _, it := range formatItems(text) {
		all = append(all, it.text)
	}
	return strings.Join(all, "\x00")
}

// TestFormattingKeepsEveryTokenAndIsIdempotent on every schema of the repository, and on each
// with all line ends gone where that changes no meaning.
func TestFormattingKeepsEveryTokenAndIsIdempotent(t *testing.T) {
	n := 0
	err := filepath.WalkDir("../..", func(path string, d fs.DirEntry, err error) error {
		if d != nil && d.IsDir() && (d.Name() == "node_modules" || strings.HasPrefix(d.Name(), ".") && len(d.Name()) > 2) {
			return fs.SkipDir
		}
		if err != nil || filepath.Ext(path) != ".fbs" {
			return err
		}
		b, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		texts := []string{string(b), strings.ReplaceAll(string(b), "\n", "\r\n"), strings.ReplaceAll(string(b), "\n", "\n\n\n")}
		if !strings.Contains(string(b), "//") {
			texts = append(texts, strings.ReplaceAll(string(b), "\n", " "))
		}
		for _, text := range texts {
			checkFormat(t, path, text)
		}
		n++
		return nil
	})
	if err != nil || n < 20 {
		t.Fatalf("%d schemas: %v", n, err)
	}
}

func checkFormat(t *testing.T, name, text string) string {
	t.Helper()
	once, err := Format(name, []byte(text))
	if err != nil {
		if _, faulty := Parse(name, []byte(text)); faulty == nil {
			t.Errorf("%s: %v", name, err)
		}
		return ""
	}
	if tokensOf(text) != tokensOf(string(once)) {
		t.Errorf("%s: other tokens:\n%s", name, once)
	}
	twice, err := Format(name, once)
	if err != nil || string(twice) != string(once) {
		t.Errorf("%s: formatted once and twice, %v:\n%s\n%s", name, err, once, twice)
	}
	return string(once)
}

func TestFormatLaysOutASchema(t *testing.T) {
	const untidy = "\ufeff// What shops sell.\n\n\n\n include   \"a.fbs\" ;namespace  shop . parts;  /* kept */ // and this\n" +
		"attribute \"x\"; /// A colour.\n" +
		`enum Colour:byte{Red,Green=5,
  // own line
  Blue }
union   Any{ Pet,Other : shop.Pet }
/// Documented.
table Pet(x){ // behind

  name : string(required) ;   legs:ubyte=4( deprecated,id:1 );
    list:[ Pet ];angle:float=rad( 180 ) ;  // half


  far:double = -inf;  array:[int:3];
    long:string (required,
       x: "y");
  empty:[int]=[];
}
table None{}
struct Point{x:float;y:float;}
rpc_service Store{ Sell (Pet):None(streaming:"none"); Buy(None):Pet; }
root_type Pet;file_identifier "PETS";
/* the
   end */`
	const tidy = `// What shops sell.

include "a.fbs";
namespace shop.parts; /* kept */ // and this
attribute "x";
/// A colour.
enum Colour : byte { Red, Green = 5,
  // own line
  Blue
}
`
	got := checkFormat(t, "untidy.fbs", strings.Replace(untidy, "; /// A", ";\n/// A", 1))
	want := strings.Replace(tidy, "{ Red,", "{\n  Red,", 1) + `union Any { Pet, Other:shop.Pet }
/// Documented.
table Pet (x) { // behind
  name:string (required);
  legs:ubyte = 4 (deprecated, id: 1);
  list:[Pet];
  angle:float = rad(180); // half

  far:double = -inf;
  array:[int:3];
  long:string (required,
      x: "y");
  empty:[int] = [];
}
table None {}
struct Point { x:float; y:float; }
rpc_service Store { Sell(Pet):None (streaming: "none"); Buy(None):Pet; }
root_type Pet;
file_identifier "PETS";
/* the
   end */
`
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestFormatRefusesWhatIsNoSchema(t *testing.T) {
	for _, text := range []string{"table {", "table T { x:int }", "enum E { A }}", "/* no end"} {
		if b, err := Format("t.fbs", []byte(text)); err == nil || !strings.HasPrefix(err.Error(), "t.fbs:1:") {
			t.Errorf("%q: %q, %v", text, b, err)
		}
	}
}

// FuzzFormat checks that formatting keeps tokens and is idempotent.
func FuzzFormat(f *testing.F) {
	f.Add("table T { x:int = rad(1) (id: 0); } // c\n")
	f.Add("enum E:byte{A,B=-1,}/* */union U{a:T}rpc_service S{M(T):T;}")
	f.Fuzz(func(t *testing.T, text string) { checkFormat(t, "fuzz.fbs", text) })
}
