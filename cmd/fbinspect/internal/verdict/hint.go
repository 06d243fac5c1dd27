package verdict

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/fbverify/go/cmd/fbinspect/internal/input"
	"github.com/fbverify/go/cmd/fbinspect/internal/ui"
	"github.com/fbverify/go/fbverify"
	"github.com/fbverify/go/fbverify/container"
	"github.com/fbverify/go/schema"
)

// Hint says what a person can make of a fault of a FlatBuffer b of a file of that format;
// identifier says that one was asked for.
func Hint(e *fbverify.Error, format container.Format, typ *fbverify.Type, b []byte, identifier bool) string {
	if hint := mangled(e.Kind, b); hint != "" {
		return hint
	}
	hint := kindHint(e, format.KnowsTypes(), identifier)
	if inUnion(e, typ) {
		hint += " It is the value of a union, read as what the union's type says: if that type was overwritten, sound bytes are taken for something else."
	}
	return strings.TrimSpace(hint)
}

// inUnion reports whether the fault is one of a union's value.
func inUnion(e *fbverify.Error, typ *fbverify.Type) bool {
	switch e.Kind {
	case fbverify.ErrUnionValueMissing, fbverify.ErrUnionVectors, fbverify.ErrUnionTagUnknown, fbverify.ErrUnionValueUnexpected:
		return false // said already
	}
	o := typ.Schema().Object(e.Type)
	if o == nil || e.Thing == fbverify.ThingOffset { // that is wrong whatever it leads to
		return false
	}
	name := e.Path[strings.LastIndexByte(e.Path, '.')+1:]
	name, _, _ = strings.Cut(name, "[")
	for _, f := range o.Fields {
		if f.Name == name {
			return f.Type.Base == schema.Union || f.Type.IsVector() && f.Type.Element == schema.Union
		}
	}
	return false
}

func kindHint(e *fbverify.Error, known, identifier bool) string {
	switch e.Kind {
	case fbverify.ErrTooShort:
		return "No FlatBuffer is that short: the file was cut off, or it is something else."
	case fbverify.ErrTooLarge:
		return "A single FlatBuffer ends at 2 GiB. If the file holds several, name its layout with --format."
	case fbverify.ErrSizePrefix:
		return "The file was cut off after this message began; or it has no size prefix (--format raw)."
	case fbverify.ErrIdentifier:
		hint := "The file is of another kind, or its first bytes were overwritten."
		if identifier {
			hint += " Without --identifier any will do."
		}
		return hint
	case fbverify.ErrOutOfBounds, fbverify.ErrBadOffset, fbverify.ErrBadVTable:
		return wherefrom(e, known)
	case fbverify.ErrMisaligned:
		if e.Thing == fbverify.ThingOffset && e.Target%2 != 0 {
			return wherefrom(e, known) // no writer puts anything there
		}
		return "Some writers left values at such positions, old FlatGeobuf and JavaScript ones among them. The values are there and can be read: --no-alignment accepts them. If the rest of the file is faulty too, it was shifted or overwritten."
	case fbverify.ErrNotTerminated:
		return "The string's length or its last bytes were overwritten, or its writer left out the NUL byte that the format asks for."
	case fbverify.ErrInvalidUTF8:
		return "The text is in another encoding, or it is no text: some writers put binary data into strings, Arrow's metadata for instance. --no-utf8 accepts it."
	case fbverify.ErrMissingRequired:
		return "The writer did not set a field that the schema requires: it used another version of the schema, or the wrong root type is being tried."
	case fbverify.ErrUnionValueMissing:
		return "Readers that trust the type would read a value that is not there. The writer set the one without the other, or the vtable was overwritten."
	case fbverify.ErrUnionVectors:
		return "The types and the values of a vector of unions belong together one by one. The writer set the one without the other, or a length was overwritten."
	case fbverify.ErrDepthLimit:
		return "If the data is honestly that deep, --max-depth N allows it. Readers that recurse need a stack for it."
	case fbverify.ErrTableLimit:
		return "Tables that are shared count each time they are met: a small file can stand for billions of them. If the data is to be trusted, --max-tables N allows it."
	case fbverify.ErrSizeLimit:
		return "--max-apparent-size N allows more."
	case fbverify.ErrTrailing, fbverify.ErrTableSize, fbverify.ErrEmbeddedNUL, fbverify.ErrUnionValueUnexpected,
		fbverify.ErrUnionTagUnknown, fbverify.ErrBadBool, fbverify.ErrUnknownEnum, fbverify.ErrUnsorted:
		return strictHints[e.Kind] + " No read depends on it: without --strict it is accepted."
	case fbverify.ErrInternal:
		return "This is a bug in fbinspect: please report it, with the file if you can."
	}
	return ""
}

var strictHints = map[fbverify.Kind]string{
	fbverify.ErrTrailing:             "What follows may be another message (--format stream).",
	fbverify.ErrTableSize:            "The vtable was written by a faulty writer or overwritten.",
	fbverify.ErrEmbeddedNUL:          "Programs in C would see the string end there.",
	fbverify.ErrUnionValueUnexpected: "The value cannot be reached through the union.",
	fbverify.ErrUnionTagUnknown:      "A newer version of the schema may know this member.",
	fbverify.ErrBadBool:              "Readers take every nonzero byte for true.",
	fbverify.ErrUnknownEnum:          "A newer version of the schema may know this value.",
	fbverify.ErrUnsorted:             "Look-ups by key may not find what is there.",
}

