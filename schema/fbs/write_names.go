package fbs

import (
	"container/heap"
	"errors"
	"sort"
	"strings"

	"github.com/fbverify/go/schema"
	"github.com/fbverify/go/schema/internal/words"
)

// What a name in a schema means depends on the namespace it stands in and on what
// was declared before it. nameBook finds, for all declarations of a schema, how
// each writes the names of the others, and an order in which these mean
// what they should.
type nameBook struct {
	list   []*declaration
	byName map[string]*declaration   // objects and enums
	byWord map[string][]*declaration // objects and enums by their last word
}

// declaration is one object, enum or service to be written.
type declaration struct {
	object  *schema.Object
	enum    *schema.Enum
	service *schema.Service

	full  string
	far   bool              // named where only its full name will do
	spell map[string]string // what it calls the types it refers to, by full name

	after   map[*declaration]bool // must come later than this
	waiting int                   // how many must come before this and have not
}

func (d *declaration) namespace() string { ns, _ := words.Split(d.full); return ns }

// rank orders the kinds within a namespace.
func (d *declaration) rank() int {
	switch {
	case d.service != nil:
		return 4
	case d.object != nil && !d.object.IsStruct:
		return 3
	case d.enum != nil && d.enum.IsUnion:
		return 2
	case d.object != nil:
		return 1
	}
	return 0
}

func newNameBook(s *schema.Schema) *nameBook {
	b := &nameBook{byName: map[string]*declaration{}, byWord: map[string][]*declaration{}}
	add := func(d *declaration) {
		d.spell, d.after = map[string]string{}, map[*declaration]bool{}
		b.list = append(b.list, d)
		if d.service == nil {
			b.byName[d.full] = d
			_, word := words.Split(d.full)
			b.byWord[word] = append(b.byWord[word], d)
		}
	}
	for _, e := range s.Enums {
		add(&declaration{enum: e, full: e.Name})
	}
	for _, o := range s.Objects {
		add(&declaration{object: o, full: o.Name})
	}
	for _, v := range s.Services {
		add(&declaration{service: v, full: v.Name})
	}
	for _, d := range b.list {
		b.references(d, func(full, _ string) {
			if !within(d, full) {
				b.byName[full].far = true
			}
		})
	}
	b.nested(func(_ *declaration, to *declaration, written string) {
		if written == to.full {
			to.far = true
		}
	})
	for _, d := range b.list {
		b.references(d, func(full, member string) { b.refer(d, full, member) })
		b.fieldNames(d)
	}
	b.nested(func(d, to *declaration, written string) {
		// What is in quotes counts as a use, and has to stay as it is.
		_, word := words.Split(to.full)
		if written != to.full && (to.far || written != word || len(b.byWord[word]) > 1) {
			b.precede(to, d)
		}
	})
	return b
}

// nested calls use for each field of a table d that holds a whole buffer, with
// the root of that and how the attribute names it.
func (b *nameBook) nested(use func(d, to *declaration, written string)) {
	object := func(full string) *schema.Object {
		if d := b.byName[full]; d != nil {
			return d.object
		}
		return nil
	}
	for _, d := range b.list {
		if d.object == nil {
			continue
		}
		for _, f := range d.object.Fields {
			if root, err := schema.NestedRoot(d.object, f, object); root != nil && err == nil {
				written, _ := f.Attribute("nested_flatbuffer")
				use(d, b.byName[root.Name], written)
			}
		}
	}
}

// within reports whether the name without its namespace can mean the type in d.
func within(d *declaration, full string) bool {
	namespace, _ := words.Split(full)
	return namespace == "" || d.namespace() == namespace || strings.HasPrefix(d.namespace(), namespace+".")
}

// precede notes that first has to come before then.
func (b *nameBook) precede(first, then *declaration) {
	if first != then && first != nil && then != nil && !first.after[then] {
		first.after[then] = true
		then.waiting++
	}
}

// references calls refer with the full name of each type that a declaration
// names, and with the name of the union's member that is of the type, "" elsewhere.
func (b *nameBook) references(d *declaration, refer func(full, member string)) {
	switch {
	case d.enum != nil:
		for _, v := range d.enum.Values {
			if v.Type.Object != nil {
				refer(v.Type.Object.Name, v.Name)
			}
		}
	case d.service != nil:
		for _, c := range d.service.Calls {
			refer(c.Request.Name, "")
			refer(c.Response.Name, "")
		}
	default:
		for _, f := range d.object.Fields {
			if f.Type.Object != nil {
				refer(f.Type.Object.Name, "")
			}
			if f.Type.Enum != nil {
				refer(f.Type.Enum.Name, "")
			}
		}
	}
}

// fieldNames keeps objects that have the name of a field of d behind d: where they
// are known a field cannot have the name.
func (b *nameBook) fieldNames(d *declaration) {
	if d.object == nil {
		return
	}
	for _, f := range d.object.Fields {
		for _, full := range words.Candidates(d.namespace(), f.Name) {
			if other := b.byName[full]; other != nil && other.object != nil {
				b.precede(d, other)
			}
		}
	}
}

