// Package program turns a schema into what the machine and the traversal walk
// by: for each table reachable from a root, what the fields are made of and
// where their offsets lead.
//
// [Compile] does that once per root type. [Table.Shape] then compiles a table
// type and the bytes of one vtable into a [Shape], the short list of checks
// that all tables with that vtable need; shapes are kept and shared
// ([Program.Shapes]), since writers share vtables.
package program

import "github.com/fbverify/go/schema"

// Op says what a field's inline bytes are and what there is to follow.
type Op uint8

// The ops. Inline ones have nothing to follow.
const (
	Skipped        Op = iota // deprecated: no accessor reads it, so nothing is promised
	Inline                   // a scalar or a struct
	String                   // offset to a string
	Binary                   // offset to a string of bytes that need not be UTF-8
	SubTable                 // offset to a table
	UnionValue               // offset to what the tag in the field before says
	UnionTag                 // the tag itself
	ScalarVector             // offset to a vector of scalars or structs
	StringVector             // offset to a vector of offsets to strings
	TableVector              // offset to a vector of offsets to tables
	UnionVector              // offset to a vector of offsets; the tags are a vector of their own
	UnionTagVector           // that vector
	NestedBuffer             // offset to a vector of bytes that are a buffer of their own
)

// The nodes of every string, and of those that need not be UTF-8.
const (
	StringNode = iota
	BinaryNode
	firstNode
)

// Program is a root table and everything reachable from it.
type Program struct {
	Schema *schema.Schema
	Root   *Table
	Tables []*Table // by Table.ID

	// Nodes is the number of distinct Node numbers.
	Nodes uint32

	// Excepts says that fields have exceptions, which readers of the format
	// make. They hold in the program only if it was compiled with them.
	Excepts bool

	caches *[NumFlags]cachePointer // shared by the roots that were compiled together
}

// Table is a table type. Its fields are indexed by field id.
type Table struct {
	ID     uint32 // in Program.Tables
	Node   uint32 // tells what a position is read as, see Field.Node
	Object *schema.Object
	Fields []Field

	// excepts says that some field of the table, or of what can be reached from it, has an
	// exception.
	excepts bool

	// Wide says that some field of the table, or of what can be reached from it, has a
	// 64-bit offset, so that a buffer with such a root may be larger than 2^31-1 bytes.
	Wide bool

	// Required lists the ids of fields that must be present.
	Required []uint16
}

// Field is one field of a table.
type Field struct {
	Op   Op
	Wide bool // the offset is 64 bits
	Long bool // the vector's length is 64 bits

	// Size and Align are those of the inline bytes: the scalar, the struct, or
	// the offset.
	Size, Align uint32

	// ElemSize and ElemAlign are those of a vector's elements.
	ElemSize, ElemAlign uint32

	// Node is a number for what the target of the offset is read as. Two
	// visits to one position with one node see the same; the traversal keeps
	// results by (position, node).
	Node uint32

	Table *Table // SubTable, TableVector; root of NestedBuffer
	Union *Union // UnionValue, UnionTag, UnionVector, UnionTagVector

	Def *schema.Field

	// Values says that the inline bytes, or each element, hold bools or enums:
	// what Strict looks at.
	Values bool

	// SortedBy is the key of the elements of a TableVector or a ScalarVector
	// of structs, nil when they have none.
	SortedBy *schema.Field
}

// Union is a union type.
type Union struct {
	Enum    *schema.Enum
	TagSize uint32
	Signed  bool // tags are signed integers
	Bytes   bool // tags are unsigned bytes, as nearly always

	members map[int64]*Member
	dense   []*Member // members with low tags, by tag; no longer than their number deserves
}

// Member is one member of a union other than NONE.
type Member struct {
	Op          Op     // SubTable, String or Inline (a struct, out of line)
	Table       *Table // SubTable
	Size, Align uint32 // of a struct
	Node        uint32
	Def         *schema.EnumValue
}

// ByByte is Member for tags that are unsigned bytes.
func (u *Union) ByByte(tag byte) *Member {
	if int(tag) < len(u.dense) {
		return u.dense[tag]
	}
	return u.members[int64(tag)]
}

// Member returns the member with that tag, nil for NONE and unknown tags.
func (u *Union) Member(tag int64) *Member {
	if uint64(tag) < uint64(len(u.dense)) {
		return u.dense[tag]
	}
	return u.members[tag]
}
