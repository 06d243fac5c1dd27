package machine

import (
	"fmt"
	"testing"
	"time"

	"github.com/fbverify/go/fbverify/internal/program/programtest"
	. "github.com/fbverify/go/internal/fbasm"
)

// shared is a walk of a vector of tables that was put aside, in four chunks: each
// table has a string and a vector of strings. The one numbered bad has a bad string.
func shared(t *testing.T, bad int) *job {
	t.Helper()
	p := programtest.Compile(t, "table E { s:string; words:[string]; } table R { v:[E]; } root_type R;")
	const elements = 4 * chunkElements
	parts := []Part{Offset("root"), table("root", 8, []uint16{4}, Offset("v")), Label("v"), U32(elements)}
	for i := range elements {
		parts = append(parts, Offset(fmt.Sprint("e", i)))
	}
	parts = append(parts, Label("vt"), U16(8, 12, 4, 8), Align(4))
	for i := range elements {
		parts = append(parts, Label(fmt.Sprint("e", i)), VTable("vt"))
		if i == bad {
			parts = append(parts, U32(0))
		} else {
			parts = append(parts, Offset("s"))
		}
		parts = append(parts, Offset("words"))
	}
	buf := Build(append(parts, Label("words"), U32(2), Offset("s"), Offset("t"), Label("s"), U32(3), Text("abc"), Bytes(0), Label("t"), U32(3), Text("def"), Bytes(0), U32(make([]uint32, 4*elements)...))...)
	cfg := unlimited()
	m := started(p, buf, &cfg)
	m.split = 1
	if !m.tableAt(0, p.Root, &m.shapes.Last[p.Root.ID], 1) || len(m.wide) != 1 {
		t.Fatalf("%d vectors are put aside", len(m.wide))
	}
	part := m.wide[0]
	j := &job{start: *m, verdict: Valid, goroutines: 1, chunks: make([]chunk, elements/chunkElements)}
	j.start.wide, j.start.split = nil, ^uint64(0)
	j.start.Tables, j.start.Bytes = 0, 0
	for i := range j.chunks {
		j.chunks[i].part = part
		j.chunks[i].at = part.at + uint64(4*chunkElements*i)
		j.chunks[i].end = j.chunks[i].at + 4*chunkElements
	}
	return j
}

// TestCountsOfSeveralGoroutinesAreAddedUp, and what is left of the budgets.
func TestCountsOfSeveralGoroutinesAreAddedUp(t *testing.T) {
	j := shared(t, -1)
	c := j.chunks[0].part
	first := j.start // vtables are met for the first time once
	first.siblings(c.at, j.chunks[3].end, c.step, c.depth)
	whole := j.start
	if !whole.siblings(c.at, j.chunks[3].end, c.step, c.depth) || whole.Left == j.start.Left {
		t.Fatal("the whole is refused, or costs nothing")
	}
	j.sum = j.start
	j.sum.Tables, j.sum.Bytes = 7, 11 // from before
	for i := range 2 {
		for k := range j.chunks {
			j.chunks[k].taken.Store(k/2 != i)
		}
		j.work(0)
	}
	if j.verdict != Valid || j.sum.Tables != 7+whole.Tables || j.sum.Bytes != 11+whole.Bytes {
		t.Errorf("verdict %d, %d tables, %d bytes; want %d and %d beside those from before", j.verdict, j.sum.Tables, j.sum.Bytes, whole.Tables, whole.Bytes)
	}
	if j.sum.Left != whole.Left || j.sum.Text != whole.Text || j.sum.slots != whole.slots {
		t.Errorf("left are %d and %d; want %d and %d", j.sum.Left, j.sum.slots, whole.Left, whole.slots)
	}
}

// TestGoroutinesStopOnceOneHasFailed: one that finds a fault says so, and takes no more;
// others finish what they have begun, and take no more either. What one has taken
// no other takes.
func TestGoroutinesStopOnceOneHasFailed(t *testing.T) {
	prepared := func() *job { return shared(t, 2*chunkElements+1) }
	taken := func(j *job) (s string) {
		for i := range j.chunks {
			s += map[bool]string{true: "x", false: "-"}[j.chunks[i].taken.Load()]
		}
		return s
	}

	j := prepared()
	if j.work(0); taken(j) != "xxx-" || j.verdict != Invalid || !j.failed.Load() {
		t.Errorf("a fault in the third: taken %s, verdict %d, failed %v", taken(j), j.verdict, j.failed.Load())
	}
	j = prepared()
	j.chunks[2].taken.Store(true)
	if j.work(0); taken(j) != "xxxx" || j.verdict != Valid || j.failed.Load() {
		t.Errorf("the third is another's: taken %s, verdict %d, failed %v", taken(j), j.verdict, j.failed.Load())
	}
	j = prepared()
	j.failed.Store(true)
	if j.work(0); taken(j) != "x---" || j.verdict != Valid {
		t.Errorf("another has failed: taken %s, verdict %d", taken(j), j.verdict)
	}
	j = shared(t, -1)
	j.verdict = Invalid
	if j.work(0); taken(j) != "xxxx" || j.verdict != Invalid {
		t.Errorf("another has refused: taken %s, verdict %d", taken(j), j.verdict)
	}
	j = prepared()
	j.verdict = Shared
	if j.work(0); taken(j) != "xxx-" || j.verdict != Shared {
		t.Errorf("another has given up: taken %s, verdict %d", taken(j), j.verdict)
	}
}

// TestTheCallerWaitsForThoseAtWork and shuts the door behind them: who comes later finds
// it shut, and does nothing.
func TestTheCallerWaitsForThoseAtWork(t *testing.T) {
	j := shared(t, -1)
	if j.assist(); j.begun.Load() != 1 || !j.chunks[3].taken.Load() {
		t.Error("who comes while the door is open does nothing")
	}
	j = shared(t, -1)
	j.door.RLock() // somebody is at work
	shut := make(chan bool)
	go func() {
		j.shut()
		close(shut)
	}()
	select {
	case <-shut:
		t.Error("the caller did not wait")
	case <-time.After(20 * time.Millisecond):
	}
	j.door.RUnlock()
	<-shut
	if j.assist(); j.begun.Load() != 0 || j.chunks[0].taken.Load() {
		t.Error("who comes when the door is shut does something")
	}
}
