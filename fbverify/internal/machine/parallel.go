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

// chunk is what a goroutine takes at a time.
type chunk struct {
	part
	taken atomic.Bool
}

// job is what the goroutines of a run share.
type job struct {
	start      machine // what each starts from
	chunks     []chunk
	goroutines int
	failed     atomic.Bool

	mu      sync.Mutex
	sum     machine // counts and what is left of the budgets
	verdict Verdict

	begun atomic.Int64 // goroutines beside the caller's that have begun

	// Those who work hold the door open. The caller shuts it when all chunks are
	// taken, and so waits for those at work, but not for any who are still to
	// wake up: what they would do is done.
	door sync.RWMutex
}

// runParallel walks the vectors that were put aside, in chunks, on as many
// goroutines as were asked for, of which the caller's is one. Verdict and counts
// are those of one goroutine: counts are added up, and the limits hold for the
// sum.
func (m *machine) runParallel(goroutines int) Verdict {
	j := &job{start: *m, verdict: Valid}
	j.start.Tables, j.start.Bytes, j.start.split = 0, 0, ^uint64(0)
	j.start.memory, j.start.wide = nil, nil
	j.sum = *m
	for _, p := range m.wide {
		for at := p.at; at < p.end; at += 4 * chunkElements {
			j.chunks = append(j.chunks, chunk{part: part{p.step, at, min(at+4*chunkElements, p.end), p.depth}})
		}
	}
	j.goroutines = min(goroutines, len(j.chunks))
	j.help(j.goroutines - 1)
	j.work(0)
	j.shut()
	m.Tables, m.Bytes, m.unknown = j.sum.Tables, j.sum.Bytes, j.sum.unknown
	m.Left, m.Text, m.slots = j.sum.Left, j.sum.Text, j.sum.slots
	if j.verdict != Valid {
		return j.verdict
	}
	return m.verdict(true)
}

// shut shuts the door for good, behind those who are at work. They mostly are at
// their last chunk, which takes less time than to fall asleep and to be woken.
func (j *job) shut() {
	for range patience / 16 {
		if j.door.TryLock() {
			return
		}
	}
	j.door.Lock()
}

// assist is what a goroutine beside the caller's does.
func (j *job) assist() {
	if j.door.TryRLock() {
		j.work(int(j.begun.Add(1)))
		j.door.RUnlock()
	}
}

// work takes chunks until there are none, or one is refused. Each goroutine
// begins at a place of its own and goes round from there: then it mostly walks
// bytes that are next to one another, and the next time the same ones, which its
// processor may still have.
func (j *job) work(goroutine int) {
	m := j.start
	verdict := Valid
	n := len(j.chunks)
	first := int(int64(goroutine) * int64(n) / int64(j.goroutines))
	for i := range n {
		c := &j.chunks[(first+i)%n]
		if c.taken.Load() || c.taken.Swap(true) {
			continue
		}
		verdict = m.verdict(m.siblings(c.at, c.end, c.step, c.depth))
		if verdict != Valid || j.failed.Load() {
			break
		}
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
	j.sum.unknown = j.sum.unknown || m.unknown
	j.sum.Left -= j.start.Left - m.Left
	j.sum.Text -= j.start.Text - m.Text
	j.sum.slots -= j.start.slots - m.slots
	// Shared wins: it means that the question is still open.
	if verdict != Valid && j.verdict != Shared {
		j.verdict = verdict
	}
}
