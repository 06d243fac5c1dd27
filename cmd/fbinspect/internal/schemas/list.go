// Package schemas is the work of fbinspect schema: what a schema declares, in words, and
// which known schema a buffer of unknown type could be of.
package schemas

import (
	"fmt"
	"io"
	"strings"

	"github.com/fbverify/go/cmd/fbinspect/internal/ui"
	"github.com/fbverify/go/schema"
)

// List writes one line for each declaration of a schema.
func List(w io.Writer, style ui.Style, s *schema.Schema) {
	for _, o := range s.Objects {
		kind, size := "table", ""
		if o.IsStruct {
			kind, size = "struct", fmt.Sprintf(", %s, alignment %d", ui.Count(int64(o.ByteSize), "byte"), o.MinAlign)
		}
		root := ""
		if o == s.Root {
			root = style.Good("  root")
			if s.FileIdentifier != "" {
				root += fmt.Sprintf(", file identifier %q", s.FileIdentifier)
			}
		}
		fmt.Fprintf(w, "%-7s %s  %s%s%s\n", kind, style.Type(o.Name), style.Dim(ui.Count(int64(len(o.Fields)), "field")+size), root, brief(style, o.Doc))
	}
	for _, e := range s.Enums {
		kind, noun := "enum", "value"
		if e.IsUnion {
			kind, noun = "union", "member"
		}
		n := len(e.Values)
		if e.IsUnion {
			n-- // NONE
		}
		flags := ""
		if e.BitFlags {
			flags = ", bit flags"
		}
		fmt.Fprintf(w, "%-7s %s  %s%s\n", kind, style.Type(e.Name), style.Dim(fmt.Sprintf("%s, %s%s", ui.Count(int64(n), noun), underlying(e), flags)), brief(style, e.Doc))
	}
	for _, v := range s.Services {
		fmt.Fprintf(w, "%-7s %s  %s%s\n", "service", style.Type(v.Name), style.Dim(ui.Count(int64(len(v.Calls)), "call")), brief(style, v.Doc))
	}
}

func underlying(e *schema.Enum) string {
	if e.Underlying == schema.UType {
		return "ubyte"
	}
	return e.Underlying.String()
}

// brief is the first sentence of a doc comment.
func brief(style ui.Style, doc []string) string {
	text := strings.Join(strings.Fields(strings.Join(doc, " ")), " ")
	if text == "" {
		return ""
	}
	if i := strings.Index(text, ". "); i >= 0 {
		text = text[:i+1]
	}
	if len(text) > 90 {
		i := strings.LastIndexByte(text[:90], ' ')
		text = text[:max(i, 0)] + " …"
	}
	return style.Dim("  — " + ui.Plain(text))
}

// Describe writes all about one declaration: fields with id, type, default and where they
// lie; values with their numbers. It reports whether there is one of that name.
func Describe(w io.Writer, style ui.Style, s *schema.Schema, name string) bool {
	if o := s.Object(name); o != nil {
		describeObject(w, style, o)
		return true
	}
	if e := s.Enum(name); e != nil {
		describeEnum(w, style, e)
		return true
	}
	return false
}

func docLines(w io.Writer, style ui.Style, indent string, doc []string) {
	for _, line := range doc {
		fmt.Fprintf(w, "%s%s\n", indent, style.Dim(ui.Plain("///"+line)))
	}
}

func describeObject(w io.Writer, style ui.Style, o *schema.Object) {
	docLines(w, style, "", o.Doc)
	if o.IsStruct {
		fmt.Fprintf(w, "struct %s  %s\n", style.Type(o.Name), style.Dim(fmt.Sprintf("%s, alignment %d", ui.Count(int64(o.ByteSize), "byte"), o.MinAlign)))
	} else {
		fmt.Fprintf(w, "table %s\n", style.Type(o.Name))
	}
	for _, f := range o.Fields {
		docLines(w, style, "  ", f.Doc)
		place := fmt.Sprintf("id %d", f.ID)
		if o.IsStruct {
			place = fmt.Sprintf("byte %d", f.Offset)
		}
		words := []string{place}
		switch {
		case f.Required:
			words = append(words, "required")
		case f.Optional && f.Type.IsScalar():
			words = append(words, "null when absent")
		case f.Type.IsScalar() && !o.IsStruct:
			words = append(words, "default "+defaultText(f))
		}
		if f.Key {
			words = append(words, "key")
		}
		if f.Deprecated {
			words = append(words, "deprecated")
		}
		if f.Offset64 {
			words = append(words, "64-bit offset")
		}
		if f.Padding > 0 {
			words = append(words, fmt.Sprintf("%d bytes of padding after it", f.Padding))
		}
		if root, ok := f.Attribute("nested_flatbuffer"); ok {
			words = append(words, "holds a FlatBuffer of "+ui.Plain(root))
		}
		fmt.Fprintf(w, "  %s: %s  %s\n", style.Field(f.Name), style.Type(f.Type.String()), style.Dim(strings.Join(words, ", ")))
	}
}

func defaultText(f *schema.Field) string {
	if f.Type.IsFloat() {
		return fmt.Sprint(f.DefaultReal)
	}
	if f.Type.Enum != nil {
		if v := f.Type.Enum.ByValue(f.DefaultInteger); v != nil {
			return v.Name
		}
	}
	switch {
	case f.Type.Base == schema.Bool:
		return fmt.Sprint(f.DefaultInteger != 0)
	case f.Type.Base.IsUnsigned():
		return fmt.Sprint(uint64(f.DefaultInteger))
	}
	return fmt.Sprint(f.DefaultInteger)
}

func describeEnum(w io.Writer, style ui.Style, e *schema.Enum) {
	docLines(w, style, "", e.Doc)
	kind := "enum"
	if e.IsUnion {
		kind = "union"
	}
	flags := ""
	if e.BitFlags {
		flags = ", bit flags"
	}
	fmt.Fprintf(w, "%s %s  %s\n", kind, style.Type(e.Name), style.Dim(underlying(e)+flags))
	for _, v := range e.Values {
		docLines(w, style, "  ", v.Doc)
		number := fmt.Sprint(v.Value)
		if e.Underlying.IsUnsigned() {
			number = fmt.Sprint(uint64(v.Value))
		}
		member := ""
		if e.IsUnion && v.Type.Base != schema.None {
			member = ": " + style.Type(v.Type.String())
		}
		fmt.Fprintf(w, "  %s = %s%s\n", style.Field(v.Name), style.Number(number), member)
	}
}
