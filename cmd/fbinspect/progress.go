package main

import (
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"github.com/spf13/cobra"

	"github.com/fbverify/go/cmd/fbinspect/internal/ui"
	"github.com/fbverify/go/cmd/fbinspect/internal/verdict"
)

// progressLine shows how far a long run is, on one line of a terminal that is written over
// and over.
type progressLine struct {
	w    io.Writer
	quit chan struct{}
	gone sync.WaitGroup

	mu    sync.Mutex
	shown bool
}

// startProgress returns what counts files, and what ends the line.
func startProgress(w io.Writer, wanted bool) (*verdict.Progress, *progressLine) {
	count := new(verdict.Progress)
	return count, startLine(w, wanted, func(since time.Duration) string { return progressText(count, since) })
}

// startTask shows how long a verb takes for one file, and how many of its bytes are done,
// where that is counted. It returns what counts, and what ends the line. On a terminal that
// the verb itself writes to nothing is shown.
func startTask(cmd *cobra.Command, name string, size int64, toFile bool) (*atomic.Int64, *progressLine) {
	done := new(atomic.Int64)
	wanted := toFile || !ui.IsTerminal(cmd.OutOrStdout())
	return done, startLine(cmd.ErrOrStderr(), wanted, func(since time.Duration) string {
		return taskText(cmd.Name(), name, done.Load(), size, since)
	})
}

// taskText says how far one file is.
func taskText(verb, name string, done, size int64, since time.Duration) string {
	text := fmt.Sprintf("%s %s: %s", verb, ui.Name(name), since.Round(time.Second))
	if done > 0 {
		text += fmt.Sprintf(", %s of %s", ui.Bytes(min(done, size)), ui.Bytes(size))
	}
	return text
}

// startLine shows what text returns, again and again, until the line is ended. Where there is
// no terminal nothing is shown.
func startLine(w io.Writer, wanted bool, text func(since time.Duration) string) *progressLine {
	line := &progressLine{w: w, quit: make(chan struct{})}
	if !wanted || !ui.IsTerminal(w) {
		return line
	}
	line.gone.Go(func() {
		const (
			patience = 700 * time.Millisecond // what is faster needs no progress
			pace     = 200 * time.Millisecond
		)
		start := time.Now()
		for wait := patience; ; wait = pace {
			select {
			case <-line.quit:
				return
			case <-time.After(wait):
				line.show(text(time.Since(start)))
			}
		}
	})
	return line
}

// progressText says how many files are done, how fast it goes, and how long the rest takes.
func progressText(p *verdict.Progress, since time.Duration) string {
	found, done, bytes := p.Found.Load(), p.Done.Load(), p.Bytes.Load()
	seconds := max(since.Seconds(), 0.001)
	text := fmt.Sprintf("%s of %s files", ui.Thousands(done), ui.Thousands(found))
	if !p.All.Load() {
		text = fmt.Sprintf("%s of %s files or more", ui.Thousands(done), ui.Thousands(found))
	}
	text += fmt.Sprintf(", %s, %s files/s, %s/s", ui.Bytes(bytes), ui.Thousands(int64(float64(done)/seconds)), ui.Bytes(int64(float64(bytes)/seconds)))
	if p.All.Load() && done > 0 && found > done {
		left := time.Duration(float64(since) / float64(done) * float64(found-done)).Round(time.Second)
		text += fmt.Sprintf(", %s left", left)
	}
	return text
}

func (l *progressLine) show(text string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if width := ui.Width(l.w, 80); len(text) >= width {
		text = text[:width-1]
	}
	fmt.Fprintf(l.w, "\r\x1b[K%s", text)
	l.shown = true
}

// clear takes the line away before something else is written.
func (l *progressLine) clear() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.shown {
		fmt.Fprint(l.w, "\r\x1b[K")
		l.shown = false
	}
}

func (l *progressLine) end() {
	close(l.quit)
	l.gone.Wait()
	l.clear()
}
