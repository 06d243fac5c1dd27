package trust_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"runtime"
	"testing"
	"time"

	flatbuffers "github.com/google/flatbuffers/go"

	dumper "github.com/fbverify/go/cmd/fbinspect/internal/dump"
	"github.com/fbverify/go/fbverify"
	"github.com/fbverify/go/internal/inputs"
	"github.com/fbverify/go/internal/trust/trusttest"
)

// meter counts what is written, and ends what writes without end.
type meter struct{ n, most int }

func (m *meter) Write(p []byte) (int, error) {
	if m.n += len(p); m.n > m.most {
		return 0, fmt.Errorf("%d bytes were written, more than %d", m.n, m.most)
	}
	return len(p), nil
}

// Bounds of what showing a buffer costs, far above what is measured: a row of a
// text is long, and what a dump of damaged data may print has a fixed part.
const (
	shownPerByte  = 4000 // bytes written for each byte of the buffer, and
	shownBase     = 128 << 20
	showTime      = 10 * time.Microsecond // for each byte, and
	showTimeBase  = 15 * time.Second
	showMemory    = 10_000 // bytes allocated for each byte, most of them garbage, and
	showMemBase   = 1 << 30
	showHeap      = 500 // bytes in use at a time for each byte, and
	showHeapBase  = 128 << 20
	hostileToShow = 96 << 10
)

// TestShowingHostileBuffersIsBounded: what fbinspect says of a buffer is at most in
// proportion to the buffer, in time, in memory and in length, whatever it says. Buffers
// that a limit refuses are shown too, since that is how one finds out why. With -v it
// prints what each costs, and with -seeds it tries all dumps.
func TestShowingHostileBuffersIsBounded(t *testing.T) {
	hostile, err := inputs.HostileSchema()
	if err != nil {
		t.Fatal(err)
	}
	o := &fbverify.Options{MaxTables: 10_000, MaxApparentSize: 1 << 20}
	for _, h := range inputs.Hostiles {
		show(t, h.Name, newLooker(t, hostile, h.Root, 0, o), h.Make(hostileToShow))
	}
	wide := trusttest.ParseText(t, "struct Pair { x:ushort; y:ushort; } struct Big { a:[Pair:500]; } table Wide { f0:[ubyte]; f1:[string]; f2:string; big:Big; } table Root { wides:[Wide]; } root_type Root;")
	l := newLooker(t, wide, "", 0, o)
	for name, buf := range map[string][]byte{
		"vtables that overlap":              trusttest.OverlappingVTables(20_000, hostileToShow),
		"vtables that overlap, from behind": reversed(trusttest.OverlappingVTables(20_000, hostileToShow)),
		"one vector of nothing, shared":     sharedFaults(hostileToShow),
		"one long string, shared":           sharedText(hostileToShow),
		"structs that overlap":              overlappingStructs(hostileToShow),
	} {
		show(t, name, l, buf)
	}
}

// show looks at a buffer in all ways and bounds each.
func show(t *testing.T, name string, l *looker, buf []byte) {
	t.Helper()
	for _, k := range looks {
		if *trusttest.SeedFlag == 0 && (k.name == "dump" || k.name == "dump path" || testing.Short() && k.name == "dump json") {
			continue // a million values take long, and one of the three shows it
		}
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		w := &meter{most: shownBase + shownPerByte*len(buf)}
		heap := watchHeap()
		start := time.Now()
		err := k.look(l, buf, w)
		took := time.Since(start)
		used := heap()
		runtime.ReadMemStats(&after)
		garbage := after.TotalAlloc - before.TotalAlloc
		t.Logf("%-34s %-10s %8d bytes: %10d written, %8v, %6d MB allocated, %4d MB in use", name, k.name, len(buf), w.n, took.Round(time.Millisecond), garbage>>20, used>>20)
		if long := (*dumper.TooLong)(nil); errors.As(err, &long) {
			if int64(w.n) < long.Most/2 {
				t.Errorf("%s, %s: after %d bytes: %v", name, k.name, w.n, err)
			}
		} else if err != nil {
			t.Errorf("%s, %s: %v", name, k.name, err)
		}
		if limit := showTimeBase + showTime*time.Duration(len(buf)); took > limit {
			t.Errorf("%s, %s: %v, more than %v", name, k.name, took, limit)
		}
		if limit := showMemBase + showMemory*uint64(len(buf)); garbage > limit {
			t.Errorf("%s, %s: %d bytes allocated, more than %d", name, k.name, garbage, limit)
		}
		if limit := showHeapBase + showHeap*uint64(len(buf)); used > limit {
			t.Errorf("%s, %s: %d bytes in use, more than %d", name, k.name, used, limit)
		}
	}
}

