package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fbverify/go/internal/oracle"
)

// module makes a module that uses this one from outside, and returns a function
// that runs the go command in it.
func module(t *testing.T, files map[string]string) func(args ...string) (string, error) {
	t.Helper()
	repo := oracle.RepoRoot()
	sum, err := os.ReadFile(filepath.Join(repo, "go.sum"))
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]string{
		"go.sum": string(sum),
		"go.mod": "module example.test/shop\n\ngo 1.24.0\n\n" +
			"require github.com/fbverify/go v0.0.0\n\nreplace github.com/fbverify/go => " + filepath.ToSlash(repo) + "\n",
	}
	for name, text := range files {
		all[name] = text
	}
	dir := put(t, all)
	return func(args ...string) (string, error) {
		cmd := exec.Command("go", args...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "GOPROXY=off", "GOWORK=off")
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
}

const shopSchema = `namespace shop;
table Pet { name: string (key); legs: ubyte = 4; owner: Owner; }
table Owner { name: string (required); }
table Shop { pets: [Pet]; }
root_type Shop;
`

func TestAnotherModuleGeneratesAndReadsWithTwoImports(t *testing.T) {
	run := module(t, map[string]string{
		"shop.fbs": shopSchema,
		"main.go": `package main

//go:generate go run github.com/fbverify/go/cmd/fbgen -o shop shop.fbs

import (
	"fmt"
	"os"

	"example.test/shop/shop"
	"github.com/fbverify/go/fbverify"
)

func main() {
	buf, err := os.ReadFile(os.Args[1])
	if err != nil {
		panic(err)
	}
	v, err := fbverify.Root[shop.Shop](buf)
	if err != nil {
		panic(err)
	}
	for _, p := range v.Root().Pets().All() {
		fmt.Println(p.Name(), p.Legs(), p.Owner().Present(), p.Owner().Name())
	}
	p, ok := v.Root().Pets().Lookup("Polly")
	fmt.Println(p.Legs(), ok)
}
`,
		"write/main.go": `package main

import (
	"os"

	"example.test/shop/shop"
	flatbuffers "github.com/google/flatbuffers/go"
)

func main() {
	s := shop.ShopT{Pets: []*shop.PetT{
		{Name: "Rex", Legs: 4, Owner: &shop.OwnerT{Name: "Ann"}},
		{Name: "Polly", Legs: 2},
	}}
	b := flatbuffers.NewBuilder(0)
	shop.FinishShopBuffer(b, s.Pack(b))
	if err := os.WriteFile(os.Args[1], b.FinishedBytes(), 0o666); err != nil {
		panic(err)
	}
}
`,
	})
	for _, args := range [][]string{{"generate", "./..."}, {"vet", "./..."}, {"run", "./write", "shop.bin"}} {
		if out, err := run(args...); err != nil {
			t.Fatalf("go %s: %v\n%s", strings.Join(args, " "), err, out)
		}
	}
	out, err := run("run", ".", "shop.bin")
	if want := "Polly 2 false \nRex 4 true Ann\n2 true\n"; err != nil || out != want {
		t.Errorf("%v, got:\n%s\nwant:\n%s", err, out, want)
	}
}

func TestWrongUseOfAProofDoesNotCompile(t *testing.T) {
	run := module(t, map[string]string{"shop.fbs": shopSchema, "doc.go": "package p\n\n//go:generate go run github.com/fbverify/go/cmd/fbgen -fixed -o shop shop.fbs\n"})
	if out, err := run("generate", "./..."); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, c := range []struct{ name, body, want string }{
		{"a proof as itself", "_ = fbverify.Verified[shop.Pet](v)", ""},
		{"the proof of another type", "var w fbverify.Verified[shop.Owner] = v; _ = w", "cannot use v"},
		{"converted to another type", "_ = fbverify.Verified[shop.Owner](v)", "cannot convert v"},
		{"made by hand", "_ = fbverify.Verified[shop.Pet]{root: v.Root()}", "root"},
		{"made by hand, without names", "_ = fbverify.Verified[shop.Pet]{v.Root(), v.Bytes()}", "unexported"},
		{"changed", "v.root = v.Root()", "root"},
		{"of no view", "var w fbverify.Verified[int]; _ = w", "does not satisfy"},
		{"of an owned struct", "var w fbverify.Verified[shop.PetT]; _ = w", "does not satisfy"},
		{"a fixed view as a root", "_, _ = fbverify.Root[shop.OwnerFixed](nil)", "does not satisfy"},
		{"a view of another table", "var o shop.Owner = v.Root(); _ = o", "cannot use v.Root()"},
		{"a view made by hand", "_ = shop.Pet{p: nil}", "p"},
	} {
		t.Run(c.name, func(t *testing.T) {
			text := "package main\n\nimport (\n\t\"example.test/shop/shop\"\n\t\"github.com/fbverify/go/fbverify\"\n)\n\n" +
				"func use(v fbverify.Verified[shop.Pet]) {\n\t_ = shop.Pet{}\n\t" + c.body + "\n}\n\nfunc main() {}\n"
			if err := os.MkdirAll("try", 0o777); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join("try", "main.go"), []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
			out, err := run("build", "-o", os.DevNull, "./try")
			switch {
			case c.want == "" && err != nil:
				t.Errorf("does not compile: %s", out)
			case c.want != "" && err == nil:
				t.Error("compiles")
			case !strings.Contains(out, c.want):
				t.Errorf("does not say %q: %s", c.want, out)
			}
		})
	}
}
