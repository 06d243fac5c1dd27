package fbs

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"sort"
	"strconv"
	"strings"

	"github.com/fbverify/go/schema"
	"github.com/fbverify/go/schema/internal/words"
)

// Write writes the schema as one .fbs file, which [ParseFS] and flatc read.
// Reading it gives an equal schema, except for Files and the DeclarationFile of
// each declaration, as all are in one file now.
//
// Declarations stand in an order that the language allows, by namespace, kind and
// name where it leaves a choice. An attribute that the schema does not list
// although the model says what it means (Required without "required", as a
// model made by hand may have it) is written, and so is listed when read
// again. A string that is neither optional nor required and has no default, which
// is what a .bfbs leaves of a default, gets the default "", and a vector [].
//
// The error is that of [schema.Schema.Check], that of w, or says what cannot be expressed:
// some models, though sound, are none that any .fbs stands for.
func Write(w io.Writer, s *schema.Schema) error {
	if err := s.Check(); err != nil {
		return err
	}
	f := newFBSWriter(s)
	if err := f.schema(); err != nil {
		return err
	}
	if err := f.verify(); err != nil {
		return err
	}
	_, err := w.Write(f.out.Bytes())
	return err
}

// fbsWriter writes one schema.
type fbsWriter struct {
	s     *schema.Schema
	out   bytes.Buffer
	names *nameBook

	namespace string
	// added are the attributes that are written and not listed in the schema.
	added map[addedTo]bool
}

type addedTo struct{ owner, key string }

func newFBSWriter(s *schema.Schema) *fbsWriter {
	return &fbsWriter{s: s, names: newNameBook(s), added: map[addedTo]bool{}}
}

func (f *fbsWriter) printf(format string, args ...any) { fmt.Fprintf(&f.out, format, args...) }

func (f *fbsWriter) schema() error {
	order, err := f.names.order()
	if err != nil {
		return err
	}
	f.declareAttributes()
	for i, d := range order {
		if d.namespace() != f.namespace {
			f.namespace = d.namespace()
			f.gap()
			f.printf("namespace %s;\n", f.namespace)
		}
		if i >= 0 {
			f.gap()
		}
		switch {
		case d.object != nil:
			f.object(d)
		case d.enum != nil:
			f.enum(d)
		default:
			f.service(d)
		}
	}
	if f.s.Root != nil || f.s.FileIdentifier != "" || f.s.FileExtension != "" {
		f.gap()
	}
	if f.s.Root != nil {
		f.printf("root_type %s;\n", f.s.Root.Name)
	}
	if f.s.FileIdentifier != "" {
		f.printf("file_identifier %s;\n", fbsString(f.s.FileIdentifier))
	}
	if f.s.FileExtension != "" {
		f.printf("file_extension %s;\n", fbsString(f.s.FileExtension))
	}
	if f.out.Len() == 0 {
		// flatc takes no empty file.
		f.printf("namespace ;\n")
	}
	return nil
}

// gap puts an empty line between what is there and what comes.
func (f *fbsWriter) gap() {
	if f.out.Len() > 0 {
		f.out.WriteByte('\n')
	}
}

// declareAttributes declares all attributes that are not built in.
func (f *fbsWriter) declareAttributes() {
	used := map[string]bool{}
	note := func(list []schema.Attribute) {
		for _, a := range list {
			if _, builtin := schema.BuiltinAttribute(a.Key); !builtin {
				used[a.Key] = true
			}
		}
	}
	for _, o := range f.s.Objects {
		note(o.Attributes)
		for _, field := range o.Fields {
			note(field.Attributes)
		}
	}
	for _, e := range f.s.Enums {
		note(e.Attributes)
		for _, v := range e.Values {
			note(v.Attributes)
		}
	}
	for _, v := range f.s.Services {
		note(v.Attributes)
		for _, c := range v.Calls {
			note(c.Attributes)
		}
	}
	var keys []string
	for key := range used {
		keys = append(keys, key)
	}
	sort.Strings(keys)
	for _, key := range keys {
		f.printf("attribute %s;\n", fbsString(key))
	}
}

