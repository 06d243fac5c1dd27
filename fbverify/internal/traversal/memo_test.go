package traversal

import (
	"encoding/binary"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/fbverify/go/fbverify/internal/program"
	"github.com/fbverify/go/fbverify/internal/program/programtest"
	"github.com/fbverify/go/fbverify/internal/rule"
	. "github.com/fbverify/go/internal/fbasm"
)

// TestNothingIsLostWhenEntriesMove, the key of all zeros among them, and a quarter
// of the entries stays free.
func TestNothingIsLostWhenEntriesMove(t *testing.T) {
	m := newMemo(0)
	defer m.release()
	const keys = 5000
	at := func(i uint64) key { return key{pos: i / 4 * 4, node: uint32(i % 4)} }
	for i := range uint64(keys) {
		e := m.find(at(i))
		if e.used {
			t.Fatalf("%+v is there already", at(i))
		}
		e = m.take(e, at(i))
		e.tables = i
		if m.count != int(i)+1 || 4*m.count > 3*len(m.entries)+4 {
			t.Fatalf("%d of %d entries are used after %d", m.count, len(m.entries), i+1)
		}
		if moved := m.grown > 0; moved != (i >= firstEntries*3/4) && i < 2*firstEntries {
			t.Fatalf("entries moved %d times with %d of them", m.grown, i+1)
		}
	}
	for i := range uint64(keys) {
		if e := m.find(at(i)); !e.used || e.key != at(i) || e.tables != i {
			t.Fatalf("%+v is %+v", at(i), *e)
		}
	}
}

// TestThereIsRoomForTheResultsOfALargeBuffer from the start, whatever the buffer before
// was like.
func TestThereIsRoomForTheResultsOfALargeBuffer(t *testing.T) {
	const least = firstEntries * bytesAnEntry
	for range 3 {
		for n, entries := range map[uint64]int{0: 1, least: 1, least + 1: 4, 4 * least: 4, 4*least + 1: 16, 16 * least: 16, 1000 * least: 16} {
			m := newMemo(n)
			if len(m.entries) != entries*firstEntries {
				t.Errorf("%d entries for %d bytes, want %d", len(m.entries), n, entries*firstEntries)
			}
			m.release()
		}
	}
}

// TestWalksOneAfterTheOtherUseOneMemory: results of small buffers are written where
// those of the buffer before were.
func TestWalksOneAfterTheOtherUseOneMemory(t *testing.T) {
	p := programtest.Compile(t, costSchema)
	buf := Build(append(rootOf(p, "e", 200, false), elements("E", 200, nil)...)...)
	cfg := unlimited()
	cfg.Shared = true
	const walks = 100
	allocated := ^uint64(0)
	for range 3 { // the collector may come between and take all
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		for range walks {
			Walk(p, buf, &cfg)
		}
		runtime.ReadMemStats(&after)
		allocated = min(allocated, after.TotalAlloc-before.TotalAlloc)
	}
	// Tables are walked without their shapes here, which allocates a little.
	if entries := uint64(walks * 5 * firstEntries * 48); allocated > entries/2 {
		t.Errorf("%d bytes for %d walks, each of which uses %d bytes for results", allocated, walks, entries/walks)
	}
}

// TestResultsAreRememberedOnceThereIsMoreWorkThanBytes, and not before; then those of
// tables, and of what is no table but worth it.
func TestResultsAreRememberedOnceThereIsMoreWorkThanBytes(t *testing.T) {
	cfg := unlimited()
	w := &walker{cfg: &cfg, budget: 100}
	walks := 0
	part := func(pos, cost uint64) {
		w.remembered(key{pos: pos}, cost, cost, 1, func() { walks++; w.tables++ })
	}
	part(1, 64)
	part(2, 36)
	if w.memo != nil || w.work != 100 {
		t.Fatalf("work of %d, all of the buffer, and results are remembered", w.work)
	}
	part(3, 1)
	if w.memo == nil || w.memo.count != 0 {
		t.Fatal("more work than bytes, and results are not remembered")
	}
	for pos, cost := range map[uint64]uint64{10: tableCost - 1, 20: tableCost + 1, 30: small - 1} {
		walks = 0
		part(pos, cost)
		part(pos, cost)
		if walks != 2 {
			t.Errorf("what costs %d was remembered", cost)
		}
	}
	for pos, cost := range map[uint64]uint64{40: tableCost, 50: small, 60: small + 1} {
		walks, w.tables = 0, 0
		part(pos, cost)
		part(pos, cost)
		if walks != 1 || w.tables != 2 {
			t.Errorf("what costs %d was walked %d times and counted %d times", cost, walks, w.tables)
		}
	}
}

