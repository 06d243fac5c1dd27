package families

import (
	"regexp"
	"testing"

	"github.com/fbverify/go/fbverify"
	"github.com/fbverify/go/internal/oracle"
)

func all(t *testing.T) []Row {
	t.Helper()
	rows, err := All(oracle.RepoRoot(), Short)
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

func TestEveryRowIsValidAndHasTheTablesItClaims(t *testing.T) {
	names := map[string]bool{}
	for _, r := range all(t) {
		if names[r.Name] {
			t.Errorf("two rows are called %s", r.Name)
		}
		names[r.Name] = true
		in, err := r.Make()
		if err != nil {
			t.Errorf("%s: %v", r.Name, err)
			continue
		}
		if in.Type.String() != r.Root {
			t.Errorf("%s: the type is %v, the row says %s", r.Name, in.Type, r.Root)
		}
		for i, buf := range in.Buffers {
			if len(buf) != len(in.Buffers[0]) {
				t.Errorf("%s: buffers of %d and %d bytes", r.Name, len(in.Buffers[0]), len(buf))
			}
			if err := in.Verify(buf, &fbverify.Options{SkipUTF8: true}); err != nil {
				t.Errorf("%s, buffer %d, without the UTF-8 check: %v", r.Name, i, err)
			}
		}
		if in.Tables == 0 {
			continue
		}
		if counts, err := in.Type.Measure(in.Buffers[0], nil); err != nil || counts.Tables != in.Tables {
			t.Errorf("%s: %d tables, %v; the input says %d", r.Name, counts.Tables, err, in.Tables)
		}
	}
	for _, want := range []string{
		"cold/Layout/1024x32", "large/Layout/4096x32", "varied/siblings/64", "varied/vtables/1000x1000", "varied/nested/12",
		"varied/message/96", "varied/tree", "real/tflite/quantized.tflite/model", "real/vortex/wide.vortex/footer",
	} {
		if !names[want] {
			t.Errorf("no row is called %s", want)
		}
	}
}

// allocating are the rows that allocate at each verification, which none should:
// vtables that are nearly all distinct.
var allocating = regexp.MustCompile(`^(varied/vtables/(1000|33000)x1000$|real/google/monster_test.bfbs/)`)

// TestRowsDoNotAllocate holds once a type has seen a row's buffers.
func TestRowsDoNotAllocate(t *testing.T) {
	for _, r := range all(t) {
		if r.Family() == "cold" { // large has the same buffers
			continue
		}
		in, err := r.Make()
		if err != nil {
			t.Fatal(err)
		}
		without := in.Options(nil)
		with := *without
		with.SkipConstraints = false
		for name, opts := range map[string]*fbverify.Options{"with": &with, "without": without} {
			pass := func() {
				for _, buf := range in.Buffers {
					if err := in.Type.Verify(buf, opts); err != nil {
						t.Fatal(err)
					}
				}
			}
			for range 3 {
				pass()
			}
			if n := testing.AllocsPerRun(3, pass); n != 0 && allocating.MatchString(r.Name) {
				t.Logf("%s, %s constraints: %v allocations for %d buffers", r.Name, name, n, len(in.Buffers))
			} else if n != 0 {
				t.Errorf("%s, %s constraints: %v allocations for %d buffers", r.Name, name, n, len(in.Buffers))
			}
		}
	}
}

func TestARingHoldsCopiesOnlyAndFillsItsWorkingSet(t *testing.T) {
	in := &Input{Buffers: [][]byte{[]byte("first"), []byte("other")}}
	for _, c := range []struct{ set, want int }{{0, 2}, {10, 2}, {11, 4}, {100, 20}} {
		ring := NewRunner(in, c.set).ring
		if len(ring) != c.want {
			t.Errorf("%d buffers for a working set of %d bytes, want %d", len(ring), c.set, c.want)
		}
		for i, b := range ring {
			if string(b) != string(in.Buffers[i%2]) {
				t.Errorf("buffer %d is %q", i, b)
			}
			b[0]++ // no two share memory, which the next would show
		}
	}
}
