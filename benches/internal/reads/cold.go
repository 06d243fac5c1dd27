package reads

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"

	flatcgo "github.com/fbverify/go/benches/internal/flatcgo/bench"
	"github.com/fbverify/go/fbverify"
	"github.com/fbverify/go/fbverify/dynamic"
	"github.com/fbverify/go/generated/bench"
	"github.com/fbverify/go/internal/inputs"
	flatbuffers "github.com/google/flatbuffers/go"
)

// Sizes in bytes of the FlatBuffers that are visited cold: far more than any
// cache, and a smaller set for tests.
const (
	ColdSize      = 512 << 20
	ColdSizeShort = 32 << 20
)

// Cold is a working set that no cache holds: messages of three tables, one
// behind the other in memory, visited in a random cycle. Which message comes
// next stands in the leaf of each, so that no visit can start before the one
// before is done.
//
// Nothing is kept of a message but where it starts: a visit begins at the
// bytes, through RootUnchecked, since the whole set was verified before.
type Cold struct {
	buf      []byte
	stride   int // bytes from one message to the next
	length   int // bytes of one message
	messages int
	handles  *handles

	structs func() []*Hier
	inlines func() []HierInline
}

// NewCold makes and verifies about size bytes of messages.
func NewCold(size int) (*Cold, error) {
	c := &Cold{handles: hierHandles()}
	b := flatbuffers.NewBuilder(512)
	next := []int(nil)
	for i := 0; i == 0 || i < c.messages; i++ {
		values := hierValues(inputs.Values(i, len(hierValues{})))
		values[18] = 1 // the next message, once it is known how many there are
		if i > 0 {
			values[18] = uint64(next[i]) + 1
		}
		message := inputs.Hier(b, &values)
		if i == 0 {
			c.length = len(message)
			c.stride = (len(message) + 7) &^ 7
			c.messages = max(size/c.stride, 2)
			c.buf = make([]byte, c.messages*c.stride)
			next = randomCycle(c.messages)
			values[18] = uint64(next[0]) + 1
			message = inputs.Hier(b, &values)
		}
		if len(message) != c.length {
			return nil, errors.New("reads: messages of one kind differ in length")
		}
		copy(c.buf[i*c.stride:], message)
	}
	for i := range c.messages {
		verified, err := fbverify.Root[bench.Hier](c.message(i))
		if err != nil {
			return nil, fmt.Errorf("reads: message %d: %w", i, err)
		}
		if _, ok := verified.Root().Fixed(); !ok {
			return nil, fmt.Errorf("reads: message %d is not laid out as the fixed view expects", i)
		}
	}
	// The Go structs are made when they are first read, from the messages.
	c.structs = sync.OnceValue(func() []*Hier {
		structs := make([]*Hier, c.messages)
		for i := range structs {
			values := c.values(i)
			structs[i] = newHier(&values)
		}
		return structs
	})
	c.inlines = sync.OnceValue(func() []HierInline {
		inlines := make([]HierInline, c.messages)
		for i := range inlines {
			values := c.values(i)
			inlines[i] = newHierInline(&values)
		}
		return inlines
	})
	return c, nil
}

// randomCycle returns, for each of n numbers, the next one on a way that meets
// all of them before it comes back.
func randomCycle(n int) []int {
	r := rand.New(rand.NewPCG(uint64(n), 1))
	next := make([]int, n)
	for i := range next {
		next[i] = i
	}
	for i := n - 1; i > 0; i-- { // Sattolo's algorithm
		j := r.IntN(i)
		next[i], next[j] = next[j], next[i]
	}
	return next
}

// Messages is how many messages there are.
func (c *Cold) Messages() int { return c.messages }

func (c *Cold) message(i int) []byte {
	at := i * c.stride
	return c.buf[at : at+c.length : at+c.length]
}

// values returns what message i holds.
func (c *Cold) values(i int) hierValues {
	values := hierValues(inputs.Values(i, len(hierValues{})))
	values[18] = uint64(fbverify.RootUnchecked[bench.Hier](c.message(i), fbverify.Unframed).Root().Intermediate().Leaf().A())
	return values
}

// chase visits messages along the cycle. Visit returns the sum of a message
// and the number of the next one.
func chase(visit func(i int) (sum uint64, next int64)) Loop {
	at := int64(1) // numbers count from 1, since a 0 is not written
	return func(visits int) uint64 {
		total := uint64(0)
		for range visits {
			var sum uint64
			sum, at = visit(int(at - 1))
			total += sum
		}
		return total
	}
}

// Loop returns the loop that visits the messages through a form, starting with
// the first one. Walked goes the way from the root for each field.
func (c *Cold) Loop(form string, walked bool) Loop {
	switch form {
	case "struct":
		sum := choose(walked, walkedStruct, cachedStruct)
		structs := c.structs()
		return chase(func(i int) (uint64, int64) {
			r := structs[i]
			return sum(r), r.Intermediate.Leaf.A
		})
	case "inline":
		sum := choose(walked, walkedInline, cachedInline)
		inlines := c.inlines()
		return chase(func(i int) (uint64, int64) {
			r := &inlines[i]
			return sum(r), r.Intermediate.Leaf.A
		})
	case "fixed":
		sum := choose(walked, walkedFixed, cachedFixed)
		return chase(func(i int) (uint64, int64) {
			r, _ := fbverify.RootUnchecked[bench.Hier](c.message(i), fbverify.Unframed).Root().Fixed() // NewCold saw that it is
			return sum(r), r.Intermediate().Leaf().A()
		})
	case "view":
		sum := choose(walked, walkedView, cachedView)
		return chase(func(i int) (uint64, int64) {
			r := fbverify.RootUnchecked[bench.Hier](c.message(i), fbverify.Unframed).Root()
			return sum(r), r.Intermediate().Leaf().A()
		})
	case "flatc":
		sum := choose(walked, walkedFlatc, cachedFlatc)
		var (
			r            flatcgo.Hier
			intermediate flatcgo.Intermediate
			leaf         flatcgo.Leaf
		)
		return chase(func(i int) (uint64, int64) {
			buf := c.message(i)
			r.Init(buf, flatbuffers.GetUOffsetT(buf))
			return sum(&r), r.Intermediate(&intermediate).Leaf(&leaf).A()
		})
	case "dynamic":
		sum := choose(walked, walkedDynamic, cachedDynamic)
		t := bench.Hier{}.FlatBuffersType()
		return chase(func(i int) (uint64, int64) {
			r := dynamic.RootUnchecked(t, c.message(i), fbverify.Unframed).Root()
			leaf := r.Table(c.handles.intermediate).Table(c.handles.leaf)
			return sum(r, c.handles), leaf.Int(c.handles.leafFields[0])
		})
	}
	return unknown(form)
}

func choose[T any](first bool, a, b T) T {
	if first {
		return a
	}
	return b
}
