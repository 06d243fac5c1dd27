package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/fbverify/go/cmd/fbinspect/judge"
)

// TestJudgeSaysWhatVerifySays holds the engine for programs to the lines of verify -r --json:
// sound and damaged files, strange ones, and names that are of none; many at a time.
func TestJudgeSaysWhatVerifySays(t *testing.T) {
	folder := t.TempDir()
	sound, err := os.ReadFile(filepath.Join("..", "..", "generated", "arrow", "fb_schema.bfbs"))
	if err != nil {
		t.Fatal(err)
	}
	put := func(name string, b []byte) {
		if err := os.WriteFile(filepath.Join(folder, name), b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	put("sound.bfbs", sound)
	put("short.bfbs", sound[:len(sound)/2])
	put("empty.arrow", nil)
	put("words.txt", []byte("no FlatBuffer"))
	put("words.vortex", []byte("no Vortex file at all"))
	for i := range 60 {
		b := append([]byte(nil), sound...)
		b[(i*97+8)%len(b)] ^= 0x81
		put("changed"+string(rune('a'+i%26))+string(rune('a'+i/26))+".bfbs", b)
	}
	names := []string{folder, filepath.Join(folder, "words.txt"), filepath.Join(folder, "missing"), filepath.Join(folder, "*.none")}
	for _, all := range []bool{false, true} {
		args := append([]string{"verify", "-r", "--json"}, names...)
		if all {
			args = append(args, "--all")
		}
		_, want, _ := command(t, args...)

		e, err := judge.New(judge.Options{All: all})
		if err != nil {
			t.Fatal(err)
		}
		var files []judge.File
		for f := range judge.Files(context.Background(), names, true) {
			files = append(files, f)
		}
		verdicts := make([]*judge.Verdict, len(files))
		next := make(chan int)
		var wg sync.WaitGroup
		for range 2 * runtime.GOMAXPROCS(0) {
			wg.Go(func() {
				for i := range next {
					v, err := e.File(context.Background(), files[i])
					if err != nil {
						t.Error(err)
						v = new(judge.Verdict)
					}
					verdicts[i] = v
				}
			})
		}
		for i := range files {
			next <- i
		}
		close(next)
		wg.Wait()
		var got strings.Builder
		skipped, damaged := 0, 0
		for _, v := range verdicts {
			if v.Verdict == "damaged" {
				damaged++
			}
			if v.Skipped != "" {
				skipped++
				continue
			}
			got.Write(v.Line)
		}
		if got.String() != want {
			t.Errorf("all %v: the engine says\n%s\nand verify\n%s", all, got.String(), want)
		}
		if skipped != 1 || damaged == 0 {
			t.Errorf("all %v: %d files were passed over, 1 should be; %d are damaged, some should be", all, skipped, damaged)
		}
	}
	if _, err := judge.New(judge.Options{Format: "none"}); err == nil {
		t.Error("a format that does not exist is taken")
	}
}

// TestJudgeOfAHundredThousandFiles is on demand (FBVERIFY_SLOW=1). It holds the engine to the
// lines of verify -r --json for as many files, and its memory to a size that does not grow
// with their number; it prints files a second with one and with two processors.
func TestJudgeOfAHundredThousandFiles(t *testing.T) {
	if os.Getenv("FBVERIFY_SLOW") == "" {
		t.Skip("takes a minute: FBVERIFY_SLOW=1 runs it")
	}
	const files, kinds, chunk = 100_000, 50, 1000
	sound, err := os.ReadFile(filepath.Join("..", "..", "generated", "arrow", "fb_schema.bfbs"))
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	// Links cost no space on the disk; a file system has a bound on those of one file.
	for i := range files {
		name := filepath.Join(folder, fmt.Sprintf("%03d", i/chunk), fmt.Sprintf("%06d.bfbs", i))
		if i%chunk == 0 {
			if err := os.Mkdir(filepath.Dir(name), 0o700); err != nil {
				t.Fatal(err)
			}
		}
		if i < kinds {
			b := append([]byte(nil), sound...)
			if i%5 == 0 {
				b[(i*97+8)%len(b)] ^= 0x81
			}
			err = os.WriteFile(name, b, 0o600)
		} else {
			err = os.Link(filepath.Join(folder, "000", fmt.Sprintf("%06d.bfbs", i%kinds)), name)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	verify, judged := sha256.New(), [2][]byte{}
	start := time.Now()
	if code := run([]string{"verify", "-r", "--json", folder}, verify, io.Discard); code != exitInvalid {
		t.Fatalf("verify ends with %d, should with %d", code, exitInvalid)
	}
	t.Logf("verify -r --json: %.0f files/s", files/time.Since(start).Seconds())
	e, err := judge.New(judge.Options{})
	if err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	heap := func() int64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	for i := range judged {
		workers := i + 1
		old := runtime.GOMAXPROCS(workers)
		lines, n := sha256.New(), 0
		var early int64
		names, verdicts := make([]judge.File, 0, chunk), make([]*judge.Verdict, chunk)
		flush := func() {
			var next atomic.Int64
			var wg sync.WaitGroup
			for range workers {
				wg.Go(func() {
					for k := int(next.Add(1)) - 1; k < len(names); k = int(next.Add(1)) - 1 {
						v, err := e.File(ctx, names[k])
						if err != nil {
							t.Error(err)
							v = new(judge.Verdict)
						}
						verdicts[k] = v
					}
				})
			}
			wg.Wait()
			for _, v := range verdicts[:len(names)] {
				lines.Write(v.Line)
			}
			n += len(names)
			names = names[:0]
			if n == files/10 {
				early = heap()
			}
		}
		start := time.Now()
		for f := range judge.Files(ctx, []string{folder}, true) {
			if names = append(names, f); len(names) == chunk {
				flush()
			}
		}
		flush()
		took := time.Since(start)
		grown := heap() - early
		runtime.GOMAXPROCS(old)
		judged[i] = lines.Sum(nil)
		t.Logf("engine, processors %d: %d files, %.0f files/s, heap after a tenth %d KiB, at the end %+d KiB", workers, n, float64(n)/took.Seconds(), early>>10, grown>>10)
		if n != files || !bytes.Equal(judged[i], verify.Sum(nil)) {
			t.Errorf("processors %d: the lines on %d files are not those of verify", workers, n)
		}
		if grown > 8<<20 {
			t.Errorf("processors %d: the heap grew by %d bytes over nine tenths of the files", workers, grown)
		}
	}
}
