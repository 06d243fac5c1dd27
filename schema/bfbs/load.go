package bfbs

import (
	_ "embed"
	"encoding/binary"
	"fmt"
	"sync"

	"github.com/fbverify/go/fbverify"
	"github.com/fbverify/go/internal/sound"
	"github.com/fbverify/go/schema"
)

// Load reads a binary schema, as `flatc --binary --schema` writes it, with or
// without a size prefix. The bytes may come from anywhere: they are verified as a buffer
// of reflection.fbs first, and the model that they stand for is checked.
// An error says where in the .bfbs the fault is.
//
// Tables, names and doc comments may be shared, but a schema that stands for more than 8
// times its bytes, and more than 64 KiB, is refused.
//
// Without `--bfbs-builtins` flatc leaves built-in attributes out. Those that the
// rest of the file tells are put back: deprecated, key, required, offset64,
// vector64, force_align of structs, and bit_flags of an enum when a field has a
// default that is none of its values, which nothing else may have. The others
// are lost with what they mean: nested_flatbuffer, flexbuffer, hash, and bit_flags
// that do not show.
//
// A .bfbs holds no defaults of strings and vectors. A union without a NONE gets
// one; enum values may stand in any order. Bytes of doc comments that are no
// UTF-8 are replaced by U+FFFD; everywhere else they are an error.
func Load(b []byte) (*schema.Schema, error) {
	body, prefixed, err := message(b)
	if err != nil {
		return nil, fmt.Errorf("bfbs: %w", err)
	}
	if err := verify(b, len(body), prefixed); err != nil {
		return nil, fmt.Errorf("bfbs: %w", err)
	}
	l := newLoader(body, string(body))
	if err := l.load(); err != nil {
		return nil, fmt.Errorf("bfbs: %w", err)
	}
	if err := settleLayout(l.s.Objects); err != nil {
		return nil, fmt.Errorf("bfbs: %w", err)
	}
	settleAttributes(l.s)
	if err := l.s.Check(); err != nil {
		return nil, err
	}
	return l.s, nil
}

// LoadUnchecked reads bytes that [Marshal] wrote and that nobody changes, as those that are
// embedded in generated code. It neither verifies nor checks, and neither does
// [fbverify.Compile] of the result. The schema refers to the bytes. Of other bytes it makes
// a schema that means nothing, or panics.
func LoadUnchecked(b []byte) *schema.Schema {
	l := newLoader(b, unsafeString(b))
	if err := l.load(); err != nil {
		panic("bfbs: " + err.Error())
	}
	sound.Mark(l.s)
	return l.s
}

// What a schema may stand for, relative to its bytes: names and types are shared by honest
// writers, whole vectors of doc comments only by hostile ones.
const (
	maxExpansion = 8
	minExpanded  = 64 << 10
)

// reflectionSchema is reflection.fbs in binary form.
//
//go:embed reflection.bfbs
var reflectionSchema []byte

var reflectionType = sync.OnceValue(func() *fbverify.Type {
	return fbverify.MustCompile(LoadUnchecked(reflectionSchema), "reflection.Schema")
})

// verify proves the buffer b, whose message has n bytes.
func verify(b []byte, n int, prefixed bool) error {
	opts := &fbverify.Options{
		// Doc comments need not be UTF-8. All other strings are looked at when they are read.
		SkipUTF8:        true,
		MaxApparentSize: max(minExpanded, int64(n)*maxExpansion),
	}
	if prefixed {
		return reflectionType().VerifySizePrefixed(b, opts)
	}
	return reflectionType().Verify(b, opts)
}

// message finds the schema in b, behind a size prefix or not, by its identifier.
func message(b []byte) (body []byte, prefixed bool, err error) {
	identified := func(at int) bool {
		return len(b) >= at+4 && string(b[at:at+4]) == Identifier
	}
	switch {
	case identified(4):
		return b, false, nil
	case identified(8):
		size := uint64(binary.LittleEndian.Uint32(b))
		if size > uint64(len(b)-4) {
			return nil, false, fmt.Errorf("its size prefix promises %d bytes, and %d follow", size, len(b)-4)
		}
		if size < 8 {
			return nil, false, fmt.Errorf("its size prefix of %d leaves no room for a root offset and the identifier", size)
		}
		return b[4 : 4+size], true, nil
	case len(b) < 8:
		return nil, false, fmt.Errorf("%d bytes are too few for a root offset and the identifier %q", len(b), Identifier)
	}
	return nil, false, fmt.Errorf("the file identifier at offset 4 is %q, not %q: this is no binary schema", b[4:8], Identifier)
}
