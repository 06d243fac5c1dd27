package arrowguard

import (
	"fmt"

	"github.com/fbverify/go/generated/arrow"
)

// maxNesting is how deep columns may nest: arrow-go's own limit.
const maxNesting = 64

// column is what a field of the schema asks of a batch.
type column struct {
	name string
	kind arrow.Type

	// bits is the width of a value of fixed size, 0 where values have none.
	bits int64

	// offsets is the width in bytes of the offsets of strings, binary data, lists and members
	// of dense unions; 0 where there are none.
	offsets int64

	size     int64 // of a fixed-size list, in values
	sparse   bool  // of a union
	children []*column

	// index is the column of indices that stands for this one in a batch, where the field
	// is dictionary-encoded.
	index *column
}

// plan is what a schema asks of its batches.
type plan struct {
	columns []*column
	dicts   map[int64]*column // the values of each dictionary, by id
}

// planner turns a schema into a plan.
type planner struct {
	plan
	part   string
	offset int64
	path   []string
}

func (p *planner) fail(format string, args ...any) error {
	return &Error{Part: p.part, Offset: p.offset, Field: joined(p.path), Detail: fmt.Sprintf(format, args...)}
}

// planOf checks a schema and returns what it asks of its batches. part and offset say where it
// stands.
func planOf(s arrow.Schema, part string, offset int64) (*plan, error) {
	p := &planner{part: part, offset: offset}
	p.dicts = map[int64]*column{}
	if !s.Present() {
		return nil, p.fail("there is no schema in it")
	}
	for _, f := range s.Fields().All() {
		c, err := p.field(f, 1)
		if err != nil {
			return nil, err
		}
		p.columns = append(p.columns, c)
	}
	return &p.plan, nil
}

func (p *planner) field(f arrow.Field, depth int) (*column, error) {
	p.path = append(p.path, f.Name())
	defer func() { p.path = p.path[:len(p.path)-1] }()
	if depth > maxNesting {
		return nil, p.fail("columns nest deeper than %d", maxNesting)
	}
	c := &column{name: joined(p.path), kind: f.TypeType()}
	for _, child := range f.Children().All() {
		sub, err := p.field(child, depth+1)
		if err != nil {
			return nil, err
		}
		c.children = append(c.children, sub)
	}
	if err := p.typed(c, f); err != nil {
		return nil, err
	}
	if d := f.Dictionary(); d.Present() {
		return p.dictionary(c, d)
	}
	return c, nil
}

// dictionary notes the values of a dictionary, and returns the column of indices.
func (p *planner) dictionary(values *column, d arrow.DictionaryEncoding) (*column, error) {
	index := &column{name: values.name, kind: arrow.TypeInt, bits: 32}
	if t := d.IndexType(); t.Present() {
		index.bits = int64(t.BitWidth())
		if !intWidth(index.bits) {
			return nil, p.fail("the indices of a dictionary have %d bits, and 8, 16, 32 and 64 are allowed", index.bits)
		}
	}
	if other := p.dicts[d.ID()]; other != nil && !other.same(values) {
		return nil, p.fail("dictionary %d is also that of the column %q, which has other values", d.ID(), other.name)
	}
	p.dicts[d.ID()] = values
	return &column{name: values.name, kind: values.kind, index: index}, nil
}

// same reports whether two columns ask the same of a batch.
func (c *column) same(o *column) bool {
	if c.kind != o.kind || c.bits != o.bits || c.offsets != o.offsets || c.size != o.size || c.sparse != o.sparse ||
		len(c.children) != len(o.children) || (c.index == nil) != (o.index == nil) || c.index != nil && c.index.bits != o.index.bits {
		return false
	}
	for i, child := range c.children {
		if !child.same(o.children[i]) {
			return false
		}
	}
	return true
}

func intWidth(bits int64) bool { return bits == 8 || bits == 16 || bits == 32 || bits == 64 }

