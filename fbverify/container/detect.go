package container

import (
	"encoding/binary"
	"fmt"
	"io"
	"strings"
	"sync"

	"github.com/fbverify/go/fbverify"
	"github.com/fbverify/go/fbverify/traverse"
	"github.com/fbverify/go/schema/fbs"
)

// Confidence says how sure a Detection is.
type Confidence uint8

// From knowing nothing to magic bytes.
const (
	None    Confidence = iota // the format is Unknown
	Guess                     // nothing speaks for it but what the caller asked for
	Likely                    // the bytes have the structure
	Certain                   // the bytes have the format's mark
)

// Detection is what format some bytes have, and why it is thought so.
type Detection struct {
	Format     Format
	Confidence Confidence
	Reason     string // a clause: "it starts with VTXF"
	Advice     string // what a person could do; "" when there is nothing to be done
}

// String returns reason and advice as one sentence.
func (d Detection) String() string {
	if d.Advice == "" {
		return d.Reason
	}
	return d.Reason + "; " + d.Advice
}

// Detect says which format the size bytes that r reads have. Only the first
// and the last few kilobytes are looked at, and for a stream of messages the
// start of the first hundred. The error is that of reading.
func Detect(r io.ReaderAt, size int64) (Detection, error) {
	if size < 0 || size > maxSize {
		return Detection{}, &Error{Kind: ErrLimit, Detail: "the file's size is impossible", Found: fmt.Sprint(size), Allowed: fmt.Sprintf("0 to %d", int64(maxSize))}
	}
	src := &source{r: r, size: size}
	d := detect(src, nil)
	if src.err != nil {
		return Detection{}, &Error{Kind: ErrRead, Detail: "cannot read the file", Err: src.err}
	}
	return d, nil
}

// detect goes from what is certain to what is a guess. typ may be nil.
func detect(s *source, typ *fbverify.Type) Detection {
	if s.size == 0 {
		return Detection{Reason: "the file is empty", Advice: "a download or a copy may have failed: get it again"}
	}
	if d := detectMagic(s); d.Format != Unknown {
		return d
	}
	if d := detectPlain(s, typ); d.Format != Unknown {
		return d
	}
	if d := detectEnd(s); d.Format != Unknown {
		return d
	}
	if typ != nil {
		return Detection{Format: Raw, Confidence: Guess, Reason: "no other format was recognised, and a root type was given"}
	}
	d := Detection{Reason: fmt.Sprintf("it is %s of no known format: %s", bytesOf(s.size), startOf(s))}
	d.Advice = "if it holds FlatBuffers, their schema, root type and layout have to be given"
	if s.size < 8 {
		d.Advice = "a FlatBuffer has at least 8 bytes: the file was probably cut off"
	}
	return d
}

func certain(f Format, format string, args ...any) Detection {
	return Detection{Format: f, Confidence: Certain, Reason: fmt.Sprintf(format, args...)}
}

// detectMagic goes by the marks at the start of a file.
func detectMagic(s *source) Detection {
	cut := "the end of the file seems to be missing: get it again"
	switch {
	case s.is(0, magicVortex):
		d := certain(Vortex, "it starts with %s", magicVortex)
		if !s.is(s.size-4, magicVortex) || s.size < 8 {
			d.Reason, d.Advice = "it starts with VTXF as a Vortex file does, but does not end so", cut
		}
		return d
	case s.is(0, magicArrow):
		d := certain(ArrowFile, "it starts with %s", magicArrow)
		if !s.is(s.size-6, magicArrow) || s.size < 12 {
			d.Reason, d.Advice = "it starts with ARROW1 as an Arrow file does, but does not end so", cut
		}
		return d
	case s.is(0, magicFeather):
		d := certain(Feather, "it starts with %s", magicFeather)
		if !s.is(s.size-4, magicFeather) || s.size < 8 {
			d.Reason, d.Advice = "it starts with FEA1 as a Feather file does, but does not end so", cut
		}
		return d
	case s.is(4, "TFL3"):
		return certain(TFLite, "it has the file identifier TFL3")
	case s.is(4, "BFBS"):
		return certain(BFBS, "it has the file identifier BFBS")
	case s.is(0, "fgb") && s.is(4, "fgb"):
		return certain(FlatGeobuf, "it starts with the magic bytes of FlatGeobuf")
	case s.is(0, "fgb\x03"), s.is(3, "\x03fgb"):
		return Detection{Format: FlatGeobuf, Confidence: Likely, Reason: "it starts with half of FlatGeobuf's magic bytes"}
	}
	return Detection{}
}

