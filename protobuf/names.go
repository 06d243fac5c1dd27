package protobuf

import (
	"strings"
	"unicode"

	"google.golang.org/protobuf/reflect/protoreflect"
)

// scope returns the namespace of what is declared in d, with a dot behind it unless it is
// the global one. That of a message is the message's name with "__", as flatc has it:
// FlatBuffers do not nest tables.
func scope(d protoreflect.Descriptor) string {
	switch d := d.(type) {
	case nil:
		return ""
	case protoreflect.FileDescriptor:
		if d.Package() == "" {
			return ""
		}
		return string(d.Package()) + "."
	}
	return scope(d.Parent()) + string(d.Name()) + "__."
}

// fullName returns the name that a message, enum or service has in a schema.
func fullName(d protoreflect.Descriptor) string { return scope(d.Parent()) + string(d.Name()) }

// freeName takes a full name, or a longer one where it is taken.
func (m *maker) freeName(where protoreflect.FullName, name string) string {
	free := name
	for m.names[free] {
		free += "_"
	}
	m.names[free] = true
	if free != name {
		m.warn(where, Renamed, "it is %s in the schema, since %s is another declaration there", free, name)
	}
	return free
}

// memberName returns the name for a field, a value or a member that is called now and wants
// another: that, or a longer one while it is taken.
func (m *maker) memberName(where protoreflect.FullName, now, wanted string, taken func(string) bool) string {
	free := wanted
	for taken(free) {
		free += "_"
	}
	if free != wanted && free != now {
		m.warn(where, Renamed, "it is called %s in the schema, since %s is taken there", free, wanted)
	}
	return free
}

// camel returns a name as protoc makes the name of a map's entries of that of the field:
// my_field becomes MyField.
func camel(name string) string {
	var b strings.Builder
	up := true
	for _, r := range name {
		switch {
		case r == '_':
			up = true
		case up:
			b.WriteRune(unicode.ToUpper(r))
			up = false
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// document takes over the comment before a declaration, where the descriptor knows it.
func (m *maker) document(doc *[]string, d protoreflect.Descriptor) {
	text := d.ParentFile().SourceLocations().ByDescriptor(d).LeadingComments
	if text == "" {
		return
	}
	*doc = nil
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n \t")
		*doc = append(*doc, strings.ToValidUTF8(strings.Map(printable, line), "\uFFFD"))
	}
	for n := len(*doc); n > 0 && (*doc)[n-1] == ""; n-- {
		*doc = (*doc)[:n-1]
	}
}

func printable(r rune) rune {
	if r == '\r' || r == 0 {
		return ' '
	}
	return r
}
