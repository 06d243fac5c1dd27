// Package conform compares two versions of a schema: may programs that were built with the
// one read data that was written with the other?
//
// Declarations are matched by their full names, fields by their ids, since ids are what
// stands in the data. Each difference says which direction it breaks:
//
//	Backward: programs with the new schema read data of the old one.
//	Forward:  programs with the old schema read data of the new one.
//
// Besides it says what differences do to those who do not read bytes: to JSON texts, in which
// names stand and no ids, and to source code that uses generated code.
package conform

import (
	"fmt"
	"math"
	"slices"

	"github.com/fbverify/go/schema"
)

// Severity says how bad a difference is.
type Severity uint8

const (
	// Note changes nothing that a reader sees in the bytes.
	Note Severity = iota
	// Warning loses something, or invites a later break.
	Warning
	// Break misreads values or refuses data.
	Break
)

var severityNames = [...]string{"note", "warning", "break"}

// String returns the severity in one word.
func (s Severity) String() string { return severityNames[s] }

// MarshalText makes the word the severity's JSON.
func (s Severity) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// Difference is one difference that matters.
type Difference struct {
	Where    string   `json:"where"` // full name of the declaration, with the field or value
	Kind     string   `json:"kind"`  // stable, with dashes
	Severity Severity `json:"severity"`
	Backward bool     `json:"backward"` // new programs, old data
	Forward  bool     `json:"forward"`  // old programs, new data
	Text     bool     `json:"text"`     // JSON texts of the one version mean something else in the other, or nothing
	Source   bool     `json:"source"`   // source code that uses the code generated from the old version has to be changed
	Message  string   `json:"message"`
}

// Compare returns the differences between an old schema and a new one, in the order of the
// old one's declarations.
func Compare(before, after *schema.Schema) []Difference {
	c := &comparer{before: before, after: after, asked: before.ConstraintsOf(), asks: after.ConstraintsOf()}
	c.schemas()
	return c.found
}

// FileRemoved is the difference of a schema that is gone.
func FileRemoved(name string) Difference {
	return Difference{Where: name, Kind: "file-removed", Severity: Warning, Text: true, Source: true, Message: "the schema is gone, or has another name: nothing is said of its data"}
}

// FileAdded is the difference of a schema that was not there.
func FileAdded(name string) Difference {
	return Difference{Where: name, Kind: "file-added", Severity: Note, Message: "the schema is new"}
}

type comparer struct {
	before, after *schema.Schema
	asked, asks   constraintsOf // before, after
	found         []Difference
}

type constraintsOf = func(*schema.Object, *schema.Field) ([]schema.Constraint, error)

// meaning says of each kind of difference whether it changes what JSON texts mean, and whether
// source code that uses generated code has to be changed.
var meaning = map[string]struct{ text, source bool }{
	"root-type":        {text: true, source: true},
	"identifier":       {},
	"type-removed":     {source: true}, // its name stands in no text
	"kind":             {text: true, source: true},
	"id-changed":       {}, // names stay
	"renamed":          {text: true, source: true},
	"required-added":   {text: true},
	"required-removed": {text: true, source: true},
	"removed":          {text: true, source: true},
	"required":         {text: true},
	"deprecated":       {source: true}, // accessors are not generated any more
	"key":              {source: true}, // nor are look-ups
	"nested":           {text: true, source: true},
	"offset-size":      {},
	"added":            {},
	"optional":         {text: true, source: true},
	"default":          {text: true}, // fields that a text leaves out
	"type":             {text: true, source: true},
	"struct-layout":    {},
	"struct-field":     {text: true, source: true},
	"underlying-type":  {source: true},
	"bit-flags":        {text: true},
	"value-changed":    {}, // the name stays, and texts have names
	"value-removed":    {text: true, source: true},
	"member-type":      {text: true, source: true},
	"value-added":      {},
	"constraint":       {}, // texts are encoded without being asked, and code is the same
}

// Directions of a difference.
const (
	both     = "both"
	backward = "backward"
	forward  = "forward"
	neither  = ""
)

func (c *comparer) say(where, kind string, severity Severity, direction, format string, args ...any) {
	means := meaning[kind]
	c.found = append(c.found, Difference{
		Where: where, Kind: kind, Severity: severity, Message: fmt.Sprintf(format, args...), Text: means.text, Source: means.source,
		Backward: direction == both || direction == backward, Forward: direction == both || direction == forward,
	})
}

