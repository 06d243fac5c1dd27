package verdict

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/fbverify/go/cmd/fbinspect/internal/input"
	"github.com/fbverify/go/fbverify/container"
)

// Run judges the files that the arguments name, workers at a time (0 = one for each
// processor), and gives report each result in the order of the files. It stops early
// when report returns false or ctx ends.
//
// A worker that is done early waits once it is some files ahead of the slowest, so
// that memory does not grow with the number of files.
func (c *Checker) Run(ctx context.Context, find Find, args []string, workers int, progress *Progress, report func(*Result) bool) {
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()

	type job struct {
		file   found
		result chan Result
	}
	files := make(chan found, 1024)
	jobs := make(chan job)
	queue := make(chan job, 16*workers)
	go func() {
		defer close(files)
		// Names are cheap: they are counted ahead of the work, so that progress knows
		// how much there is.
		names := make(chan found)
		go func() { defer close(names); find.files(ctx, args, names) }()
		relay(ctx, names, files, progress)
	}()
	go func() {
		defer close(jobs)
		defer close(queue)
		for file := range files {
			j := job{file, make(chan Result, 1)}
			select {
			case queue <- j:
			case <-ctx.Done():
				return
			}
			select {
			case jobs <- j:
			case <-ctx.Done():
				return
			}
		}
	}()
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			scratch := new(Scratch)
			for j := range jobs {
				if j.file.err != nil {
					j.result <- Unfit(j.file.name, j.file.err)
					continue
				}
				j.result <- c.Check(ctx, j.file.name, j.file.inFolder, scratch)
			}
		})
	}
	for j := range queue {
		var r Result
		select {
		case r = <-j.result:
		case <-ctx.Done():
			cancel()
		}
		if ctx.Err() != nil {
			break
		}
		progress.done(&r)
		if !report(&r) {
			break
		}
	}
	cancel()
	for range queue {
	}
	wg.Wait()
}

// Unfit is the result on a name that is not that of a file, for the reason err.
func Unfit(name string, err error) Result {
	return Result{File: input.Shown(name), Format: container.Unknown.String(), Parts: []Part{}, Error: err.Error()}
}

// ahead is how many names are read ahead of the work.
const ahead = 1 << 16

// relay passes names on and keeps up to ahead of them, so that their number is known
// early.
func relay(ctx context.Context, in <-chan found, out chan<- found, progress *Progress) {
	var waiting []found
	for in != nil || len(waiting) > 0 {
		var next found
		var to chan<- found
		from := in
		if len(waiting) > 0 {
			next, to = waiting[0], out
		}
		if len(waiting) >= ahead {
			from = nil
		}
		select {
		case file, ok := <-from:
			if !ok {
				in = nil
				progress.allFound()
				continue
			}
			progress.foundOne()
			waiting = append(waiting, file)
		case to <- next:
			waiting = waiting[1:]
		case <-ctx.Done():
			return
		}
	}
}

// Progress counts what was found and what is done. Its methods may be called on nil.
type Progress struct {
	Found, Done, Bytes atomic.Int64
	All                atomic.Bool // every file was found
}

func (p *Progress) foundOne() {
	if p != nil {
		p.Found.Add(1)
	}
}

func (p *Progress) allFound() {
	if p != nil {
		p.All.Store(true)
	}
}

func (p *Progress) done(r *Result) {
	if p != nil {
		p.Bytes.Add(r.Size)
		p.Done.Add(1)
	}
}
