package fbverify

import (
	"github.com/fbverify/go/fbverify/fbread"
	"github.com/fbverify/go/fbverify/internal/mem"
)

// View is the constraint that a generated view T of a table meets as View[T]: it
// is defined as fbread.Of[T], and knows the compiled Type it is a view of.
type View[T any] interface {
	fbread.View[T]
	FlatBuffersType() *Type
}

// Verified is the root of a buffer that was proved to be a T. It is a small
// value: copy it, keep it in structs, hand it to other goroutines. Code that
// takes a Verified never verifies again.
//
// It can only be had from a verification ([Root], [RootWithOptions], a nested
// buffer of a verified parent) or from a function that says Unchecked in its name. The zero Verified has no root; reading from
// it panics.
//
// The proof is about the bytes as they were. Whoever holds a Verified must see
// to it that they do not change: after a write, reads may return anything and
// may touch memory outside the buffer. Options.Copy and [ReadFile] are for those
// who cannot promise that; the bytes of [MapFile] are for the file's writers to keep.
type Verified[T View[T]] struct {
	root T
	buf  mem.Buffer
}

// Root returns the view of the root table.
func (v Verified[T]) Root() T { return v.root }

// Bytes returns the verified bytes, the size prefix included where there is
// one. They must not be written to.
func (v Verified[T]) Bytes() []byte { return bytesOf(v.buf) }

// IsZero tells whether v is the zero Verified, which has no root.
func (v Verified[T]) IsZero() bool { return v.buf == mem.Buffer{} }

func bytesOf(b mem.Buffer) []byte { return b.Bytes() }
