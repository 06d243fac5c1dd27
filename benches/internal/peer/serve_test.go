package peer

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/fbverify/go/internal/inputs"
	"github.com/fbverify/go/internal/oracle"
)

func TestThisLibraryAnswersAsPeersDo(t *testing.T) {
	row := inputs.SmallRow().Bytes
	file := filepath.Join(t.TempDir(), "two rows")
	broken := bytes.Clone(row)
	copy(broken, "\xff\xff\xff\xff")
	if err := os.WriteFile(file, append(bytes.Clone(row), row...), 0o666); err != nil {
		t.Fatal(err)
	}
	refused := filepath.Join(t.TempDir(), "refused")
	if err := os.WriteFile(refused, broken, 0o666); err != nil {
		t.Fatal(err)
	}
	requests := []string{
		"version",
		"works",
		fmt.Sprintf("run bench.Row plain 100 %d 1000 7 %s", len(row), file),
		fmt.Sprintf("run bench.Row plain 100 %d 0 7 %s", len(row), refused),
		fmt.Sprintf("run bench.Row plain 100 %d 0 7 %s", len(row)-1, file),
		fmt.Sprintf("run bench.Nothing plain 100 %d 0 7 %s", len(row), file),
		"run bench.Row",
		"dance",
	}
	var out bytes.Buffer
	if err := Serve(oracle.RepoRoot(), strings.NewReader(strings.Join(requests, "\n")), &out); err != nil {
		t.Fatal(err)
	}
	answers := strings.Split(strings.TrimSpace(out.String()), "\n")
	want := []string{`version 25\.12\.19`, `works .*\bbench\.Row\b.*`, `ok \d+ 1`, `ok \d+ 0`, `err .*buffers of 95 bytes`, `err .*bench\.Nothing`, `err run wants .*`, `err run wants .*`}
	if len(answers) != len(want) {
		t.Fatalf("%d answers: %q", len(answers), answers)
	}
	for i := range want {
		if !regexp.MustCompile("^" + want[i] + "$").MatchString(answers[i]) {
			t.Errorf("%s is answered %q, want %s", requests[i], answers[i], want[i])
		}
	}
}