// last returns the difference that was found last.
func (c *comparer) last() *Difference { return &c.found[len(c.found)-1] }

func (c *comparer) schemas() {
	switch a, b := c.before.Root, c.after.Root; {
	case a != nil && b != nil && a.Name != b.Name:
		c.say("root_type", "root-type", Break, both, "the root was %s and is %s", a.Name, b.Name)
	case (a == nil) != (b == nil):
		c.say("root_type", "root-type", Note, neither, "the schema names a root only in one of its versions")
	}
	if a, b := c.before.FileIdentifier, c.after.FileIdentifier; a != b {
		switch {
		case a == "":
			c.say("file_identifier", "identifier", Warning, backward, "it is %q now: programs that insist on it refuse old data, which has none", b)
		case b == "":
			c.say("file_identifier", "identifier", Warning, forward, "it was %q and is gone: programs that insist on it refuse new data", a)
		default:
			c.say("file_identifier", "identifier", Break, both, "it was %q and is %q: programs that insist on it refuse the other's data", a, b)
		}
	}
	for _, a := range c.before.Objects {
		b := exactObject(c.after, a.Name)
		switch {
		case b == nil:
			c.say(a.Name, "type-removed", Warning, neither, "%s is gone, or has another name: where fields of that type stay, they are compared with what they are of now", kind(a))
		case a.IsStruct != b.IsStruct:
			c.say(a.Name, "kind", Break, both, "it was a %s and is a %s", kind(a), kind(b))
		case a.IsStruct:
			c.structs(a, b)
		default:
			c.tables(a, b)
		}
	}
	for _, a := range c.before.Enums {
		if b := exactEnum(c.after, a.Name); b != nil {
			c.enums(a, b)
		} else {
			c.say(a.Name, "type-removed", Warning, neither, "it is gone, or has another name")
		}
	}
}

func kind(o *schema.Object) string {
	if o.IsStruct {
		return "struct"
	}
	return "table"
}

func exactObject(s *schema.Schema, name string) *schema.Object {
	for _, o := range s.Objects {
		if o.Name == name {
			return o
		}
	}
	return nil
}

func exactEnum(s *schema.Schema, name string) *schema.Enum {
	for _, e := range s.Enums {
		if e.Name == name {
			return e
		}
	}
	return nil
}

// tables compares field by field, by id.
func (c *comparer) tables(a, b *schema.Object) {
	for _, f := range a.Fields {
		where := a.Name + "." + f.Name
		if f.ID >= len(b.Fields) {
			c.removed(where, f, b)
			continue
		}
		g := b.Fields[f.ID]
		if g.Name != f.Name {
			if moved := b.Field(f.Name); moved != nil {
				c.say(where, "id-changed", Break, both, "its id was %d and is %d: each program reads another field in its place", f.ID, moved.ID)
				continue
			}
			if a.Field(g.Name) == nil && sameType(f.Type, g.Type) {
				c.say(where, "renamed", Note, neither, "it is called %s now: the bytes are the same, JSON and source code are not", g.Name)
			}
		}
		c.field(where, a, f, b, g)
	}
	for _, g := range b.Fields {
		where := b.Name + "." + g.Name
		switch {
		case g.ID < len(a.Fields):
		case g.Required:
			c.say(where, "required-added", Break, backward, "a new field that is required: old data does not have it and is refused")
		default:
			c.say(where, "added", Note, neither, "a new field: old programs do not see it, and new ones find its default in old data")
		}
	}
}

func (c *comparer) removed(where string, f *schema.Field, b *schema.Object) {
	switch {
	case b.Field(f.Name) != nil:
		c.say(where, "id-changed", Break, both, "its id was %d and is %d: each program reads another field in its place", f.ID, b.Field(f.Name).ID)
	case f.Required:
		c.say(where, "required-removed", Break, forward, "it was required and is gone: old programs refuse new data")
	default:
		c.say(where, "removed", Warning, forward, "it is gone: old programs find its default in new data, and its id %d may be given to another field by mistake; deprecated keeps it", f.ID)
	}
}

