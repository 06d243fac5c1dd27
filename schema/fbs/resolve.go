package fbs

import (
	"fmt"
	"sort"
	"strings"

	"github.com/fbverify/go/schema"
	"github.com/fbverify/go/schema/internal/words"
)

// resolver turns syntax trees into the model, declaration by declaration in the
// order of the text: what a name means depends on what came before.
type resolver struct {
	err    *reporter
	global *scope
	scope  *scope // the current namespace
	s      *schema.Schema

	fileName   string // name of the current file in the schema
	attributes map[string]bool
	depth      map[*schema.Object]int // of structs in structs
	open       []*symbol              // used before their declaration, in the order of first use
	root       *symbol
	data       span // after the declarations of the current file
	tables     []tableUse
	nested     []nestedUse
	asked      []askedField
	values     map[*schema.Enum]map[string]*schema.EnumValue // by name, for the enums that were asked
	incomplete bool                                          // an included file is missing, so names may be as well
}

// tableUse is a place where only a table can stand. What is not declared yet is
// looked at in the end.
type tableUse struct {
	sym   *symbol
	place span
	as    string
}

type nestedUse struct {
	object *schema.Object
	field  *schema.Field
	sym    *symbol // what the name meant where it stood
	place  span
}

// askedField is a field whose attributes may constrain its values.
type askedField struct {
	object *schema.Object
	field  *schema.Field
	attrs  attrSet
}

func newResolver(err *reporter) *resolver {
	r := &resolver{err: err, global: newScope(nil, ""), s: &schema.Schema{}, attributes: map[string]bool{}, depth: map[*schema.Object]int{}, values: map[*schema.Enum]map[string]*schema.EnumValue{}}
	for _, a := range schema.BuiltinAttributes() {
		r.attributes[a] = true
	}
	return r
}

// file adds the declarations of one file, named so in the schema.
func (r *resolver) file(f *syntaxFile, named string) {
	r.fileName, r.scope = named, r.global
	// These belong to the first file alone, which comes last.
	r.root, r.s.FileIdentifier, r.s.FileExtension, r.data = nil, "", "", f.data
	for _, d := range f.decls {
		if r.err.full() {
			return
		}
		switch d := d.(type) {
		case *namespaceDecl:
			r.scope = r.global.child(d.name.text, true)
		case *rootDecl:
			r.rootType(d)
		case *identifierDecl:
			if len(d.text.text) != 4 {
				r.err.at(d.text.span, "a file identifier has exactly 4 bytes; this one has %d", len(d.text.text))
			}
			r.s.FileIdentifier = d.text.text
		case *extensionDecl:
			r.s.FileExtension = d.text.text
		case *attributeDecl:
			r.attributes[d.name.text] = true
		case *objectDecl:
			r.object(d)
		case *enumDecl:
			r.enum(d)
		case *serviceDecl:
			r.service(d)
		}
	}
}

func (r *resolver) rootType(d *rootDecl) {
	// Other than everywhere else, the namespaces around the current one are not
	// looked through.
	sym := r.global.object(d.name.text)
	if sym == nil {
		sym = r.scope.object(d.name.text)
	}
	if sym == nil {
		r.err.at(d.name.span, "there is no table %s%s (a root type has to be declared before, and its namespace be given unless it is the current one)",
			words.Quote(d.name.text), r.suggest(d.name.text))
		return
	}
	r.root = sym
	r.tables = append(r.tables, tableUse{sym, d.name.span, "a root type"})
}

// finish looks at what could not be known earlier and returns the schema.
func (r *resolver) finish() *schema.Schema {
	for _, sym := range r.open {
		if r.err.full() {
			break
		}
		if !sym.declared && !r.incomplete {
			r.unknown(sym)
		}
	}
	for _, use := range r.tables {
		if use.sym.declared && use.sym.object.IsStruct {
			r.err.at(use.place, "%s has to be a table, and %s is a struct", use.as, use.sym.object.Name)
		}
	}
	sort.SliceStable(r.s.Objects, func(i, j int) bool { return r.s.Objects[i].Name < r.s.Objects[j].Name })
	sort.SliceStable(r.s.Enums, func(i, j int) bool { return r.s.Enums[i].Name < r.s.Enums[j].Name })
	sort.SliceStable(r.s.Services, func(i, j int) bool { return r.s.Services[i].Name < r.s.Services[j].Name })
	object := func(full string) *schema.Object {
		if sym := r.global.object(full); sym != nil && sym.declared {
			return sym.object
		}
		return nil
	}
	for _, use := range r.nested {
		if r.err.full() || r.incomplete {
			break
		}
		// The model keeps the name alone, so it has to mean the same without the
		// order of the text.
		root, err := schema.NestedRoot(use.object, use.field, object)
		switch {
		case err != nil:
			r.err.at(use.place, "%v", err)
		case root != use.sym.object && use.sym.declared:
			r.err.at(use.place, "at this place the name means %s, and once all is declared it means %s: write the name in full", use.sym.object.Name, root.Name)
		}
	}
	r.constraints()
	if r.root != nil {
		r.s.Root = r.root.object
	} else if r.data.src != nil {
		r.err.at(r.data, "data after a schema that names no root_type: this may be no schema at all")
	}
	return r.s
}

