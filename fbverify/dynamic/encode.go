package dynamic

import (
	"fmt"
	"strconv"
	"unicode/utf8"

	"github.com/fbverify/go/fbverify"
	"github.com/fbverify/go/fbverify/internal/rule"
)

// EncodeOptions say how JSON becomes a buffer. The zero value, and a nil
// *EncodeOptions, are the defaults.
type EncodeOptions struct {
	// Framing is the length to put before the buffer.
	Framing fbverify.Framing

	// Identifier is the file identifier to write, four bytes; "" means the
	// schema's own, if it has one. NoIdentifier writes none.
	Identifier   string
	NoIdentifier bool

	// IgnoreUnknown skips fields that the schema does not know. They are an error
	// otherwise.
	IgnoreUnknown bool

	// OmitDefaults leaves out scalars that equal the field's default, as flatc does.
	// Without it what the text names is stored, so that the dump of the buffer is
	// the text again.
	OmitDefaults bool

	// FlexBytes says that the fields with the attribute flexbuffer are arrays of
	// bytes, as JSONOptions.FlexBytes prints them. Any value is otherwise made a
	// FlexBuffer, arrays of numbers too.
	FlexBytes bool

	// AllowNonUTF8 accepts strings that are not UTF-8, as "\xFF" escapes can make
	// them. Such a buffer verifies with Options.SkipUTF8 only.
	AllowNonUTF8 bool

	// MaxDepth is how deep tables may nest, the root being at depth 1; 0 means
	// 64, as in a verification. More than 100,000 is taken as that.
	MaxDepth int
}

// JSONError is a fault of a JSON text.
type JSONError struct {
	Line, Column int    // counted from 1, columns in bytes
	Offset       int    // bytes from the start of the text
	Path         string // of the value, from the root: "Monster.inventory[2]"
	Reason       string // what was expected and what was found
}

// Error returns the place, the path and the reason in one line.
func (e *JSONError) Error() string {
	return fmt.Sprintf("%d:%d: %s: %s", e.Line, e.Column, e.Path, e.Reason)
}

// EncodeJSON makes a buffer with a root of type t from JSON. The buffer verifies
// as t, except for strings that are not UTF-8 and were allowed.
//
// The text may be strict JSON or what else flatc reads: names without quotes,
// single quotes, commas before a closing bracket, comments, the names of enum
// values, "A B" for bit flags, numbers in strings, hexadecimal numbers, nan and inf,
// constants of functions such as rad(180), tables and structs as arrays of all
// their fields, a union's type before its value or after it. Fields with the
// attribute nested_flatbuffer may be objects or arrays of bytes, those with base64 or
// base64url may be strings. null leaves a field out, and $schema is ignored.
// Vectors of tables or structs with a key are sorted by it.
//
// Where flatc is content with less, this is not: a bool other than 0, 1, true and
// false, a union's type without its value, several names for an enum that is no
// bit_flags, bytes of a nested buffer that do not verify, and numbers that overflow
// a float are errors.
//
// The error is a *JSONError that says where the text goes wrong.
func EncodeJSON(t *fbverify.Type, json []byte, opts *EncodeOptions) ([]byte, error) {
	var o EncodeOptions
	if opts != nil {
		o = *opts
	}
	if o.MaxDepth <= 0 {
		o.MaxDepth = rule.MaxDepth
	}
	o.MaxDepth = min(o.MaxDepth, maxPrintDepth)
	id := o.Identifier
	if id == "" {
		id = t.Schema().FileIdentifier
	}
	if o.NoIdentifier {
		id = ""
	}
	if id != "" && len(id) != 4 {
		return nil, fmt.Errorf("dynamic: the file identifier %q has %d bytes and not 4", id, len(id))
	}
	root := ObjectOf(t)
	e := &encoder{lexer: lexer{src: json}, opts: &o, root: root, b: newBuilder(len(json))}
	return e.encode(id, o.Framing.Prefix())
}

// encode reads the whole text. Faults end it by a panic with a *JSONError, which
// goes no further than here.
func (e *encoder) encode(id string, prefix int) (buf []byte, err error) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case *JSONError:
			buf, err = nil, r
		default:
			panic(r)
		}
	}()
	e.skipBOM()
	e.next()
	off := e.table(e.root)
	if e.tok != tokEOF {
		e.failf("expected nothing after the root object, found %s", e.found())
	}
	buf, ok := e.b.finish(off, id, prefix)
	if !ok {
		e.failf("the buffer is larger than its offsets, or its size prefix, can address")
	}
	return buf, nil
}

// encoder turns JSON into a buffer in one pass: a value's objects are written, back
// to front, as soon as they were read, a table after all that it refers to.
// Values that wait for their table or vector are on stacks that all levels share.
type encoder struct {
	lexer
	opts *EncodeOptions
	root *Object
	b    *builder

	fields  []fieldValue // of the tables that are open
	scratch []byte       // structs and elements of the vectors that are open
	offsets []uint32     // of elements of the vectors that are open
	seen    []uint64     // bits of the fields of objects that are open; see once
	skipped []extent     // objects and arrays that were looked through, by their start
	path    []pathStep
	depth   int
	calls   int    // functions that are open
	slots   []int  // of the table that is written: where its fields end, and two more
	vtable  []byte // the same as the buffer has it
	name    []byte // backs a member's name that has escapes
}

type fieldValue struct {
	f    *Field
	pos  int    // in the text, of the value
	bits uint64 // of a scalar; the offset of all else
	lo   int    // of a struct: where its bytes are in scratch
}

type pathStep struct {
	f     *Field
	index int // -1: the field itself
}

// failf ends the encoding with an error at the current token.
func (e *encoder) failf(format string, args ...any) { e.failAt(e.start, format, args...) }

func (e *encoder) failAt(pos int, format string, args ...any) {
	line, col := 1, 1
	for _, c := range e.src[:min(pos, len(e.src))] {
		col++
		if c == '\n' {
			line, col = line+1, 1
		}
	}
	path := []byte(e.root.schema.ShortName())
	for _, s := range e.path {
		if s.index >= 0 {
			path = append(path, '[')
			path = strconv.AppendInt(path, int64(s.index), 10)
			path = append(path, ']')
		} else {
			path = append(path, '.')
			path = append(path, s.f.Name()...)
		}
	}
	panic(&JSONError{Line: line, Column: col, Offset: pos, Path: string(path), Reason: fmt.Sprintf(format, args...)})
}

func (e *encoder) push(f *Field, index int) { e.path = append(e.path, pathStep{f, index}) }
func (e *encoder) pop()                     { e.path = e.path[:len(e.path)-1] }

// expect fails unless the token is the wanted one, and takes it.
func (e *encoder) expect(t token) {
	if e.tok != t {
		e.failf("expected %s, found %s", t, e.found())
	}
	e.next()
}

// next reads a token; a fault of the text becomes an error with its path.
func (e *encoder) next() {
	if at, reason := e.scan(); reason != "" {
		e.failAt(at, "%s", reason)
	}
}

// checkUTF8 checks that a string is UTF-8.
func (e *encoder) checkUTF8() {
	if !e.opts.AllowNonUTF8 && !utf8.Valid(e.str) {
		e.failf("the string is not UTF-8")
	}
}
