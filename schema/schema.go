// Package schema is the model of a FlatBuffers schema: its tables, structs, enums and
// services, how structs are laid out, and what makes a model sound. Package fbs reads and
// writes the language (.fbs), package bfbs the binary form (.bfbs), and package formats
// has the schemas of known file formats.
//
// A Schema that came from these packages is checked: every reference leads to an
// object or enum of the same schema, field ids are dense, a union field has its
// type field right before it, and the layout of structs is the one the format
// prescribes, also where a .bfbs claimed another. [Schema.Check] does the same
// for a model made by hand.
//
// The terms are those of the format (https://flatbuffers.dev/internals/) and of
// its own schema of schemas, reflection.fbs.
package schema

import "github.com/fbverify/go/internal/sound"

// BaseType is the kind of a value, numbered as reflection.fbs numbers it, since
// these numbers stand in .bfbs files.
type BaseType uint8

const (
	None     BaseType = iota // no type: the absent element type of a non-vector
	UType                    // the tag of a union, one unsigned byte unless the union says otherwise
	Bool                     // one byte, any nonzero value is true
	Byte                     // int8
	UByte                    // uint8
	Short                    // int16
	UShort                   // uint16
	Int                      // int32
	UInt                     // uint32
	Long                     // int64
	ULong                    // uint64
	Float                    // float32
	Double                   // float64
	String                   // offset to a length, UTF-8 bytes and a NUL
	Vector                   // offset to a 32-bit length and elements
	Obj                      // a table or a struct: Type.Object tells which
	Union                    // offset to what the union's tag says; Type.Enum is the union
	Array                    // elements inline in a struct, Type.FixedLength of them
	Vector64                 // offset to a 64-bit length and elements
)

// Schema is a whole schema: one root file and all that it includes.
//
// Objects and Enums are in order of their full names, as .bfbs files keep them.
type Schema struct {
	Objects  []*Object
	Enums    []*Enum
	Services []*Service

	// Root is the table named by root_type; nil when the schema names none.
	Root *Object

	// FileIdentifier is "" or exactly four bytes; FileExtension has no dot.
	FileIdentifier string
	FileExtension  string

	// Features are the advanced features in use (reflection.fbs AdvancedFeatures,
	// a bit set): what a reader of the .bfbs has to know about.
	Features Features

	// Files are the source files, in order of their names, with what each
	// includes; paths start with "//". Empty when the .bfbs did not say.
	Files []File

	// sound is the schema itself where package sound marked it.
	sound *Schema
}

func init() {
	sound.Mark = func(s any) { s.(*Schema).sound = s.(*Schema) }
	sound.Marked = func(s any) bool { return s.(*Schema).sound == s.(*Schema) }
}

// Features is the bit set AdvancedFeatures of reflection.fbs.
type Features uint64

const (
	AdvancedArrayFeatures    Features = 1 << iota // fixed-length arrays
	AdvancedUnionFeatures                         // vectors of unions, unions of strings and structs
	OptionalScalars                               // scalars with "= null"
	DefaultVectorsAndStrings                      // strings and vectors with defaults
)

// File is one source file of a schema.
type File struct {
	Name     string
	Includes []string
}

// Object is a table or a struct.
type Object struct {
	Name     string // full name with namespace, "Ns.Sub.Monster"
	IsStruct bool

	// Fields in order of their ids. A table's union field has id n and its type
	// field, named Name+"_type", id n-1; both are here.
	Fields []*Field

	// MinAlign and ByteSize are a struct's alignment and size in bytes, padding
	// included. For tables MinAlign is 1 and ByteSize 0.
	MinAlign, ByteSize int

	Attributes      []Attribute // in order of their keys
	Doc             []string    // lines of the doc comment, without the slashes
	DeclarationFile string
}

// Field is one field of a table or struct.
type Field struct {
	Name string
	Type Type

	// ID is the position in Object.Fields, and so in a table's vtable.
	ID int

	// Offset is, in a struct, the byte offset of the value; in a table, the byte
	// offset of the field's slot in the vtable (4 + 2*ID).
	Offset int

	// Padding is the number of padding bytes after a struct's field.
	Padding int

	// DefaultInteger holds the default of bools, integers, enums and union
	// types (uint64 as its two's complement), DefaultReal that of floats.
	DefaultInteger int64
	DefaultReal    float64

	// DefaultString is the default of a string field, HasDefaultString whether
	// there is one; HasDefaultVector says that a vector field is to be read as
	// empty when absent. A .bfbs has no place for either.
	DefaultString    string
	HasDefaultString bool
	HasDefaultVector bool

	Optional   bool // no default: absent is distinct from every value
	Required   bool
	Deprecated bool
	Key        bool
	Offset64   bool // the field's offset is 64 bits wide

	Attributes []Attribute // in order of their keys, built-in ones included
	Doc        []string
}

// Type is the type of a field, of a union's member or of a call's argument.
type Type struct {
	Base    BaseType
	Element BaseType // of Vector, Vector64 and Array; None otherwise

	// Object is the table or struct when Base or Element is Obj.
	Object *Object

	// Enum is the enum of an integer, of an element, or the union when Base or
	// Element is Union or UType; nil for plain scalars.
	Enum *Enum

	FixedLength int // number of elements of an Array, 1..65535
}

// Enum is an enum or a union.
type Enum struct {
	Name    string // full name with namespace
	IsUnion bool

	// Underlying is the integer type of the values: UType for a union that does
	// not say otherwise.
	Underlying BaseType

	// Values in order of their values. A union's first is NONE, 0.
	Values []*EnumValue

	BitFlags bool // the values are masks of one bit each, already shifted

	Attributes      []Attribute
	Doc             []string
	DeclarationFile string
}

// EnumValue is one value of an enum, or one member of a union.
type EnumValue struct {
	Name  string
	Value int64 // uint64 as its two's complement

	// Type is a union member's type: Obj (table or struct) or String, and None
	// for NONE. For enums Base is None.
	Type Type

	Attributes []Attribute
	Doc        []string
}

// Attribute is a key in parentheses after a declaration, with its value where
// it has one. Integers are decimal. Without a value, built-in attributes that are
// flags have "" and all others "0", since a .bfbs does not tell that from 0.
type Attribute struct {
	Key, Value string
}

// Service is an rpc_service.
type Service struct {
	Name            string
	Calls           []*Call
	Attributes      []Attribute
	Doc             []string
	DeclarationFile string
}

// Call is one method of a Service.
type Call struct {
	Name              string
	Request, Response *Object
	Attributes        []Attribute
	Doc               []string
}
