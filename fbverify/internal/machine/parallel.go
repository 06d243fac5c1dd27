package machine

import (
	"sync"
	"sync/atomic"

	"github.com/fbverify/go/fbverify/internal/program"
)

// splitElements is the number of elements from which a vector of tables is
// shared out among goroutines, chunkElements how many one takes at a time.
const (
	splitElements = 64
	chunkElements = 16
)

// runParallel walks the vectors that were put aside, in chunks, on as many
// goroutines as were asked for. Verdict and counts are those of one goroutine:
// counts are added up, and the limits hold for the sum.
func (m *machine) runParallel(buf []byte, p *program.Program, cfg Config) Verdict {
	var chunks []frame
	for _, f := range m.wide {
		for at := f.pos; at < f.end; at += 4 * chunkElements {
			c := f
			c.pos, c.end = at, min(at+4*chunkElements, f.end)
			chunks = append(chunks, c)
		}
	}
	alone := cfg
	alone.Parallel = 1
	var next atomic.Int64
	var failed atomic.Bool
	var wait sync.WaitGroup
	var lock sync.Mutex
	verdict := Valid
	worker := func(w *machine) {
		w.start(p, buf, &alone)
		for !failed.Load() {
			i := next.Add(1) - 1
			if i >= int64(len(chunks)) {
				break
			}
			w.buffer, w.origin = m.buffer, 0
			w.push(chunks[i])
			if v := w.run(); v != Valid {
				failed.Store(true)
				lock.Lock()
				// Shared wins: it means that the question is still open.
				if verdict != Shared {
					verdict = v
				}
				lock.Unlock()
				break
			}
		}
		lock.Lock()
		m.tables += w.tables
		m.bytes += w.bytes
		m.textBytes += w.textBytes
		m.items += w.items
		lock.Unlock()
	}
	for range min(cfg.Parallel, len(chunks)) - 1 {
		wait.Add(1)
		go func() {
			defer wait.Done()
			w := pool.Get().(*machine)
			worker(w)
			w.stop()
		}()
	}
	w := pool.Get().(*machine)
	worker(w)
	w.stop()
	wait.Wait()
	switch {
	case verdict != Valid:
		return verdict
	case m.tables > m.maxTables || m.textBytes > m.maxText || m.items > m.maxItems:
		return Shared
	case m.bytes > m.maxBytes:
		return Invalid
	}
	return Valid
}
