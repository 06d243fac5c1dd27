package container

import (
	"errors"
	"strings"
	"testing"

	"github.com/fbverify/go/fbverify"
)

func TestAConsumerMayStopAnywhere(t *testing.T) {
	files := everyFile(t)
	files["made/array.vortex"], files["made/two.arrow"] = twoArrays().bytes(), twoBatches().bytes()
	for _, b := range files {
		if len(b) > 20<<10 {
			continue
		}
		for _, format := range append(Formats(), Unknown) {
			f, err := OpenBytes(b, &Options{Format: format})
			if err != nil {
				continue
			}
			// An iteration that goes on after its end panics.
			for stop := 0; ; stop++ {
				n := 0
				for range f.Parts() {
					if n++; n > stop {
						break
					}
				}
				if n <= stop {
					break
				}
			}
			for stop := 0; ; stop++ {
				n := 0
				for range f.Regions() {
					if n++; n > stop {
						break
					}
				}
				if n <= stop {
					break
				}
			}
		}
	}
}

func TestADamagedFileIsFaultyInItsFramingOrInAPart(t *testing.T) {
	for _, c := range []struct {
		name string
		kind error  // of the first fault
		part string // that it is in
		good int    // parts that are still valid
	}{
		{"block-outside.arrow", ErrLength, "batch[0]", 4},
		{"cut-in-body.arrows", ErrTruncated, "batch[1]", 3},
		{"cut.stream", ErrTruncated, "message[7]", 0},
		{"footer-length-negative.arrow", ErrLength, "footer.length", 3},
		{"truncated.arrow", ErrTruncated, "message[2]", 2},
		{"header-too-long.fgb", ErrTruncated, "header", 0},
		{"truncated.fgb", ErrTruncated, "feature[18]", 19},
		{"magic-wrong.fgb", ErrMagic, "", 5},
		{"layout-damaged.vortex", ErrUnreadable, "layout", 36},
		{"postscript-too-long.vortex", ErrLength, "postscript.length", 0},
		{"segment-outside.vortex", ErrLength, "layout", 4},
		{"truncated.vortex", ErrTruncated, "postscript", 0},
		{"weights-missing.tflite", ErrTruncated, "buffer[1]", 1},
		{"truncated.tflite", ErrUnreadable, "model", 0},
		{"message-damaged.arrow", fbverify.ErrOutOfBounds, "", 3},
		{"feature-damaged.fgb", fbverify.ErrOutOfBounds, "", 60},
		{"offset-overwritten.tflite", fbverify.ErrOutOfBounds, "", 0},
		{"truncated.bfbs", fbverify.ErrOutOfBounds, "", 0},
	} {
		f := mustOpen(t, damaged(t, c.name), nil)
		var first error
		good := 0
		for p, err := range f.Parts() {
			if err == nil && f.Format().KnowsTypes() {
				if err = p.Verify(nil); err == nil {
					good++
				} else if all, _ := p.Explain(nil); len(all) == 0 || all[0].Error() != err.Error() {
					t.Errorf("%s: %s: %v, but Explain says %v", c.name, p.Name, err, all)
				}
			}
			if first == nil {
				first = err
			}
		}
		var e *Error
		if !errors.Is(first, c.kind) || errors.As(first, &e) && e.Part != c.part || good != c.good {
			t.Errorf("%s: %v, with %d valid parts; want %v in %q, %d", c.name, first, good, c.kind, c.part, c.good)
		}
	}
}

func TestEveryKindHasAName(t *testing.T) {
	seen := make(map[string]bool)
	for k := Kind(1); k < numKinds; k++ {
		if k.Name() == "" || strings.ContainsAny(k.Name(), " _") || seen[k.Name()] || !strings.HasPrefix(k.Error(), "container: ") {
			t.Errorf("kind %d is %q, %q", k, k.Name(), k.Error())
		}
		seen[k.Name()] = true
	}
	clear(seen)
	for k := FlatBuffer; k <= Gap; k++ {
		if seen[k.String()] || strings.Contains(k.String(), "(") {
			t.Errorf("region kind %d is %q", k, k)
		}
		seen[k.String()] = true
	}
}
