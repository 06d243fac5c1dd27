package trust_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/fbverify/go/fbverify"
	"github.com/fbverify/go/fbverify/container"
)

// TestConstraintsRefuseNoRealFile: whatever has the right shape in a file of a real writer
// has the right values, too. Files that are damaged on purpose, and those of fuzzers, are left out.
func TestConstraintsRefuseNoRealFile(t *testing.T) {
	files, parts := 0, 0
	for _, root := range []string{"../../testdata", "../../../shared/corpus"} {
		err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				if d != nil && (d.Name() == "damaged" || d.Name() == "fuzz") {
					return fs.SkipDir
				}
				if os.IsNotExist(err) {
					t.Logf("%s is not there: its files are not asked", root)
					return nil
				}
				return err
			}
			b, err := os.ReadFile(name)
			if err != nil {
				return err
			}
			f, err := container.OpenBytes(b, nil)
			if err != nil {
				return nil // of no format that is known
			}
			files++
			for p, err := range f.Parts() {
				if err != nil {
					break // and the container says why
				}
				if p.Type() == nil {
					continue // of no schema that is known
				}
				buf, err := p.Bytes()
				if err != nil {
					break
				}
				facts := map[string]int64{"file": int64(len(b))}
				if p.Type().Verify(buf, p.Options(&fbverify.Options{SkipConstraints: true})) != nil {
					continue
				}
				parts++
				for _, stated := range []map[string]int64{nil, facts} {
					if err := p.Type().Verify(buf, p.Options(&fbverify.Options{Facts: stated})); err != nil {
						t.Errorf("%s, %s, with %v: %v", name, p.Name, stated, err)
					}
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if files < 20 || parts < 100 {
		t.Errorf("only %d parts of %d files", parts, files)
	}
	t.Logf("%d parts of %d files", parts, files)
}
