//go:build linux

package trust_test

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/fbverify/go/fbverify"
	"github.com/fbverify/go/internal/fbrand"
	"github.com/fbverify/go/internal/gentest/survey"
)

// childVariable makes the test binary a reader of a mapped file, see childReader.
const childVariable = "TRUST_MAPPED_FILE"

func TestMain(m *testing.M) {
	if name := os.Getenv(childVariable); name != "" {
		childReader(name, os.Getenv(childVariable+"_GUARD") != "")
	}
	os.Exit(m.Run())
}

// childReader maps and verifies a file, says so, waits for a line, and reads the
// bytes, under Guard or not.
func childReader(name string, guard bool) {
	f, err := fbverify.MapFile[survey.Survey](name, nil)
	if err != nil {
		fmt.Println("refused:", err)
		os.Exit(3)
	}
	fmt.Println("verified")
	if _, err := bufio.NewReader(os.Stdin).ReadString('\n'); err != nil {
		os.Exit(4)
	}
	read := func() error {
		sum := 0
		for _, b := range f.Bytes() {
			sum += int(b)
		}
		fmt.Println("read everything:", f.Root().Title(), sum)
		return nil
	}
	if guard {
		err = f.Guard(read)
	} else {
		err = read()
	}
	if errors.Is(err, fbverify.ErrFault) {
		fmt.Println("fault:", err)
		os.Exit(5)
	}
	os.Exit(0)
}

// TestAFileThatAnotherProcessTruncates: a process that has mapped and verified a
// file reads it after this one cut it. Under Guard it gets an error; otherwise it
// ends, and never reads other bytes in silence.
func TestAFileThatAnotherProcessTruncates(t *testing.T) {
	if runtime.GOARCH == "s390x" {
		t.Skip("emulators of s390x do not report where a fault was, by which Guard tells its own")
	}
	var view survey.Survey
	typ := view.FlatBuffersType()
	var data []byte
	for seed := uint64(0); len(data) < 3*os.Getpagesize(); seed++ {
		data = fbrand.ForSchema(fbrand.NewRand(seed), typ.Schema(), typ.Root(), fbrand.BufferOptions{Objects: 600, Wide: true}).Bytes
	}
	for _, c := range []struct {
		name            string
		truncate, guard bool
		want            string
		code            int
	}{
		{"left alone", false, false, "read everything", 0},
		{"left alone, guarded", false, true, "read everything", 0},
		{"truncated, guarded", true, true, "fault: ", 5},
		{"truncated", true, false, "unexpected fault address", 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			name := filepath.Join(t.TempDir(), "mapped")
			if err := os.WriteFile(name, data, 0o666); err != nil {
				t.Fatal(err)
			}
			cmd := exec.Command(os.Args[0])
			cmd.Env = append(os.Environ(), childVariable+"="+name)
			if c.guard {
				cmd.Env = append(cmd.Env, childVariable+"_GUARD=1")
			}
			in, err := cmd.StdinPipe()
			if err != nil {
				t.Fatal(err)
			}
			out, err := cmd.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			var stderr strings.Builder
			cmd.Stderr = &stderr
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			lines := bufio.NewScanner(out)
			if !lines.Scan() || lines.Text() != "verified" {
				t.Fatalf("the child says %q", lines.Text())
			}
			if c.truncate {
				if err := os.Truncate(name, 100); err != nil {
					t.Fatal(err)
				}
			}
			fmt.Fprintln(in)
			said := ""
			for lines.Scan() {
				said += lines.Text() + "\n"
			}
			_ = cmd.Wait()
			if all := said + stderr.String(); !strings.Contains(all, c.want) || cmd.ProcessState.ExitCode() != c.code {
				t.Errorf("exit status %d, want %d with %q:\n%s", cmd.ProcessState.ExitCode(), c.code, c.want, all)
			}
			if c.truncate && strings.Contains(said, "read everything") {
				t.Error("what is no longer there was read")
			}
		})
	}
}
