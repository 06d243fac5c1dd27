package realfiles

import (
	"testing"

	"github.com/fbverify/go/fbverify/container"
	"github.com/fbverify/go/internal/oracle"
)

func TestFilesOfEveryFormatAreFoundAndValid(t *testing.T) {
	files, err := Find(oracle.RepoRoot())
	if err != nil {
		t.Fatal(err)
	}
	formats := map[container.Format]int{}
	names := map[string]bool{}
	for _, f := range files {
		formats[f.Format]++
		if names[f.Name] {
			t.Errorf("two files are called %s", f.Name)
		}
		names[f.Name] = true
		t.Logf("%-50s %3d parts %8d bytes", f.Name, len(f.Parts), f.Size)
	}
	for _, want := range []container.Format{container.Vortex, container.ArrowFile, container.ArrowStream, container.TFLite, container.FlatGeobuf} {
		if formats[want] == 0 {
			t.Errorf("no %v file", want)
		}
	}
	for format, l := range Largest(files, container.Vortex, container.ArrowFile, container.TFLite) {
		t.Logf("largest %v: %s of %s, %d bytes", format, l.Part.Name, l.File.Name, len(l.Part.Bytes))
	}
}