// TestOverlapIsRefusedBeyondEightTimesTheBytes, and not at that.
func TestOverlapIsRefusedBeyondEightTimesTheBytes(t *testing.T) {
	p := programtest.Compile(t, costSchema)
	cfg := unlimited()
	cfg.Shared = true
	for over := range uint64(2) {
		w := &walker{p: p, owner: p.Root, cfg: &cfg, budget: 100}
		most := uint64(8*100 + 1<<12)
		walks := 0
		w.remembered(key{pos: 1}, small, most-small, 1, func() { walks++ })
		w.remembered(key{pos: 2}, small, small+over, 1, func() { walks++ })
		if refused := w.stop && len(w.faults) == 1 && w.faults[0].Kind == rule.Overlap; refused != (over > 0) || walks != 2-int(over) {
			t.Errorf("%d beyond: stopped %v, %v, %d walks", over, w.stop, w.faults, walks)
		}
	}
}

// TestFaultsAreKnownToThePartTheyAreIn, and to what that is in, and to no other.
func TestFaultsAreKnownToThePartTheyAreIn(t *testing.T) {
	p := programtest.Compile(t, costSchema)
	cfg := unlimited()
	cfg.Shared = true
	w := &walker{p: p, owner: p.Root, cfg: &cfg, budget: 100}
	sound, bad := key{pos: 1}, key{pos: 2}
	part := func(k key) {
		w.remembered(k, small, small, 1, func() {
			if k == bad {
				w.fault(rule.BadBool, k.pos, 1, fact{}, "")
			}
		})
	}
	for _, c := range []struct {
		parts  []key
		faulty bool
	}{
		{[]key{sound}, false}, {[]key{bad}, true}, {[]key{sound}, false}, {[]key{bad}, true}, // walked, and then remembered
		{[]key{sound, bad}, true}, {[]key{bad, sound}, true}, {[]key{bad, {pos: 3}}, true}, {[]key{{pos: 4}, sound}, false},
	} {
		outer := key{pos: 100 + uint64(w.memo.size())}
		w.faulty = false
		w.remembered(outer, small, small, 1, func() {
			for _, k := range c.parts {
				part(k)
			}
		})
		if w.faulty != c.faulty || w.memo.find(outer).faulty != c.faulty {
			t.Errorf("%+v: faulty %v, remembered as %v", c.parts, w.faulty, w.memo.find(outer).faulty)
		}
		w.faulty = true
		if w.remembered(outer, small, small, 1, func() {}); !w.faulty {
			t.Errorf("%+v: a fault before it was forgotten", c.parts)
		}
	}
	if len(w.faults) != 1 {
		t.Errorf("%d faults", len(w.faults))
	}
}

func (m *memo) size() int {
	if m == nil {
		return 0
	}
	return m.count
}

// TestNestedBuffersThatOverlapAreToldApart: a string that both hold is cut off by the
// end of one of them. Of more than two, each has a number of its own.
func TestNestedBuffersThatOverlapAreToldApart(t *testing.T) {
	p := programtest.Compile(t, `
		table K { k:string; }
		table T { first:[ubyte] (nested_flatbuffer: "K"); second:[ubyte] (nested_flatbuffer: "K"); }
		root_type T;`)
	const text = 100
	parts := []Part{
		Offset("root"), Label("vt"), U16(8, 12, 4, 8), Align(4), Label("root"), VTable("vt"), Offset("first"), Offset("second"),
		Label("first"), U32(0), Label("first start"), Offset("first K"), Label("first vt"), U16(6, 8, 4, 0), Label("first K"), VTable("first vt"), Offset("text"),
		Label("second"), U32(0), Label("second start"), Offset("second K"), Label("second vt"), U16(6, 8, 4, 0), Label("second K"), VTable("second vt"), Offset("text"),
		Label("text"), U32(text), Text(strings.Repeat("x", text)), Bytes(0), Label("end"), Bytes(0, 0, 0),
	}
	buf, at := Assemble(parts...)
	put := func(label string, less int) {
		binary.LittleEndian.PutUint32(buf[at[label]:], uint32(at["end"]-less-at[label+" start"]))
	}
	cfg := unlimited()
	cfg.Shared = true
	for _, cut := range []string{"", "first", "second"} {
		put("first", 0)
		put("second", 0)
		if cut != "" {
			put(cut, 1)
		}
		w := walked(p, buf, cfg)
		if cut == "" && (len(w.faults) > 0 || len(w.buffers) != 2) {
			t.Errorf("%v, %d nested buffers", w.faults, len(w.buffers))
		}
		if cut != "" && (len(w.faults) != 1 || w.faults[0].Path != "T."+cut+".k" || w.faults[0].Kind != rule.NotTerminated) {
			t.Errorf("%s is cut: %v", cut, w.faults)
		}
	}
}