// typed fills in what the type of a field says, and refuses what arrow-go does not know.
func (p *planner) typed(c *column, f arrow.Field) error {
	children := 0 // -1 = any number
	t := f.Type()
	switch c.kind {
	case arrow.TypeNull, arrow.TypeBinaryView, arrow.TypeUTF8View:
	case arrow.TypeBool:
		c.bits = 1
	case arrow.TypeInt:
		i, _ := t.AsInt()
		if c.bits = int64(i.BitWidth()); !intWidth(c.bits) {
			return p.fail("integers of %d bits, and 8, 16, 32 and 64 are allowed", c.bits)
		}
	case arrow.TypeFloatingPoint:
		fp, _ := t.AsFloatingPoint()
		if fp.Precision() < 0 || fp.Precision() > 2 {
			return p.fail("floating-point numbers of precision %d, and 0 to 2 are allowed", fp.Precision())
		}
		c.bits = 16 << fp.Precision()
	case arrow.TypeDecimal:
		d, _ := t.AsDecimal()
		switch c.bits = int64(d.BitWidth()); c.bits {
		case 32, 64, 128, 256:
		default:
			return p.fail("decimals of %d bits, and 32, 64, 128 and 256 are allowed", c.bits)
		}
	case arrow.TypeDate:
		d, _ := t.AsDate()
		if d.Unit() < 0 || d.Unit() > 1 {
			return p.fail("dates of unit %d, and 0 and 1 are allowed", d.Unit())
		}
		c.bits = 32 << d.Unit()
	case arrow.TypeTime:
		d, _ := t.AsTime()
		c.bits = int64(d.BitWidth())
		if d.Unit() < 0 || d.Unit() > 3 || c.bits != 32<<(d.Unit()/2) {
			return p.fail("times of unit %d with %d bits: seconds and milliseconds have 32, microseconds and nanoseconds 64", d.Unit(), c.bits)
		}
	case arrow.TypeTimestamp:
		d, _ := t.AsTimestamp()
		if err := p.unit(d.Unit()); err != nil {
			return err
		}
		c.bits = 64
	case arrow.TypeDuration:
		d, _ := t.AsDuration()
		if err := p.unit(d.Unit()); err != nil {
			return err
		}
		c.bits = 64
	case arrow.TypeInterval:
		d, _ := t.AsInterval()
		if d.Unit() < 0 || d.Unit() > 2 {
			return p.fail("intervals of unit %d, and 0 to 2 are allowed", d.Unit())
		}
		c.bits = 32 << d.Unit() // months; days and milliseconds; months, days and nanoseconds
	case arrow.TypeBinary, arrow.TypeUTF8:
		c.offsets = 4
	case arrow.TypeLargeBinary, arrow.TypeLargeUTF8:
		c.offsets = 8
	case arrow.TypeFixedSizeBinary:
		b, _ := t.AsFixedSizeBinary()
		if b.ByteWidth() < 0 {
			return p.fail("binary values of %d bytes", b.ByteWidth())
		}
		c.bits = 8 * int64(b.ByteWidth())
	case arrow.TypeList, arrow.TypeMap:
		c.offsets, children = 4, 1
	case arrow.TypeLargeList:
		c.offsets, children = 8, 1
	case arrow.TypeListView:
		c.offsets, children = 4, 1
	case arrow.TypeLargeListView:
		c.offsets, children = 8, 1
	case arrow.TypeFixedSizeList:
		l, _ := t.AsFixedSizeList()
		if l.ListSize() < 1 { // arrow-go knows no lists of nothing
			return p.fail("lists of %d values each, and at least 1 is needed", l.ListSize())
		}
		c.size, children = int64(l.ListSize()), 1
	case arrow.TypeStruct:
		children = -1
	case arrow.TypeUnion:
		u, _ := t.AsUnion()
		if err := p.union(c, u); err != nil {
			return err
		}
		children = -1
	case arrow.TypeRunEndEncoded:
		children = 2
	default:
		return p.fail("a column of type %d, which is not known", c.kind)
	}
	if children >= 0 && len(c.children) != children {
		return p.fail("%s has %d children, and %d are needed", c.kind, len(c.children), children)
	}
	return p.nested(c, f)
}

func (p *planner) unit(u arrow.TimeUnit) error {
	if u < 0 || u > 3 {
		return p.fail("a time of unit %d, and 0 to 3 are allowed", u)
	}
	return nil
}

// nested checks what a type asks of its children.
func (p *planner) nested(c *column, f arrow.Field) error {
	switch c.kind {
	case arrow.TypeMap:
		if pair := c.children[0]; pair.kind != arrow.TypeStruct || pair.index != nil || len(pair.children) != 2 {
			return p.fail("the entries of a map are no struct of two")
		}
	case arrow.TypeRunEndEncoded:
		ends := c.children[0]
		i, _ := f.Children().At(0).Type().AsInt()
		if ends.kind != arrow.TypeInt || ends.index != nil || ends.bits == 8 || !i.IsSigned() {
			return p.fail("run ends are signed integers of 16, 32 or 64 bits")
		}
	}
	return nil
}

// union checks that each child has an id of its own.
func (p *planner) union(c *column, u arrow.Union) error {
	if u.Mode() < 0 || u.Mode() > 1 {
		return p.fail("a union of mode %d, and 0 and 1 are allowed", u.Mode())
	}
	if c.sparse = u.Mode() == arrow.UnionModeSparse; !c.sparse {
		c.offsets = 4
	}
	const mostIDs = 127
	ids := u.TypeIds()
	if len(ids) != 0 && len(ids) != len(c.children) || len(c.children) > mostIDs+1 {
		return p.fail("a union of %d children with %d type ids", len(c.children), len(ids))
	}
	seen := map[int32]bool{}
	for _, id := range ids {
		if id < 0 || id > mostIDs || seen[id] {
			return p.fail("the type id %d of a union, and 0 to %d are allowed, each once", id, mostIDs)
		}
		seen[id] = true
	}
	return nil
}

// joined writes the names of nested fields; what is long is cut.
func joined(path []string) string {
	const most = 200
	s := ""
	for i, name := range path {
		if i > 0 {
			s += "."
		}
		if s += name; len(s) > most {
			return s[:most] + "…"
		}
	}
	return s
}