// detectEnd goes by the marks at the end of a file, for those whose start was
// lost or overwritten.
func detectEnd(s *source) Detection {
	const lost = "the start of the file seems to be damaged or missing"
	switch {
	case s.is(s.size-4, magicVortex):
		return Detection{Format: Vortex, Confidence: Likely, Reason: "it ends with VTXF as a Vortex file does, but does not start so", Advice: lost}
	case s.is(s.size-6, magicArrow):
		return Detection{Format: ArrowFile, Confidence: Likely, Reason: "it ends with ARROW1 as an Arrow file does, but does not start so", Advice: lost}
	case s.is(s.size-4, magicFeather):
		return Detection{Format: Feather, Confidence: Likely, Reason: "it ends with FEA1 as a Feather file does, but does not start so", Advice: lost}
	}
	return Detection{}
}

// detectArrowStream goes by the first message, which says of itself what it is.
func detectArrowStream(s *source) Detection {
	first, ok := s.uint(0, 4)
	if !ok {
		return Detection{}
	}
	if first != continuation {
		// Before version 0.15 a message started with its length alone, as any
		// size-prefixed FlatBuffer does: only a schema that can be read tells them apart.
		if kind, ok := arrowMessageKind(s, 4, int64(first)); ok && kind == headerSchema {
			return Detection{Format: ArrowStream, Confidence: Likely, Reason: "it starts with an Arrow schema message, framed as before version 0.15"}
		}
		return Detection{}
	}
	n, ok := s.uint(4, 4)
	switch {
	case ok && n == 0 && s.size == 8:
		return Detection{Format: ArrowStream, Confidence: Likely, Reason: "it is the end of an Arrow stream, and nothing before it"}
	case ok:
		if _, ok := arrowMessageKind(s, 8, int64(n)); ok {
			return certain(ArrowStream, "it starts with an Arrow message")
		}
	}
	return Detection{Format: ArrowStream, Confidence: Guess, Reason: "it starts with FF FF FF FF as an Arrow stream does", Advice: "what follows is no Arrow message: the file is damaged, or it is something else"}
}

// arrowMessageKind returns the kind of the Arrow message whose FlatBuffer of n
// bytes is at pos.
func arrowMessageKind(s *source, pos, n int64) (kind uint64, ok bool) {
	if n < 16 || pos > s.size || n > s.size-pos {
		return 0, false
	}
	m := readMessage(s, pos, n)
	if m.fault != nil || m.version > 16 || m.kind < headerSchema || m.kind > headerSparseTensor || !m.header || m.body < 0 {
		return 0, false
	}
	if m.kind == headerSchema && m.body != 0 {
		return 0, false
	}
	return m.kind, true
}

// detectPlain recognises FlatBuffers in no container: Arrow messages, and those
// that carry no mark, by the identifier of the type
// asked for and by the structure of their root table.
func detectPlain(s *source, typ *fbverify.Type) Detection {
	if d := detectArrowStream(s); d.Format != Unknown {
		return d
	}
	identifier := ""
	if typ != nil && typ.Schema() != nil {
		identifier = typ.Schema().FileIdentifier
	}
	if identifier != "" {
		if s.is(4, identifier) {
			return certain(Raw, "it has the file identifier %s", identifier)
		}
		for _, p := range prefixedFormats {
			at := int64(p.framing.Prefix())
			if !s.is(at+4, identifier) || at == 8 && !s.is(4, "\x00\x00\x00\x00") {
				continue
			}
			d := certain(p.one, "it has the file identifier %s after %s", identifier, p.prefix)
			if size, err := s.message(p.framing, 0); err == nil && size < s.size && chain(s, p.framing) > 1 {
				d.Format = p.stream
			}
			return d
		}
	}
	raw, fields := looksLikeTable(s, 0, s.size)
	bare := !raw || fields == 0 // as little as bytes of anything else look like
	for _, p := range prefixedFormats {
		size, err := s.message(p.framing, 0)
		start := int64(p.framing.Prefix())
		if err != nil || size < start+8 {
			continue
		}
		// A short prefix is as well the root offset of a table without fields.
		if like, _ := looksLikeTable(s, start, size-start); !like || !bare && p.framing == fbverify.SizePrefixed {
			continue
		}
		if size == s.size {
			return Detection{Format: p.one, Confidence: Likely, Reason: "its first " + p.words + " are the length of the rest, which looks like a FlatBuffer"}
		}
		if bare && chain(s, p.framing) > 1 {
			return Detection{Format: p.stream, Confidence: Likely, Reason: "it looks like FlatBuffers in a row, each after " + p.prefix}
		}
	}
	if raw {
		d := Detection{Format: Raw, Confidence: Likely, Reason: "it looks like a FlatBuffer: the root offset leads to a table"}
		if id := identifierAt(s, 4); id != "" {
			d.Reason += " (file identifier " + id + ")"
		}
		return d
	}
	return Detection{}
}

