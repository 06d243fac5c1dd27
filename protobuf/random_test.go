package protobuf_test

import (
	"math"
	"math/rand/v2"
	"strings"

	"google.golang.org/protobuf/reflect/protoreflect"
)

// fill sets fields of a message at random, to a depth; of strings, vectors and maps, also
// empty ones where they can be told from none.
func fill(r *rand.Rand, m protoreflect.Message, depth int) {
	fields := m.Descriptor().Fields()
	for i := range fields.Len() {
		fd := fields.Get(i)
		if r.IntN(3) == 0 && fd.Cardinality() != protoreflect.Required {
			continue
		}
		switch {
		case fd.IsMap():
			for range r.IntN(4) {
				if v, ok := randomValue(r, fd.MapValue(), m.Mutable(fd).Map().NewValue, depth); ok {
					k, _ := randomValue(r, fd.MapKey(), nil, depth)
					m.Mutable(fd).Map().Set(k.MapKey(), v)
				}
			}
		case fd.IsList():
			for range r.IntN(4) {
				if v, ok := randomValue(r, fd, m.Mutable(fd).List().NewElement, depth); ok {
					m.Mutable(fd).List().Append(v)
				}
			}
		default:
			if v, ok := randomValue(r, fd, func() protoreflect.Value { return m.NewField(fd) }, depth); ok {
				m.Set(fd, v)
			}
		}
	}
}

func randomValue(r *rand.Rand, fd protoreflect.FieldDescriptor, message func() protoreflect.Value, depth int) (protoreflect.Value, bool) {
	bits := r.Uint64() >> r.IntN(64)
	if r.IntN(8) == 0 {
		bits = []uint64{0, math.MaxUint64, 1 << 63, 1 << 31, math.MaxInt64}[r.IntN(5)]
	}
	switch fd.Kind() {
	case protoreflect.BoolKind:
		return protoreflect.ValueOfBool(bits&1 == 1), true
	case protoreflect.EnumKind:
		values := fd.Enum().Values()
		n := values.Get(r.IntN(values.Len())).Number()
		if !fd.Enum().IsClosed() && r.IntN(8) == 0 {
			n = protoreflect.EnumNumber(int32(bits))
		}
		return protoreflect.ValueOfEnum(n), true
	case protoreflect.Int32Kind, protoreflect.Sint32Kind, protoreflect.Sfixed32Kind:
		return protoreflect.ValueOfInt32(int32(bits)), true
	case protoreflect.Int64Kind, protoreflect.Sint64Kind, protoreflect.Sfixed64Kind:
		return protoreflect.ValueOfInt64(int64(bits)), true
	case protoreflect.Uint32Kind, protoreflect.Fixed32Kind:
		return protoreflect.ValueOfUint32(uint32(bits)), true
	case protoreflect.Uint64Kind, protoreflect.Fixed64Kind:
		return protoreflect.ValueOfUint64(bits), true
	case protoreflect.FloatKind:
		return protoreflect.ValueOfFloat32(float32(randomFloat(r, bits))), true
	case protoreflect.DoubleKind:
		return protoreflect.ValueOfFloat64(randomFloat(r, bits)), true
	case protoreflect.StringKind:
		return protoreflect.ValueOfString(strings.Repeat("aé\x00€😀"[:[]int{0, 1, 3, 4, 7, 11}[r.IntN(6)]], r.IntN(3))), true
	case protoreflect.BytesKind:
		b := make([]byte, r.IntN(9))
		for i := range b {
			b[i] = byte(r.Uint32())
		}
		return protoreflect.ValueOfBytes(b), true
	}
	if depth == 0 {
		return protoreflect.Value{}, false
	}
	v := message()
	fill(r, v.Message(), depth-1)
	return v, true
}

func randomFloat(r *rand.Rand, bits uint64) float64 {
	switch r.IntN(8) {
	case 0:
		return math.Copysign(0, -1)
	case 1:
		return math.Inf(1)
	case 2:
		return math.NaN()
	}
	return float64(int64(bits)) / 16
}
