package walk_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fbverify/go/internal/oracle"
	"github.com/fbverify/go/internal/walk"
	"github.com/fbverify/go/schema"
	"github.com/fbverify/go/schema/bfbs"
)

func load(t testing.TB, path string) *schema.Schema {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	s, err := bfbs.Load(b)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestWalkAgreesWithTheVerdicts: what is valid by default can be walked, under the
// rules too, and what is not breaks a rule.
func TestWalkAgreesWithTheVerdicts(t *testing.T) {
	dir := oracle.Corpus(t)
	table, err := os.ReadFile(filepath.Join(dir, "verdicts.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(table)), "\n")[1:]
	for _, line := range lines {
		cell := strings.Split(line, "\t")
		file, bfbs, root, expected := cell[0], cell[1], cell[2], cell[4]
		t.Run(file, func(t *testing.T) {
			s := load(t, filepath.Join(dir, bfbs))
			buf, err := os.ReadFile(filepath.Join(dir, file))
			if err != nil {
				t.Fatal(err)
			}
			run := walk.Message
			if strings.HasSuffix(file, "_sp.mon") {
				run = walk.SizePrefixed
			}
			err = run(s, s.Object(root), buf, &walk.Options{Rules: true})
			if (err == nil) != (expected == "valid") {
				t.Errorf("expected %s, got %v", expected, err)
			}
			if expected == "valid" {
				if err := run(s, s.Object(root), buf, nil); err != nil {
					t.Errorf("valid, and yet without rules: %v", err)
				}
			}
		})
	}
}

// TestEveryDamageOfSmallFilesIsWalkedWithoutPanic changes each byte of real files,
// and cuts them off everywhere.
func TestEveryDamageOfSmallFilesIsWalkedWithoutPanic(t *testing.T) {
	dir := oracle.Corpus(t)
	for file, bfbs := range map[string]string{
		"google/monsterdata_test.mon":                      "google/monster_test",
		"google/annotated_binary.bin":                      "google/annotated_binary",
		"google/test_64bit.bin":                            "google/test_64bit",
		"google/malformed/invalid_vtable_field_offset.bin": "google/annotated_binary",
	} {
		t.Run(file, func(t *testing.T) {
			s := load(t, filepath.Join(dir, "schemas", bfbs+".bfbs"))
			buf, err := os.ReadFile(filepath.Join(dir, file))
			if err != nil {
				t.Fatal(err)
			}
			refused, looser := 0, 0
			try := func(b []byte) {
				rules := walk.Message(s, s.Root, b, &walk.Options{Rules: true})
				plain := walk.Message(s, s.Root, b, nil)
				if plain != nil && rules == nil {
					t.Fatalf("refused without the rules only: %v", plain)
				}
				if rules != nil {
					refused++
					if plain == nil {
						looser++
					}
				}
				_ = walk.SizePrefixed(s, s.Root, b, nil)
			}
			for n := range buf {
				try(buf[:n])
			}
			damaged := bytes.Clone(buf)
			for i, b := range buf {
				for _, change := range []byte{0, 0xff, b + 1, b ^ 0x80, b ^ 4} {
					damaged[i] = change
					try(damaged)
				}
				damaged[i] = b
			}
			if refused == 0 || looser == 0 {
				t.Errorf("%d damaged buffers refused, %d of them by a rule only: too few to have tried anything", refused, looser)
			}
		})
	}
}
