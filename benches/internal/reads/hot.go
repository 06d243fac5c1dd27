package reads

import (
	"fmt"

	flatcgo "github.com/fbverify/go/benches/internal/flatcgo/bench"
	"github.com/fbverify/go/fbverify"
	"github.com/fbverify/go/fbverify/dynamic"
	"github.com/fbverify/go/generated/bench"
	"github.com/fbverify/go/internal/inputs"
	flatbuffers "github.com/google/flatbuffers/go"
)

// HotMessages is how many messages of three tables are visited in turn: about
// 2 KB of FlatBuffers.
const HotMessages = 6

// Hot is a few messages in all forms, every view verified once and kept.
type Hot struct {
	structs []*Hier
	inlines []*HierInline
	views   []bench.Hier
	fixed   []bench.HierFixed
	flatc   []*flatcgo.Hier
	dynamic []dynamic.Table
	handles *handles

	// Sum is what one visit of each message comes to.
	Sum uint64
}

// NewHot makes and verifies the messages.
func NewHot() (*Hot, error) {
	h := &Hot{handles: hierHandles()}
	b := flatbuffers.NewBuilder(512)
	for i := range HotMessages {
		values := hierValues(inputs.Values(i, len(hierValues{})))
		buf := append([]byte(nil), inputs.Hier(b, &values)...)
		verified, err := fbverify.Root[bench.Hier](buf)
		if err != nil {
			return nil, err
		}
		fixed, ok := verified.Root().Fixed()
		if !ok {
			return nil, fmt.Errorf("reads: message %d is not laid out as the fixed view expects", i)
		}
		message, err := dynamic.Root(bench.Hier{}.FlatBuffersType(), buf, nil)
		if err != nil {
			return nil, err
		}
		inline := newHierInline(&values)
		h.structs = append(h.structs, newHier(&values))
		h.inlines = append(h.inlines, &inline)
		h.views = append(h.views, verified.Root())
		h.fixed = append(h.fixed, fixed)
		h.flatc = append(h.flatc, flatcHier(buf))
		h.dynamic = append(h.dynamic, message.Root())
		h.Sum += inputs.LeafSum(values[18:])
	}
	return h, nil
}

// cycle visits messages in turn.
func cycle[T any](messages []T, sum func(T) uint64) Loop {
	next := 0
	return func(visits int) uint64 {
		total := uint64(0)
		for range visits {
			total += sum(messages[next])
			if next++; next == len(messages) {
				next = 0
			}
		}
		return total
	}
}

// Walked returns the loop that goes the way from the root for each of the nine
// fields of a leaf.
func (h *Hot) Walked(form string) Loop {
	switch form {
	case "struct":
		return cycle(h.structs, walkedStruct)
	case "inline":
		return cycle(h.inlines, walkedInline)
	case "fixed":
		return cycle(h.fixed, walkedFixed)
	case "view":
		return cycle(h.views, walkedView)
	case "flatc":
		return cycle(h.flatc, walkedFlatc)
	case "dynamic":
		return cycle(h.dynamic, func(t dynamic.Table) uint64 { return walkedDynamic(t, h.handles) })
	}
	return unknown(form)
}

// Cached returns the loop that goes the way once a message.
func (h *Hot) Cached(form string) Loop {
	switch form {
	case "struct":
		return cycle(h.structs, cachedStruct)
	case "inline":
		return cycle(h.inlines, cachedInline)
	case "fixed":
		return cycle(h.fixed, cachedFixed)
	case "view":
		return cycle(h.views, cachedView)
	case "flatc":
		return cycle(h.flatc, cachedFlatc)
	case "dynamic":
		return cycle(h.dynamic, func(t dynamic.Table) uint64 { return cachedDynamic(t, h.handles) })
	}
	return unknown(form)
}

// Wrote returns the loop that is Walked with a write between any two reads.
func (h *Hot) Wrote(form string) Loop {
	to := new([9]uint64)
	switch form {
	case "struct":
		return cycle(h.structs, func(r *Hier) uint64 { return wroteStruct(r, to) })
	case "inline":
		return cycle(h.inlines, func(r *HierInline) uint64 { return wroteInline(r, to) })
	case "fixed":
		return cycle(h.fixed, func(r bench.HierFixed) uint64 { return wroteFixed(r, to) })
	case "view":
		return cycle(h.views, func(r bench.Hier) uint64 { return wroteView(r, to) })
	case "flatc":
		return cycle(h.flatc, func(r *flatcgo.Hier) uint64 { return wroteFlatc(r, to) })
	case "dynamic":
		return cycle(h.dynamic, func(r dynamic.Table) uint64 { return wroteDynamic(r, h.handles, to) })
	}
	return unknown(form)
}