// unknown reports the uses of a name that was never declared, and says why it may
// look declared.
func (r *resolver) unknown(sym *symbol) {
	text := sym.written
	remark := ""
	if e := sym.enum; e != nil {
		kind := "an enum"
		if e.IsUnion {
			kind = "a union"
		}
		for _, use := range sym.uses {
			r.err.at(use, "%s is %s, and a table or a struct is needed here", e.Name, kind)
		}
		return
	}
	if e := sym.from.enum(text); e != nil {
		kind := "enum"
		if e.IsUnion {
			kind = "union"
		}
		remark = fmt.Sprintf("the %s %s is declared only after this, and enums and unions have to come before their use", kind, e.Name)
	}
	for s := sym.from; s != nil && remark == ""; s = s.parent {
		if other := s.object(text); other != nil && other.declared {
			remark = fmt.Sprintf("%s is declared only after this (%s); a name with a part of the namespace has to be declared before its use, or be written in full",
				other.object.Name, other.place.place())
		}
	}
	hint := ""
	if remark == "" {
		hint = r.suggest(text)
	} else {
		remark = ": " + remark
	}
	for _, use := range sym.uses {
		r.err.at(use, "there is no type %s%s%s", words.Quote(text), hint, remark)
	}
}

// suggest returns a remark with a known type near the unknown one.
func (r *resolver) suggest(text string) string {
	known := []string{"bool", "byte", "ubyte", "short", "ushort", "int", "uint", "long", "ulong", "float", "double", "string"}
	_, last := words.Split(text)
	for _, o := range r.s.Objects {
		_, word := words.Split(o.Name)
		if word == last && o.Name != text {
			return fmt.Sprintf(", did you mean %s?", words.Quote(o.Name))
		}
		known = append(known, word, o.Name)
	}
	for _, e := range r.s.Enums {
		_, word := words.Split(e.Name)
		if word == last && e.Name != text {
			return fmt.Sprintf(", did you mean %s?", words.Quote(e.Name))
		}
		known = append(known, word, e.Name)
	}
	return words.DidYouMean(text, known)
}

// newType records the declaration of a type, and reports a second one of the
// same name.
func (r *resolver) newType(n name) bool {
	if len(r.scope.full)+1+len(n.text) > words.MaxName {
		r.err.at(n.span, "with its namespace this name has more than %d characters, the most that are allowed", words.MaxName)
		return false
	}
	if before, ok := r.scope.types[n.text]; ok {
		r.err.at(n.span, "%s is declared already, at %s", words.Qualified(r.scope.full, n.text), before.place())
		return false
	}
	r.scope.types[n.text] = n.span
	return true
}

// maxAttributes is the number of attributes a declaration or field can have. flatc
// has no limit.
const maxAttributes = 256

// attrs resolves a list of attributes, in order of their keys. For one that is
// given twice the first counts.
func (r *resolver) attrs(list []attrSyntax) attrSet {
	var set attrSet
	for i, a := range list {
		if r.err.full() {
			break
		}
		if i == maxAttributes {
			r.err.at(a.name.span, "more than %d attributes at one declaration", maxAttributes)
			break
		}
		if !r.attributes[a.name.text] {
			var known []string
			for k := range r.attributes {
				known = append(known, k)
			}
			r.err.at(a.name.span, "the attribute %s is not declared%s (declare it before its use: attribute \"%s\";)",
				words.Quote(a.name.text), words.DidYouMean(a.name.text, known), strings.Trim(words.Quote(a.name.text), `"`))
			continue
		}
		value, ok := r.attrValue(a)
		if !ok || set.has(a.name.text) {
			continue
		}
		set = append(set, attr{schema.Attribute{Key: a.name.text, Value: value}, a.name.span, a.value})
	}
	return set
}

// attr is an attribute with its place in the text.
type attr struct {
	schema.Attribute
	place  span
	syntax *valueSyntax // nil without a value
}

func (a attr) at() span {
	if a.syntax != nil {
		return a.syntax.span
	}
	return a.place
}

type attrSet []attr

func (s attrSet) get(key string) (attr, bool) {
	for _, a := range s {
		if a.Key == key {
			return a, true
		}
	}
	return attr{}, false
}

func (s attrSet) has(key string) bool { _, ok := s.get(key); return ok }

// list returns the attributes as the model has them.
func (s attrSet) list() []schema.Attribute {
	var list []schema.Attribute
	for _, a := range s {
		list = append(list, a.Attribute)
	}
	sortAttributes(list)
	return list
}

func sortAttributes(list []schema.Attribute) {
	sort.SliceStable(list, func(i, j int) bool { return list[i].Key < list[j].Key })
}

// attrValue returns what a .bfbs holds for the value. An attribute without one
// has the value "0" there; where only its presence means something the model
// leaves it out.
func (r *resolver) attrValue(a attrSyntax) (string, bool) {
	value := "0"
	if v := a.value; v != nil {
		switch {
		case v.function != "" || v.kind == tokenIdent:
			r.err.at(v.span, "found %s, expected a string in quotes or an integer as the value of the attribute", words.Quote(v.text))
			return "", false
		case v.kind == tokenString:
			value = v.text
		case v.kind == tokenInt:
			n, err := schema.ParseInteger(v.text, schema.Int)
			if err != nil {
				r.err.at(v.span, "the value of an attribute: %v", err)
				return "", false
			}
			value = fmt.Sprint(n)
		default:
			r.err.at(v.span, "found %s, expected a string in quotes or an integer as the value of the attribute", words.Quote(v.text))
			return "", false
		}
	}
	return schema.NewAttribute(a.name.text, value).Value, true
}