// prefixedFormats are the formats of messages that start with their length.
var prefixedFormats = [...]struct {
	framing       fbverify.Framing
	one, stream   Format
	prefix, words string
}{
	{fbverify.SizePrefixed, SizePrefixed, Stream, "a size prefix", "four bytes"},
	{fbverify.LongSizePrefixed, LongSizePrefixed, LongStream, "a size prefix of eight bytes", "eight bytes"},
}

// looksLikeTable reports whether the n bytes at pos have a root table whose
// vtable is sound, and how many fields that has. Text and random bytes
// hardly ever do.
func looksLikeTable(s *source, pos, n int64) (like bool, fields int) {
	r := s.follow(shape(), pos, n, mostShape, fbverify.Options{Strict: true}, nil, func(r *reading) func(*traverse.Event) traverse.Answer {
		like, fields = false, 0
		return func(e *traverse.Event) traverse.Answer {
			switch {
			case e.What == traverse.Field:
				fields++
			case e.What == traverse.Table && e.Sound:
				like = e.Pos >= 4 && e.Pos%2 == 0 && e.VTable%2 == 0 && (e.Pos >= e.VTable+e.VTableSize || e.VTable >= e.End())
			}
			return traverse.Go
		}
	})
	return like && len(r.faults) == 0, fields
}

// shape is a table with as many fields as are looked at, of which nothing is known but
// that each has a byte. Strict demands that they lie in their table.
var shape = sync.OnceValue(func() *fbverify.Type {
	text := "table Shape {"
	for i := range 256 {
		text += fmt.Sprintf("f%d: ubyte; ", i)
	}
	s, err := fbs.Parse("shape.fbs", []byte(text+"} root_type Shape;"))
	if err != nil {
		panic(err) // the text is above
	}
	return fbverify.MustCompile(s, "")
})

// chain returns how many size-prefixed FlatBuffers follow each other from the
// start of the file, looking at no more than 100. It does not ask for the
// last one to be whole: a stream may have been cut off.
func chain(s *source, framing fbverify.Framing) (n int) {
	start := int64(framing.Prefix())
	for pos := int64(0); pos < s.size && n < 100; n++ {
		size, err := s.message(framing, pos)
		if err != nil {
			break
		}
		if like, _ := looksLikeTable(s, pos+start, size-start); !like {
			break
		}
		pos += size
	}
	return n
}

// identifierAt returns the four bytes at pos if they could be a file
// identifier.
func identifierAt(s *source, pos int64) string {
	var scratch [64]byte
	b := s.at(pos, 4, &scratch)
	for _, c := range b {
		if (c < '0' || c > '9') && (c < 'A' || c > 'Z') && (c < 'a' || c > 'z') && c != '_' {
			return ""
		}
	}
	return string(b)
}

// startOf describes the first bytes of a file.
func startOf(s *source) string {
	var scratch [64]byte
	n := int(min(s.size, 16))
	b := s.at(0, n, &scratch)
	text := fmt.Sprintf("it starts with % x", b)
	if len(b) >= 4 {
		text += fmt.Sprintf(" (as a root offset or a size prefix: %d)", binary.LittleEndian.Uint32(b))
	}
	for _, at := range []struct {
		pos   int64
		where string
	}{{4, "a FlatBuffer"}, {8, "a size-prefixed FlatBuffer"}} {
		if id := identifierAt(s, at.pos); id != "" && id == strings.ToUpper(id) {
			text += fmt.Sprintf(", with %s where %s has its file identifier: its start may be damaged, or its end missing", id, at.where)
			break
		}
	}
	return text
}
