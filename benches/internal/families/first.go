package families

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/fbverify/go/internal/inputs"
)

// A First is a first verification in a process, as a value of a generated type:
// what a command line tool pays each time.
type First struct {
	Name  string        // "first/vortex"; "first/init" is what comes before main
	Bound time.Duration // how long it may take
	Make  func() inputs.Buffer
}

// Firsts returns the family first.
func Firsts() []First {
	return []First{
		{"first/init", 150 * time.Microsecond, func() inputs.Buffer { return inputs.Layout(1, 8) }},
		{"first/vortex", 150 * time.Microsecond, func() inputs.Buffer { return inputs.Layout(1, 8) }},
		{"first/arrow", 150 * time.Microsecond, func() inputs.Buffer { return inputs.ArrowSchema(8) }},
		{"first/tflite", 500 * time.Microsecond, func() inputs.Buffer { return inputs.Buffer{Name: "100 KB", Bytes: inputs.Model(100_000)} }},
	}
}

// A FirstProgram is a process that does nothing else, ready to be started.
type FirstProgram struct {
	program, format, file string
	init                  bool // what comes before main is asked for
}

// BuildFirst builds the program of a First in a folder, once for all of them, and
// writes its input there. Root is the folder of this repository.
func BuildFirst(ctx context.Context, root, dir string, f First) (*FirstProgram, error) {
	format := f.Name[len("first/"):]
	p := &FirstProgram{program: filepath.Join(dir, "first"), format: format, init: format == "init"}
	if p.init {
		p.format = "vortex"
	}
	p.file = filepath.Join(dir, "first-"+format)
	if err := os.WriteFile(p.file, f.Make().Bytes, 0o666); err != nil {
		return nil, err
	}
	if _, err := os.Stat(p.program); err == nil {
		return p, nil
	}
	cmd := exec.CommandContext(ctx, "go", "build", "-o", p.program, "./benches/cmd/first")
	cmd.Dir = root
	if said, err := cmd.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("benches/cmd/first does not build: %w\n%s", err, said)
	}
	return p, nil
}

// Run starts a process and returns how long its first verification took, or what
// came before main.
func (p *FirstProgram) Run(ctx context.Context) (time.Duration, error) {
	out, err := exec.CommandContext(ctx, p.program, p.format, p.file).Output()
	if err != nil {
		return 0, fmt.Errorf("first %s: %w", p.format, err)
	}
	var before, first int64
	if n, err := fmt.Sscan(string(out), &before, &first); err != nil || n != 2 || before < 0 || first <= 0 {
		return 0, fmt.Errorf("first %s printed %q", p.format, out)
	}
	if p.init {
		return time.Duration(before), nil
	}
	return time.Duration(first), nil
}
