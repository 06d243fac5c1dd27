package agree

import (
	"bytes"
	"fmt"
	"math"
	"reflect"
	"testing"

	flatbuffers "github.com/google/flatbuffers/go"

	"github.com/fbverify/go/fbverify"
)

// Repack unpacks the root, packs it again, twice, and demands that the bytes are
// the same each time, that they verify, and that they unpack to what was packed.
func Repack[T fbverify.View[T]](t testing.TB, v fbverify.Verified[T], opts *fbverify.Options) fbverify.Verified[T] {
	t.Helper()
	owned := reflect.ValueOf(v.Root()).MethodByName("Unpack").Call(nil)[0]
	pack := func() []byte {
		b := flatbuffers.NewBuilder(0)
		root := owned.MethodByName("Pack").Call([]reflect.Value{reflect.ValueOf(b)})[0]
		b.Finish(flatbuffers.UOffsetT(root.Uint()))
		return b.FinishedBytes()
	}
	buf := pack()
	if !bytes.Equal(buf, pack()) {
		t.Error("the same owned struct gave other bytes the second time")
	}
	if opts != nil {
		without := *opts
		without.Identifier, without.Framing = "", fbverify.Unframed
		opts = &without
	}
	again, err := fbverify.RootWithOptions[T](buf, opts)
	if err != nil {
		t.Fatalf("packed: %v", err)
	}
	unpacked := reflect.ValueOf(again.Root()).MethodByName("Unpack").Call(nil)[0]
	if where := differ(owned, unpacked, v.Root().FlatBuffersType().String()); where != "" {
		t.Errorf("packed and unpacked again: %s", where)
	}
	return again
}

// differ says where two owned structs differ, "" where they do not. All NaNs are
// equal.
func differ(a, b reflect.Value, path string) string {
	switch a.Kind() {
	case reflect.Pointer, reflect.Interface:
		if a.IsNil() || b.IsNil() {
			if a.IsNil() != b.IsNil() {
				return fmt.Sprintf("%s: %v, and before %v", path, b, a)
			}
			return ""
		}
		if a.Elem().Type() != b.Elem().Type() {
			return fmt.Sprintf("%s: a %s, and before a %s", path, b.Elem().Type(), a.Elem().Type())
		}
		return differ(a.Elem(), b.Elem(), path)
	case reflect.Struct:
		for i := range a.NumField() {
			name := a.Type().Field(i).Name
			if name == "_" {
				continue
			}
			if where := differ(a.Field(i), b.Field(i), path+"."+name); where != "" {
				return where
			}
		}
		return ""
	case reflect.Slice, reflect.Array:
		if a.Len() != b.Len() || a.Kind() == reflect.Slice && a.IsNil() != b.IsNil() {
			return fmt.Sprintf("%s: %d elements, nil %v, and before %d, nil %v", path, b.Len(), b.IsZero(), a.Len(), a.IsZero())
		}
		for i := range a.Len() {
			if where := differ(a.Index(i), b.Index(i), fmt.Sprintf("%s[%d]", path, i)); where != "" {
				return where
			}
		}
		return ""
	case reflect.Float32, reflect.Float64:
		if math.IsNaN(a.Float()) && math.IsNaN(b.Float()) {
			return ""
		}
	}
	if !a.Equal(b) {
		return fmt.Sprintf("%s: %v, and before %v", path, b, a)
	}
	return ""
}
