package gentest

import (
	"math"
	"testing"

	flatbuffers "github.com/google/flatbuffers/go"

	"github.com/fbverify/go/fbverify/fbread"
	"github.com/fbverify/go/internal/gentest/features"
)

func TestLookupFindsEveryKeyAndNothingElse(t *testing.T) {
	b := flatbuffers.NewBuilder(0)
	features.FinishEverythingBuffer(b, everything().Pack(b))
	k := root[features.Everything](t, b.FinishedBytes()).Root().Keyed()

	for _, want := range k.Numbers() {
		if got, ok := k.Numbers().Lookup(want.ID); !ok || got != want {
			t.Errorf("numbers: %d gave %+v, %v", want.ID, got, ok)
		}
	}
	for _, want := range k.Arrays() {
		if got, ok := k.Arrays().Lookup(want.RGB); !ok || got != want {
			t.Errorf("arrays: %v gave %+v, %v", want.RGB, got, ok)
		}
	}
	for _, want := range k.Structs() {
		if got, ok := k.Structs().Lookup(want.Inner); !ok || got != want {
			t.Errorf("structs: %+v gave %+v, %v", want.Inner, got, ok)
		}
	}
	for i, want := range k.Strings().All() {
		if got, ok := k.Strings().Lookup(want.Name()); !ok || got != want {
			t.Errorf("strings: element %d, %q, gave %q, %v", i, want.Name(), got.Name(), ok)
		}
	}
	for want := range k.Doubles().Values() {
		if got, ok := k.Doubles().Lookup(want.X()); !ok || got != want {
			t.Errorf("doubles: %g gave %g, %v", want.X(), got.X(), ok)
		}
	}
	for want := range k.Flags().Values() {
		if got, ok := k.Flags().Lookup(want.On()); !ok || got != want {
			t.Errorf("flags: %v gave %v, %v", want.On(), got.On(), ok)
		}
	}
	for want := range k.Levels().Values() { // one of them by its default
		if got, ok := k.Levels().Lookup(want.Level()); !ok || got != want {
			t.Errorf("levels: %v gave %v, %v", want.Level(), got.Level(), ok)
		}
	}
	for want := range k.Wholes().Values() {
		key, _ := want.Inner()
		if got, ok := k.Wholes().Lookup(key); !ok || got != want {
			t.Errorf("wholes: %+v gave %v, %v", key, got, ok)
		}
	}

	for name, found := range map[string]func() (present, ok bool){
		"numbers below": func() (bool, bool) { _, ok := k.Numbers().Lookup(0); return false, ok },
		"numbers above": func() (bool, bool) { _, ok := k.Numbers().Lookup(math.MaxUint32); return false, ok },
		"arrays":        func() (bool, bool) { _, ok := k.Arrays().Lookup([3]float32{1, 2, 2}); return false, ok },
		"structs": func() (bool, bool) {
			_, ok := k.Structs().Lookup(features.Inner{Level: features.LevelMid, On: fbread.ToBool8(true)})
			return false, ok
		},
		"strings between": func() (bool, bool) { x, ok := k.Strings().Lookup("aa"); return x.Present(), ok },
		"doubles":         func() (bool, bool) { x, ok := k.Doubles().Lookup(math.NaN()); return x.Present(), ok },
		"levels":          func() (bool, bool) { x, ok := k.Levels().Lookup(features.LevelNone); return x.Present(), ok },
		"wholes": func() (bool, bool) {
			x, ok := k.Wholes().Lookup(features.Inner{Level: features.LevelHigh})
			return x.Present(), ok
		},
		"no vector": func() (bool, bool) {
			x, ok := fbread.Absent[features.Keyed]().Strings().Lookup("a")
			return x.Present(), ok
		},
	} {
		if present, ok := found(); present || ok {
			t.Errorf("%s: found what is not there", name)
		}
	}
}
