package input

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/fbverify/go/cmd/fbinspect/internal/ui"
	"github.com/fbverify/go/fbverify/container"
)

// ZeroEnd tells of a file whose end is all zero, in a sentence; "" for other files. Honest
// files have zeros at their ends, too: it is for those that are not sound.
func (s *Source) ZeroEnd() string {
	from := s.zerosFrom()
	zeros := s.Size - from
	switch {
	case s.Size == 0 || zeros < 32:
		return ""
	case from == 0:
		return fmt.Sprintf("all of its %s are zero: its space was set aside, and nothing was written there", ui.Count(s.Size, "byte"))
	case zeros < 512 && zeros < s.Size/2:
		return ""
	}
	return fmt.Sprintf("from offset %d on all is zero, %s to the end: as after a crash or a copy that broke off, when its space had been set aside", from, ui.Count(zeros, "byte"))
}

// zerosFrom returns the offset from which on all bytes are zero.
func (s *Source) zerosFrom() int64 {
	const chunk = 64 << 10
	var zero [chunk]byte
	for end := s.Size; end > 0; {
		from := max(end-chunk, 0)
		b := s.Around(from, int(end-from))
		if int64(len(b)) < end-from {
			return end // it cannot be read
		}
		if !bytes.Equal(b, zero[:len(b)]) {
			return from + int64(len(bytes.TrimRight(b, "\x00")))
		}
		end = from
	}
	return 0
}

// Untyped says why the type of a part of f is not known, in the place of the error of
// [Types.Of].
func Untyped(f *container.File, p container.Part, err error) error {
	reason := f.Detection().Reason
	if reason == "" { // the format was named
		reason = "as " + f.Format().String() + " it is a FlatBuffer"
	}
	err = fmt.Errorf("%s, but %w", reason, err)
	prefix := p.Framing.Prefix()
	if prefix == 0 || !errors.Is(err, ErrNoSchema) {
		return err
	}
	known := map[string]struct{ what, root string }{
		"TFL3": {"a TFLite model", "tflite.Model"},
		"BFBS": {"a binary schema", "reflection.Schema"},
	}
	if b, e := p.Bytes(); e == nil && len(b) >= prefix+8 {
		if k, ok := known[string(b[prefix+4:prefix+8])]; ok {
			return fmt.Errorf("%s stands before %s, whose readers expect none: tail -c +%d FILE > FIXED takes it off, and --root %s looks at the file as it is (%w)",
				"a size prefix of "+ui.Count(int64(prefix), "byte"), k.what, prefix+1, k.root, err)
		}
	}
	return err
}

// IdentifierNote tells of a buffer b that has another file identifier than its schema
// says. It is no fault: many writers leave the identifier out. Of a buffer that is not
// sound it is the likeliest reason.
func (t *Types) IdentifierNote(p container.Part, b []byte, sound bool) string {
	typ, err := t.Of(p)
	if err != nil {
		return ""
	}
	s, at := typ.Schema(), p.Framing.Prefix()+4
	if s.FileIdentifier == "" || typ.Root() != s.Root || len(b) < at+4 || string(b[at:at+4]) == s.FileIdentifier {
		return ""
	}
	if at == 4 && len(b) >= 12 && string(b[8:12]) == s.FileIdentifier {
		return fmt.Sprintf("the schema's file identifier %q stands four bytes on, as behind a size prefix: --format size-prefixed", s.FileIdentifier)
	}
	insist := fmt.Sprintf("--identifier %s would insist on it", s.FileIdentifier)
	if !IsIdentifier(b[at : at+4]) {
		return fmt.Sprintf("the schema's file identifier %q is not there: %s", s.FileIdentifier, insist)
	}
	if !sound {
		insist = "most likely the file is of another schema"
	}
	return fmt.Sprintf("the file identifier is %q, and the schema's is %q: %s", b[at:at+4], s.FileIdentifier, insist)
}

// IsIdentifier reports whether four bytes look like a file identifier.
func IsIdentifier(b []byte) bool {
	for _, c := range b {
		if (c < '0' || c > '9') && (c < 'A' || c > 'Z') && (c < 'a' || c > 'z') && c != '_' {
			return false
		}
	}
	return true
}
