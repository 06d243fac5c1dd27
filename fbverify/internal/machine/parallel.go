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

// part is a vector of tables, or a piece of one: its step and where its offsets
// lie.
type part struct {
	step    *program.Step
	at, end uint64
	depth   int
}

// job is what the goroutines of a run share.
type job struct {
	start  machine // what each starts from
	chunks []part
	next   atomic.Int64 // chunk that nobody has taken yet
	failed atomic.Bool

	mu      sync.Mutex
	sum     machine // counts and what is left of the budgets
	verdict Verdict
	wait    sync.WaitGroup
}

// runParallel walks the vectors that were put aside, in chunks, on as many
// goroutines as were asked for, of which the caller's is one. Verdict and counts
// are those of one goroutine: counts are added up, and the limits hold for the
// sum.
func (m *machine) runParallel(goroutines int) Verdict {
	j := &job{start: *m, verdict: Valid}
	j.start.Tables, j.start.Bytes, j.start.split = 0, 0, ^uint64(0)
	j.start.memory, j.start.nested, j.start.wide = nil, nil, nil
	j.sum = *m
	for _, p := range m.wide {
		for at := p.at; at < p.end; at += 4 * chunkElements {
			j.chunks = append(j.chunks, part{p.step, at, min(at+4*chunkElements, p.end), p.depth})
		}
	}
	others := min(goroutines, len(j.chunks)) - 1
	j.wait.Add(others)
	for range others {
		go func() {
			j.work()
			j.wait.Done()
		}()
	}
	j.work()
	j.wait.Wait()
	m.Tables, m.Bytes = j.sum.Tables, j.sum.Bytes
	m.Inline, m.items, m.textBytes = j.sum.Inline, j.sum.items, j.sum.textBytes
	if j.verdict != Valid {
		return j.verdict
	}
	return m.verdict(true)
}

// work takes chunks until there are none, or one is refused.
func (j *job) work() {
	m := j.start
	verdict := Valid
	for verdict == Valid && !j.failed.Load() {
		i := j.next.Add(1) - 1
		if i >= int64(len(j.chunks)) {
			break
		}
		c := &j.chunks[i]
		verdict = m.verdict(m.siblings(c.at, c.end, c.step, c.depth) && m.nestedBuffers())
	}
	if verdict != Valid {
		j.failed.Store(true)
	}
	if m.memory != nil {
		m.memory.release()
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	j.sum.Tables += m.Tables
	j.sum.Bytes += m.Bytes
	j.sum.Inline -= j.start.Inline - m.Inline
	j.sum.items -= j.start.items - m.items
	j.sum.textBytes -= j.start.textBytes - m.textBytes
	// Shared wins: it means that the question is still open.
	if verdict != Valid && j.verdict != Shared {
		j.verdict = verdict
	}
}
