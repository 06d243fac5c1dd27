package reads

import (
	"fmt"

	flatcgo "github.com/fbverify/go/benches/internal/flatcgo/bench"
	"github.com/fbverify/go/fbverify"
	"github.com/fbverify/go/fbverify/dynamic"
	"github.com/fbverify/go/generated/bench"
	"github.com/fbverify/go/internal/inputs"
)

// flatMessages is how many flat messages are visited in turn.
const flatMessages = 8

// Flat is a few messages of 10 or 100 scalars in all forms.
type Flat struct {
	loops map[string]func() Loop

	// Sum is what one visit of each message comes to; Messages is how many
	// there are.
	Sum      uint64
	Messages int
}

// NewFlat10 makes and verifies messages of ten fields.
func NewFlat10() (*Flat, error) {
	return newFlat(10, newFlat10, flat10Struct, bench.Flat10.Fixed, flat10Fixed, flat10View,
		flatcgo.GetRootAsFlat10, flat10Flatc, flat10Dynamic)
}

// NewFlat100 makes and verifies messages of a hundred fields.
func NewFlat100() (*Flat, error) {
	return newFlat(100, newFlat100, flat100Struct, bench.Flat100.Fixed, flat100Fixed, flat100View,
		flatcgo.GetRootAsFlat100, flat100Flatc, flat100Dynamic)
}

// newFlat puts together the forms of one kind of message from the functions
// that make and read them.
func newFlat[S any, F any, V fbverify.View[V], C any](
	fields int,
	newStruct func([]uint64) *S, sumStruct func(*S) uint64,
	asFixed func(V) (F, bool), sumFixed func(F) uint64, sumView func(V) uint64,
	newFlatc func([]byte, flatcOffset) *C, sumFlatc func(*C) uint64,
	sumDynamic func(dynamic.Table, *handles) uint64,
) (*Flat, error) {
	var (
		structs  []*S
		views    []V
		fixeds   []F
		flatcs   []*C
		dynamics []dynamic.Table
		zero     V
		handles  = flatHandles(zero.FlatBuffersType(), fields)
		flat     = &Flat{Messages: flatMessages}
	)
	for i := range flatMessages {
		buf := inputs.Flat(i, fields)
		verified, err := fbverify.Root[V](buf)
		if err != nil {
			return nil, err
		}
		fixed, ok := asFixed(verified.Root())
		if !ok {
			return nil, fmt.Errorf("reads: flat message %d of %d fields is not laid out as the fixed view expects", i, fields)
		}
		message, err := dynamic.Root(zero.FlatBuffersType(), buf, nil)
		if err != nil {
			return nil, err
		}
		values := inputs.Values(i, fields)
		structs = append(structs, newStruct(values))
		views = append(views, verified.Root())
		fixeds = append(fixeds, fixed)
		flatcs = append(flatcs, newFlatc(buf, 0))
		dynamics = append(dynamics, message.Root())
		flat.Sum += inputs.FlatSum(values)
	}
	flat.loops = map[string]func() Loop{
		"struct":  func() Loop { return cycle(structs, sumStruct) },
		"fixed":   func() Loop { return cycle(fixeds, sumFixed) },
		"view":    func() Loop { return cycle(views, sumView) },
		"flatc":   func() Loop { return cycle(flatcs, sumFlatc) },
		"dynamic": func() Loop { return cycle(dynamics, func(t dynamic.Table) uint64 { return sumDynamic(t, handles) }) },
	}
	return flat, nil
}

// Loop returns the loop that adds up all fields of each message.
func (f *Flat) Loop(form string) Loop {
	if loop := f.loops[form]; loop != nil {
		return loop()
	}
	return unknown(form)
}
