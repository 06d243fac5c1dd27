package main

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"golang.org/x/perf/benchfmt"

	"github.com/fbverify/go/benches/internal/compare/exe"
	"github.com/fbverify/go/benches/internal/compare/report"
)

// logs are the files that keep every result that counts, one for each side, in
// the format of Go's benchmarks.
type logs struct {
	dir     string
	files   map[string]*os.File
	writers map[string]*benchfmt.Writer
	commits map[string]string
}

// openLogs creates the files; without a folder nothing is kept.
func openLogs(dir, base, head string) (*logs, error) {
	l := &logs{dir: dir, files: map[string]*os.File{}, writers: map[string]*benchfmt.Writer{}, commits: map[string]string{"base": base, "head": head}}
	if dir == "" {
		return l, nil
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	for side := range l.commits {
		file, err := os.Create(filepath.Join(dir, side+".txt"))
		if err != nil {
			return nil, errors.Join(err, l.close())
		}
		l.files[side], l.writers[side] = file, benchfmt.NewWriter(file)
	}
	return l, nil
}

// write keeps one result of the four runs with this number.
func (l *logs) write(side string, four int, r exe.Result) error {
	w := l.writers[side]
	if w == nil {
		return nil
	}
	kept := &benchfmt.Result{Name: r.Result.Name, Iters: r.Iters, Values: r.Values, Config: slices.Clone(r.Config)}
	for key, value := range map[string]string{"commit": l.commits[side], "four": strconv.Itoa(four)} {
		kept.Config = append(kept.Config, benchfmt.Config{Key: key, Value: []byte(value), File: true})
	}
	return w.Write(kept)
}

func (l *logs) close() error {
	var errs []error
	for _, file := range l.files {
		errs = append(errs, file.Close())
	}
	return errors.Join(errs...)
}

// report adds the report.
func (l *logs) report(r *report.Report) error {
	if l.dir == "" {
		return nil
	}
	return writeFile(filepath.Join(l.dir, "report.json"), r.JSON)
}
