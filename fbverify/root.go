package fbverify

import (
	"bytes"
	"encoding/binary"

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
// it with opts.Copy. The error, where there is one, is an [*Error].
func RootWithOptions[T View[T]](buf []byte, opts *Options) (Verified[T], error) {
	var view T
	buf = private(buf, opts)
	if err := view.FlatBuffersType().Verify(buf, opts); err != nil {
		return Verified[T]{}, err
	}
	return RootUnchecked[T](buf), nil
}

// RootUnchecked returns the root of bytes that the caller vouches for: that they
// were verified as a T before and have not changed, or were written by code that
// is trusted as the caller's own. On other bytes this function or any read may
// panic, crash the program or return other memory's contents; it looks at nothing
// but the first four bytes and the table that they name.
func RootUnchecked[T View[T]](buf []byte) Verified[T] {
	table, bytes := root(buf)
	return Verified[T]{fbread.As[T](table), bytes}
}

// root is RootUnchecked for every T. The compiler inlines what generic code
// calls only in the package that declares it, and this stands for the rest.
func root(buf []byte) (fbread.Table, mem.Buffer) {
	return fbread.RootUnchecked(buf), mem.BufferOf(buf)
}

// SizePrefixedRoot is [Root] for a message that starts with its own length, a
// uint32. Bytes after the message are left alone, and are not part of the
// Verified's Bytes; the prefix is.
func SizePrefixedRoot[T View[T]](buf []byte) (Verified[T], error) {
	return SizePrefixedRootWithOptions[T](buf, nil)
}

// SizePrefixedRootWithOptions is [RootWithOptions] for a message that starts with
// its own length; opts.LongPrefix says that the length is a uint64.
func SizePrefixedRootWithOptions[T View[T]](buf []byte, opts *Options) (Verified[T], error) {
	var view T
	buf = privateMessage(buf, opts)
	if err := view.FlatBuffersType().VerifySizePrefixed(buf, opts); err != nil {
		return Verified[T]{}, err
	}
	return prefixedRoot[T](buf, opts), nil
}

// SizePrefixedRootUnchecked is [RootUnchecked] for a message that starts with its
// own length, a uint32. It panics when there are fewer bytes than that says.
func SizePrefixedRootUnchecked[T View[T]](buf []byte) Verified[T] {
	table, bytes := prefixed(buf)
	return Verified[T]{fbread.As[T](table), bytes}
}

func prefixed(buf []byte) (fbread.Table, mem.Buffer) {
	buf = buf[: 4+uint64(binary.LittleEndian.Uint32(buf)) : len(buf)] // what a slice could grow into is not its own
	return fbread.RootUnchecked(buf[4:]), mem.BufferOf(buf)
}

// prefixedRoot is SizePrefixedRootUnchecked for either length of the prefix.
func prefixedRoot[T View[T]](buf []byte, opts *Options) Verified[T] {
	if opts == nil || !opts.LongPrefix {
		return SizePrefixedRootUnchecked[T](buf)
	}
	message := buf[:8+binary.LittleEndian.Uint64(buf)]
	return Verified[T]{root: fbread.As[T](fbread.RootUnchecked(message[8:])), buf: mem.BufferOf(message)}
}

// private returns buf, or a copy that nobody else knows of when opts want one.
func private(buf []byte, opts *Options) []byte {
	if opts != nil && opts.Copy {
		return bytes.Clone(buf)
	}
	return buf
}

// privateMessage is private for a size-prefixed message: what follows it, perhaps
// the rest of a long stream, is not copied. Strict verification looks at whether
// anything follows, and is given all.
func privateMessage(buf []byte, opts *Options) []byte {
	if opts == nil || !opts.Copy {
		return buf
	}
	var size uint64
	prefix := prefixSize(opts)
	switch {
	case opts.Strict || len(buf) < prefix:
		return bytes.Clone(buf)
	case prefix == 8:
		size = binary.LittleEndian.Uint64(buf)
	default:
		size = uint64(binary.LittleEndian.Uint32(buf))
	}
	if size <= uint64(len(buf)-prefix) {
		buf = buf[:prefix+int(size)]
	}
	return bytes.Clone(buf)
}