// refer finds a spelling for the type called full in the declaration d, and notes
// the order it needs.
func (b *nameBook) refer(d *declaration, full, member string) {
	to := b.byName[full]
	// Enums and structs come before all that names them. Tables need not, and
	// cannot always.
	if to.enum != nil || to.object.IsStruct {
		b.precede(to, d)
	}
	if spelled, ok := d.spell[full]; ok && (member == "" || memberName(spelled) == member) {
		return
	}
	var best string
	var inTheWay []*declaration
	for i, spelled := range b.spellings(d, full) {
		between := b.shadows(d, full, spelled)
		preferred := len(between) == 0 && memberName(spelled) == member
		if i == 0 || len(between) < len(inTheWay) || preferred {
			best, inTheWay = spelled, between
		}
		if preferred || len(between) == 0 && member == "" {
			break
		}
	}
	d.spell[full] = best
	// What would be found first has to be declared later.
	for _, other := range inTheWay {
		b.precede(d, other)
		b.precede(to, d)
	}
	// The name of a table of the global namespace that is used before its
	// declaration would be taken by the next declaration of its last word,
	// wherever: those have to be out of the way.
	if namesakes := b.byWord[full]; len(inTheWay) == 0 && to.rank() == 3 && len(namesakes) <= mostNamesakes {
		for _, other := range namesakes {
			if other != to && other.object != nil {
				b.precede(other, d)
			}
		}
	}
}

// mostNamesakes bounds the work for a schema that is made to cause it.
const mostNamesakes = 64

func memberName(spelled string) string { return strings.ReplaceAll(spelled, ".", "_") }

// spellings lists how d may write the name: shortest first where that is safe,
// and always in full.
func (b *nameBook) spellings(d *declaration, full string) []string {
	_, word := words.Split(full)
	list := []string{full}
	// A single word that is not declared yet may be taken for any type of the
	// word, so it has to be the only one. And a table that is not declared yet has to
	// be called the same everywhere.
	to := b.byName[full]
	early := to.enum != nil || to.object.IsStruct
	// Within its own declaration a table is known by its last word, and its full name may
	// mean another, that of a namespace inside its own.
	if to == d || within(d, full) && len(b.byWord[word]) == 1 && (early || !to.far) {
		if _, builtin := typeWords[word]; !builtin {
			list = []string{word, full}
		}
	}
	// Names relative to a namespace around both mean the right thing only once
	// the type is declared.
	for around := d.namespace(); around != "" && early; around, _ = words.Split(around) {
		if relative, ok := strings.CutPrefix(full, around+"."); ok && relative != word && relative != full {
			list = append(list, relative)
		}
	}
	return list
}

// shadows returns the declarations that a spelling in d would mean rather than the
// one of the full name, if they were declared before d.
func (b *nameBook) shadows(d *declaration, full, spelled string) []*declaration {
	var list []*declaration
	for _, candidate := range words.Candidates(d.namespace(), spelled) {
		if candidate == full {
			break
		}
		if other := b.byName[candidate]; other != nil {
			list = append(list, other)
		}
	}
	// An enum anywhere outwards is found before an object that is nearer.
	if b.byName[full].object != nil {
		for _, candidate := range words.Candidates(d.namespace(), spelled) {
			if other := b.byName[candidate]; other != nil && other.enum != nil && !contains(list, other) {
				list = append(list, other)
			}
		}
	}
	return list
}

func contains(list []*declaration, d *declaration) bool {
	for _, item := range list {
		if item == d {
			return true
		}
	}
	return false
}

// order returns the declarations in an order that keeps to all that was noted.
func (b *nameBook) order() ([]*declaration, error) {
	ready := &declarationHeap{}
	for _, d := range b.list {
		if d.waiting == 0 {
			heap.Push(ready, d)
		}
	}
	var order []*declaration
	for ready.Len() > 0 {
		d := heap.Pop(ready).(*declaration)
		order = append(order, d)
		var freed []*declaration
		for next := range d.after {
			if next.waiting--; next.waiting == 0 {
				freed = append(freed, next)
			}
		}
		sort.Slice(freed, func(i, j int) bool { return less(freed[i], freed[j]) })
		for _, next := range freed {
			heap.Push(ready, next)
		}
	}
	if len(order) != len(b.list) {
		for _, d := range b.list {
			if d.waiting > 0 {
				return nil, errors.New("schema: this schema cannot be written as .fbs: in no order of the declarations do all names mean what they should, " + words.Shorten(d.full) + " among them")
			}
		}
	}
	return order, nil
}

func less(a, b *declaration) bool {
	if a.namespace() != b.namespace() {
		return a.namespace() < b.namespace()
	}
	if a.rank() != b.rank() {
		return a.rank() < b.rank()
	}
	return a.full < b.full
}

type declarationHeap []*declaration

func (h declarationHeap) Len() int { return len(h) }

func (h declarationHeap) Less(i, j int) bool { return less(h[i], h[j]) }

func (h declarationHeap) Swap(i, j int) { h[i], h[j] = h[j], h[i] }

func (h *declarationHeap) Push(x any) { *h = append(*h, x.(*declaration)) }

func (h *declarationHeap) Pop() any {
	old := *h
	d := old[len(old)-1]
	*h = old[:len(old)-1]
	return d
}