// TestQuickChecksSkipAlignmentToo where nobody asks for it.
func TestQuickChecksSkipAlignmentToo(t *testing.T) {
	p := programtest.Compile(t, costSchema)
	for shift, quicks := range map[uint16]int{0: 20, 2: 20} {
		buf := Build(append(rootOf(p, "e", 20, true), Label("E vt"), U16(4, 4), Bytes(make([]byte, shift)...), Label("x0"), VTable("E vt"), U32(0, 0))...)
		cfg := unlimited()
		cfg.Shared, cfg.Flags = true, program.SkipAlignment
		w := walked(p, buf, cfg)
		if len(w.faults) > 0 || w.quicks != quicks {
			t.Errorf("shifted by %d: %v, %d quick checks", shift, w.faults, w.quicks)
		}
	}
}

// TestTablesThatLeadToAFaultAreNoneOfTheQuick: each is remembered as faulty.
func TestTablesThatLeadToAFaultAreNoneOfTheQuick(t *testing.T) {
	p := programtest.Compile(t, costSchema)
	const tables = 20
	buf := Build(append(rootOf(p, "words", tables, false), elements("Words", tables, []string{"words"},
		times("words", many, "text"), Label("text"), U32(1), Bytes(0xff, 0, 0, 0))...)...)
	cfg := unlimited()
	cfg.Shared = true
	cfg.MaxFaults = many + 1 // a short string is walked each time
	w := walked(p, buf, cfg)
	faulty := 0
	for _, e := range w.memo.entries {
		if e.used && e.faulty {
			faulty++
		}
	}
	if want := 1 + 1 + tables + 1; len(w.faults) != many || faulty != want || w.memo.count != want {
		t.Errorf("%d faults, %d results of which %d faulty, want %d", len(w.faults), w.memo.count, faulty, want)
	}
}

// TestResultsOutlastTheMoveOfEntries: entries move while a table is walked whose result
// is asked for later on.
func TestResultsOutlastTheMoveOfEntries(t *testing.T) {
	p := programtest.Compile(t, costSchema)
	const tables, times = 2000, 10
	parts := rootOf(p, "kids", 2*times, false)[:9]
	for range times {
		parts = append(parts, Offset("one"), Offset("other"))
	}
	for _, label := range []string{"one", "other"} {
		parts = append(parts, Align(4), Label(label+" vt"), U16(6, 8, 4), Align(4), Label(label), VTable(label+" vt"), Offset("kids"))
	}
	parts = append(parts, Label("kids"), U32(tables))
	for i := range tables {
		parts = append(parts, Offset(fmt.Sprint("x", i)))
	}
	buf := Build(append(parts, elements("E", tables, nil)...)...)
	cfg := unlimited()
	cfg.Shared, cfg.plain = true, true // so that each table is remembered
	w := walked(p, buf, cfg)
	if moves := w.memo.grown - newMemo(w.budget).grown; moves == 0 {
		t.Fatal("no entries have moved")
	}
	if want := uint64(1 + 2*times*(1+tables)); len(w.faults) > 0 || w.tables != want || w.height != 3 {
		t.Errorf("%v, %d tables, depth %d; want %d tables", w.faults, w.tables, w.height, want)
	}
}

// TestNestedBuffersHaveNumbersOfTheirOwn, whatever they are read as and how often.
func TestNestedBuffersHaveNumbersOfTheirOwn(t *testing.T) {
	p := programtest.Compile(t, `
		table A {} table B {}
		table R {
			a:[ubyte] (nested_flatbuffer: "A"); b:[ubyte] (nested_flatbuffer: "A");
			c:[ubyte] (nested_flatbuffer: "B"); d:[ubyte] (nested_flatbuffer: "A"); e:[ubyte] (nested_flatbuffer: "B");
		}
		root_type R;`)
	nested := func(label string) Part { return Sequence(Label(label), U32(16), U32(12), U32(0), U16(4, 4), U32(4)) }
	buf := Build(fieldsOf(p, "a", "b", "c", "d", "e"), Offset("one"), Offset("two"), Offset("one"), Offset("three"), Offset("two"), nested("one"), nested("two"), nested("three"))
	for _, shared := range []bool{false, true} {
		cfg := unlimited()
		cfg.Shared = shared
		w := walked(p, buf, cfg)
		numbers := map[uint32]bool{}
		for _, n := range w.buffers {
			numbers[n] = true
		}
		if len(w.faults) > 0 || len(w.buffers) != 3 || !numbers[1] || !numbers[2] || !numbers[3] {
			t.Errorf("%v, %v", w.faults, w.buffers)
		}
	}
}
