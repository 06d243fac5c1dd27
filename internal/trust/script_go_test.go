package trust_test

import (
	"encoding/hex"
	"fmt"
	"math"
	"strconv"
	"strings"

	flatbuffers "github.com/google/flatbuffers/go"
)

// goBuilder does what scripts say with the Builder of the FlatBuffers module, as the
// programs in testdata/writers do with those of other languages.
type goBuilder struct {
	*flatbuffers.Builder
	ids   []flatbuffers.UOffsetT
	force bool
}

func number64(text, typ string) uint64 {
	if typ[0] == 'i' {
		v, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			panic(err)
		}
		return uint64(v)
	}
	v, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		panic(err)
	}
	return v
}

func atoi(text string) int { return int(number64(text, "i")) }

func unhex(text string) []byte {
	b, err := hex.DecodeString(strings.TrimPrefix(text, "x"))
	if err != nil {
		panic(err)
	}
	return b
}

// prepend writes a scalar.
func (b *goBuilder) prepend(typ, text string) {
	switch v := number64(text, typ); typ {
	case "bool":
		b.PrependBool(v != 0)
	case "i8":
		b.PrependInt8(int8(v))
	case "u8":
		b.PrependUint8(uint8(v))
	case "i16":
		b.PrependInt16(int16(v))
	case "u16":
		b.PrependUint16(uint16(v))
	case "i32":
		b.PrependInt32(int32(v))
	case "u32":
		b.PrependUint32(uint32(v))
	case "i64":
		b.PrependInt64(int64(v))
	case "u64":
		b.PrependUint64(v)
	case "f32":
		b.PrependFloat32(math.Float32frombits(uint32(v)))
	case "f64":
		b.PrependFloat64(math.Float64frombits(v))
	default:
		panic(typ)
	}
}

// slot writes a scalar into a table, unless it is the default.
func (b *goBuilder) slot(field int, typ, text, def string) {
	v, d := number64(text, typ), number64(def, typ)
	switch typ {
	case "bool":
		b.PrependBoolSlot(field, v != 0, d != 0)
	case "i8":
		b.PrependInt8Slot(field, int8(v), int8(d))
	case "u8":
		b.PrependUint8Slot(field, uint8(v), uint8(d))
	case "i16":
		b.PrependInt16Slot(field, int16(v), int16(d))
	case "u16":
		b.PrependUint16Slot(field, uint16(v), uint16(d))
	case "i32":
		b.PrependInt32Slot(field, int32(v), int32(d))
	case "u32":
		b.PrependUint32Slot(field, uint32(v), uint32(d))
	case "i64":
		b.PrependInt64Slot(field, int64(v), int64(d))
	case "u64":
		b.PrependUint64Slot(field, v, d)
	case "f32":
		b.PrependFloat32Slot(field, math.Float32frombits(uint32(v)), math.Float32frombits(uint32(d)))
	case "f64":
		b.PrependFloat64Slot(field, math.Float64frombits(v), math.Float64frombits(d))
	default:
		panic(typ)
	}
}

// structure writes a struct from its last part to its first.
func (b *goBuilder) structure(size, align int, parts []string) flatbuffers.UOffsetT {
	b.Prep(align, size)
	for i := len(parts) - 1; i >= 0; i-- {
		typ, text, _ := strings.Cut(parts[i], ":")
		if typ == "pad" {
			b.Pad(atoi(text))
		} else {
			b.prepend(typ, text)
		}
	}
	return b.Offset()
}

var scalarSizes = map[string]int{
	"bool": 1, "i8": 1, "u8": 1, "i16": 2, "u16": 2, "i32": 4, "u32": 4, "i64": 8, "u64": 8, "f32": 4, "f64": 8,
}

// splitStructs cuts the parts of structs apart, which a "/" each precedes.
func splitStructs(words []string) [][]string {
	var all [][]string
	for _, w := range words {
		if w == "/" {
			all = append(all, nil)
		} else {
			all[len(all)-1] = append(all[len(all)-1], w)
		}
	}
	return all
}

// runGoScripts returns the buffers that scripts make.
func runGoScripts(text string) (results [][]byte) {
	var result []byte
	var outer []*goBuilder
	var b *goBuilder
	made := func(id flatbuffers.UOffsetT) { b.ids = append(b.ids, id) }
	for line := range strings.Lines(text) {
		w := strings.Fields(line)
		switch w[0] {
		case "buffer":
			outer = append(outer, b)
			b = &goBuilder{Builder: flatbuffers.NewBuilder(atoi(w[1])), force: w[2] == "1"}
		case "string":
			if w[1] == "1" {
				made(b.CreateSharedString(string(unhex(w[2]))))
			} else {
				made(b.CreateString(string(unhex(w[2]))))
			}
		case "bytes":
			made(b.CreateByteVector(unhex(w[1])))
		case "nest":
			made(b.CreateByteVector(result))
		case "vector":
			size := scalarSizes[w[2]]
			b.StartVector(size, len(w)-3, size)
			for i := len(w) - 1; i >= 3; i-- {
				b.prepend(w[2], w[i])
			}
			made(b.EndVector(len(w) - 3))
		case "offsets":
			b.StartVector(4, len(w)-1, 4)
			for i := len(w) - 1; i >= 1; i-- {
				if w[i] == "-" {
					b.PrependUint32(0)
				} else {
					b.PrependUOffsetT(b.ids[atoi(w[i])])
				}
			}
			made(b.EndVector(len(w) - 1))
		case "structs":
			size, align, all := atoi(w[2]), atoi(w[3]), splitStructs(w[4:])
			b.StartVector(size, len(all), align)
			for i := len(all) - 1; i >= 0; i-- {
				b.structure(size, align, all[i])
			}
			made(b.EndVector(len(all)))
		case "lone":
			made(b.structure(atoi(w[1]), atoi(w[2]), w[4:]))
		case "table":
			b.StartObject(atoi(w[1]))
		case "add":
			if b.force { // as far as this Builder can
				b.prepend(w[2], w[3])
				b.Slot(atoi(w[1]))
			} else {
				b.slot(atoi(w[1]), w[2], w[3], w[4])
			}
		case "set":
			b.prepend(w[2], w[3])
			b.Slot(atoi(w[1]))
		case "struct":
			b.PrependStructSlot(atoi(w[1]), b.structure(atoi(w[2]), atoi(w[3]), w[5:]), 0)
		case "offset":
			b.PrependUOffsetTSlot(atoi(w[1]), b.ids[atoi(w[2])], 0)
		case "end":
			made(b.EndObject())
		case "need": // this Builder has no such check
		case "finish":
			root, id := b.ids[atoi(w[1])], unhex(w[3])
			switch {
			case w[2] == "1" && len(id) > 0:
				b.FinishSizePrefixedWithFileIdentifier(root, id)
			case w[2] == "1":
				b.FinishSizePrefixed(root)
			case len(id) > 0:
				b.FinishWithFileIdentifier(root, id)
			default:
				b.Finish(root)
			}
			result = b.FinishedBytes()
			b, outer = outer[len(outer)-1], outer[:len(outer)-1]
			if b == nil {
				results = append(results, result)
			}
		default:
			panic(fmt.Sprintf("no such call: %s", line))
		}
	}
	return results
}
