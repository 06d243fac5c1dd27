package wire

import (
	"errors"
	"math"
	"strings"
	"testing"
)

func TestReadsStayInside(t *testing.T) {
	r := &Reader{B: []byte{1, 2, 3, 4, 5, 6, 7, 8, 9}}
	for _, size := range []uint64{1, 2, 4, 8} {
		for pos := range uint64(12) {
			_, err := r.Uint(pos, size, "x")
			if inside := pos+size <= 9; (err == nil) != inside {
				t.Errorf("%d bytes at %d: %v", size, pos, err)
			}
		}
		if _, err := r.Uint(math.MaxUint64, size, "x"); err == nil {
			t.Errorf("%d bytes at the end of the world", size)
		}
	}
	if _, err := r.Bytes(1, math.MaxUint64, "x"); err == nil {
		t.Error("more bytes than there can be")
	}
	if _, err := r.Uint(0, 3, "x"); err == nil {
		t.Error("an integer of three bytes")
	}
}

func TestIntegersAreLittleEndianAndSigned(t *testing.T) {
	r := &Reader{B: []byte{0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f}}
	for size, want := range map[uint64]int64{1: -2, 2: -2, 4: -2, 8: math.MaxInt64 - 1} {
		if got, err := r.Int(0, size, "x"); got != want || err != nil {
			t.Errorf("%d bytes: %d, %v", size, got, err)
		}
	}
	if got, err := r.Uint(0, 2, "x"); got != 0xfffe || err != nil {
		t.Errorf("%d, %v", got, err)
	}
	one := &Reader{B: []byte{0, 0, 0, 0, 0, 0, 0xf0, 0x3f}}
	if got, err := one.Float64(0, "x"); got != 1 || err != nil {
		t.Errorf("%v, %v", got, err)
	}
}

func TestFaults(t *testing.T) {
	rules := func(b ...byte) *Reader { return &Reader{B: b, Rules: true} }
	for name, c := range map[string]struct {
		run  func() error
		want string // "" for no fault
		pos  uint64
	}{
		"offset of zero":           {follow(rules(0, 0, 0, 0), 0, 4), "is zero", 0},
		"offset to the end":        {follow(rules(4, 0, 0, 0), 0, 4), "leads out", 0},
		"offset to the last":       {follow(rules(4, 0, 0, 0, 9), 0, 4), "", 0},
		"offset cut short":         {follow(rules(4, 0, 0), 0, 4), "does not fit", 0},
		"64-bit offset":            {follow(rules(8, 0, 0, 0, 0, 0, 0, 0, 9), 0, 8), "", 0},
		"64-bit offset too far":    {follow(rules(8, 0, 0, 0, 0, 0, 0, 0x80, 9), 0, 8), "leads out", 0},
		"misaligned offset":        {follow(rules(0, 0, 4, 0, 0, 0, 9), 2, 4), "multiple of 4", 2},
		"vector of more than fits": {vector(rules(2, 0, 0, 0, 1, 2, 3), 4, 2), "2 elements of 2 bytes", 0},
		"vector that fits":         {vector(rules(2, 0, 0, 0, 1, 2, 3, 4), 4, 2), "", 0},
		"vector as long as can be": {vector(rules(0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0), 4, 0xffff), "4294967295 elements", 0},
		"64-bit vector too long":   {vector(rules(0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1), 8, 8), "elements", 0},
		"empty vector at the end":  {vector(rules(0, 0, 0, 0), 4, 8), "", 0},
		"misaligned elements":      {vector(rules(1, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8), 4, 8), "multiple of 8", 4},
		"table before the buffer":  {table(rules(1, 0, 0, 0), 0), "before the buffer", 0},
		"table past the buffer":    {table(rules(0xf0, 0xff, 0xff, 0xff), 0), "does not fit", 16},
		"vtable past the buffer":   {table(rules(0xfc, 0xff, 0xff, 0xff, 6, 0, 4, 0), 0), "a vtable of 6 bytes", 4},
		"vtable too short":         {table(rules(0xfc, 0xff, 0xff, 0xff, 2, 0, 4, 0), 0), "even number from 4", 4},
		"vtable of odd size":       {table(rules(0xfc, 0xff, 0xff, 0xff, 5, 0, 4, 0, 0), 0), "even number from 4", 4},
		"vtable that fits":         {table(rules(0xfc, 0xff, 0xff, 0xff, 4, 0, 4, 0), 0), "", 0},
		"string without NUL":       {text(rules(1, 0, 0, 0, 'a', 'b')), "0x62", 5},
		"string at the end":        {text(rules(1, 0, 0, 0, 'a')), "does not fit", 5},
		"string":                   {text(rules(1, 0, 0, 0, 'a', 0)), "", 0},
	} {
		t.Run(name, func(t *testing.T) {
			err := c.run()
			var fault *Error
			switch {
			case c.want == "" && err == nil:
			case c.want == "" || !errors.As(err, &fault) || !strings.Contains(err.Error(), c.want):
				t.Errorf("got %v, want %q", err, c.want)
			case fault.Pos != c.pos:
				t.Errorf("the fault is at %d, want %d: %v", fault.Pos, c.pos, err)
			}
		})
	}
}

func follow(r *Reader, pos, size uint64) func() error {
	return func() error { _, err := r.Follow(pos, size, "x"); return err }
}

func vector(r *Reader, head, size uint64) func() error {
	return func() error { _, _, err := r.Vector(0, head, size, alignOf(size), "x"); return err }
}

func table(r *Reader, pos uint64) func() error {
	return func() error { _, err := r.Table(pos); return err }
}

func text(r *Reader) func() error {
	return func() error { _, err := r.String(0, "x"); return err }
}

func TestAShiftMovesAlignmentOnly(t *testing.T) {
	r := &Reader{B: make([]byte, 16), Rules: true, Shift: 4}
	if _, err := r.Uint(4, 8, "x"); err != nil {
		t.Error(err)
	}
	if _, err := r.Uint(8, 8, "x"); err == nil {
		t.Error("aligned without the shift, and accepted")
	}
}

// alignOf returns the size of a scalar, and 1 for what is none.
func alignOf(size uint64) uint64 {
	if size > 8 {
		return 1
	}
	return size
}