// watchHeap looks at the heap now and then, until what it returns is called, which
// tells how much more than now it was at most.
func watchHeap() (most func() uint64) {
	read := func() uint64 {
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	base, stop, done := read(), make(chan struct{}), make(chan uint64)
	go func() {
		top := base
		for {
			select {
			case <-stop:
				done <- max(top, read()) - base
				return
			case <-time.After(20 * time.Millisecond):
				top = max(top, read())
			}
		}
	}()
	return func() uint64 { close(stop); return <-done }
}

// reversed turns the elements of the root's vector round, so that what was met first
// is met last.
func reversed(b []byte) []byte {
	b = append([]byte(nil), b...)
	n := int(binary.LittleEndian.Uint32(b[20:]))
	to := make([]int, n)
	for i := range to {
		at := 24 + 4*i
		to[n-1-i] = at + int(binary.LittleEndian.Uint32(b[at:]))
	}
	for i, target := range to {
		at := 24 + 4*i
		binary.LittleEndian.PutUint32(b[at:], uint32(target-at))
	}
	return b
}

// wides writes a Root of n tables Wide, each with what set sets.
func wides(size int, first func(b *flatbuffers.Builder) flatbuffers.UOffsetT, slot int) []byte {
	b := flatbuffers.NewBuilder(size)
	shared := first(b)
	var tables []flatbuffers.UOffsetT
	for int(b.Offset())+4*len(tables) < size {
		b.StartObject(4)
		b.PrependUOffsetTSlot(slot, shared, 0)
		tables = append(tables, b.EndObject())
	}
	b.StartVector(4, len(tables), 4)
	for i := len(tables) - 1; i >= 0; i-- {
		b.PrependUOffsetT(tables[i])
	}
	v := b.EndVector(len(tables))
	b.StartObject(1)
	b.PrependUOffsetTSlot(0, v, 0)
	b.Finish(b.EndObject())
	return b.FinishedBytes()
}

// sharedFaults shares a vector of strings whose every offset is zero.
func sharedFaults(size int) []byte {
	return wides(size, func(b *flatbuffers.Builder) flatbuffers.UOffsetT {
		n := size / 2 / 4
		b.StartVector(4, n, 4)
		for range n {
			b.PrependUint32(0)
		}
		return b.EndVector(n)
	}, 1)
}

// sharedText shares a string that is not UTF-8.
func sharedText(size int) []byte {
	return wides(size, func(b *flatbuffers.Builder) flatbuffers.UOffsetT {
		return b.CreateString(string(append(make([]byte, size/2), 0xff)))
	}, 2)
}

// overlappingStructs has a table at each of many words, all with a struct in it that
// reaches far over those after it.
func overlappingStructs(size int) []byte {
	n := (size - 2048) / 8
	b := trusttest.WideRoot(n, 24+8*n+2048)
	vt := 24 + 4*n
	copy(b[vt:], []byte{12, 0, 0xd4, 7, 0, 0, 0, 0, 0, 0, 4, 0}) // field 3 at 4, 2000 bytes of it
	for i := range n {
		at := vt + 12 + 4*i
		binary.LittleEndian.PutUint32(b[24+4*i:], uint32(at-(24+4*i)))
		binary.LittleEndian.PutUint32(b[at:], uint32(at-vt))
	}
	return b
}
