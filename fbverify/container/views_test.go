package container

import (
	"encoding/binary"
	"fmt"
	"slices"
	"testing"

	"github.com/fbverify/go/fbverify"
	"github.com/fbverify/go/generated/arrow"
	"github.com/fbverify/go/generated/vortex"
	"github.com/fbverify/go/internal/places"
)

// The generated views give a second way to the parts, through verified
// buffers; both ways must lead to the same places.

func TestTheViewsOfAVortexFileLeadToTheSameArrays(t *testing.T) {
	files := 0
	for name, b := range realFiles(t) {
		f := mustOpen(t, b, nil)
		if f.Format() != Vortex {
			continue
		}
		files++
		parts, _ := list(f)
		at := make(map[string]Part)
		got := make(map[string]string)
		for _, p := range parts {
			at[p.Name] = p
			if p.Root == rootArray {
				got[p.Name] = fmt.Sprint(p.Offset, p.Length)
			}
		}
		footer, layout := viewOf[vortex.Footer](t, at["footer"]), viewOf[vortex.Layout](t, at["layout"])
		want := make(map[string]string)
		var walk func(l vortex.Layout)
		walk = func(l vortex.Layout) {
			if string(footer.LayoutSpecs().At(int(l.Encoding())).ID()) == places.LayoutFlat {
				for _, id := range l.Segments() {
					s := footer.SegmentSpecs()[id]
					end := int64(s.Offset) + int64(s.Length) - 4
					n := int64(binary.LittleEndian.Uint32(b[end:]))
					want[fmt.Sprintf("segment[%d].array", id)] = fmt.Sprint(end-n, n)
				}
			}
			for _, child := range l.Children().All() {
				walk(child)
			}
		}
		walk(layout)
		if len(got) != len(want) {
			t.Errorf("%s: %d arrays, %d by the views", name, len(got), len(want))
		}
		for part, place := range want {
			if got[part] != place {
				t.Errorf("%s: %s is at %q, by the views at %s", name, part, got[part], place)
			}
		}
	}
	if files < 4 {
		t.Errorf("only %d Vortex files", files)
	}
}

func TestTheFooterOfAnArrowFileListsTheSameBatches(t *testing.T) {
	files := 0
	for name, b := range realFiles(t) {
		f := mustOpen(t, b, nil)
		if f.Format() != ArrowFile {
			continue
		}
		files++
		parts, _ := list(f)
		footer := viewOf[arrow.Footer](t, parts[len(parts)-1])
		var want []string
		for i, block := range footer.Dictionaries() {
			want = append(want, fmt.Sprintf("dictionary[%d] ends at %d", i, block.Offset+int64(block.MetaDataLength)))
		}
		for i, block := range footer.RecordBatches() {
			want = append(want, fmt.Sprintf("batch[%d] ends at %d", i, block.Offset+int64(block.MetaDataLength)))
		}
		var got []string
		for _, p := range parts {
			if m := p.Root == rootMessage && p.Name != "schema"; m {
				got = append(got, fmt.Sprintf("%s ends at %d", p.Name, p.Offset+p.Length))
			}
		}
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Errorf("%s: %q, by the footer %q", name, got, want)
		}
	}
	if files < 7 {
		t.Errorf("only %d Arrow files", files)
	}
}

func viewOf[T fbverify.View[T]](t *testing.T, p Part) T {
	t.Helper()
	b, err := p.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	v, err := fbverify.RootWithOptions[T](b, p.Options(nil))
	if err != nil {
		t.Fatalf("%s: %v", p.Name, err)
	}
	return v.Root()
}
