// Package shop reads the Book of fbverify's tests as the code of `flatc --go` does.
package shop

import flatbuffers "github.com/google/flatbuffers/go"

// Book is the table shop.Book.
type Book struct{ table flatbuffers.Table }

// Init makes r the table at position i of buf.
func (r *Book) Init(buf []byte, i flatbuffers.UOffsetT) { r.table.Bytes, r.table.Pos = buf, i }

// Title returns the field title.
func (r *Book) Title() []byte {
	if o := flatbuffers.UOffsetT(r.table.Offset(4)); o != 0 {
		return r.table.ByteVector(o + r.table.Pos)
	}
	return nil
}
