package main

import (
	"bufio"
	"bytes"
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/fbverify/go/internal/growth"
	"github.com/fbverify/go/internal/oracle"
)

var large = flag.Int("large", 8<<20, "bytes of the buffer of very many tables; 300800064 holds ten million tables and takes minutes")

// cost is what one run of fbinspect took.
type cost struct {
	code      int
	processor time.Duration // user and system
	memory    int64         // bytes at most, with what is mapped
	first     time.Duration // to the first line; 0 for none
	lines     int
	stderr    string
}

// measured runs a program, and reads so many lines of what it prints; 0 is all.
func measured(t *testing.T, most int, program string, args ...string) cost {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute+time.Duration(*large/(1<<20))*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, args...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	start := time.Now()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var c cost
	done, most64 := make(chan bool), make(chan int64)
	go func() { most64 <- peak(cmd.Process.Pid, done) }()
	r := bufio.NewReader(stdout)
	for {
		_, err := r.ReadSlice('\n')
		if err == bufio.ErrBufferFull {
			continue
		}
		if err != nil {
			break
		}
		if c.lines++; c.lines == 1 {
			c.first = time.Since(start)
		}
		if c.lines == most {
			break
		}
	}
	if most == 0 {
		_, _ = io.Copy(io.Discard, r)
	}
	stdout.Close()
	_ = cmd.Wait()
	close(done)
	state := cmd.ProcessState
	c.code, c.processor = state.ExitCode(), state.UserTime()+state.SystemTime()
	c.memory = <-most64
	c.stderr = stderr.String()
	return c
}

// peak is the most memory of a process, until it is done. What wait tells of it is at least
// that of the process that started it, which has made the files.
func peak(pid int, done chan bool) (most int64) {
	for {
		status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
		if _, after, ok := strings.Cut(string(status), "VmHWM:"); ok {
			var kilobytes int64
			if _, err := fmt.Sscan(after, &kilobytes); err == nil {
				most = max(most, kilobytes<<10)
			}
		}
		select {
		case <-done:
			return most
		case <-time.After(2 * time.Millisecond):
		}
	}
}

func (c *cost) String() string {
	said, _, _ := strings.Cut(strings.TrimSpace(c.stderr), "\n")
	return fmt.Sprintf("exit %d, %7.3f s, %4d MB  %.100s", c.code, c.processor.Seconds(), c.memory>>20, said)
}

// TestVeryManyTables: what shows a buffer needs some bits for each of its bytes beyond those
// of the file, and starts at once. With -v it prints a line for each verb. With -large
// 300800064 it takes five minutes: annotate then writes five gigabytes.
func TestVeryManyTables(t *testing.T) {
	dir := t.TempDir()
	size := *large
	if testing.Short() {
		size = min(size, 2<<20)
	}
	schema := write(t, filepath.Join(dir, "rows.fbs"), []byte(growth.RowsSchema))
	file := write(t, filepath.Join(dir, "rows.bin"), growth.Rows(size, 0))
	other := write(t, filepath.Join(dir, "other.bin"), growth.Rows(size, 1_000_000))
	page := filepath.Join(dir, "page.html")
	last := fmt.Sprintf("Root.rows[%d]", (size-64)/32-3)
	const some, few = 300_000_000, 200_000_000 // bytes beyond the file, of one of 300 MB
	for _, verb := range []struct {
		name  string
		lines int // that are read
		files int
		most  int64 // bytes beyond the file
		args  []string
	}{
		{"annotate | head", 10, 1, some, []string{"annotate", file}},
		{"annotate", 0, 1, some, []string{"annotate", file}},
		{"annotate --json | head", 1000, 1, some, []string{"annotate", "--json", file}},
		{"stats", 0, 1, some, []string{"stats", file}},
		{"dump --path", 0, 1, some, []string{"dump", "--path", "Root.rows[5]", file}},
		{"dump | head", 10, 1, some, []string{"dump", file}},
		{"dump --json | head", 10, 1, some, []string{"dump", "--json", file}},
		{"dump --json --path", 0, 1, some, []string{"dump", "--json", "--path", "Root.rows[-1]", file}},
		{"diff", 0, 2, some, []string{"diff", file, other}},
		{"html", 0, 1, few, []string{"html", file, "-o", page}},
		{"html --path", 0, 1, few, []string{"html", "--path", last, file, "-o", page}},
	} {
		c := measured(t, verb.lines, "fbinspect", append(verb.args[:1:1], append([]string{"--schema", schema}, verb.args[1:]...)...)...)
		beyond := c.memory - int64(verb.files*size)
		t.Logf("%-20s %4d MB beyond the file, first line after %5.2f s, %s", verb.name, beyond>>20, c.first.Seconds(), c.String())
		if c.lines == 0 && verb.args[0] != "html" || c.code == exitFailed && verb.lines == 0 {
			t.Errorf("%s: %s", verb.name, c.stderr)
		}
		most := max(64<<20, verb.most*int64(size)/300_800_064)
		if verb.args[0] == "html" && size < 8<<20 { // all of it is on the page
			most = 100 * int64(size)
		}
		if beyond > most {
			t.Errorf("%s needs %d MB beyond the file, want at most %d", verb.name, beyond>>20, most>>20)
		}
		if starts := verb.args[0] == "annotate" || verb.name == "dump | head"; starts && c.first > 2*time.Second { // one, of a machine that does nothing else
			t.Errorf("%s: the first line comes after %s", verb.name, c.first)
		}
		if verb.args[0] == "html" && size > 8<<20 && !strings.Contains(c.stderr, "are not on the page") {
			t.Errorf("%s does not say what it leaves out: %q", verb.name, c.stderr)
		}
	}
}

