// Package sense holds the values of a proved buffer to the constraints of its schema.
//
// [Compile] turns the constraints into nodes: for each table and struct what to ask of its
// fields, and which fields lead to more that is asked of. [Walk] goes only there: at a glance
// first, which accepts most of what is right, and for the rest once more to find what is wrong. It reads
// bytes whose shape is proved, without a check of its own, but behind Go's.
//
// What a constraint holds a value against stands outside of the table, often: the length of
// a vector of an enclosing table, or a fact that the caller stated. Each is a slot. A
// slot is filled when its table is entered, so that a use is a load. Where a buffer shares
// tables, what is remembered of one is for which values of the slots it is sound: an
// interval, such as "more than the largest index in here", and not yes or no.
package sense

import (
	"github.com/fbverify/go/fbverify/internal/program"
	"github.com/fbverify/go/schema"
)

// Program is what a root table and everything reachable from it is asked.
type Program struct {
	root  *node
	slots []slot
	times uint64 // how often a byte may be looked at where nothing is shared
	keys  uint32 // numbers of what can be remembered

	stated, unstated func() *glances // for calls that state facts, and for those that state none

	// Facts are the names of what may have to be stated: those behind "@", and
	// "Type.field" where the table Type need not be around.
	Facts []string
}

// slot is a number that constraints hold values against.
type slot struct {
	operand *operand // evaluated where owner is entered; nil for a fact, and for the position of owner itself
	owner   *node    // nil where no such table can be around
	name    string   // as Options.Facts has it, or of the table
	fact    bool     // it can be stated

	arithmetic byte // what is done to a number that was stated
	by         int64
}

// node is a table or a struct type.
type node struct {
	object *schema.Object
	key    uint32
	binds  []int // slots to fill on entering
	again  bool  // it can hold another of its type, so that slots have a value to go back to
	checks []check
	downs  []down
	free   []int // slots of tables around it, that a verdict depends on
	asks   bool  // it or something below is asked for something
}

// place says where a field is: at an offset into a struct, or behind a slot of a vtable.
type place struct {
	off      uint16
	inStruct bool
}

// downKind says how a field leads to what is asked of.
type downKind uint8

const (
	toTable downKind = iota
	toTables
	toUnion
	toUnions
	toStruct  // inline
	toStructs // a vector
	toArray   // of structs, inline
	toBuffer  // a nested one
)

// down is a field that leads to a node.
type down struct {
	place
	kind       downKind
	wide, long bool
	field      *schema.Field
	node       *node
	union      *union
	size       uint64 // of a struct
	count      uint64 // of an array
	key        uint32
}

// union says which members are asked for something.
type union struct {
	tag     schema.BaseType
	members map[schema.Integer]member
	dense   []member // those with small tags, by tag
	free    []int
}

type member struct {
	node     *node
	isStruct bool
}

// form is how the values of a field are stored.
type form uint8

const (
	single form = iota
	array
	vector
	text
	other
)

// check is a constraint, compiled.
type check struct {
	place
	*schema.Constraint
	form        form
	wide, long  bool
	key         uint32
	base        schema.BaseType // of the value, or of an element
	size        uint64          // of an element
	count       uint64          // of an array
	def         schema.Integer
	optional    bool // an absent scalar has no value
	bound       operand
	with, from  stored
	conditions  []condition
	literal     bool // the conditions are an interval
	least, most schema.Integer
	minusOne    bool // the one stand-in is -1
	mayBe       []schema.Integer
	tests       []test
	known       []schema.Integer // of must_be_known, in order
	flags       uint64
	by          stored // of sorted and unique
	byKey       bool   // by has a place
	keyed       *keyed
	union       schema.BaseType // of the tag, where the field is a union
	slots       []int           // that its verdict depends on, and nothing else
	own         bool            // its verdict depends on other fields of its table
}

// stored is a scalar, or a string, of a table or a struct.
type stored struct {
	place
	base schema.BaseType
	wide bool
	def  schema.Integer
}

// keyed is a vector that keys are looked for in.
type keyed struct {
	key  stored
	long bool
}

type condition struct {
	relation schema.Relation
	operands []operand
}

type test struct {
	condition
	of operand

	// Of a scalar of the table itself that is held against literals, bit n of mask says
	// whether n holds.
	masked bool
	mask   uint64
}

// operandKind says where an operand's number is.
type operandKind uint8

const (
	literal operandKind = iota
	slotted
	path // read where it is used
)

// operand is a number to hold a value against.
type operand struct {
	kind       operandKind
	n          schema.Integer
	real       float64
	slot       int // slotted; of a path, where the position of its table is, -1 for the current one
	steps      []step
	arithmetic byte
	by         int64
	slots      []int // that a path depends on
}

// step is a field of a path.
type step struct {
	stored
	kind  stepKind
	long  bool
	index *operand // of an element
	tag   schema.BaseType
}

type stepKind uint8

const (
	stepScalar stepKind = iota
	stepLength
	stepTable
	stepElement // a table of a vector
	stepNumber  // an integer of a vector
	stepStruct
	stepUnion // only whether it is set
	stepKeyed // the place of a vector
)

// Empty reports whether nothing is asked.
func (p *Program) Empty() bool { return p == nil || p.root == nil }

// compiler turns constraints into nodes.
type compiler struct {
	of      func(*schema.Object, *schema.Field) ([]schema.Constraint, error)
	p       *Program
	tables  map[*program.Table]*node
	structs map[*schema.Object]*node
	byType  map[*schema.Object]*node
	unions  map[*program.Union]*union
	slots   map[string]int
	bound   map[*node][]int
	all     []*node
	err     error

	unstated bool // leave out what is asked only if a fact was stated
}