func (f *fbsWriter) doc(indent string, lines []string) {
	for _, line := range lines {
		f.printf("%s///%s\n", indent, line)
	}
}

// attributes writes a list of attributes, extra ones that the model implies
// included. owner names the declaration.
func (f *fbsWriter) attributes(owner string, list []schema.Attribute, implied ...schema.Attribute) {
	for _, a := range implied {
		if _, listed := schema.FindAttribute(list, a.Key); !listed {
			list = append(list[:len(list):len(list)], a)
			f.added[addedTo{owner, a.Key}] = true
		}
	}
	for i, a := range list {
		f.out.WriteString([]string{" (", ", "}[min(i, 1)])
		if words.IsIdentifier(a.Key) {
			f.out.WriteString(a.Key)
		} else {
			f.out.WriteString(fbsString(a.Key))
		}
		hasValue, builtin := schema.BuiltinAttribute(a.Key)
		value := a.Value
		switch {
		case builtin && !hasValue && value == "", !builtin && value == "0": // see attrValue
		case a.Key != "nested_flatbuffer" && isInt32(value):
			f.printf(": %s", value)
		default:
			f.printf(": %s", fbsString(value))
		}
	}
	if len(list) > 0 {
		f.out.WriteByte(')')
	}
}

// isInt32 reports whether the text is what a parse makes of an integer in an
// attribute.
func isInt32(text string) bool {
	n, err := strconv.ParseInt(text, 10, 32)
	return err == nil && strconv.FormatInt(n, 10) == text
}

func (f *fbsWriter) enum(d *declaration) {
	e := d.enum
	f.doc("", e.Doc)
	if e.IsUnion {
		f.printf("union %s", e.ShortName())
	} else {
		f.printf("enum %s", e.ShortName())
	}
	if e.Underlying != schema.UType {
		f.printf(" : %s", e.Underlying)
	}
	if e.BitFlags {
		f.attributes(e.Name, e.Attributes, schema.Attribute{Key: "bit_flags"})
	} else {
		f.attributes(e.Name, e.Attributes)
	}
	f.printf(" {\n")
	next := int64(0)
	for i, v := range e.Values {
		if e.IsUnion && i == 0 {
			next = 1
			continue
		}
		f.doc("  ", v.Doc)
		f.printf("  %s", memberText(d, v))
		number := v.Value
		if e.BitFlags {
			number = int64(bitOf(v.Value))
		}
		if number != next {
			f.printf(" = %s", integerText(number, e.Underlying))
		}
		next = number + 1
		f.attributes(e.Name+"."+v.Name, v.Attributes)
		f.printf(",\n")
	}
	f.printf("}\n")
}

func bitOf(mask int64) int {
	bit := 0
	for m := uint64(mask); m > 1; m >>= 1 {
		bit++
	}
	return bit
}

func integerText(n int64, b schema.BaseType) string {
	if b == schema.ULong {
		return strconv.FormatUint(uint64(n), 10)
	}
	return strconv.FormatInt(n, 10)
}

// memberText returns a value of an enum or a member of a union as written: a
// member that is named as its type needs the name of the type only.
func memberText(d *declaration, v *schema.EnumValue) string {
	switch {
	case v.Type.Base == schema.String:
		return v.Name + ": string"
	case v.Type.Object == nil:
		return v.Name
	}
	spelled := d.spell[v.Type.Object.Name]
	if memberName(spelled) == v.Name {
		return spelled
	}
	return v.Name + ": " + spelled
}

func (f *fbsWriter) object(d *declaration) {
	o := d.object
	f.doc("", o.Doc)
	if o.IsStruct {
		f.printf("struct %s", o.ShortName())
		natural := 1
		for _, field := range o.Fields {
			natural = max(natural, field.Type.Align())
		}
		if o.MinAlign != natural {
			f.attributes(o.Name, o.Attributes, schema.Attribute{Key: "force_align", Value: strconv.FormatInt(int64(o.MinAlign), 10)})
		} else {
			f.attributes(o.Name, o.Attributes)
		}
	} else {
		f.printf("table %s", o.ShortName())
		f.attributes(o.Name, o.Attributes)
	}
	f.printf(" {\n")
	for i, field := range o.Fields {
		if i+1 < len(o.Fields) && o.Fields[i+1].Type.HoldsUnion() {
			continue // the type field, which the union brings along
		}
		f.field(d, field)
	}
	f.printf("}\n")
}

