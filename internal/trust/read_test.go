package trust_test

import (
	"fmt"

	"github.com/fbverify/go/fbverify"
	"github.com/fbverify/go/fbverify/dynamic"
	"github.com/fbverify/go/internal/trust/trusttest"
)

// readAll reads every field of every table below the root through package
// dynamic, and prints all as JSON. It returns how many values it read.
func readAll(typ *fbverify.Type, buf []byte, opts *fbverify.Options, prefix int) (values int, err error) {
	m, err := dynamic.Root(typ, buf, trusttest.Framed(prefix, opts))
	if err != nil {
		return 0, fmt.Errorf("dynamic refuses what Verify accepts: %w", err)
	}
	d := reader{most: 200_000}
	d.value(m.Root().AsValue())
	if opts == nil {
		opts = &fbverify.Options{}
	}
	json := &dynamic.JSONOptions{MaxBytes: 1 << 20, FlexBytes: true, NestedBytes: opts.NestedUnchecked}
	if opts.SkipUTF8 {
		json.NonUTF8 = dynamic.NonUTF8Escape
	}
	if text, err := dynamic.AppendJSON(nil, m, json); err != nil {
		if _, again := dynamic.AppendJSON(nil, m, &dynamic.JSONOptions{NonUTF8: json.NonUTF8, NestedBytes: json.NestedBytes, FlexBytes: true}); again != nil || d.values < d.most {
			return d.values, fmt.Errorf("no JSON: %w", err)
		}
	} else if len(text) == 0 {
		return d.values, fmt.Errorf("empty JSON")
	}
	return d.values, nil
}

// reader reads values, those of objects that are shared each time, but not more
// than most.
type reader struct{ values, most, sum int }

func (d *reader) value(v dynamic.Value) {
	if d.values++; d.values > d.most {
		return
	}
	switch v.Kind() {
	case dynamic.KindBool, dynamic.KindInt, dynamic.KindUint:
		d.sum += int(v.Int()) + len(v.EnumName())
	case dynamic.KindFloat:
		if v.Float() > 0 {
			d.sum++
		}
	case dynamic.KindString:
		for _, c := range v.Bytes() {
			d.sum += int(c)
		}
	case dynamic.KindTable:
		t := v.Table()
		if !t.Present() {
			return
		}
		for _, field := range t.AllFields() {
			d.value(field)
		}
	case dynamic.KindStruct:
		s := v.Struct()
		for _, field := range s.Fields() {
			d.value(field)
		}
	case dynamic.KindVector, dynamic.KindArray:
		if f := v.Field(); v.Present() && f != nil && f.Nested() != nil {
			if m, err := v.Nested(); err == nil {
				d.value(m.Root().AsValue())
			}
		}
		for _, elem := range v.All() {
			d.value(elem)
		}
	case dynamic.KindUnion:
		d.value(v.Union())
	}
}
