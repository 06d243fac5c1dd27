// Package dynamic reads FlatBuffers by a schema that is known at run time only,
// and turns them into JSON and back.
//
// [Root] verifies a buffer once; after that reads check no offset of the wire
// format again and return no errors:
//
//	msg, err := dynamic.Root(layoutType, buf, nil)
//	children := msg.Root().Object().Field("children") // resolve once
//	v, _ := msg.Root().Get(children)
//	for i := range v.Len() {
//		fmt.Println(v.At(i).Table().Uint(encoding))
//	}
//
// A [Field] is a handle: it knows its slot, width and default, so that a scalar
// read costs a few instructions. A [Value] is a small value of any kind, for
// code that walks a buffer without knowing its schema beforehand; neither
// allocates. Every value says where in the buffer it lies.
//
// [WriteJSON] and [AppendJSON] print what flatc prints, [EncodeJSON] reads what
// flatc reads, and a [Path] such as "children[2:5].metadata" picks parts.
//
// What a verification does not look into is not taken for granted: deprecated
// fields read as absent ([IncludeDeprecated]), FlexBuffers are checked as they are
// printed, nested buffers that Options.NestedUnchecked left out are verified when they
// are opened, and the value of a union with an unknown tag is never followed.
//
// # Memory safety
//
// All loads go through Go slices, so that even a buffer that changed after its
// verification, or one that was never verified ([RootUnchecked]), can at worst
// give wrong values or a panic, and never a read outside of the slice.
package dynamic
