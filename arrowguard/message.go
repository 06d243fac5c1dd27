package arrowguard

import (
	"errors"
	"fmt"

	"github.com/fbverify/go/fbverify"
	"github.com/fbverify/go/generated/arrow"
)

// options are what arrow-go needs to be true of a FlatBuffer: it reads strings as bytes and
// numbers at any position. Depth and number of tables are those of Arrow's own readers.
var options = &fbverify.Options{MaxDepth: 128, SkipUTF8: true, SkipAlignment: true}

// verified verifies a FlatBuffer.
func verified[T fbverify.View[T]](b []byte, part string, offset int64) (t T, err error) {
	v, err := fbverify.RootWithOptions[T](b, options)
	if err != nil {
		e := &Error{Part: part, Offset: offset, Detail: err.Error()}
		errors.As(err, &e.Fault)
		return t, e
	}
	return v.Root(), nil
}

// lengthSize is the bytes of each word before a message's metadata.
const lengthSize = 4

// message checks a message and, where it is a batch, holds it against the plan. body is the
// length of its body that a file's footer says, -1 where nothing does.
func (p *plan) message(m arrow.Message, part string, offset, body int64) (*batch, error) {
	b := &batch{part: part, offset: offset, version: m.Version(), body: m.BodyLength()}
	switch {
	case b.body < 0:
		return nil, b.fail("a body of %d bytes", b.body)
	case body >= 0 && body != b.body:
		return nil, b.fail("a body of %d bytes, and the footer says %d", b.body, body)
	}
	switch h := m.Header(); m.HeaderType() {
	case arrow.MessageHeaderRecordBatch:
		r, _ := h.AsRecordBatch()
		return b, b.check(r, p.columns)
	case arrow.MessageHeaderDictionaryBatch:
		d, _ := h.AsDictionaryBatch()
		values := p.dicts[d.ID()]
		if values == nil {
			return nil, b.fail("dictionary %d, which no column of the schema has", d.ID())
		}
		b.version = 0 // arrow-go takes dictionaries for those of the oldest version
		if d.Data().Present() {
			return b, b.check(d.Data(), []*column{values})
		}
		return nil, b.fail("the dictionary batch has no values")
	}
	return b, nil
}

func messageName(kind arrow.MessageHeader, i int) string {
	switch kind {
	case arrow.MessageHeaderSchema:
		return "the schema"
	case arrow.MessageHeaderDictionaryBatch:
		return fmt.Sprintf("dictionary batch %d", i)
	case arrow.MessageHeaderRecordBatch:
		return fmt.Sprintf("record batch %d", i)
	}
	return fmt.Sprintf("message %d", i)
}
