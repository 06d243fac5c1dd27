package gogen

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/fbverify/go/schema"
)

// model is a merged schema with the Go names of all that is generated for it.
type model struct {
	*merged
	pkg      string
	opts     Options
	packages []*goPackage // of types that other packages have

	schemaFiles []schemaFile
	tables      []*object // in order of full names
	structs     []*object // each after the structs it contains
	enums       []*enum   // in order of full names
	unions      []*enum
	objects     map[*schema.Object]*object
	byEnum      map[*schema.Enum]*enum
	names       scope             // of the package
	owners      map[string]string // full names of types, by Go names that are made of theirs; those of other packages have the alias in front
	clashes     []clash
	sorted      map[*object]bool // objects with a key that are elements of some vector
	inUnion     map[*object]bool // structs that are members of unions
	compared    map[*object]bool // structs that are keys, or parts of keys
}

// object is a table or struct with its Go names.
type object struct {
	*schema.Object
	in     *goPackage // nil for the package that is being generated
	goName string
	plain  string   // of a struct as flatc's code has it: goName then is its owned form's
	fields []*field // in order of ids, without deprecated ones
	key    *field   // nil when the object has none

	// For tables.
	layouts []*layout
	owned   string // LayoutT
	fresh   string // NewLayoutT
	typeOf  string // typeOfLayout, the variable that holds the compiled Type
	fns     objectFuncs

	scalars int    // of a struct: see the method; 0 is not yet counted
	packAny string // packAnySpot, for structs that are members of unions
	vector  string // StatVector
	compare string // compareStat, for tables with a key and structs in keys
}

// objectFuncs are the names of a table's or struct's builder functions.
type objectFuncs struct {
	start, end, create, finish, finishPrefixed, finishLong, identifier string
}

// field is one field of a table or struct, with its Go names.
type field struct {
	*schema.Field
	goName     string  // of the getter and of the owned struct's field
	get        string  // of the getter: goName, or what leaves that name to flatc's accessor
	add        string  // LayoutAddEncoding
	start      string  // LayoutStartChildrenVector; "" for what is no vector
	end        string  // MonsterEndBigVector, for vectors whose length takes 64 bits
	has        string  // HasEncoding, of what can be absent and does not say so itself
	nested     *object // the table at the root of the buffer that the field holds
	nestedRoot string  // LayoutRoot, the method that returns it
	tag        *field  // of a union and of a vector of unions: the field with its kinds
	value      *field  // of a union's tag: the field with its value
}

// enum is an enum or union with its Go names.
type enum struct {
	*schema.Enum
	in     *goPackage // nil for the package that is being generated
	goName string
	values []*enumValue // without repeats of a value
	list   string       // ColorValues
	parse  string       // ParseColor

	// For unions.
	view   string // AnyValue
	vector string // AnyVector
	owned  string // AnyT
}

type enumValue struct {
	*schema.EnumValue
	goName string
	method string // AsMonster
}

// newModel names everything. The order in which names are taken is part of the
// documented rule (see the package documentation): types first, then what is
// derived from them, each in order of the types' full names.
func newModel(m *merged, opts Options) (*model, error) {
	g := &model{merged: m, pkg: opts.Package, opts: opts, objects: map[*schema.Object]*object{}, byEnum: map[*schema.Enum]*enum{}, names: scope{}, owners: map[string]string{}}
	if err := g.addPackages(); err != nil {
		return nil, err
	}
	if err := g.nameTypes(); err != nil {
		return nil, err
	}
	for _, o := range m.Objects {
		if !o.IsStruct && g.objects[o].in == nil {
			g.tables = append(g.tables, g.objects[o])
		}
	}
	seen := map[*object]bool{}
	for _, o := range m.Objects {
		if o.IsStruct {
			g.addStruct(g.objects[o], seen)
		}
	}
	for _, e := range m.Enums {
		switch e := g.byEnum[e]; {
		case e.in != nil:
		case e.IsUnion:
			g.unions = append(g.unions, e)
		default:
			g.enums = append(g.enums, e)
		}
	}
	for _, o := range m.Objects {
		if err := g.nameFields(g.objects[o]); err != nil {
			return nil, err
		}
	}
	g.findSorted()
	for _, o := range m.Objects {
		if o := g.objects[o]; !o.IsStruct {
			o.owned = g.derive(o.in, o.Name, o.goName, "T")
		}
	}
	for _, e := range m.Enums {
		if u := g.byEnum[e]; u.IsUnion {
			u.view = g.derive(u.in, u.Name, u.goName, "Value")
			u.owned = g.derive(u.in, u.Name, u.goName, "T")
			u.vector = g.derive(u.in, u.Name, u.goName, "Vector")
		}
	}
	for _, e := range m.Enums {
		g.nameValues(g.byEnum[e])
	}
	for _, o := range m.Objects {
		o := g.objects[o]
		o.vector = g.derive(o.in, o.Name, o.goName, "Vector")
	}
	for _, o := range m.Objects {
		g.nameFunctions(g.objects[o])
	}
	for _, o := range g.tables {
		o.fresh = g.derive(nil, o.Name, "New"+o.owned, "")
	}
	g.nameFiles()
	return g, nil
}

