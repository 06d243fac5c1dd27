package main

import (
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/fbverify/go/cmd/fbinspect/internal/ui"
	"github.com/fbverify/go/cmd/fbinspect/internal/verdict"
)

// progressLine shows how far a long run is, on one line of a terminal that is written over
// and over.
type progressLine struct {
	w     io.Writer
	count *verdict.Progress
	quit  chan struct{}
	gone  sync.WaitGroup

	mu    sync.Mutex
	shown bool
}

// startProgress returns what counts, and what ends the line. Where there is no terminal
// nothing is shown.
func startProgress(w io.Writer, wanted bool) (*verdict.Progress, *progressLine) {
	line := &progressLine{w: w, count: new(verdict.Progress), quit: make(chan struct{})}
	if !wanted || !ui.IsTerminal(w) {
		return line.count, line
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
				line.show(progressText(line.count, time.Since(start)))
			}
		}
	})
	return line.count, line
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
