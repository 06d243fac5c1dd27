// Package protobuf keeps .proto files the only source of a schema where data is to be read
// as FlatBuffers: it makes a FlatBuffers schema of them, and converts messages both ways.
//
//	files, err := protobuf.ParseFS(os.DirFS("proto"), "shop/order.proto")
//	s, warnings, err := protobuf.Schema(files, &protobuf.Options{Root: "shop.Order"})
//	err = fbs.Write(w, s)            // for fbgen or flatc
//
//	t, err := fbverify.Compile(s, "shop.Order")
//	c, err := protobuf.NewConverter(t, order.ProtoReflect().Descriptor())
//	buf, err := c.Marshal(order)     // at the edge where Protobuf comes in
//	err = c.Unmarshal(buf, order, nil) // at the edge where Protobuf goes out: it verifies
//
// Command fbproto does the first half.
//
// # The mapping
//
// Names and types are those of flatc --proto wherever it has a way that loses nothing;
// testdata/public-flatc.txt lists the differences in some fifty public files.
//
//	.proto                      schema
//	package a.b                 namespace a.b
//	message M                   table M
//	message N in M              table N in the namespace a.b.M__, as flatc names it
//	int32 sint32 sfixed32       int
//	int64 sint64 sfixed64       long
//	uint32 fixed32              uint
//	uint64 fixed64              ulong
//	float double bool           float double bool
//	string                      string
//	bytes                       [ubyte]
//	enum E                      enum E : int
//	message, group              the table, whatever it encodes as in Protobuf
//	repeated T                  [T], but [google.protobuf.BytesValue] for bytes, since
//	                            vectors hold no vectors
//	map<K, V> of a field f      [FEntry], a table with key (key) and value: value is as a
//	                            field without presence
//	oneof o in M                union O in the namespace a.b.M__, with a member for each
//	                            field: the table of a message, and the message of
//	                            google.protobuf that wraps it for a scalar, string or bytes;
//	                            of an enum E a table EValue
//	optional, required or of    = null for numbers and enums; strings, vectors and tables
//	proto2: explicit presence   can be absent anyway
//	default of a number or enum the default. Presence is kept: what was set is stored, also
//	                            where it equals the default, and the field's Has tells
//	implicit presence           the default 0, and not stored if it is 0
//	required                    required for strings, vectors and tables; [proto.CheckInitialized]
//	                            is for the others
//	google.protobuf.Timestamp   the table of that message, as for each well-known type
//	service, rpc                rpc_service with streaming "client", "server" or "bidi"
//	comment before              doc comment
//
// A union has at most 255 members, and so has a oneof here.
//
// What no schema can say is told by a [Warning] when the schema is made: extensions, second
// names of an enum's number, defaults of strings and bytes, that a number is required. The
// field option deprecated is not carried over: FlatBuffers would no longer read the field.
//
// What a message holds and the schema does not know, which are extensions and unknown
// fields, is an error of a conversion ([LossError]), unless the [Converter] is told to
// drop it.
//
// # Evolution
//
// Protobuf's numbers may have gaps and go up to 2^29, FlatBuffers' ids are dense. So ids
// are given out in the order of the numbers when a message is first met, and from then on
// the schema itself says which number each id stands for: the attribute proto holds, of a
// field and of a union's member, the number, of a table, an enum and a service the full name, and of a union's
// field the name of the oneof. [Options.Previous] is the schema of before, the .fbs file that is kept
// beside the .proto files: it is the lock file. Then
//
//   - a new field, of any number, gets the next id, a new member of a oneof the next tag;
//   - a removed field stays, deprecated. A removed message, enum or enum's value stays as it is,
//     and so does a removed member of a oneof, which becomes absent in Protobuf;
//   - a renamed field or enum's value is renamed, unless the schema of before has another field of that
//     name: then, and where a name is taken otherwise (no field may be called as a table in its
//     namespace or one around it), a "_" is appended;
//   - a renamed oneof has a renamed field, and its union keeps its name;
//   - presence and defaults that change in Protobuf leave the field as it is in the schema, since the default
//     of a field never changes; a message is carried without loss all the same;
//   - another type is another field: the old one is deprecated, the new one gets the
//     next id. Protobuf calls some of these changes safe (int32 to int64); FlatBuffers cannot.
//     So it is for a field that enters or leaves a oneof.
//
// Each of these is safe in the sense of fbinspect conform: old programs read new buffers, and new ones old
// buffers. It holds one schema against the next: a field may get a name that another
// had two schemas ago, which conform takes for a changed id, while the bytes are read right. A message with another full name is another message, a removed required field is as bad as in
// Protobuf, and a schema that was made without Previous starts anew.
//
// # Limits
//
// [ParseFS] refuses files with very long lines, one of 64 KiB or more of fewer bytes: the time for the positions of
// comments grows with the square of a line's length.
//
// [Converter.Unmarshal] verifies before it reads. Buffers in which tables are shared, as
// none are that [Converter.Marshal] makes, can stand for far more than their size: a
// conversion ends with an error after sixteen times the buffer's size.
package protobuf
