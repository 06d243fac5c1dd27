package bfbs

import (
	_ "embed"
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
	framing, err := framingOf(b)
	if err != nil {
		return nil, fmt.Errorf("bfbs: %w", err)
	}
	message, _, err := framing.Message(b)
	if err == nil {
		err = verify(message, framing)
	}
	if err != nil {
		return nil, fmt.Errorf("bfbs: %w", err)
	}
	body := message[framing.Prefix():]
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

// verify proves a message.
func verify(b []byte, framing fbverify.Framing) error {
	return reflectionType().Verify(b, &fbverify.Options{
		Framing: framing,
		// Doc comments need not be UTF-8. All other strings are looked at when they are read.
		SkipUTF8:        true,
		MaxApparentSize: max(minExpanded, int64(len(b))*maxExpansion),
	})
}

// framingOf tells by the identifier of the schema in b whether a size prefix is before it.
func framingOf(b []byte) (fbverify.Framing, error) {
	for framing := fbverify.Unframed; framing <= fbverify.LongSizePrefixed; framing++ {
		if at := framing.Prefix() + 4; len(b) >= at+4 && string(b[at:at+4]) == Identifier {
			return framing, nil
		}
	}
	if len(b) < 8 {
		return 0, fmt.Errorf("%d bytes are too few for a root offset and the identifier %q", len(b), Identifier)
	}
	return 0, fmt.Errorf("the file identifier at offset 4 is %q, not %q: this is no binary schema", b[4:8], Identifier)
}
