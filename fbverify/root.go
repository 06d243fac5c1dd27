package fbverify

import (
	"bytes"

	"github.com/fbverify/go/fbverify/fbread"
	"github.com/fbverify/go/fbverify/internal/mem"
)

// Root verifies buf with the default options and returns its root. The error,
// where there is one, is an [*Error].
func Root[T View[T]](buf []byte) (Verified[T], error) {
	return RootWithOptions[T](buf, nil)
}

// RootWithOptions verifies buf and returns its root. Nil opts are the defaults.
// The Verified refers to buf, which must not change from then on, or to a copy of
// it with opts.Copy. Bytes after a size-prefixed message are left alone, and are not
// part of the Verified's Bytes; the prefix is. The error, where there is one, is an
// [*Error].
func RootWithOptions[T View[T]](buf []byte, opts *Options) (Verified[T], error) {
	var view T
	buf = private(buf, opts)
	if err := view.FlatBuffersType().Verify(buf, opts); err != nil {
		return Verified[T]{}, err
	}
	f := framing(opts)
	if f != Unframed {
		buf, _, _ = f.Message(buf) // proved to be there
	}
	return RootUnchecked[T](buf, f), nil
}

// framing is the one that opts say.
func framing(opts *Options) Framing {
	if opts == nil {
		return Unframed
	}
	return opts.Framing
}

// RootUnchecked returns the root of a message that the caller vouches for: that it
// was verified as a T with that framing before and has not changed, or was written by
// code that is trusted as the caller's own. On other bytes this function or any read
// may panic, crash the program or return other memory's contents; it looks at nothing
// but the root offset and the table that it names. Of a stream, [Framing.Message]
// finds the message; bytes after it would be part of the Verified's Bytes.
func RootUnchecked[T View[T]](message []byte, framing Framing) Verified[T] {
	table, bytes := root(message, framing)
	return Verified[T]{fbread.As[T](table), bytes}
}

// root is RootUnchecked for every T. The compiler inlines what generic code
// calls only in the package that declares it, and this stands for the rest. With more
// in it than that, RootUnchecked would be a call.
func root(message []byte, f Framing) (fbread.Table, mem.Buffer) {
	return fbread.RootUnchecked(message[4*f:]), mem.BufferOf(message)
}

// private returns buf, or a copy that nobody else knows of when opts want one. What
// follows a size-prefixed message, perhaps the rest of a long stream, is not copied,
// except for Strict, which looks at whether anything follows.
func private(buf []byte, opts *Options) []byte {
	if opts == nil || !opts.Copy {
		return buf
	}
	if opts.Framing <= LongSizePrefixed && !opts.Strict {
		buf, _, _ = opts.Framing.Message(buf) // all of it where it is wrong
	}
	return bytes.Clone(buf)
}
