package fbverify

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"

	"github.com/fbverify/go/fbverify/traverse"
	"github.com/fbverify/go/schema"
)

// Unknown is the value of a union whose tag the schema does not know: a newer writer made it,
// and nobody looked at it, or at what it leads to.
type Unknown struct {
	Path string // to the union, "DType.type", from the root's type on
	Tag  int64

	// Offset is where the value starts, in bytes from the start of the buffer; -1 where that
	// is outside of it.
	Offset int

	// From and To are where the bytes begin and end that nothing which is known takes, from
	// those around the value on, and Bytes how many these are: what the value is, and what it
	// leads to, is among them, but for what it shares. They are 0 where there are none.
	From, To, Bytes int
}

// String says what it is, and where in the buffer.
func (u Unknown) String() string { return u.Path + " " + u.Seen(0) }

// Seen says what was not looked at, with positions as from a place that is so many bytes before
// the buffer.
func (u Unknown) Seen(base int64) string {
	s := fmt.Sprintf("the union has type %d, which the schema does not know: the value", u.Tag)
	if u.Bytes > 0 {
		return s + fmt.Sprintf(" at %d and what it leads to, in %d bytes from %d to %d, were not looked at", base+int64(u.Offset), u.Bytes, base+int64(u.From), base+int64(u.To)-1)
	}
	return s + " was not looked at"
}

// mostUnknown is how many Unknown returns at most.
const mostUnknown = 1000

// Unknown returns the values in buf that nobody looked at, in the order in which the traversal
// meets them, at most 1,000; nil where [Counts.Unknown] is false. The buffer has to be one that
// Verify accepts with the options. It takes several times as long as Verify, and two words
// of memory for each object of the buffer.
func (t *Type) Unknown(buf []byte, opts *Options) []Unknown {
	u := &unknowns{buf: buf}
	if err := t.Traversal(buf, opts).Run(u); err != nil || len(u.found) == 0 {
		return nil
	}
	slices.SortFunc(u.known, func(a, b extent) int { return cmp.Compare(a.from, b.from) })
	gaps := u.gaps()
	for i := range u.found {
		u.found[i].extend(gaps)
	}
	return u.found
}

// extent is a range of bytes.
type extent struct{ from, to int }

// unknowns listens for values of unions that nobody looks at.
type unknowns struct {
	buf   []byte
	found []Unknown
	known []extent // of what is told
	path  []string // to the table that is being traversed
	tag   int64    // of the union whose value comes next
}

// Enter keeps what is known, and finds what is not.
func (u *unknowns) Enter(e *traverse.Event) traverse.Answer {
	switch e.What {
	case traverse.Buffer:
		u.known = append(u.known, extent{e.Pos, e.Data + 4})
		return traverse.Go
	case traverse.Field:
		switch tag := u.tag; {
		case e.Field == nil:
		case e.Field.Type.Base == schema.UType:
			u.tag = number(u.buf[e.Pos:], e.Field.Type)
			return traverse.Go
		case e.Field.Type.Base == schema.Union && e.Member == nil && e.Field.Type.Enum.ByValue(tag) == nil:
			u.add(e, tag, e.Pos, "")
		}
		u.tag = 0 // it was for the field behind it
		return traverse.Go
	case traverse.Table:
		if !e.Seen {
			u.path = append(u.path, step(e))
		}
	case traverse.Vector:
		if e.Tags != traverse.None {
			u.vector(e)
		}
		if _, nested := e.Field.Attribute("nested_flatbuffer"); nested {
			u.known = append(u.known, extent{e.Pos, e.Data})
			return traverse.Go
		}
	}
	u.known = append(u.known, extent{e.Pos, e.End()})
	return traverse.Go
}

// Leave goes back on the path.
func (u *unknowns) Leave(e *traverse.Event) {
	if e.What == traverse.Table {
		u.path = u.path[:len(u.path)-1]
	}
}

// vector looks through a vector of unions.
func (u *unknowns) vector(e *traverse.Event) {
	tags := e.Field.Type
	tags.Base, tags.Element = schema.UType, schema.None
	size := tags.Enum.Underlying.Size()
	for i := range e.Count {
		tag := number(u.buf[e.Tags+i*size:], tags)
		if tag != 0 && tags.Enum.ByValue(tag) == nil {
			u.add(e, tag, e.Data+4*i, fmt.Sprintf("[%d]", i))
		}
	}
}

// add adds the value behind the offset at `at`.
func (u *unknowns) add(e *traverse.Event, tag int64, at int, index string) {
	if tag == 0 || len(u.found) == mostUnknown {
		return
	}
	value := int64(at) + int64(binary.LittleEndian.Uint32(u.buf[at:]))
	if value == int64(at) || value >= int64(len(u.buf)) {
		value = -1
	}
	path := strings.Join(u.path, ".") + "." + e.Field.Name + index
	u.found = append(u.found, Unknown{Path: path, Tag: tag, Offset: int(value)})
}

// step is what a path has of a table.
func step(e *traverse.Event) string {
	switch {
	case e.Field == nil || e.At == traverse.None:
		return e.Object.ShortName()
	case e.Index != traverse.None:
		return fmt.Sprintf("%s[%d]", e.Field.Name, e.Index)
	}
	return e.Field.Name
}

// number returns the tag of a union, which b starts with.
func number(b []byte, t schema.Type) int64 {
	size := t.Enum.Underlying.Size()
	var word [8]byte
	copy(word[:], b[:size])
	n := binary.LittleEndian.Uint64(word[:])
	if unused := 64 - 8*size; !t.Enum.Underlying.IsUnsigned() {
		return int64(n<<unused) >> unused
	}
	return int64(n)
}

// gaps returns the bytes that nothing known takes, in order, without those that are all zero:
// these are padding.
func (u *unknowns) gaps() (gaps []extent) {
	end := 0
	for _, k := range append(u.known, extent{len(u.buf), len(u.buf)}) {
		if k.from > end && len(bytes.TrimLeft(u.buf[end:k.from], "\x00")) > 0 {
			gaps = append(gaps, extent{end, k.from})
		}
		end = max(end, k.to)
	}
	return gaps
}

// extend says which gaps may be the value's: that around it, and those behind it, since
// offsets lead forward.
func (u *Unknown) extend(gaps []extent) {
	for _, g := range gaps {
		if u.Offset < 0 || g.to <= u.Offset {
			continue
		}
		if u.Bytes == 0 {
			if g.from > u.Offset {
				return // it is what is known
			}
			u.From = g.from
		}
		u.To = g.to
		u.Bytes += g.to - g.from
	}
}
