package traversal

import (
	"encoding/binary"
	"math"
	"strconv"

	"github.com/fbverify/go/schema"
)

// number writes an integer as its type reads it.
func number(v int64, base schema.BaseType) string {
	if base == schema.ULong {
		return strconv.FormatUint(uint64(v), 10)
	}
	return strconv.FormatInt(v, 10)
}

// keyText writes a key as a sentence shows it: the numbers of structs and arrays in
// brackets. What is long is cut.
func keyText(t schema.Type, key []byte) string {
	const longest = 40
	switch {
	case t.Base != schema.String:
		b, _ := appendKey(nil, t, key, longest)
		return string(b)
	case len(key) > longest:
		return strconv.Quote(string(key[:longest])) + "…"
	}
	return strconv.Quote(string(key))
}

// appendKey appends a key that is no string, and ends where the text is longest
// bytes long. It reports whether the key is complete.
func appendKey(b []byte, t schema.Type, key []byte, longest int) ([]byte, bool) {
	switch {
	case t.IsStruct():
		b = append(b, '[')
		for i, f := range t.Object.Fields {
			var ok bool
			if b, ok = appendPart(b, i, f.Type, key[f.Offset:], longest); !ok {
				return b, false
			}
		}
		return append(b, ']'), true
	case t.Base == schema.Array:
		b = append(b, '[')
		elem := t.ElementType()
		for i := range t.FixedLength {
			var ok bool
			if b, ok = appendPart(b, i, elem, key[i*elem.InlineSize():], longest); !ok {
				return b, false
			}
		}
		return append(b, ']'), true
	case t.Base == schema.Float:
		return strconv.AppendFloat(b, float64(math.Float32frombits(binary.LittleEndian.Uint32(key))), 'g', -1, 32), true
	case t.Base == schema.Double:
		return strconv.AppendFloat(b, math.Float64frombits(binary.LittleEndian.Uint64(key)), 'g', -1, 64), true
	}
	return append(b, number(integer(key, t.Stored()), t.Stored())...), true
}

func appendPart(b []byte, i int, t schema.Type, key []byte, longest int) ([]byte, bool) {
	if i > 0 {
		b = append(b, ' ')
	}
	if len(b) > longest {
		return append(b, "…"...), false
	}
	return appendKey(b, t, key, longest)
}
