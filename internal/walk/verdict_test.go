package walk_test

import (
	"bytes"
	"fmt"
	"math/rand"
	"os"
	"path/filepath"
	"testing"

	"github.com/fbverify/go/fbverify"
	"github.com/fbverify/go/internal/oracle"
	"github.com/fbverify/go/internal/walk"
)

// TestVerifierAndWalkAgree damages real buffers and wants one verdict from both:
// valid means that every accessor's read can be done and no rule is broken.
func TestVerifierAndWalkAgree(t *testing.T) {
	dir := oracle.Corpus(t)
	for file, bfbs := range map[string]string{
		"google/monsterdata_test.mon":     "google/monster_test",
		"google/unicode_test.mon":         "google/monster_test",
		"google/annotated_binary.bin":     "google/annotated_binary",
		"google/test_64bit.bin":           "google/test_64bit",
		"tflite/hello_world_float.tflite": "tflite/tflite",
	} {
		t.Run(file, func(t *testing.T) {
			s := load(t, filepath.Join(dir, "schemas", bfbs+".bfbs"))
			typ, err := fbverify.Compile(s, "")
			if err != nil {
				t.Fatal(err)
			}
			buf, err := os.ReadFile(filepath.Join(dir, file))
			if err != nil {
				t.Fatal(err)
			}
			valid := 0
			compare := func(b []byte, how string) {
				t.Helper()
				v := typ.Verify(b, &fbverify.Options{MaxDepth: 1 << 16, MaxTables: 1 << 30})
				w := walk.Message(s, s.Root, b, &walk.Options{Rules: true})
				if (v == nil) != (w == nil) {
					t.Fatalf("%s: the verifier says %v, the walk %v", how, v, w)
				}
				if w == nil {
					valid++
				}
			}
			for n := 0; n < len(buf); n += 1 + len(buf)/2000 {
				compare(buf[:n], fmt.Sprintf("cut to %d", n))
			}
			random := rand.New(rand.NewSource(1))
			for range 4000 {
				b := bytes.Clone(buf)
				how := ""
				for range 1 + random.Intn(3) {
					i, c := random.Intn(len(b)), byte(random.Intn(256))
					if random.Intn(2) == 0 {
						c = b[i] ^ 1<<random.Intn(8)
					}
					b[i] = c
					how += fmt.Sprintf("[%d]=%d ", i, c)
				}
				compare(b, how)
			}
			if valid == 0 || valid == 6000 {
				t.Errorf("%d valid: not a test", valid)
			}
		})
	}
}
