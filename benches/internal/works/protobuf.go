package works

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"time"

	"buf.build/go/hyperpb"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/fbverify/go/benches/internal/pb"
	"github.com/fbverify/go/fbverify"
	"github.com/fbverify/go/generated/bench"
	"github.com/fbverify/go/internal/inputs"
	"github.com/fbverify/go/internal/pair"
	flatbuffers "github.com/google/flatbuffers/go"
)

// ProtobufPeers are who reads the same message of other bytes.
var ProtobufPeers = []string{"google.golang.org/protobuf", "hyperpb", "encoding/json"}

// forest is the message of 19 tables as Go structs for encoding/json, with the names of
// the schema.
type (
	forest struct {
		Trees []hier `json:"trees"`
	}
	hier struct {
		nine
		Intermediate struct {
			nine
			Leaf nine `json:"leaf"`
		} `json:"intermediate"`
	}
	nine struct {
		A int64   `json:"a"`
		B uint64  `json:"b"`
		C float64 `json:"c"`
		D int64   `json:"d"`
		E uint64  `json:"e"`
		F float64 `json:"f"`
		G int64   `json:"g"`
		H uint64  `json:"h"`
		I float64 `json:"i"`
	}
)

// sum adds up the nine values.
func (n *nine) sum() uint64 {
	return sumOf(n.A, n.B, n.C, n.D, n.E, n.F, n.G, n.H, n.I)
}

func sumOf(a int64, b uint64, c float64, d int64, e uint64, f float64, g int64, h uint64, i float64) uint64 {
	return uint64(a) + b + math.Float64bits(c) + uint64(d) + e + math.Float64bits(f) + uint64(g) + h + math.Float64bits(i)
}

// getters are those of three generated Go types of nine values, Protobuf's.
type getters interface {
	GetA() int64
	GetB() uint64
	GetC() float64
	GetD() int64
	GetE() uint64
	GetF() float64
	GetG() int64
	GetH() uint64
	GetI() float64
}

func sumGot[T getters](v T) uint64 {
	return sumOf(v.GetA(), v.GetB(), v.GetC(), v.GetD(), v.GetE(), v.GetF(), v.GetG(), v.GetH(), v.GetI())
}

// messages is the same message in three encodings.
type messages struct{ flat, proto, json []byte }

// trees is how many there are in the message: 19 tables with the root.
const trees = 6

func newMessages() (m messages, err error) {
	var flat bench.ForestT
	message, plain := &pb.Forest{}, forest{}
	for i := range trees {
		v := inputs.Values(i, 3*inputs.HierFields)
		n := func(at int) nine {
			v := v[at*inputs.HierFields:]
			return nine{int64(v[0]), v[1], float64(v[2]), int64(v[3]), v[4], float64(v[5]), int64(v[6]), v[7], float64(v[8])}
		}
		a, b, c := n(0), n(1), n(2)
		h := hier{nine: a}
		h.Intermediate.nine, h.Intermediate.Leaf = b, c
		plain.Trees = append(plain.Trees, h)
		flat.Trees = append(flat.Trees, &bench.HierT{
			A: a.A, B: a.B, C: a.C, D: a.D, E: a.E, F: a.F, G: a.G, H: a.H, I: a.I,
			Intermediate: &bench.IntermediateT{
				A: b.A, B: b.B, C: b.C, D: b.D, E: b.E, F: b.F, G: b.G, H: b.H, I: b.I,
				Leaf: &bench.LeafT{A: c.A, B: c.B, C: c.C, D: c.D, E: c.E, F: c.F, G: c.G, H: c.H, I: c.I},
			},
		})
		message.Trees = append(message.Trees, &pb.Hier{
			A: a.A, B: a.B, C: a.C, D: a.D, E: a.E, F: a.F, G: a.G, H: a.H, I: a.I,
			Intermediate: &pb.Intermediate{
				A: b.A, B: b.B, C: b.C, D: b.D, E: b.E, F: b.F, G: b.G, H: b.H, I: b.I,
				Leaf: &pb.Leaf{A: c.A, B: c.B, C: c.C, D: c.D, E: c.E, F: c.F, G: c.G, H: c.H, I: c.I},
			},
		})
	}
	fb := flatbuffers.NewBuilder(4096)
	fb.Finish(flat.Pack(fb))
	m.flat = fb.FinishedBytes()
	if m.proto, err = proto.Marshal(message); err != nil {
		return m, err
	}
	m.json, err = json.Marshal(plain)
	return m, err
}