func (f *fbsWriter) field(d *declaration, field *schema.Field) {
	owner := d.object.Name + "." + field.Name
	f.doc("  ", field.Doc)
	f.printf("  %s:%s", field.Name, f.typ(d, field.Type))
	if text := defaultText(field, d.object.IsStruct); text != "" {
		f.printf(" = %s", text)
	}
	var implied []schema.Attribute
	for _, key := range field.ImpliedAttributes() {
		implied = append(implied, schema.Attribute{Key: key})
	}
	f.attributes(owner, field.Attributes, implied...)
	f.printf(";\n")
}

// typ returns a type as written in a declaration.
func (f *fbsWriter) typ(d *declaration, t schema.Type) string {
	inner := t
	if t.IsVector() || t.Base == schema.Array {
		inner = t.ElementType()
	}
	text := inner.Base.String()
	if inner.Object != nil {
		text = d.spell[inner.Object.Name]
	} else if inner.Enum != nil {
		text = d.spell[inner.Enum.Name]
	}
	switch {
	case t.IsVector():
		return "[" + text + "]"
	case t.Base == schema.Array:
		return fmt.Sprintf("[%s:%d]", text, t.FixedLength)
	}
	return text
}

// defaultText returns the default of a field as written, "" for none.
func defaultText(f *schema.Field, inStruct bool) string {
	t := f.Type
	switch {
	case inStruct:
		return ""
	case t.Base == schema.String:
		if f.HasDefaultString || !f.Optional && !f.Required {
			return fbsString(f.DefaultString)
		}
	case t.IsVector():
		if f.HasDefaultVector || !f.Optional && !f.Required {
			return "[]"
		}
	case !t.IsScalar():
	case f.Optional:
		return "null"
	case t.IsFloat():
		if math.Float64bits(f.DefaultReal) != 0 {
			return formatFloat(f.DefaultReal)
		}
	case f.DefaultInteger == 0:
	case t.Base == schema.Bool && f.DefaultInteger == 1:
		return "true"
	case t.Enum != nil:
		return enumDefaultText(t, f.DefaultInteger)
	default:
		return integerText(f.DefaultInteger, t.Base)
	}
	return ""
}

// enumDefaultText names the value of an enum, or the flags that make it up, and
// falls back to the number.
func enumDefaultText(t schema.Type, n int64) string {
	if v := t.Enum.ByValue(n); v != nil && v.Name != "null" {
		return v.Name
	}
	var words []string
	left := n
	if t.Enum.BitFlags {
		for _, v := range t.Enum.Values {
			if n&v.Value != 0 && v.Name != "null" {
				words = append(words, v.Name)
				left &^= v.Value
			}
		}
	}
	if left == 0 && len(words) > 0 {
		return fbsString(strings.Join(words, " "))
	}
	return integerText(n, t.Base)
}

func (f *fbsWriter) service(d *declaration) {
	v := d.service
	f.doc("", v.Doc)
	f.printf("rpc_service %s", v.ShortName())
	f.attributes(v.Name, v.Attributes)
	f.printf(" {\n")
	for _, c := range v.Calls {
		f.doc("  ", c.Doc)
		f.printf("  %s(%s):%s", c.Name, d.spell[c.Request.Name], d.spell[c.Response.Name])
		f.attributes(v.Name+"."+c.Name, c.Attributes)
		f.printf(";\n")
	}
	f.printf("}\n")
}

// fbsString quotes a string.
func fbsString(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteString(`\t`)
		case r == '\r':
			b.WriteString(`\r`)
		case r < ' ' || r == 0x7f:
			fmt.Fprintf(&b, `\x%02x`, r)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}