// addStruct appends a struct after those it contains.
func (g *model) addStruct(o *object, seen map[*object]bool) {
	if seen[o] {
		return
	}
	seen[o] = true
	for _, f := range o.Fields {
		if f.Type.Object != nil {
			g.addStruct(g.objects[f.Type.Object], seen)
		}
	}
	if o.in == nil {
		g.structs = append(g.structs, o)
	}
}

// methods are the names that a view, an owned struct or a fixed view has
// besides its fields, and those that packages fmt, encoding, io and others give a
// meaning to: a getter of that name would print as the whole view, make it an error,
// or fail go vet. Is, As, Unwrap and Format are free: without String's and Error's
// meaning, and without parameters, a getter of that name means nothing.
var methods = []string{
	"FlatBuffersType", "Present", "Unpack", "UnPack", "UnPackTo", "Pack", "SwapBytes", "Fixed", "Fixed2", "Fixed3", "View",
	"String", "GoString", "Error", "IsZero", "AppendBinary", "AppendText", "GobDecode", "GobEncode",
	"MarshalBinary", "MarshalJSON", "MarshalText", "MarshalXML", "ReadByte", "ReadRune",
	"UnmarshalBinary", "UnmarshalJSON", "UnmarshalText", "UnmarshalXML", "UnreadByte", "UnreadRune", "WriteByte",
}

// nameFields names the fields of an object that is not deprecated.
func (g *model) nameFields(o *object) error {
	members := scope{}
	for _, name := range methods {
		members[name] = true
	}
	byID := map[int]*field{}
	for _, f := range o.Fields {
		if f.Deprecated {
			continue
		}
		name := g.fieldName(f.Name)
		fd := &field{Field: tagged(f), goName: members.take(name, name+"Field")}
		fd.get = fd.goName
		if g.opts.Flatc && !o.IsStruct && flatcDiffers(fd.Field) {
			fd.get = members.take(fd.goName + "View")
		}
		nested, err := g.NestedRoot(o.Object, f)
		if err != nil {
			return err
		}
		if nested != nil {
			if f.Type.Base == schema.String || f.Type.ElementType().Base != schema.UByte || f.Type.Enum != nil {
				return fmt.Errorf("%s.%s: nested_flatbuffer is for vectors of ubyte, and this is %s", o.Name, f.Name, f.Type)
			}
			fd.nested = g.objects[nested]
			fd.nestedRoot = members.take(fd.goName + "Root")
		}
		if tellsPresence(o.Object, f) {
			fd.has = members.take("Has"+fd.goName, "Has"+fd.goName+"Field")
		}
		o.fields = append(o.fields, fd)
		byID[f.ID] = fd
		if f.Key {
			o.key = fd
		}
		if isUnion(f.Type) {
			fd.tag = byID[f.ID-1]
			if fd.tag == nil || !isTag(fd.tag.Type) {
				return fmt.Errorf("%s.%s: the union has no type field before it", o.Name, f.Name)
			}
			fd.tag.value = fd
		}
	}
	return nil
}

// tellsPresence tells whether a field gets a method that says if it is there:
// strings, vectors and tables of tables, unless they are required. Structs and
// optional scalars say so themselves, a union's kind does, and whether another
// scalar was written depends on its writer and not on its value alone.
func tellsPresence(o *schema.Object, f *schema.Field) bool {
	t := f.Type
	return !o.IsStruct && !f.Required && !t.IsScalar() && !t.IsStruct() && t.Base != schema.Union && !isTag(t)
}

// tagged returns a field as it is, except that the kind of a union has the number
// type that the union says, where it says one.
func tagged(f *schema.Field) *schema.Field {
	if f.Type.Enum == nil || f.Type.Base != schema.UType && f.Type.Element != schema.UType {
		return f
	}
	tag := *f
	if tag.Type.Base == schema.UType {
		tag.Type.Base = tag.Type.Enum.Underlying
	} else {
		tag.Type.Element = tag.Type.Enum.Underlying
	}
	return &tag
}