// picked is the tree whose leaf's last value is the one field that is read.
const picked = 3

// protobufWorks are the ways from bytes in hand to a field, or to all, verification
// included, and once more from the same bytes.
func protobufWorks() []Work {
	all := func(r bench.Forest) (sum uint64) {
		rows := r.Trees()
		for i := range rows.Len() {
			h := rows.At(i)
			m := h.Intermediate()
			l := m.Leaf()
			sum += sumOf(h.A(), h.B(), h.C(), h.D(), h.E(), h.F(), h.G(), h.H(), h.I()) +
				sumOf(m.A(), m.B(), m.C(), m.D(), m.E(), m.F(), m.G(), m.H(), m.I()) +
				sumOf(l.A(), l.B(), l.C(), l.D(), l.E(), l.F(), l.G(), l.H(), l.I())
		}
		return sum
	}
	one := func(r bench.Forest) uint64 {
		return math.Float64bits(r.Trees().At(picked).Intermediate().Leaf().I())
	}
	verified := func(read func(bench.Forest) uint64) func(m *messages) (uint64, error) {
		return func(m *messages) (uint64, error) {
			v, err := fbverify.Root[bench.Forest](m.flat)
			if err != nil {
				return 0, err
			}
			return read(v.Root()), nil
		}
	}
	again := func(read func(bench.Forest) uint64) func(m *messages) (uint64, error) {
		return func(m *messages) (uint64, error) {
			return read(fbverify.RootUnchecked[bench.Forest](m.flat, fbverify.Unframed).Root()), nil // proved before
		}
	}
	official := func(read func(*pb.Forest) uint64) func(m *messages) (uint64, error) {
		return func(m *messages) (uint64, error) {
			var f pb.Forest
			if err := proto.Unmarshal(m.proto, &f); err != nil {
				return 0, err
			}
			return read(&f), nil
		}
	}
	decoded := func(read func(*forest) uint64) func(m *messages) (uint64, error) {
		return func(m *messages) (uint64, error) {
			var f forest
			if err := json.Unmarshal(m.json, &f); err != nil {
				return 0, err
			}
			return read(&f), nil
		}
	}
	hyper := newHyper()
	peersOne := []func(*messages) (uint64, error){
		official(func(f *pb.Forest) uint64 {
			return math.Float64bits(f.GetTrees()[picked].GetIntermediate().GetLeaf().GetI())
		}),
		hyper.read(hyper.one),
		decoded(func(f *forest) uint64 { return math.Float64bits(f.Trees[picked].Intermediate.Leaf.I) }),
	}
	peersAll := []func(*messages) (uint64, error){
		official(func(f *pb.Forest) (sum uint64) {
			for _, h := range f.GetTrees() {
				sum += sumGot(h) + sumGot(h.GetIntermediate()) + sumGot(h.GetIntermediate().GetLeaf())
			}
			return sum
		}),
		hyper.read(hyper.all),
		decoded(func(f *forest) (sum uint64) {
			for i := range f.Trees {
				h := &f.Trees[i]
				sum += h.sum() + h.Intermediate.sum() + h.Intermediate.Leaf.sum()
			}
			return sum
		}),
	}
	work := func(name, ours string, read func(*messages) (uint64, error), peers []func(*messages) (uint64, error)) Work {
		return Work{Name: "protobuf/" + name, Make: func(context.Context, *Env) (pair.Leg, []pair.Leg, error) {
			m, err := newMessages()
			if err != nil {
				return pair.Leg{}, nil, err
			}
			leg := func(name string, bytes int, read func(*messages) (uint64, error)) pair.Leg {
				return pair.Leg{Name: name, Bytes: bytes, Tables: 1 + 3*trees, Run: func(_ context.Context, n int) (pair.Sample, error) {
					sum := uint64(0)
					start := time.Now()
					for i := range n {
						got, err := read(&m)
						if err == nil && i > 0 && got != sum {
							err = fmt.Errorf("works: %s reads %#x, and %#x before", name, got, sum)
						}
						if err != nil {
							return pair.Sample{}, err
						}
						sum = got
					}
					return pair.Sample{Elapsed: time.Since(start), Sum: sum}, nil
				}}
			}
			var others []pair.Leg
			for i, name := range ProtobufPeers {
				size := len(m.proto)
				if name == "encoding/json" {
					size = len(m.json)
				}
				others = append(others, leg(name, size, peers[i]))
			}
			return leg(ours, len(m.flat), read), others, nil
		}}
	}
	return []Work{
		work("field", "verified, one field read", verified(one), peersOne),
		work("all", "verified, all fields read", verified(all), peersAll),
		work("again", "proved before, one field read", again(one), peersOne),
	}
}

