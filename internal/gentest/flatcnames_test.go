package gentest

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"regexp"
	"slices"
	"strings"
	"testing"

	flatbuffers "github.com/google/flatbuffers/go"

	"github.com/fbverify/go/fbverify"
	"github.com/fbverify/go/internal/gentest/copies"
	"github.com/fbverify/go/internal/gentest/features"
	"github.com/fbverify/go/internal/gentest/flatcnames"
	"github.com/fbverify/go/internal/gogen"
	"github.com/fbverify/go/internal/oracle"
	"github.com/fbverify/go/schema/fbs"
)

// flatcSchema has what flatc writes Go for, with names that the two conventions spell
// differently.
const flatcSchema = `namespace game;
enum Mood_Kind : byte { NONE = 0, very_happy = 1, Type_ = 5 }
enum Flags : uint (bit_flags) { A, B, C_d }
struct Vec3 { x: float; y_pos: float; id: ulong; ok: bool; mood: Mood_Kind; }
struct Pair { first: Vec3; second: Vec3; }
table Weapon_ { id: ulong (key); name: string; damage_points: short = 3; }
table ByName { full_name: string (key); }
table ByFlag { f: double (key); }
union Equipment { Weapon_, ByName }
table Monster {
  pos: Vec3; pair: Pair; hp: short = 100; http_url: string; name: string (required);
  inventory: [ubyte]; tags: [string]; weights: [double]; moods: [Mood_Kind]; bools: [bool];
  weapons: [Weapon_]; by_name: [ByName]; path: [Vec3]; pairs: [Pair];
  equipped: Equipment; weapon: Weapon_; friend: Monster; flags: Flags = B; mood: Mood_Kind = very_happy;
  maybe: int = null; maybe_bool: bool = null; maybe_mood: Mood_Kind = null;
}
root_type Monster;
file_identifier "MONS";
`

// notThere are the names of flatc's code that ours has not, and MIGRATING.md tells of.
var notThere = regexp.MustCompile(`GetRootAs|GetSizePrefixedRootAs|\.Init$|\.Table$|\.LookupByKey$|\.Mutate|^Monster\.Equipped$|^Equipment\.UnPack$`)

// otherwise are the members that are there with another type: structs in owned ones are
// values, as they are in a buffer.
var otherwise = map[string]string{
	"EquipmentT.Value": "any", "MonsterT.Pairs": "[]PairT", "MonsterT.Path": "[]Vec3T", "PairT.First": "Vec3T", "PairT.Second": "Vec3T", "Vec3T.Ok": "fbread.Bool8",
}

// declared returns what Go files export and how, with packages and pointers to receivers
// left out, by name.
func declared(t *testing.T, files map[string][]byte) map[string]string {
	t.Helper()
	all := map[string]string{}
	for name, text := range files {
		if !strings.HasSuffix(name, ".go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, text, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range file.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				name := d.Name.Name
				if d.Recv != nil {
					name = strings.TrimPrefix(types.ExprString(d.Recv.List[0].Type), "*") + "." + name
				}
				for _, list := range []*ast.FieldList{d.Type.Params, d.Type.Results} {
					if list == nil {
						continue
					}
					var unnamed []*ast.Field
					for _, f := range list.List {
						for range max(1, len(f.Names)) {
							unnamed = append(unnamed, &ast.Field{Type: f.Type})
						}
					}
					list.List = unnamed
				}
				all[name] = strings.ReplaceAll(types.ExprString(d.Type), "byte", "uint8")
			case *ast.GenDecl:
				for _, s := range d.Specs {
					switch s := s.(type) {
					case *ast.TypeSpec:
						all[s.Name.Name] = "type"
						if st, ok := s.Type.(*ast.StructType); ok && strings.HasSuffix(s.Name.Name, "T") {
							for _, f := range st.Fields.List {
								for _, n := range f.Names {
									all[s.Name.Name+"."+n.Name] = strings.ReplaceAll(types.ExprString(f.Type), "byte", "uint8")
								}
							}
						}
					case *ast.ValueSpec:
						for _, n := range s.Names {
							all[n.Name] = "value"
						}
					}
				}
			}
		}
	}
	return all
}

