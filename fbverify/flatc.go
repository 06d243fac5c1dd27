package fbverify

import (
	"encoding/binary"

	flatbuffers "github.com/google/flatbuffers/go"
)

// FlatcTable is the constraint that the table types which `flatc --go` generates
// meet: *T has their Init method.
type FlatcTable[T any] interface {
	*T
	Init(buf []byte, i flatbuffers.UOffsetT)
}

// RootAs verifies buf as t and returns its root as a type that `flatc --go`
// generated from the same schema: fbverify.RootAs[arrow.Footer](footer, buf, nil).
// That T was generated from t's root table is for the caller to see to. Reads
// through the result do not panic for as long as buf does not change; they go on
// checking what has been proved, as flatc's code does. The error, where there is
// one, is an [*Error].
func RootAs[T any, P FlatcTable[T]](t *Type, buf []byte, opts *Options) (P, error) {
	buf = private(buf, opts)
	if err := t.Verify(buf, opts); err != nil {
		return nil, err
	}
	return flatcRoot[T, P](buf, 0), nil
}

// SizePrefixedRootAs is [RootAs] for a message that starts with its own length, a
// uint32, or a uint64 with opts.LongPrefix.
func SizePrefixedRootAs[T any, P FlatcTable[T]](t *Type, buf []byte, opts *Options) (P, error) {
	buf = privateMessage(buf, opts)
	if err := t.VerifySizePrefixed(buf, opts); err != nil {
		return nil, err
	}
	return flatcRoot[T, P](buf, prefixSize(opts)), nil
}

// flatcRoot returns the table that the offset word at position at refers to.
func flatcRoot[T any, P FlatcTable[T]](buf []byte, at int) P {
	root := P(new(T))
	root.Init(buf, flatbuffers.UOffsetT(at)+flatbuffers.UOffsetT(binary.LittleEndian.Uint32(buf[at:])))
	return root
}