// TestCostOfCases runs the verbs and fbgen on the cases of the corpus that were made to be expensive.
// With -v it prints a line for each: with an exit of 2, and its words, where it was refused.
func TestCostOfCases(t *testing.T) {
	folder := filepath.Join(oracle.RepoRoot(), "..", "shared", "cases", "cost")
	if _, err := os.Stat(folder); err != nil {
		t.Skip("without the cases beside the repository")
	}
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(folder, name) }
	page, overlap := filepath.Join(dir, "page.html"), filepath.Join(dir, "overlap.bin")
	made, err := exec.Command("python3", in("overlap.py"), "4000000").Output()
	if err != nil {
		t.Skip(err)
	}
	write(t, overlap, made)
	fbgen := filepath.Join(dir, "fbgen")
	if out, err := exec.Command("go", "build", "-o", fbgen, "github.com/fbverify/go/cmd/fbgen").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	unions := write(t, filepath.Join(dir, "unions.json"), []byte(`{"u_type":"A"`+strings.Repeat(`,"u":{}`, 100_000)+`}`))
	var runs [][]string
	for _, c := range []struct {
		schema string
		files  []string
	}{
		{"cost-1000.fbs", []string{in("cost-1000.bin")}},
		{"diff-deep.fbs", []string{in("diff-deep-1.bin"), in("diff-deep-2.bin")}},
		{"strict-struct.fbs", []string{in("strict-struct.bin")}},
		{"ov.fbs", []string{overlap}},
		{"ov.fbs", []string{in("zeros.bin")}},
	} {
		schema := []string{"--schema", in(c.schema)}
		for _, verb := range [][]string{
			{"verify"}, {"verify", "--strict"}, {"verify", "--all"}, {"dump"}, {"dump", "--json"}, {"dump", "--partial"},
			{"dump", "--lines"}, {"dump", "--path", "*"}, {"annotate"}, {"annotate", "--json"}, {"stats"}, {"stats", "--json"},
			{"html", "-o", page}, {"schema", "find"}, {"diff"}, {"diff", "--json"},
		} {
			files := c.files
			switch {
			case verb[0] == "diff" && len(files) == 1:
				files = append(files, files[0])
			case verb[0] != "diff":
				files = files[:1]
			}
			runs = append(runs, append(append(verb[:len(verb):len(verb)], schema...), files...))
		}
	}
	for _, name := range []string{"compile-hang.fbs", "esc.fbs", "cost-1000.fbs"} {
		bin := filepath.Join(dir, name+".bfbs")
		runs = append(runs, []string{"schema", "list", in(name)}, []string{"schema", "print", in(name)}, []string{"schema", "print", "--json-schema", in(name)},
			[]string{"schema", "fmt", in(name)}, []string{"schema", "convert", in(name), "-o", bin}, []string{"schema", "print", bin}, []string{"verify", bin},
			[]string{"dump", bin}, []string{"verify", "--schema", bin, in("zeros.bin")}, []string{"verify", "--schema", in(name), in("zeros.bin")},
			[]string{"conform", in(name), bin}, []string{"diff", in(name), bin})
		for _, how := range [][]string{{}, {"-names", "flatc"}, {"-fixed"}, {"-read-only"}} {
			runs = append(runs, append(append([]string{fbgen}, how...), "-package", "p", "-o", filepath.Join(dir, "p"+strings.Join(how, "")), in(name)))
		}
	}
	runs = append(runs, []string{"encode", "--schema", in("u.fbs"), unions, "-o", filepath.Join(dir, "u.bin")})
	const most = 100 << 20
	for _, args := range runs {
		program := "fbinspect"
		if args[0] == fbgen {
			program, args = fbgen, args[1:]
		}
		c := measured(t, 0, program, args...)
		line := filepath.Base(program) + " " + strings.ReplaceAll(strings.ReplaceAll(strings.Join(args, " "), folder+"/", ""), dir+"/", "")
		t.Logf("%-80s %s", line, c.String())
		if c.memory > most {
			t.Errorf("%s needs %d MB", line, c.memory>>20)
		}
		if c.processor > 2*time.Second { // one, of a machine that does nothing else
			t.Errorf("%s takes %s", line, c.processor)
		}
		if c.code == exitFailed && c.stderr == "" {
			t.Errorf("%s is refused without a word", line)
		}
	}
}