// TestFlatcNamesAreFlatcs holds the names and signatures of -names flatc to what flatc
// itself writes, the object interface included.
func TestFlatcNamesAreFlatcs(t *testing.T) {
	flatc := oracle.NewFlatc(t)
	theirs, err := flatc.GenGo(map[string][]byte{"m.fbs": []byte(flatcSchema)}, "m.fbs", "--gen-object-api", "--gen-mutable")
	if err != nil {
		t.Fatal(err)
	}
	s, err := fbs.Parse("m.fbs", []byte(flatcSchema))
	if err != nil {
		t.Fatal(err)
	}
	made, err := gogen.Generate([]gogen.Input{{Name: "m.fbs", Schema: s}}, gogen.Options{Package: "game", Flatc: true})
	if err != nil {
		t.Fatal(err)
	}
	ours := map[string][]byte{}
	for _, f := range made {
		ours[f.Name] = f.Data
	}
	want, got := declared(t, theirs), declared(t, ours)
	compared := 0
	var missing []string
	for name, signature := range want {
		if word := name[strings.LastIndexByte(name, '.')+1:]; !ast.IsExported(word) || notThere.MatchString(name) {
			continue
		}
		compared++
		if other, ok := otherwise[name]; ok {
			signature = other
		}
		if got[name] != signature {
			missing = append(missing, name+" is "+signature+" in flatc's and "+got[name]+" here")
		}
	}
	slices.Sort(missing)
	if len(missing) > 0 {
		t.Errorf("of %d:\n%s", compared, strings.Join(missing, "\n"))
	}
	if compared < 150 {
		t.Errorf("only %d names were compared", compared)
	}
}

// TestFlatcAccessorsReadWhatViewsDo reads a message in flatc's way.
func TestFlatcAccessorsReadWhatViewsDo(t *testing.T) {
	b := flatbuffers.NewBuilder(0)
	features.FinishEverythingBuffer(b, everything().Pack(b))
	buf := bytes.Clone(b.FinishedBytes())
	verified, err := fbverify.Root[flatcnames.Everything](buf)
	if err != nil {
		t.Fatal(err)
	}
	root := verified.Root()
	keyed := root.Keyed(nil)
	if n := keyed.StringsLength(); n != 4 {
		t.Fatalf("got %d strings", n)
	}
	var s flatcnames.ByString
	for j, want := range []string{"", "a", "b", "é"} {
		if !keyed.Strings(&s, j) || string(s.Name()) != want {
			t.Errorf("%d: got %q, want %q", j, s.Name(), want)
		}
	}
	if !keyed.StringsByKey(&s, "b") || s.Value() != 1 || keyed.StringsByKey(&s, "c") {
		t.Error("the key is not found")
	}
	var n flatcnames.ByNumber
	if !keyed.Numbers(&n, 1) || n.Id() != 20 || n.Value() != 5 || n.UnPack().Id != 20 {
		t.Errorf("got %+v", n)
	}
	if got := string(root.Required(nil).Words(1)); got != "ü" {
		t.Errorf("got %q", got)
	}
	if root.Required(nil).Ints(0) != -1 || root.InnerLength() != len(root.InnerBytes()) || root.Inner(0) != root.InnerBytes()[0] {
		t.Error("numbers are wrong")
	}
	if root.Nested(nil).Grid(nil, 1).Id() != 8 || !root.Nested(nil).Flags(0) || *root.Maybe() != flatcnames.LevelNone {
		t.Error("structs are wrong")
	}
	var more flatcnames.Everything
	if !root.More(&more, 0) || more.Keyed(nil) != nil || more.Maybe() != nil || more.InnerBytes() != nil || more.Nesteds(nil, 0) {
		t.Error("what is absent is there")
	}
	var out flatcnames.EverythingT
	root.UnPackTo(&out)
	again := flatbuffers.NewBuilder(0)
	flatcnames.FinishEverythingBuffer(again, out.Pack(again))
	if !bytes.Equal(again.FinishedBytes(), buf) {
		t.Error("packing again gives other bytes")
	}
	if !flatcnames.EverythingBufferHasIdentifier(buf) || flatcnames.SizePrefixedEverythingBufferHasIdentifier(buf) || flatcnames.EverythingBufferHasIdentifier(nil) {
		t.Error("the identifier is wrong")
	}
	if flatcnames.EnumNamesLevel[flatcnames.LevelMid] != "Mid" || flatcnames.EnumValuesLevel["High"] != flatcnames.LevelHigh {
		t.Error("names of enums are wrong")
	}
	// In place, where there is a place.
	keyed.Strings(&s, 1)
	if s.Value() != 3 || !s.MutateValueUnchecked(-7) || s.Value() != -7 {
		t.Errorf("got %d", s.Value())
	}
	if err := fbverify.TypeFor[flatcnames.Everything]().Verify(buf, nil); err != nil {
		t.Error(err)
	}
	none := flatbuffers.NewBuilder(0)
	none.Finish((&flatcnames.ByStringT{Name: "x"}).Pack(none))
	absent, err := fbverify.Root[flatcnames.ByString](none.FinishedBytes())
	if err != nil || absent.Root().MutateValueUnchecked(1) {
		t.Errorf("a field that is not there was written, %v", err)
	}
}

