package container

import (
	"encoding/binary"
	"math"
	"slices"
	"strings"

	"github.com/fbverify/go/fbverify"
	"github.com/fbverify/go/fbverify/internal/rule"
	"github.com/fbverify/go/fbverify/traverse"
)

// How much of a FlatBuffer that leads to others is read at first, how many times as much
// where that is not all that is asked for, and how much at the most where the file is not
// in memory. A model is read as far as its offsets reach: how long it is stands nowhere.
const (
	firstRead = pageSize
	moreRead  = 16
	mostRead  = 256 << 20
	mostShape = 1 << 20 // to find out what a file is
)

// reading is what is known of a FlatBuffer that leads to others, for which nobody
// vouches: a listener of its traversal, which goes only where the fields lead that
// matter. What is sound is told, whatever is broken beside it.
type reading struct {
	b    []byte // the FlatBuffer, as far as it was read
	base int64  // of it in the file

	fields []string // names of those that are told, and followed; nil = all
	enter  func(e *traverse.Event) traverse.Answer
	leave  func(e *traverse.Event) // nil where nobody wants to know

	high   int // the end of the furthest bytes that were told
	faults []fault
	beyond bool // bytes were asked for that were not read
}

// fault is why something cannot be followed.
type fault struct {
	pos          int64 // from the start of the file
	size         int
	path, detail string
}

// follow has the FlatBuffer of size bytes at base traversed as a table type. begin
// returns the function that is told of the objects, and of the fields of the given
// names; what it keeps it has to begin anew, since it may be called several times.
func (s *source) follow(t *fbverify.Type, base, size, most int64, options fbverify.Options, fields []string, begin func(r *reading) func(*traverse.Event) traverse.Answer) *reading {
	size = max(0, min(size, s.size-base))
	n := min(size, firstRead)
	if s.whole != nil {
		n, most = min(size, rule.MaxBuffer), rule.MaxBuffer
	}
	options.SkipAlignment, options.SkipUTF8, options.SkipNullTerminator, options.MaxTables = true, true, true, math.MaxInt32
	for {
		r := &reading{base: base, fields: fields}
		if r.b = s.read(base, n); r.b == nil {
			r.enter = begin(r)
			r.faults = []fault{{pos: base, detail: "it could not be read"}}
			return r
		}
		r.enter = begin(r)
		_ = t.Traversal(r.b, &options).Run(r) // how it ended is told as a fault, too
		if !r.beyond || n == size {
			return r
		}
		if n >= most {
			r.faults = append(r.faults, fault{pos: base, detail: "what it leads to is farther behind than is read of it"})
			return r
		}
		n = min(size, most, n*moreRead)
	}
}

// Enter hands on what is told.
func (r *reading) Enter(e *traverse.Event) traverse.Answer {
	switch {
	case e.What == traverse.Buffer:
		return traverse.Go
	case e.What == traverse.Field && (e.Field == nil || !r.wants(e.Field.Name)):
		return traverse.Skip
	}
	end := e.End()
	if e.What == traverse.Table {
		end = e.Pos + 4 // how long it is says the vtable; its fields are told
	}
	r.high = max(r.high, end)
	if e.What == traverse.VTable {
		return traverse.Go
	}
	return r.enter(e)
}

// Leave hands on that it ended.
func (r *reading) Leave(e *traverse.Event) {
	if r.leave != nil && e.What != traverse.Buffer {
		r.leave(e)
	}
}

// Fault notes why something cannot be followed. Rules that say nothing about that are for
// the verification.
func (r *reading) Fault(err error) {
	f, ok := err.(*fbverify.Error)
	if !ok {
		return
	}
	if last, _ := lastField(f.Path); last != "" && !r.wants(last) {
		return
	}
	switch f.Kind {
	case fbverify.ErrOutOfBounds, fbverify.ErrTooShort, fbverify.ErrOverlap:
		r.beyond = true
	case fbverify.ErrBadOffset, fbverify.ErrBadVTable, fbverify.ErrDepthLimit, fbverify.ErrTableSize, fbverify.ErrTableLimit, fbverify.ErrSizeLimit:
	default:
		return
	}
	r.faults = append(r.faults, fault{r.base + int64(f.Offset), f.Size, f.Path, f.Detail})
}

// wants reports whether a field is told.
func (r *reading) wants(field string) bool {
	return r.fields == nil || slices.Contains(r.fields, field)
}

// lastField returns the last field of a path, "" for the root, and whether the path leads
// to an element of it.
func lastField(path string) (name string, element bool) {
	_, steps, _ := strings.Cut(path, ".")
	steps = steps[strings.LastIndexByte(steps, '.')+1:]
	name, _, element = strings.Cut(steps, "[")
	return name, element
}

// first returns the first fault of the root, of a field of the given names, or of those
// that lead to them, nil where there is none. Faults of elements do not count.
func (r *reading) first(fields ...string) *fault {
	for i := range r.faults {
		if name, element := lastField(r.faults[i].path); name == "" || !element && slices.Contains(fields, name) {
			return &r.faults[i]
		}
	}
	return nil
}

// any returns the first fault, nil where there is none.
func (r *reading) any() *fault {
	if len(r.faults) > 0 {
		return &r.faults[0]
	}
	return nil
}

// value returns the number in a field, or in n bytes of an element.
func (r *reading) value(e *traverse.Event) uint64 { return r.uint(e.Pos, e.Size) }

func (r *reading) uint(pos, size int) uint64 {
	var b [8]byte
	copy(b[:], r.b[pos:pos+size])
	return binary.LittleEndian.Uint64(b[:])
}

// vector is one of numbers or structs that all lie in a FlatBuffer. The zero one is
// empty.
type vector struct {
	r      *reading
	pos, n int // of the first element, and how many there are
	width  int
}

func (r *reading) vector(e *traverse.Event) vector { return vector{r, e.Data, e.Count, e.ElemSize} }

// uint returns the number of w bytes, skip bytes into element i.
func (v vector) uint(i, skip, w int) uint64 { return v.r.uint(v.pos+i*v.width+skip, w) }

// bytes returns a vector of bytes.
func (v vector) bytes() []byte {
	if v.n == 0 {
		return nil
	}
	return v.r.b[v.pos : v.pos+v.n]
}

// at returns where element i is in the file.
func (v vector) at(i int) int64 { return v.r.base + int64(v.pos+i*v.width) }

// clamp returns an unsigned 64-bit position or length as an int64. Those above
// its range become its largest value, which no file has room for.
func clamp(v uint64) int64 {
	if v > math.MaxInt64 {
		return math.MaxInt64
	}
	return int64(v)
}
