package explain

import (
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

// String writes a key as a sentence shows it; long strings are cut.
func (v value) String() string {
	const longest = 40
	switch {
	case len(v.s) > longest: // only strings have bytes
		return strconv.Quote(string(v.s[:longest])) + "…"
	case v.base == schema.String:
		return strconv.Quote(string(v.s))
	case v.base.IsFloat():
		return strconv.FormatFloat(v.f, 'g', -1, 64)
	}
	return number(v.i, v.base)
}