// wherefrom guesses how an offset came to lead nowhere.
func wherefrom(e *fbverify.Error, known bool) string {
	if pastEnd(e) {
		hint := "It leads past the end: either the end of the data was cut off, or these bytes were overwritten."
		if !known {
			hint += " If every file is refused like this, the schema or the root type is not the one it was written with: fbinspect schema find tries the known ones."
		}
		return hint
	}
	hint := "These bytes were overwritten, or a faulty writer left them."
	if !known {
		hint += " Or the schema or the root type is not the one the file was written with: fbinspect schema find tries the known ones."
	}
	return hint
}

// pastEnd reports whether something reaches past the end, as it does where the end was cut
// off, and not before the start.
func pastEnd(e *fbverify.Error) bool {
	return e.Kind == fbverify.ErrOutOfBounds && (e.Thing != fbverify.ThingVTableOffset || e.Target > int64(e.Offset))
}

// mangled says of a buffer that was taken for text on its way what that did to it; "" for
// others, and for faults that do not come of such things.
func mangled(kind fbverify.Kind, b []byte) string {
	switch kind {
	case fbverify.ErrOutOfBounds, fbverify.ErrBadOffset, fbverify.ErrBadVTable, fbverify.ErrMisaligned, fbverify.ErrNotTerminated,
		fbverify.ErrMissingRequired, fbverify.ErrUnionValueMissing, fbverify.ErrSizePrefix:
	default:
		return ""
	}
	switch {
	case lineEnds(b):
		return "Before each byte 0A of the buffer there is a 0D, as if it had been sent as text and its line ends been changed: bytes were put in, and what is behind them has moved. Get the file again, as binary."
	case replaced(b):
		return "The buffer has no bytes from 0x80 up but those of UTF-8, EF BF BD many times among them: it was read as text, and each byte that is none was replaced by U+FFFD. What stood there is lost: get the file again, as binary."
	case textMode(b):
		return "The buffer is full of the bytes C3 and C2 and has none else from 0x80 up, as if it had been sent as text: each byte from 0x80 up was turned into two. Get the file again, as binary."
	}
	return ""
}

// replaced reports whether b looks as if it had been decoded as UTF-8 and encoded again: it is
// valid as such, and has characters that stand for what was not.
func replaced(b []byte) bool {
	return bytes.Count(b, []byte("\uFFFD")) >= 4 && utf8.Valid(b)
}

// textMode reports whether b looks as if Latin-1 had been turned into UTF-8: bytes from
// 0x80 up come in pairs that start with C2 or C3, and there are some.
func textMode(b []byte) bool {
	pairs := 0
	for i := 0; i < len(b); i++ {
		if b[i] < 0x80 {
			continue
		}
		if b[i] != 0xc2 && b[i] != 0xc3 || i+1 == len(b) || b[i+1]&0xc0 != 0x80 {
			return false
		}
		i++
		pairs++
	}
	return pairs >= 4
}

// lineEnds reports whether b looks as if line ends of text had been changed: each LF has a CR
// before it, and there are some.
func lineEnds(b []byte) bool {
	pairs := 0
	for i := bytes.IndexByte(b, '\n'); i >= 0; {
		if i == 0 || b[i-1] != '\r' {
			return false
		}
		pairs++
		next := bytes.IndexByte(b[i+1:], '\n')
		if next < 0 {
			break
		}
		i += 1 + next
	}
	return pairs >= 4
}

// appended returns a hint for a file that lacks the mark at its end and has it a little before
// that; "" where there is none.
func appended(src *input.Source, e *container.Error) string {
	const near = 64 << 10
	mark := e.Mark
	if mark == "" || e.Offset != src.Size {
		return ""
	}
	from := max(src.Size-near, 0)
	tail := src.Around(from, near)
	at := bytes.LastIndex(tail, []byte(mark))
	if at < 0 || from+int64(at) < 16 { // that is the mark at the start
		return ""
	}
	end := from + int64(at+len(mark))
	return fmt.Sprintf("%s stands there, but %s before the end: something was written behind it. The first %d bytes may be the whole file (head -c %d FILE > fixed).",
		mark, ui.Count(src.Size-end, "byte"), end, end)
}

// FramingHint says what a person can make of a fault around the FlatBuffers of a file.
func FramingHint(src *input.Source, e *container.Error) string {
	if hint := appended(src, e); hint != "" {
		return hint
	}
	switch e.Kind {
	case container.ErrUnknownFormat:
		if what, _ := src.Foreign(); what != "" || src.Size < 8 {
			return ""
		}
		return "If it holds FlatBuffers, give their schema (--schema), root type (--root) and layout (--format raw, size-prefixed, stream, …)."
	case container.ErrTruncated:
		if e.Whole {
			return "Only the end is missing, as when a writer was stopped before it closed the file: what stands before it is whole, and says all that the end says."
		}
		return "The end of the file is missing, as after a download or a copy that was broken off, or a length was overwritten. Get it again, or see with dump --partial what is left."
	case container.ErrMagic:
		return "The marks of the format are not where they belong: that end of the file is missing or was overwritten, or the file is of another kind."
	case container.ErrVersion:
		if !e.Newer {
			return "An old writer made it, before the versions that fbinspect knows; or the number was overwritten."
		}
		return "A newer writer may have made it, which this version of fbinspect does not know."
	case container.ErrLength:
		return "The number was overwritten, or the file was cut off or put together from pieces after it was written."
	case container.ErrOverlap, container.ErrMismatch, container.ErrReference:
		return "The file was put together wrongly, or one of the numbers was overwritten."
	case container.ErrEncoded:
		return "What is in there can be seen only after it was decompressed or decrypted."
	case container.ErrUnreadable:
		return "Parts that only this FlatBuffer leads to were not looked at."
	case container.ErrTrailing:
		return "Something was written behind the end, or a length before it is too small."
	case container.ErrLimit:
		return "Such a file cannot come from an honest writer."
	}
	return ""
}