// TestKeyCompareSortsAsVectorsAre sorts in a builder, as code for flatc does.
func TestKeyCompareSortsAsVectorsAre(t *testing.T) {
	b := flatbuffers.NewBuilder(0)
	var strs, doubles []flatbuffers.UOffsetT
	for _, name := range []string{"m", "", "z", "aa"} {
		strs = append(strs, (&flatcnames.ByStringT{Name: name}).Pack(b))
	}
	for _, x := range []float64{2, -1, 0, 1e9} {
		doubles = append(doubles, (&flatcnames.ByDoubleT{X: x}).Pack(b))
	}
	s, d := b.CreateVectorOfSortedTables(strs, flatcnames.ByStringKeyCompare), b.CreateVectorOfSortedTables(doubles, flatcnames.ByDoubleKeyCompare)
	flatcnames.KeyedStart(b)
	flatcnames.KeyedAddStrings(b, s)
	flatcnames.KeyedAddDoubles(b, d)
	b.Finish(flatcnames.KeyedEnd(b))
	v, err := fbverify.Root[flatcnames.Keyed](b.FinishedBytes())
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for x := range v.Root().StringsView().Values() {
		names = append(names, x.NameView())
	}
	var numbers []float64
	for x := range v.Root().DoublesView().Values() {
		numbers = append(numbers, x.X())
	}
	if !slices.Equal(names, []string{"", "aa", "m", "z"}) || !slices.Equal(numbers, []float64{-1, 0, 2, 1e9}) {
		t.Errorf("got %q and %v", names, numbers)
	}
}

// TestCopiedStringsOutliveTheBuffer overwrites the buffer after each way to read a string.
func TestCopiedStringsOutliveTheBuffer(t *testing.T) {
	b := flatbuffers.NewBuilder(0)
	copies.FinishEverythingBuffer(b, everythingBytes(b))
	buf := bytes.Clone(b.FinishedBytes())
	v, err := fbverify.Root[copies.Everything](buf)
	if err != nil {
		t.Fatal(err)
	}
	root := v.Root()
	text, _ := root.Bigs().At(1).AsText()
	if text == "" {
		text, _ = root.Bigs().At(0).AsText()
	}
	words := root.Required().Words()
	got := []string{root.Required().Name(), words.At(1), text}
	for _, w := range words.All() {
		got = append(got, w)
	}
	for w := range words.Values() {
		got = append(got, w)
	}
	got = append(got, root.Required().Unpack().Words...)
	for i := range buf {
		buf[i] = 'X'
	}
	if want := []string{"r", "ü", "text", "", "ü", "", "ü", "", "ü"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func everythingBytes(b *flatbuffers.Builder) flatbuffers.UOffsetT { return everything().Pack(b) }