func isUnion(t schema.Type) bool {
	return t.Base == schema.Union || t.IsVector() && t.Element == schema.Union
}

// isTag reports whether a field holds the kinds of a union or of a vector of
// unions. Such a field's enum is the union.
func isTag(t schema.Type) bool {
	return t.Enum != nil && t.Enum.IsUnion && !isUnion(t)
}

// nameValues names what lists and parses the values of an enum, its constants, and the
// methods of a union. A value that is added must not take the name of what was there.
func (g *model) nameValues(e *enum) {
	e.list = g.derive(e.in, e.Name, e.goName, "Values")
	e.parse = g.derivePrefixed(e.in, e.Name, "Parse", e.goName)
	methods := scope{"Kind": true, "Unpack": true, "UnPack": true}
	seen := map[int64]bool{}
	for _, v := range e.Values {
		if seen[v.Value] {
			continue
		}
		seen[v.Value] = true
		value := &enumValue{EnumValue: v, goName: g.derive(e.in, e.Name, e.goName, g.valueName(v.Name))}
		if v.Type.Base != schema.None {
			value.method = methods.take("As" + g.valueName(v.Name))
		}
		e.values = append(e.values, value)
	}
}

func (g *model) nameFunctions(o *object) {
	n := o.goName
	word := n[strings.IndexByte(n, '.')+1:] // these are of this package, whosever the type is
	if o.key != nil && !o.IsStruct || g.compared[o] {
		o.compare = g.names.take("compare" + word)
	}
	if o.IsStruct && g.inUnion[o] {
		o.packAny = g.names.take("packAny" + word)
	}
	if o.in != nil {
		return
	}
	own := func(name string) string { return g.derive(nil, o.Name, name, "") }
	if o.IsStruct {
		o.fns.create = own("Create" + cmp.Or(o.plain, n))
		return
	}
	o.typeOf = g.names.take("typeOf" + n)
	o.fns.start = own(n + "Start")
	for _, f := range o.fields {
		f.add = own(n + "Add" + f.goName)
		if f.Type.IsVector() {
			f.start = own(n + "Start" + f.goName + "Vector")
		}
		if f.Type.Base == schema.Vector64 {
			f.end = own(n + "End" + f.goName + "Vector")
		}
	}
	o.fns.end = own(n + "End")
	o.fns.finish = own("Finish" + n + "Buffer")
	o.fns.finishPrefixed = own("FinishSizePrefixed" + n + "Buffer")
	if g.hasWide() {
		o.fns.finishLong = own("FinishLongPrefixed" + n + "Buffer")
	}
	if g.identifiers[o.Name] != "" {
		o.fns.identifier = own(n + "Identifier")
	}
}

// hasWide tells whether some field holds an offset of 64 bits.
func (g *model) hasWide() bool {
	for _, o := range g.Objects {
		for _, f := range o.Fields {
			if wideOffset(f) {
				return true
			}
		}
	}
	return false
}

// checkNames refuses a schema whose names are no identifiers, as only a binary
// one that no compiler wrote can have them: they would end up in Go source.
func checkNames(s *schema.Schema) error {
	bad := func(what, name string) error {
		return fmt.Errorf("fbgen: %s has the name %q, which is no identifier", what, name)
	}
	for _, o := range s.Objects {
		if !isFullName(o.Name) {
			return bad("a table or struct", o.Name)
		}
		for _, f := range o.Fields {
			if !isIdentifier(f.Name) {
				return bad("a field of "+o.Name, f.Name)
			}
		}
	}
	for _, e := range s.Enums {
		if !isFullName(e.Name) {
			return bad("an enum or union", e.Name)
		}
		for _, v := range e.Values {
			// A union's member may be named by its type's full name.
			if !isFullName(v.Name) {
				return bad("a value of "+e.Name, v.Name)
			}
		}
	}
	return nil
}

func isFullName(s string) bool {
	for _, word := range strings.Split(s, ".") {
		if !isIdentifier(word) {
			return false
		}
	}
	return true
}

func isIdentifier(s string) bool {
	for i := range len(s) {
		if c := s[i]; c != '_' && !isUpper(c) && !isLower(c) && (i == 0 || !isDigit(c)) {
			return false
		}
	}
	return s != ""
}
