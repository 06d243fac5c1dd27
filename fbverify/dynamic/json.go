package dynamic

import (
	"errors"
	"fmt"
	"io"
)

// JSONOptions say how values are printed. The zero value prints strict JSON on one
// line that holds every value exactly: flatc reads it, and [EncodeJSON] makes an
// equal buffer of it.
type JSONOptions struct {
	// Indent is the number of spaces of one level; 0 prints all on one line. What is
	// deeper than 128 levels is indented no further.
	Indent int

	// Defaults prints scalars that are not set, with their defaults, and null for
	// optional ones (flatc --defaults-json). Fields with the attribute key are
	// printed always.
	Defaults bool

	// EnumNumbers prints enums, bit flags and union types as numbers. Names are
	// printed otherwise, "A B" for bit flags, and numbers where there is no name.
	EnumNumbers bool

	// Unquoted leaves the quotes off field names, and off nan and inf, as flatc
	// does without --strict-json. The result is no JSON, but flatc and EncodeJSON
	// read it.
	Unquoted bool

	// ASCII escapes all but printable ASCII characters (flatc without
	// --natural-utf8). Without it control characters, also those beyond ASCII,
	// and those that turn the direction of text or end a line are escaped.
	ASCII bool

	// NonUTF8 says what to do with strings that are not UTF-8.
	NonUTF8 NonUTF8

	// FlatcFloats prints floats as flatc does, in fixed notation with at most 6
	// digits after the point, 12 for doubles, which loses what needs more. By
	// default the shortest digits that give the same number are printed.
	FlatcFloats bool

	// NestedBytes prints the fields with the attribute nested_flatbuffer as
	// arrays of bytes and not as objects. They are also printed so if the buffer
	// was verified with Options.NestedUnchecked.
	NestedBytes bool

	// FlexBytes prints the fields with the attribute flexbuffer as arrays of bytes
	// and not as the JSON that they stand for. The bytes of a FlexBuffer are not
	// verified with the buffer around them: printing malformed ones is an error.
	FlexBytes bool

	// Base64 prints the byte vectors with the attribute base64 or base64url as
	// strings of that encoding, as flatcc does; flatc prints numbers.
	Base64 bool

	// Depth is the number of nested objects and arrays to print; 0 means all.
	// A string in place of what is deeper says what was left out.
	Depth int

	// Limit is the number of elements of a vector to print; 0 means all. A last
	// element, a string, says how many more there are.
	Limit int

	// MaxBytes ends the printing with an error when there is more to write; 0
	// means no limit. Objects that a buffer shares are printed each time, so that
	// hostile buffers can stand for very much text.
	MaxBytes int64

	// Cut ends the printing after MaxBytes bytes without an error, wherever in a value
	// or character that is: it is for those who show the start of a value.
	Cut bool
}

// ErrMaxBytes is wrapped by the error of a value that is more text than JSONOptions.MaxBytes.
var ErrMaxBytes = errors.New("JSON is larger than the limit")

// ErrNotUTF8 is wrapped by the error of a string that is not UTF-8, where JSONOptions.NonUTF8
// says to fail.
var ErrNotUTF8 = errors.New("not UTF-8")

// NonUTF8 is what to do with strings that are not UTF-8, which only buffers
// verified with Options.SkipUTF8 can have.
type NonUTF8 uint8

const (
	NonUTF8Error   NonUTF8 = iota // fail, as flatc does
	NonUTF8Escape                 // "\xFF" for each such byte: no JSON, but flatc --allow-non-utf8 and EncodeJSON read it
	NonUTF8Replace                // U+FFFD for each such byte, which loses it
)

// base64Kind is the alphabet of a field's attribute.
type base64Kind uint8

const (
	base64None base64Kind = iota
	base64Std
	base64URL
)

// AppendJSON appends the message as JSON to dst. Nil opts are the defaults. On an
// error it returns dst as it was.
func AppendJSON(dst []byte, m Message, opts *JSONOptions) ([]byte, error) {
	return AppendValueJSON(dst, m.Root().AsValue(), opts)
}

