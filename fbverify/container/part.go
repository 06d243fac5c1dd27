package container

import (
	"errors"
	"fmt"
	"math"

	"github.com/fbverify/go/fbverify"
)

// errNoPart is what comes of using the Part that is given with a fault.
var errNoPart = errors.New("container: this is no part of a file: it came with an error, or was not made by File.Parts")

// Part is one FlatBuffer of a file.
type Part struct {
	// Name says which one it is: "footer", "layout", "batch[3]", "feature[17]",
	// "segment[5].array". Names are unique within a file.
	Name string

	// Root is the full name of the root table's type, "" when only the caller
	// can know it.
	Root string

	// Offset and Length, in bytes, say where in the file it lies, its size
	// prefix included where it has one. It is always inside the file.
	Offset, Length int64

	// Framing says whether it starts with its own length.
	Framing fbverify.Framing

	// Preset holds the limits that the format's own readers use where they
	// differ from the defaults, and the identifier that the part must have.
	Preset fbverify.Options

	file *File
}

// Type returns the part's type, compiled on first use from the schemas in this
// module or as given in [Options.Type]; nil when the format does not say and
// nothing was given.
func (p Part) Type() *fbverify.Type {
	if p.file == nil {
		return nil // of the empty Part that comes with a fault
	}
	if p.file.format.KnowsTypes() {
		return knownTypes[p.Root]()
	}
	return p.file.opts.Type
}

// Bytes returns the part's bytes: of a file opened with [OpenBytes] its own
// slice, which must not be written to, else a copy that was read for this call.
func (p Part) Bytes() ([]byte, error) { return p.AppendTo(nil) }

// AppendTo is Bytes, but reads into buf's memory from buf[:0] on where there is
// room for it: for many parts with one buffer. A file opened with [OpenBytes]
// has no use for buf. A part that is longer than the offsets of its type reach is not
// read: the error is the *fbverify.Error of kind ErrTooLarge that verifying it
// would give.
func (p Part) AppendTo(buf []byte) ([]byte, error) {
	if p.file == nil {
		return nil, errNoPart
	}
	if p.file.bytes != nil {
		return p.file.bytes[p.Offset : p.Offset+p.Length : p.Offset+p.Length], nil
	}
	if err := p.tooLarge(); err != nil {
		return nil, err
	}
	if p.Length > math.MaxInt-1 {
		return nil, &Error{Kind: ErrLimit, Format: p.file.format, Part: p.Name, Offset: p.Offset,
			Detail: "too long for this machine's memory", Found: fmt.Sprintf("%d bytes", p.Length), Allowed: fmt.Sprintf("at most %d", math.MaxInt-1)}
	}
	b, err := readRange(p.file.r, buf[:0], p.Offset, p.Length)
	if err != nil {
		return nil, &Error{Kind: ErrRead, Format: p.file.format, Part: p.Name, Offset: p.Offset, Detail: "cannot read it", Err: err}
	}
	return b, nil
}

// tooLarge returns the error of verifying the part when its length alone decides
// that.
func (p Part) tooLarge() error {
	if t := p.Type(); t != nil {
		return t.CheckSize(p.Length)
	}
	return nil
}

// Options returns opts with the part's framing, and with its preset filled in where
// opts leave a limit or the identifier at its zero value. Nil opts are the defaults.
func (p Part) Options(opts *fbverify.Options) *fbverify.Options {
	var o fbverify.Options
	if opts != nil {
		o = *opts
	}
	if o.MaxDepth == 0 {
		o.MaxDepth = p.Preset.MaxDepth
	}
	if o.MaxTables == 0 {
		o.MaxTables = p.Preset.MaxTables
	}
	if o.Identifier == "" {
		o.Identifier = p.Preset.Identifier
	}
	o.Framing = p.Framing // no choice
	return &o
}

// Verify reads the part and verifies it with [Part.Options] of opts. The
// errors are those of [fbverify.Type.Verify], with offsets that count from the start
// of the part, and those of reading.
func (p Part) Verify(opts *fbverify.Options) error {
	t, b, err := p.open()
	if err != nil {
		return err
	}
	return t.Verify(b, p.Options(opts))
}

// Explain is Verify, but returns every fault. The error is that of reading.
func (p Part) Explain(opts *fbverify.Options) ([]*fbverify.Error, error) {
	t, b, err := p.open()
	if fault := (*fbverify.Error)(nil); errors.As(err, &fault) {
		return []*fbverify.Error{fault}, nil
	}
	if err != nil {
		return nil, err
	}
	return t.Explain(b, p.Options(opts)), nil
}

// Readers names the readers of the part's format which make the exceptions that its schema has,
// "" where there are none.
func (p Part) Readers() string {
	if p.file != nil && (p.file.format == ArrowFile || p.file.format == ArrowStream) {
		return readersArrowFields
	}
	return ""
}

func (p Part) open() (*fbverify.Type, []byte, error) {
	if p.file == nil {
		return nil, nil, errNoPart
	}
	t := p.Type()
	if t == nil {
		return nil, nil, fmt.Errorf("container: %s: the file does not say of which type it is: a schema and the name of its root type are needed", p.Name)
	}
	b, err := p.Bytes()
	return t, b, err
}

// Region is a range of bytes of a file, and what it is for.
type Region struct {
	Kind           RegionKind
	Name           string // "batch[3].body", "footer.length"
	Offset, Length int64  // in bytes

	// Part is the FlatBuffer, where Kind is FlatBuffer and no other part took
	// some of its bytes.
	Part *Part
}

// RegionKind says what a range of bytes is for.
type RegionKind uint8

// The kinds of regions.
const (
	FlatBuffer RegionKind = iota // a Part
	Magic                        // bytes that mark the format
	Framing                      // lengths, versions, markers
	Padding                      // bytes for alignment
	Data                         // what the FlatBuffers describe, in an encoding of the format
	Index                        // a search index
	Gap                          // nothing in the file says what these bytes are for
)

var regionNames = [...]string{"flatbuffer", "magic", "framing", "padding", "data", "index", "gap"}

// String returns the kind in one word, such as "padding".
func (k RegionKind) String() string {
	if int(k) < len(regionNames) {
		return regionNames[k]
	}
	return fmt.Sprintf("RegionKind(%d)", uint8(k))
}