// hyperReader reads by hyperpb, whose fields are looked up once.
type hyperReader struct {
	typ               *hyperpb.MessageType
	shared            *hyperpb.Shared
	trees, middle, in protoreflect.FieldDescriptor
	last              protoreflect.FieldDescriptor
	nine              [3][]protoreflect.FieldDescriptor // of the three levels
}

func newHyper() *hyperReader {
	h := &hyperReader{typ: hyperpb.CompileMessageDescriptor((*pb.Forest)(nil).ProtoReflect().Descriptor()), shared: new(hyperpb.Shared)}
	level := h.typ.Descriptor().Fields().ByName("trees")
	h.trees = level
	h.middle = h.trees.Message().Fields().ByName("intermediate")
	h.in = h.middle.Message().Fields().ByName("leaf")
	h.last = h.in.Message().Fields().ByName("i")
	for i, f := range []protoreflect.FieldDescriptor{h.trees, h.middle, h.in} {
		for _, name := range "abcdefghi" {
			h.nine[i] = append(h.nine[i], f.Message().Fields().ByName(protoreflect.Name(name)))
		}
	}
	return h
}

// read decodes into memory that is used again, which is how hyperpb is fastest.
func (h *hyperReader) read(use func(protoreflect.Message) uint64) func(m *messages) (uint64, error) {
	return func(m *messages) (uint64, error) {
		message := h.shared.NewMessage(h.typ)
		defer h.shared.Free()
		if err := message.Unmarshal(m.proto); err != nil {
			return 0, err
		}
		return use(message), nil
	}
}

func (h *hyperReader) one(m protoreflect.Message) uint64 {
	leaf := m.Get(h.trees).List().Get(picked).Message().Get(h.middle).Message().Get(h.in).Message()
	return math.Float64bits(leaf.Get(h.last).Float())
}

func (h *hyperReader) all(m protoreflect.Message) (sum uint64) {
	list := m.Get(h.trees).List()
	for i := range list.Len() {
		tree := list.Get(i).Message()
		middle := tree.Get(h.middle).Message()
		for level, m := range []protoreflect.Message{tree, middle, middle.Get(h.in).Message()} {
			for j, f := range h.nine[level] {
				switch v := m.Get(f); j % 3 {
				case 0:
					sum += uint64(v.Int())
				case 1:
					sum += v.Uint()
				default:
					sum += math.Float64bits(v.Float())
				}
			}
		}
	}
	return sum
}