// WriteJSON writes the message as JSON and a newline to w, in pieces of some ten
// kilobytes, so that the memory it needs does not grow with the message. The
// error is w's, or one of the kinds JSONOptions tell of.
func WriteJSON(w io.Writer, m Message, opts *JSONOptions) error {
	return WriteValueJSON(w, m.Root().AsValue(), opts)
}

// AppendValueJSON is AppendJSON for one value. A union without a known member, and
// a table, struct or string that is not present, are null.
func AppendValueJSON(dst []byte, v Value, opts *JSONOptions) ([]byte, error) {
	p := newPrinter(nil, dst, opts)
	p.value(v, 0)
	p.flush() // looks at the limit
	switch p.err {
	case nil:
		return p.out, nil
	case errCut:
		return p.out[:p.end], nil
	}
	return dst, p.err
}

// WriteValueJSON is WriteJSON for one value.
func WriteValueJSON(w io.Writer, v Value, opts *JSONOptions) error {
	p := newPrinter(w, make([]byte, 0, flushAt+flushAt/4), opts)
	p.value(v, 0)
	p.out = append(p.out, '\n')
	p.flush()
	if p.err == errCut {
		return nil
	}
	return p.err
}

// errCut ends a printing that Cut ends.
var errCut = errors.New("dynamic: the JSON is cut")

// flushAt is the number of bytes that are gathered for one Write.
const flushAt = 64 << 10

// maxPrintDepth ends the printing of buffers that were not verified before the stack
// does. It counts tables, as a verification does, which can be asked for no more.
const maxPrintDepth = 100_000

// maxIndented is the level up to which lines are indented further: a buffer of a
// megabyte can nest so deep that its lines would have a hundred kilobytes of spaces.
const maxIndented = 128

type printer struct {
	out     []byte
	mark    int // call full when out is this long
	base    int // len(out) that was the caller's
	w       io.Writer
	written int64
	err     error
	end     int // of what counts in out, once there is an error

	opts    JSONOptions
	newline []byte // "\n" and the indentation of the deepest level so far
	tables  int    // that are open
	pretty  bool
}

func newPrinter(w io.Writer, dst []byte, opts *JSONOptions) *printer {
	p := &printer{w: w, out: dst, base: len(dst)}
	if opts != nil {
		p.opts = *opts
	}
	p.pretty = p.opts.Indent > 0
	p.setMark()
	return p
}

// setMark says when full is to be called next.
func (p *printer) setMark() {
	p.mark = int(^uint(0) >> 1)
	if p.w != nil {
		p.mark = flushAt
	}
	if left := p.opts.MaxBytes - p.written + int64(p.base); p.opts.MaxBytes > 0 && left < int64(p.mark) {
		p.mark = int(left) + 1
	}
}

// full is called when out has reached the mark: it makes room, or gives up.
func (p *printer) full() {
	if p.err == nil {
		p.flush()
	} else {
		p.out = p.out[:p.end]
	}
}

func (p *printer) flush() {
	if p.err != nil {
		return
	}
	if max := p.opts.MaxBytes; max > 0 && p.written+int64(len(p.out)-p.base) > max {
		if !p.opts.Cut {
			p.fail(fmt.Errorf("dynamic: the %w of %d bytes", ErrMaxBytes, max))
			return
		}
		p.out = p.out[:p.base+int(max-p.written)]
		defer p.fail(errCut)
	}
	if p.w == nil {
		return
	}
	n, err := p.w.Write(p.out)
	p.written += int64(n)
	p.out = p.out[:0]
	if err != nil {
		p.fail(err)
		return
	}
	p.setMark()
}

func (p *printer) fail(err error) {
	if p.err == nil {
		p.err, p.end = err, p.base
		if err == errCut {
			p.end = len(p.out)
		}
	}
	p.mark = 0 // the loops stop at their next check
}
