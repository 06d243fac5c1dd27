package fbverify

import (
	"encoding/binary"
	"fmt"
	"reflect"
	"strings"

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
// A T whose name is not that of t's root table is refused. Of two tables of one
// name, in two namespaces or in two versions of a schema, T may still be the wrong
// one, which is for the caller to see to. Reads through the result do not panic for
// as long as buf does not change; they go on checking what has been proved, as
// flatc's code does. An error about buf is an [*Error].
func RootAs[T any, P FlatcTable[T]](t *Type, buf []byte, opts *Options) (P, error) {
	if err := flatcNamed[T](t); err != nil {
		return nil, err
	}
	buf = private(buf, opts)
	if err := t.Verify(buf, opts); err != nil {
		return nil, err
	}
	return flatcRoot[T, P](buf, framing(opts).Prefix()), nil
}

// flatcRoot returns the table that the offset word at position at refers to.
func flatcRoot[T any, P FlatcTable[T]](buf []byte, at int) P {
	root := P(new(T))
	root.Init(buf, flatbuffers.UOffsetT(at)+flatbuffers.UOffsetT(binary.LittleEndian.Uint32(buf[at:])))
	return root
}

// flatcNamed refuses a T that is not named as the root table of t.
func flatcNamed[T any](t *Type) error {
	typ, root := reflect.TypeFor[T](), t.Root().Name
	switch table := root[strings.LastIndexByte(root, '.')+1:]; {
	case typ.Name() == "":
		return fmt.Errorf("fbverify: RootAs: the type %s has no name, which should be %s", typ, table)
	case typ.Name() != table && plainName(typ.Name()) != plainName(table):
		return fmt.Errorf("fbverify: RootAs: the buffer's root is %s, and %s is the type of a table %s", root, typ, strings.TrimSuffix(typ.Name(), "_"))
	}
	return nil
}

// plainName is a name without what flatc may change: it writes "_" after a word of
// Go, and options of it change cases.
func plainName(name string) string {
	return strings.ToLower(strings.ReplaceAll(name, "_", ""))
}
