package verdict_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/fbverify/go/cmd/fbinspect/internal/input"
	"github.com/fbverify/go/cmd/fbinspect/internal/verdict"
	"github.com/fbverify/go/internal/oracle"
)

// folder makes a folder of n small files, every seventh of them damaged.
func folder(t *testing.T, n int) string {
	t.Helper()
	good, err := os.ReadFile(filepath.Join(oracle.RepoRoot(), "testdata", "tflite", "conv.tflite"))
	if err != nil {
		t.Fatal(err)
	}
	bad, err := os.ReadFile(filepath.Join(oracle.RepoRoot(), "testdata", "damaged", "offset-overwritten.tflite"))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for i := range n {
		b := good
		if i%7 == 3 {
			b = bad
		}
		sub := filepath.Join(dir, fmt.Sprintf("%02d", i/100))
		if err := os.MkdirAll(sub, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(sub, fmt.Sprintf("%04d.tflite", i)), b, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func checker(t *testing.T) *verdict.Checker {
	t.Helper()
	types, err := input.LoadTypes("", nil, "")
	if err != nil {
		t.Fatal(err)
	}
	return &verdict.Checker{Types: types}
}

func TestResultsComeInTheOrderOfTheFilesWhateverTheWorkers(t *testing.T) {
	const n = 700
	dir := folder(t, n)
	for _, workers := range []int{0, 1, 8} {
		var progress verdict.Progress
		var summary verdict.Summary
		i := 0
		checker(t).Run(context.Background(), verdict.Find{Recursive: true}, []string{dir}, workers, &progress, func(r *verdict.Result) bool {
			if want := fmt.Sprintf("%04d.tflite", i); filepath.Base(r.File) != want {
				t.Fatalf("file %d is %s", i, r.File)
			}
			if r.Valid != (i%7 != 3) {
				t.Fatalf("%s: valid is %t: %+v", r.File, r.Valid, r)
			}
			summary.Add(r)
			i++
			return true
		})
		if i != n || summary.Invalid != n/7 || summary.ExitCode() != 1 {
			t.Errorf("%d workers: %d results, %+v", workers, i, summary)
		}
		if progress.Done.Load() != n || progress.Found.Load() != n || !progress.All.Load() {
			t.Errorf("progress counts %d of %d", progress.Done.Load(), progress.Found.Load())
		}
	}
}

func TestARunEndsEarlyWhereItIsToldTo(t *testing.T) {
	dir := folder(t, 300)
	before := runtime.NumGoroutine()
	seen := 0
	checker(t).Run(context.Background(), verdict.Find{Recursive: true}, []string{dir}, 4, nil, func(r *verdict.Result) bool {
		seen++
		return r.Valid
	})
	if seen != 4 {
		t.Errorf("%d results before the first damaged file was told, want 4", seen)
	}
	ctx, cancel := context.WithCancel(context.Background())
	seen = 0
	checker(t).Run(ctx, verdict.Find{Recursive: true}, []string{dir}, 4, nil, func(*verdict.Result) bool {
		seen++
		cancel()
		return true
	})
	if seen > 2 {
		t.Errorf("%d results after the context ended", seen)
	}
	for range 100 {
		if runtime.NumGoroutine() <= before {
			return
		}
		runtime.Gosched()
	}
	if now := runtime.NumGoroutine(); now > before+2 {
		t.Errorf("%d goroutines before and %d after", before, now)
	}
}

func TestFoldersAndPatternsNameFiles(t *testing.T) {
	dir := folder(t, 20)
	for name, content := range map[string]string{"notes.txt": "some notes, in no format that is known", ".hidden.tflite": "x", "page.tflite": "<html>"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		name                            string
		find                            verdict.Find
		args                            []string
		valid, invalid, skipped, failed int64
	}{
		{"a folder", verdict.Find{Recursive: true}, []string{dir}, 17, 4, 1, 0},
		{"a folder without -r", verdict.Find{}, []string{dir}, 0, 0, 0, 1},
		{"a pattern", verdict.Find{}, []string{filepath.Join(dir, "00", "000*.tflite")}, 9, 1, 0, 0},
		{"a pattern that fits nothing", verdict.Find{}, []string{filepath.Join(dir, "*.fgb")}, 0, 0, 0, 1},
		{"only some names", verdict.Find{Recursive: true, Include: []string{"page*"}}, []string{dir}, 0, 1, 0, 0},
		{"a file that is not there", verdict.Find{}, []string{filepath.Join(dir, "nowhere")}, 0, 0, 0, 1},
		{"a file of no known kind, named", verdict.Find{}, []string{filepath.Join(dir, "notes.txt")}, 0, 1, 0, 0},
	} {
		var s verdict.Summary
		checker(t).Run(context.Background(), c.find, c.args, 2, nil, func(r *verdict.Result) bool { s.Add(r); return true })
		if s.Valid != c.valid || s.Invalid != c.invalid || s.Skipped != c.skipped || s.Failed != c.failed {
			t.Errorf("%s: %d valid, %d invalid, %d passed over, %d failed; want %d, %d, %d, %d", c.name,
				s.Valid, s.Invalid, s.Skipped, s.Failed, c.valid, c.invalid, c.skipped, c.failed)
		}
	}
}

// TestMemoryDoesNotGrowWithTheNumberOfFiles judges the same folder once and many times over.
func TestMemoryDoesNotGrowWithTheNumberOfFiles(t *testing.T) {
	dir := folder(t, 100)
	live := func(times int) uint64 {
		var args []string
		for range times {
			args = append(args, dir)
		}
		var most uint64
		n := 0
		checker(t).Run(context.Background(), verdict.Find{Recursive: true}, args, 2, nil, func(*verdict.Result) bool {
			if n++; n%500 == 0 {
				runtime.GC()
				var m runtime.MemStats
				runtime.ReadMemStats(&m)
				most = max(most, m.HeapAlloc)
			}
			return true
		})
		return most
	}
	few, many := live(10), live(60)
	if many > few+(4<<20) {
		t.Errorf("%d bytes are live among 1,000 files, %d among 6,000", few, many)
	}
}
