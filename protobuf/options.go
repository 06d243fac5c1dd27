package protobuf

import (
	"fmt"

	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/fbverify/go/schema"
)

// Attribute is the key of the attribute by which a schema says what its declarations are
// in Protobuf: see "Evolution" in the package documentation.
const Attribute = "proto"

// Options say what schema to make. The zero value, and a nil *Options, are the defaults.
type Options struct {
	// Root is the full name of the message that becomes the root type, "shop.Order";
	// "" means that there is none, or that of Previous.
	Root protoreflect.FullName

	// Identifier is the schema's file identifier, four bytes; "" means that there is none, or
	// that of Previous.
	Identifier string

	// Previous is the schema that was made of earlier versions of the same files, and
	// whose ids are carried on; nil means that there was none. It is not changed.
	Previous *schema.Schema
}

// WarningKind says what a [Warning] is about.
type WarningKind string

// The kinds of warnings.
const (
	LostExtension WarningKind = "extension" // a range for extensions, or an extension: they are not carried
	LostAlias     WarningKind = "alias"     // a second name for an enum's number is not in the schema
	LostDefault   WarningKind = "default"   // the default of a string or of bytes is not in the schema
	LostRequired  WarningKind = "required"  // the schema cannot say that a number is required
	Renamed       WarningKind = "name"      // the schema has another name for it, since that one is taken
	TypeChanged   WarningKind = "type"      // another type than before: the old field is deprecated, its values are not seen
	Kept          WarningKind = "kept"      // presence, default or a union's name changed, and the schema keeps what it had
	Removed       WarningKind = "removed"   // it is no longer there, and the schema keeps it
)

// Warning is something that a schema cannot say, or that it says in another way than the
// .proto file. A schema is made all the same.
type Warning struct {
	Where protoreflect.FullName // of the declaration in Protobuf
	Kind  WarningKind
	Text  string
}

// String returns the place, the kind and the text in one line.
func (w Warning) String() string { return fmt.Sprintf("%s: %s: %s", w.Where, w.Kind, w.Text) }