// field compares two fields of one id.
func (c *comparer) field(where string, a *schema.Object, f *schema.Field, b *schema.Object, g *schema.Field) {
	if !c.types(where, f.Type, g.Type) {
		return
	}
	if f.Offset64 != g.Offset64 {
		c.say(where, "offset-size", Break, both, "its offset had %d bits and has %d", bits(f), bits(g))
	}
	c.defaults(where, f, g)
	switch {
	case !f.Required && g.Required:
		c.say(where, "required", Break, backward, "it is required now: old data without it is refused")
	case f.Required && !g.Required:
		c.say(where, "required", Break, forward, "it is no longer required: old programs refuse new data without it")
	}
	if f.Deprecated != g.Deprecated {
		if g.Deprecated {
			c.say(where, "deprecated", Note, forward, "it is deprecated now: new programs do not write it, and old ones find its default")
		} else {
			c.say(where, "deprecated", Note, neither, "it is no longer deprecated")
			c.last().Source = false
		}
	}
	if f.Key != g.Key {
		c.say(where, "key", Warning, both, "vectors were sorted by %s and are by %s: look-ups by key may miss what is there", keyName(a), keyName(b))
	}
	c.constraints(where, a, f, b, g)
	if n, m := nestedName(c.before, a, f), nestedName(c.after, b, g); n != m {
		c.say(where, "nested", Break, both, "the bytes held %s and hold %s", orNothing(n), orNothing(m))
	}
}

// constraints compares what is asked of the values of a field. One more, or another, is refused by
// new programs in old data; one less leaves old programs to refuse new data.
func (c *comparer) constraints(where string, a *schema.Object, f *schema.Field, b *schema.Object, g *schema.Field) {
	was, is := written(c.asked, a, f), written(c.asks, b, g)
	for _, text := range is {
		if !slices.Contains(was, text) {
			c.say(where, "constraint", Warning, backward, "it is asked for %s now: old data that does not meet this is refused", text)
		}
	}
	for _, text := range was {
		if !slices.Contains(is, text) {
			c.say(where, "constraint", Warning, forward, "it is no longer asked for %s: old programs refuse new data that does not meet this, and new ones can no longer rely on it", text)
		}
	}
}

// written returns the constraints of a field as schemas write them.
func written(of constraintsOf, o *schema.Object, f *schema.Field) (list []string) {
	constraints, err := of(o, f)
	if err != nil {
		return nil // a schema that was loaded has none that is mistaken
	}
	for i := range constraints {
		list = append(list, constraints[i].String())
	}
	return list
}

func bits(f *schema.Field) int {
	if f.Offset64 {
		return 64
	}
	return 32
}

func keyName(o *schema.Object) string {
	if k := o.Key(); k != nil {
		return k.Name
	}
	return "nothing"
}

func nestedName(s *schema.Schema, o *schema.Object, f *schema.Field) string {
	if root, err := s.NestedRoot(o, f); err == nil && root != nil {
		return root.Name
	}
	return ""
}

func orNothing(name string) string {
	if name == "" {
		return "no FlatBuffer"
	}
	return "a " + name
}

// defaults compares what an absent field reads as.
func (c *comparer) defaults(where string, f, g *schema.Field) {
	if f.Optional != g.Optional && f.Type.IsScalar() {
		direction := forward
		if g.Optional {
			direction = backward
		}
		c.say(where, "optional", Break, both, "absent was %s and is %s: what was not written reads differently (%s)", absent(f), absent(g), direction)
		return
	}
	same := f.DefaultInteger == g.DefaultInteger && f.DefaultString == g.DefaultString && f.HasDefaultString == g.HasDefaultString &&
		f.HasDefaultVector == g.HasDefaultVector &&
		(math.Float64bits(f.DefaultReal) == math.Float64bits(g.DefaultReal) || math.IsNaN(f.DefaultReal) && math.IsNaN(g.DefaultReal))
	if !same {
		c.say(where, "default", Break, both, "its default was %s and is %s: values that were not written for being the default read as the other", absent(f), absent(g))
	}
}

// absent is what a field that is not there reads as.
func absent(f *schema.Field) string {
	switch {
	case f.Optional && f.Type.IsScalar():
		return "null"
	case f.Type.IsFloat():
		return fmt.Sprint(f.DefaultReal)
	case f.Type.IsInteger():
		if f.Type.Enum != nil {
			if v := f.Type.Enum.ByValue(f.DefaultInteger); v != nil {
				return v.Name
			}
		}
		if f.Type.Base.IsUnsigned() {
			return fmt.Sprint(uint64(f.DefaultInteger))
		}
		return fmt.Sprint(f.DefaultInteger)
	case f.HasDefaultString:
		return fmt.Sprintf("%q", f.DefaultString)
	case f.HasDefaultVector:
		return "[]"
	}
	return "nothing"
}
