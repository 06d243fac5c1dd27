// Sizes tells what generated code weighs: the packages of generated/, in lines and bytes
// of Go, and small programs that verify a buffer and read a name of it, linked without
// symbols. With -base it says the same of another commit beside it:
//
//	go run ./internal/sizes -base COMMIT
package main

import (
	"bytes"
	"flag"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"
)

const module = "github.com/fbverify/go"

// The programs: each is the body of a file of package main.
var programs = []struct{ name, source string }{
	{"reads", program("")},
	{"reads and prints", program(`_ "` + module + `/fbverify/dynamic"`)},
}

func program(imports string) string {
	return `package main

import (
	"fmt"
	"os"

	"` + module + `/fbverify"
	"` + module + `/generated/flatgeobuf"
	` + imports + `
)

func main() {
	buf, err := os.ReadFile(os.Args[1])
	if err == nil {
		root, e := fbverify.Root[flatgeobuf.Header](buf)
		if err = e; err == nil {
			fmt.Println(root.Root().Name())
		}
	}
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
}
`
}

// weight is what one commit has: texts by package, and programs by what they do.
type weight struct {
	packages map[string]text
	programs map[string]int64
}

type text struct{ lines, bytes int }

func main() {
	base := flag.String("base", "", "say it of this commit, too")
	flag.Parse()
	if err := run(*base); err != nil {
		fmt.Fprintln(os.Stderr, "sizes:", err)
		os.Exit(1)
	}
}

func run(base string) error {
	top, err := output(".", "git", "rev-parse", "--show-toplevel")
	if err != nil {
		return err
	}
	head, err := weigh(top)
	if err != nil {
		return err
	}
	var before weight
	if base != "" {
		dir, err := os.MkdirTemp("", "sizes")
		if err != nil {
			return err
		}
		defer os.RemoveAll(dir)
		tree := filepath.Join(dir, "base")
		if _, err := output(top, "git", "worktree", "add", "--detach", tree, base); err != nil {
			return err
		}
		defer output(top, "git", "worktree", "remove", "--force", tree)
		if before, err = weigh(tree); err != nil {
			return err
		}
	}
	return show(before, head, base != "")
}

// weigh tells the weights of the tree of one commit.
func weigh(tree string) (weight, error) {
	w := weight{packages: map[string]text{}, programs: map[string]int64{}}
	files, err := filepath.Glob(filepath.Join(tree, "generated", "*", "fb_*.go"))
	if err != nil {
		return w, err
	}
	for _, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			return w, err
		}
		of := filepath.Base(filepath.Dir(name))
		t := w.packages[of]
		t.lines += bytes.Count(data, []byte("\n"))
		t.bytes += len(data)
		w.packages[of] = t
	}
	if len(w.packages) == 0 {
		return w, fmt.Errorf("%s has no packages in generated/", tree)
	}
	// The programs lie beside the packages that they import, and go again.
	dir, err := os.MkdirTemp(filepath.Join(tree, "internal"), "sizes-")
	if err != nil {
		return w, err
	}
	defer os.RemoveAll(dir)
	for _, p := range programs {
		if err := os.WriteFile(filepath.Join(dir, "main.go"), []byte(p.source), 0o644); err != nil {
			return w, err
		}
		exe := filepath.Join(dir, "program")
		if _, err := output(dir, "go", "build", "-trimpath", "-buildvcs=false", "-ldflags=-s -w", "-o", exe, "."); err != nil {
			return w, err
		}
		info, err := os.Stat(exe)
		if err != nil {
			return w, err
		}
		w.programs[p.name] = info.Size()
	}
	return w, nil
}

func show(before, head weight, both bool) error {
	out := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	row := func(name string, cells ...string) {
		fmt.Fprintf(out, "%s\t%s\n", name, strings.Join(cells, "\t"))
	}
	cells := func(was, is string) []string {
		if both {
			return []string{was, is}
		}
		return []string{is}
	}
	if both {
		row("", "before", "after")
	}
	for _, name := range slices.Sorted(maps.Keys(head.packages)) {
		row("package "+name, cells(before.packages[name].String(), head.packages[name].String())...)
	}
	for _, p := range programs {
		row("program that "+p.name, cells(kilobytes(before.programs[p.name]), kilobytes(head.programs[p.name]))...)
	}
	return out.Flush()
}

func (t text) String() string {
	if t == (text{}) {
		return "none"
	}
	return fmt.Sprintf("%d lines, %s", t.lines, kilobytes(int64(t.bytes)))
}

func kilobytes(n int64) string { return fmt.Sprintf("%.0f kB", float64(n)/1000) }

// output runs a command in a folder; its error has what it said. Commands of Go see the
// module of their folder alone.
func output(dir, name string, args ...string) (string, error) {
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOWORK=off")
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("%s: %w\n%s", cmd, err, said.Bytes())
	}
	return strings.TrimSpace(string(out)), nil
}
