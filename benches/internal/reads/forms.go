// Package reads holds the messages of the read benchmarks in every form that
// they are read in, and the loops that read them.
//
// The forms are called, as in the benchmarks' names, struct (what decoding
// gives: Go structs that point to each other), fixed and view (of
// generated/bench), flatc (accessors that flatc --go generates) and dynamic
// (field handles). A sixth one, inline, is Go structs that hold each other by
// value: the floor, which no format with optional sub-tables reaches.
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

//go:generate go run gen.go

// Forms are the ways of reading, in the order of the figures.
var Forms = []string{"struct", "fixed", "view", "flatc", "dynamic"}

// Leaf, Intermediate and Hier are the messages as Go structs.
type Leaf struct {
	A int64
	B uint64
	C float64
	D int64
	E uint64
	F float64
	G int64
	H uint64
	I float64
}

// Intermediate is the middle one of the three.
type Intermediate struct {
	Values Leaf // nine values of the same types
	Leaf   *Leaf
}

// Hier is the outermost of the three.
type Hier struct {
	Values       Leaf
	Intermediate *Intermediate
}

// IntermediateInline is Intermediate with the leaf in it.
type IntermediateInline struct {
	Values Leaf
	Leaf   Leaf
}

// HierInline is Hier with the tables below in it.
type HierInline struct {
	Values       Leaf
	Intermediate IntermediateInline
}

func newLeaf(values []uint64) Leaf {
	return Leaf{
		int64(values[0]), values[1], float64(values[2]),
		int64(values[3]), values[4], float64(values[5]),
		int64(values[6]), values[7], float64(values[8]),
	}
}

// newHier allocates the three structs one by one, as decoding does.
func newHier(values *hierValues) *Hier {
	leaf := newLeaf(values[18:])
	return &Hier{newLeaf(values[:9]), &Intermediate{newLeaf(values[9:18]), &leaf}}
}

func newHierInline(values *hierValues) HierInline {
	return HierInline{newLeaf(values[:9]), IntermediateInline{newLeaf(values[9:18]), newLeaf(values[18:])}}
}

type hierValues = [3 * inputs.HierFields]uint64

// one is 1 for true.
func one(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// handles are the fields that dynamic reads name.
type handles struct {
	intermediate, leaf *dynamic.Field
	leafFields         [inputs.HierFields]*dynamic.Field
	flat               [100]*dynamic.Field
}

func hierHandles() *handles {
	hier := dynamic.ObjectOf(bench.Hier{}.FlatBuffersType())
	var h handles
	h.intermediate = hier.Field("intermediate")
	h.leaf = h.intermediate.Type().Object.Field("leaf")
	for i := range h.leafFields {
		h.leafFields[i] = h.leaf.Type().Object.Field(string(rune('a' + i)))
	}
	return &h
}

func flatHandles(t *fbverify.Type, fields int) *handles {
	object := dynamic.ObjectOf(t)
	var h handles
	for i := range fields {
		h.flat[i] = object.Field(fmt.Sprint("f", i))
	}
	return &h
}

// flatcHier returns the accessor of the message in buf.
func flatcHier(buf []byte) *flatcgo.Hier { return flatcgo.GetRootAsHier(buf, 0) }

// A Loop visits so many messages, going on where it stopped, and returns the
// sum of what it read.
type Loop func(visits int) uint64

// unknown is the panic of a form that there is not: the names are in this
// program, so it is a mistake in it.
func unknown(form string) Loop { panic("reads: no form " + form) }

type flatcOffset = flatbuffers.UOffsetT
