package machine

import (
	"fmt"
	"testing"

	. "github.com/fbverify/go/internal/fbasm"
)

// TestGoroutinesStopOnceOneHasFailed: one that finds a fault says so, and takes no more;
// others finish what they have begun, and take no more either. What one has taken
// no other takes.
func TestGoroutinesStopOnceOneHasFailed(t *testing.T) {
	p := compiled(t, "table E { s:string; } table R { v:[E]; } root_type R;")
	const elements, bad = 4 * chunkElements, 2*chunkElements + 1
	parts := []Part{Offset("root"), table("root", 8, []uint16{4}, Offset("v")), Label("v"), U32(elements)}
	for i := range elements {
		parts = append(parts, Offset(fmt.Sprint("e", i)))
	}
	parts = append(parts, Label("vt"), U16(6, 8, 4), Align(4))
	for i := range elements {
		parts = append(parts, Label(fmt.Sprint("e", i)), VTable("vt"))
		if i == bad {
			parts = append(parts, U32(0))
		} else {
			parts = append(parts, Offset("s"))
		}
	}
	buf := Build(append(parts, Label("s"), U32(0, 0))...)
	prepared := func() *job {
		cfg := unlimited()
		m := started(p, buf, &cfg)
		m.split = 1
		if !m.root(0, p.Root, 1) || len(m.wide) != 1 {
			t.Fatalf("%d vectors are put aside", len(m.wide))
		}
		part := m.wide[0]
		j := &job{start: *m, verdict: Valid, goroutines: 1, chunks: make([]chunk, elements/chunkElements)}
		j.start.wide, j.start.split = nil, ^uint64(0)
		for i := range j.chunks {
			j.chunks[i].part = part
			j.chunks[i].at = part.at + uint64(4*chunkElements*i)
			j.chunks[i].end = j.chunks[i].at + 4*chunkElements
		}
		return j
	}
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
	j = prepared()
	j.verdict = Shared
	if j.work(0); j.verdict != Shared {
		t.Errorf("another has given up: verdict %d", j.verdict)
	}
}
