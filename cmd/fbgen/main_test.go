package main

import (
	"bytes"
	"encoding/binary"
	"os"
	"path/filepath"
	"strings"
	"testing"

	flatbuffers "github.com/google/flatbuffers/go"

	"github.com/fbverify/go/fbverify"
	"github.com/fbverify/go/internal/gogen"
	"github.com/fbverify/go/internal/oracle"
)

// put writes files below a new folder and makes it the working directory.
func put(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(dir)
	return dir
}

func fbgen(t *testing.T, args ...string) (status int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	status = run(args, &out, &errs)
	return status, out.String(), errs.String()
}

func mustRun(t *testing.T, args ...string) {
	t.Helper()
	if status, _, stderr := fbgen(t, args...); status != 0 {
		t.Fatalf("fbgen %s: exit status %d: %s", strings.Join(args, " "), status, stderr)
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

const pet = `namespace shop;
/// Something with a name.
table Pet { name: string; legs: ubyte = 4; weight: double; }
root_type Pet;
file_identifier "PETS";
`

func TestHelpHasExamplesAndGoesToStdout(t *testing.T) {
	for _, flag := range []string{"--help", "-h"} {
		status, stdout, stderr := fbgen(t, flag)
		if status != 0 || stderr != "" || !strings.Contains(stdout, "examples:") || !strings.Contains(stdout, "go:generate") {
			t.Errorf("%s: exit status %d, stdout %q, stderr %q", flag, status, stdout, stderr)
		}
	}
}

func TestExitStatusTellsUsageFromFaultySchemas(t *testing.T) {
	put(t, map[string]string{"pet.fbs": pet, "bad.fbs": "table {", "bad.bfbs": "not a schema at all", "cut.bfbs": "\x10\x00\x00\x00BFBS"})
	for _, c := range []struct {
		name   string
		args   []string
		status int
		stderr string
	}{
		{"no file", nil, 2, "no schema"},
		{"unknown flag", []string{"-x", "pet.fbs"}, 2, "-x"},
		{"missing file", []string{"none.fbs"}, 2, "none.fbs"},
		{"folder in the way", []string{"-o", "pet.fbs", "pet.fbs"}, 2, "pet.fbs"},
		{"unknown root", []string{"-root", "Dog", "pet.fbs"}, 2, "Dog"},
		{"missing sample", []string{"-profile", "none.bin", "pet.fbs"}, 2, "none.bin"},
		{"faulty text", []string{"bad.fbs"}, 1, "bad.fbs:1:7"},
		{"no binary schema", []string{"bad.bfbs"}, 1, "BFBS"},
		{"cut off binary schema", []string{"cut.bfbs"}, 1, "cut.bfbs"},
		{"sample of something else", []string{"-profile", "pet.fbs", "pet.fbs"}, 1, "shop.Pet"},
		{"package name", []string{"-package", "func", "pet.fbs"}, 1, "func"},
	} {
		t.Run(c.name, func(t *testing.T) {
			status, stdout, stderr := fbgen(t, c.args...)
			if status != c.status || !strings.Contains(stderr, c.stderr) || stdout != "" {
				t.Errorf("exit status %d, stdout %q, stderr %q; want %d and %q", status, stdout, stderr, c.status, c.stderr)
			}
		})
	}
	if _, err := os.Stat("pet"); err == nil {
		t.Error("a failed run left a folder behind")
	}
}

func TestAFaultySchemaIsShownWithACaretUnderThePathAsGiven(t *testing.T) {
	put(t, map[string]string{"schemas/a.fbs": "include \"b.fbs\";\ntable A { b: B; }\n", "schemas/b.fbs": "table B {\n  size: itn;\n}\n"})
	status, _, stderr := fbgen(t, filepath.FromSlash("schemas/a.fbs"))
	want := filepath.FromSlash("schemas/b.fbs") + ":2:9: "
	if status != 1 || !strings.HasPrefix(stderr, want) || !strings.Contains(stderr, "\n      size: itn;\n            ^^^\n") {
		t.Errorf("exit status %d, stderr:\n%s\nwant %q and a caret", status, stderr, want)
	}
}

func TestPackageAndFolderAreNamedForTheSchemaOrTheFlags(t *testing.T) {
	put(t, map[string]string{"in/Pet-Shop.fbs": pet})
	mustRun(t, filepath.FromSlash("in/Pet-Shop.fbs"))
	if got := read(t, filepath.FromSlash("in/petshop/fb_views.go")); !strings.Contains(got, "\npackage petshop\n") {
		t.Error("not package petshop")
	}
	mustRun(t, "-o", filepath.FromSlash("out/my-pets"), filepath.FromSlash("in/Pet-Shop.fbs"))
	if got := read(t, filepath.FromSlash("out/my-pets/fb_views.go")); !strings.Contains(got, "\npackage mypets\n") {
		t.Error("not package mypets")
	}
	mustRun(t, filepath.FromSlash("in/Pet-Shop.fbs"), "-o", "out", "-package", "other") // flags after files
	if got := read(t, filepath.FromSlash("out/fb_views.go")); !strings.Contains(got, "\npackage other\n") {
		t.Error("not package other")
	}
}

func TestOutputDoesNotTellWhereItWasMade(t *testing.T) {
	var outputs []map[string]string
	for _, sub := range []string{"a", "deep/er/b"} {
		dir := put(t, map[string]string{sub + "/pet.fbs": "include \"common/x.fbs\";\n" + pet, "lib/common/x.fbs": "table X { y: int; }"})
		mustRun(t, "-I", "lib", "-o", "pet", filepath.FromSlash(sub+"/pet.fbs"))
		files := map[string]string{}
		for _, name := range gogen.FileNames() {
			b, err := os.ReadFile(filepath.Join("pet", name))
			if err != nil {
				continue
			}
			files[name] = string(b)
			if bytes.Contains(b, []byte(dir)) || bytes.Contains(b, []byte("common")) || bytes.Contains(b, []byte("deep")) {
				t.Errorf("%s tells a path", name)
			}
		}
		outputs = append(outputs, files)
	}
	if len(outputs[0]) < 5 {
		t.Fatalf("only %d files", len(outputs[0]))
	}
	for name, text := range outputs[0] {
		if outputs[1][name] != text {
			t.Errorf("%s depends on where it was made", name)
		}
	}
}

func TestBinaryAndTextSchemasGiveTheSameCode(t *testing.T) {
	put(t, map[string]string{"pet.fbs": pet})
	mustRun(t, "-o", "one", "-package", "pet", "pet.fbs")
	if err := os.Rename(filepath.FromSlash("one/fb_schema.bfbs"), "pet.bfbs"); err != nil {
		t.Fatal(err)
	}
	mustRun(t, "-o", "two", "-package", "pet", "pet.bfbs")
	one := strings.ReplaceAll(read(t, filepath.FromSlash("one/fb_build.go")), "pet.fbs", "pet.bfbs")
	if two := read(t, filepath.FromSlash("two/fb_build.go")); one != two {
		t.Errorf("from text:\n%s\nfrom binary:\n%s", one, two)
	}
}

func TestARunReplacesTheOneBeforeAndNothingElse(t *testing.T) {
	put(t, map[string]string{
		"pet.fbs":      "enum E : byte { A } struct S { x: int; } " + pet,
		"less.fbs":     pet,
		"pet/extra.go": "package pet\n",
	})
	mustRun(t, "pet.fbs")
	for _, name := range []string{"fb_enums.go", "fb_structs.go"} {
		if _, err := os.Stat(filepath.Join("pet", name)); err != nil {
			t.Error(err)
		}
	}
	before, err := os.Stat(filepath.FromSlash("pet/fb_views.go"))
	if err != nil {
		t.Fatal(err)
	}
	mustRun(t, "pet.fbs")
	if after, err := os.Stat(filepath.FromSlash("pet/fb_views.go")); err != nil || !os.SameFile(before, after) {
		t.Errorf("a file that was right was replaced (%v)", err)
	}
	mustRun(t, "-o", "pet", "less.fbs")
	entries, err := os.ReadDir("pet")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	if got, want := strings.Join(names, " "), "extra.go fb_build.go fb_owned.go fb_schema.bfbs fb_schema.go fb_views.go"; got != want {
		t.Errorf("the folder has %s; want %s", got, want)
	}
}

func TestAFileThatFbgenDidNotWriteIsNotReplaced(t *testing.T) {
	put(t, map[string]string{"pet.fbs": pet, "pet/fb_views.go": "package pet // by hand\n"})
	status, _, stderr := fbgen(t, "pet.fbs")
	if status != 2 || !strings.Contains(stderr, "fb_views.go") {
		t.Errorf("exit status %d, %s", status, stderr)
	}
	if got := read(t, filepath.FromSlash("pet/fb_views.go")); got != "package pet // by hand\n" {
		t.Errorf("it is now %q", got)
	}
	if _, err := os.Stat(filepath.FromSlash("pet/fb_build.go")); err == nil {
		t.Error("other files were written")
	}
}

// samplePet is a pet whose legs are at their default, so that its vtable is not
// the one with every field.
func samplePet(framing fbverify.Framing) []byte {
	b := flatbuffers.NewBuilder(0)
	name := b.CreateString("Rex")
	b.StartObject(3)
	b.PrependFloat64Slot(2, 30.5, 0)
	b.PrependUOffsetTSlot(0, name, 0)
	root := b.EndObject()
	b.Finish(root)
	buf := b.FinishedBytes()
	switch framing {
	case fbverify.SizePrefixed:
		return append(binary.LittleEndian.AppendUint32(nil, uint32(len(buf))), buf...)
	case fbverify.LongSizePrefixed:
		return append(binary.LittleEndian.AppendUint64(nil, uint64(len(buf))), buf...)
	}
	return buf
}

func TestProfileMakesTheCommonVTableAFixedLayout(t *testing.T) {
	put(t, map[string]string{
		"pet.fbs":         pet,
		"one.bin":         string(samplePet(fbverify.Unframed)),
		"prefixed.bin":    string(samplePet(fbverify.SizePrefixed)),
		"stream.bin":      strings.Repeat(string(samplePet(fbverify.SizePrefixed)), 3),
		"long.bin":        string(samplePet(fbverify.LongSizePrefixed)),
		"long-stream.bin": strings.Repeat(string(samplePet(fbverify.LongSizePrefixed)), 3),
	})
	for _, sample := range []string{"one.bin", "prefixed.bin", "stream.bin", "long.bin", "long-stream.bin"} {
		mustRun(t, "-profile", sample, "pet.fbs")
		got := read(t, filepath.FromSlash("pet/fb_views.go"))
		// name at 4, no legs, weight at 8.
		if !strings.Contains(got, `= "\x0a\x00\x10\x00\x04\x00\x00\x00\x08\x00"`) {
			t.Errorf("%s: the vtable is another:\n%s", sample, got)
		}
		if !strings.Contains(got, "func (v PetFixed) Legs() uint8 { return 4 }") {
			t.Errorf("%s: legs is not the default", sample)
		}
	}
}

func TestProfileFindsThePartsOfAFormatThatItKnows(t *testing.T) {
	repo := oracle.RepoRoot()
	put(t, nil)
	mustRun(t, "-o", "vortex", "-profile", filepath.Join(repo, "testdata/vortex/wide.vortex"),
		filepath.Join(repo, "schema/formats/vortex/layout.fbs"), filepath.Join(repo, "schema/formats/vortex/footer.fbs"))
	got := read(t, filepath.FromSlash("vortex/fb_views.go"))
	if !strings.Contains(got, "vtableLayout is a vtable that ") || !strings.Contains(got, "type LayoutFixed2 fbread.Fixed") {
		t.Error("the layouts of the file are not among the fixed views")
	}
	if strings.Contains(got, repo) {
		t.Error("the code tells where the sample was")
	}
}

func TestCheckWritesNothingAndTellsWhatIsOther(t *testing.T) {
	put(t, map[string]string{"pet.fbs": pet})
	if status, _, stderr := fbgen(t, "-check", "pet.fbs"); status != 1 || !strings.Contains(stderr, "fb_views.go") {
		t.Errorf("without a folder: exit status %d, %q", status, stderr)
	}
	if _, err := os.Stat("pet"); err == nil {
		t.Error("-check wrote a folder")
	}
	mustRun(t, "pet.fbs")
	mustRun(t, "-check", "pet.fbs")
	path := filepath.FromSlash("pet/fb_owned.go")
	if err := os.WriteFile(path, []byte(read(t, path)+"\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if status, _, stderr := fbgen(t, "-check", "pet.fbs"); status != 1 || !strings.Contains(stderr, "fb_owned.go") || strings.Contains(stderr, "fb_views.go") {
		t.Errorf("with another file: exit status %d, %q", status, stderr)
	}
	if status, _, stderr := fbgen(t, "-check", "-read-only", "pet.fbs"); status != 1 || !strings.Contains(stderr, "fb_build.go") {
		t.Errorf("with a file too many: exit status %d, %q", status, stderr)
	}
}

func TestReadOnlyOutputHasNothingThatWrites(t *testing.T) {
	put(t, map[string]string{"pet.fbs": "struct S { x: int; } union U { S, Pet: shop.Pet } " + pet + "table More { u: U; s: [S]; pet: [Pet]; }"})
	mustRun(t, "-read-only", "pet.fbs")
	for _, name := range []string{"fb_owned.go", "fb_build.go"} {
		if _, err := os.Stat(filepath.Join("pet", name)); err == nil {
			t.Errorf("%s is there", name)
		}
	}
	for _, name := range []string{"fb_schema.go", "fb_structs.go", "fb_views.go", "fb_enums.go"} {
		if text := read(t, filepath.Join("pet", name)); strings.Contains(text, "flatbuffers/go\"") || strings.Contains(text, ") Pack(") {
			t.Errorf("%s writes:\n%s", name, text)
		}
	}
}

func TestAFolderOfAnotherPackageIsRefused(t *testing.T) {
	put(t, map[string]string{"pet.fbs": pet, "shop/shop.go": "package shop\n", "shop/shop_test.go": "package shop_test\n"})
	status, _, stderr := fbgen(t, "-o", "shop", "-package", "other", "pet.fbs")
	if status != 2 || !strings.Contains(stderr, "shop.go is of package shop") {
		t.Errorf("exit status %d, %q", status, stderr)
	}
	if _, err := os.Stat(filepath.FromSlash("shop/fb_views.go")); err == nil {
		t.Error("it was written")
	}
	mustRun(t, "-o", "shop", "pet.fbs")
}

func TestServicesAreNotPassedOverSilently(t *testing.T) {
	put(t, map[string]string{"pet.fbs": pet + "rpc_service Shop { Buy(Pet): Pet; }"})
	if status, _, stderr := fbgen(t, "pet.fbs"); status != 0 || !strings.Contains(stderr, "rpc_service shop.Shop") {
		t.Errorf("exit status %d, %q", status, stderr)
	}
}

// TestMistypedNamesAreSuggested: flags, schemas and root types; and help and version are
// asked for with or without dashes.
func TestMistypedNamesAreSuggested(t *testing.T) {
	put(t, map[string]string{"pet.fbs": pet})
	for _, c := range []struct {
		args   string
		status int
		want   string
	}{
		{"--pakage x pet.fbs", 2, "did you mean -package?"},
		{"-rooot x pet.fbs", 2, "did you mean -root?"},
		{"-xyzzy pet.fbs", 2, "not defined: -xyzzy; fbgen --help"},
		{"pett.fbs", 2, "did you mean pet.fbs?"},
		{"-root shop.Pett pet.fbs", 2, "did you mean shop.Pet"},
		{"help", 0, "usage: fbgen"},
		{"version", 0, "fbgen "},
		{"-version", 0, "fbgen "},
		{"pet.fbs --version", 0, "fbgen "},
	} {
		status, stdout, stderr := fbgen(t, strings.Fields(c.args)...)
		if status != c.status || !strings.Contains(stdout+stderr, c.want) {
			t.Errorf("fbgen %s: exit status %d, %s%s", c.args, status, stdout, stderr)
		}
	}
	if status, _, stderr := fbgen(t, "nowhere/pet.fbs"); status != 2 || strings.Contains(stderr, "did you mean") {
		t.Errorf("a folder that is not there: %s", stderr)
	}
}
