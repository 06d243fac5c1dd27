package arrow_test

import (
	"slices"
	"testing"

	fb "github.com/fbverify/go/generated/arrow"
	"github.com/fbverify/go/readers/arrow"
)

// TestEveryTypeHasALayout holds the table of layouts to the union of types that the schema has, so that a
// type which a newer schema brings is not read as one without buffers.
func TestEveryTypeHasALayout(t *testing.T) {
	known := fb.TypeValues()
	for k := fb.Type(1); k != 0; k++ { // until it wraps
		n := len(arrow.BuffersOf(k, fb.UnionModeDense, fb.MetadataVersionV4))
		switch {
		case !slices.Contains(known, k) && n != 0:
			t.Errorf("type %d is not of the schema, and has %d buffers", k, n)
		case slices.Contains(known, k) && (n != 0) != (k != fb.TypeNull):
			t.Errorf("%v has %d buffers", k, n)
		}
	}
}

// TestVersionsAndModesOfLayouts are the cases in which a type has other buffers.
func TestVersionsAndModesOfLayouts(t *testing.T) {
	for _, c := range []struct {
		kind    fb.Type
		mode    fb.UnionMode
		version fb.MetadataVersion
		want    []arrow.BufferKind
	}{
		{fb.TypeUnion, fb.UnionModeSparse, fb.MetadataVersionV4, []arrow.BufferKind{arrow.Validity, arrow.TypeIDs}},
		{fb.TypeUnion, fb.UnionModeDense, fb.MetadataVersionV4, []arrow.BufferKind{arrow.Validity, arrow.TypeIDs, arrow.Offsets}},
		{fb.TypeUnion, fb.UnionModeSparse, fb.MetadataVersionV5, []arrow.BufferKind{arrow.TypeIDs}},
		{fb.TypeUnion, fb.UnionModeDense, fb.MetadataVersionV5, []arrow.BufferKind{arrow.TypeIDs, arrow.Offsets}},
		{fb.TypeRunEndEncoded, 0, fb.MetadataVersionV5, nil},
		{fb.TypeStruct, 0, fb.MetadataVersionV5, []arrow.BufferKind{arrow.Validity}},
	} {
		got := arrow.BuffersOf(c.kind, c.mode, c.version)
		if !slices.Equal(got, c.want) {
			t.Errorf("%v, mode %v, version %v: %v, want %v", c.kind, c.mode, c.version, got, c.want)
		}
	}
}
