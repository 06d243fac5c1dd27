package main

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

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
