package fbverify_test

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/fbverify/go/fbverify"
	"github.com/fbverify/go/generated/reflection"
	flatbuffers "github.com/google/flatbuffers/go"
)

// A file is mapped, and verified where it lies. Other processes must not write to it:
// ReadFile has a copy of its own.
func ExampleMapFile() {
	b := flatbuffers.NewBuilder(0)
	reflection.FinishSchemaBuffer(b, (&reflection.SchemaT{RootTable: &reflection.ObjectT{Name: "Hero"}}).Pack(b))
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	name := filepath.Join(dir, "hero.bfbs")
	if err := os.WriteFile(name, b.FinishedBytes(), 0o600); err != nil {
		fmt.Println(err)
		return
	}

	file, err := fbverify.MapFile[reflection.Schema](name, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(file.Root().RootTable().Name())
	// Output: Hero
}
