package protobuf_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"time"

	flatbuffers "github.com/google/flatbuffers/go"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/dynamicpb"

	"github.com/fbverify/go/fbverify"
	"github.com/fbverify/go/fbverify/dynamic"
	"github.com/fbverify/go/internal/growth"
	"github.com/fbverify/go/protobuf"
	"github.com/fbverify/go/schema"
)

// converter makes the converter for a message of a schema.
func converter(t testing.TB, s *schema.Schema, d protoreflect.MessageDescriptor) *protobuf.Converter {
	t.Helper()
	for _, o := range s.Objects {
		if name, _ := o.Attribute(protobuf.Attribute); name == string(d.FullName()) {
			typ, err := fbverify.Compile(s, o.Name)
			if err != nil {
				t.Fatal(err)
			}
			c, err := protobuf.NewConverter(typ, d)
			if err != nil {
				t.Fatal(err)
			}
			return c
		}
	}
	t.Fatalf("no table stands for %s", d.FullName())
	return nil
}

// roundTrip converts a message into a buffer, which has to verify strictly, and back.
func roundTrip(t testing.TB, c *protobuf.Converter, m proto.Message) []byte {
	t.Helper()
	buf, err := c.Marshal(m)
	if err != nil {
		t.Fatalf("%v\n%v", err, m)
	}
	back := m.ProtoReflect().New().Interface()
	err = c.Unmarshal(buf, back, &fbverify.Options{Strict: true})
	var fault *fbverify.Error
	if errors.As(err, &fault) && (fault.Kind == fbverify.ErrEmbeddedNUL || fault.Kind == fbverify.ErrUnknownEnum) {
		// Protobuf allows both.
		err = c.Unmarshal(buf, back, nil)
	}
	if err != nil {
		t.Fatalf("%v\n%v", err, m)
	}
	if !proto.Equal(m, back) {
		t.Fatalf("the message was\n%v\nand is\n%v", m, back)
	}
	return buf
}

// messagesOf returns all messages of files, nested ones too.
func messagesOf(files []protoreflect.FileDescriptor) (list []protoreflect.MessageDescriptor) {
	var add func(protoreflect.MessageDescriptors)
	add = func(all protoreflect.MessageDescriptors) {
		for i := range all.Len() {
			if d := all.Get(i); !d.IsMapEntry() {
				list = append(list, d)
				add(d.Messages())
			}
		}
	}
	for _, f := range files {
		add(f.Messages())
	}
	return list
}

func TestRandomMessagesOfRandomFilesComeBack(t *testing.T) {
	n := 300
	if testing.Short() {
		n = 30
	}
	for seed := range uint64(n) {
		r := rand.New(rand.NewPCG(seed, 22))
		files := parse(t, "x.proto", newProtoFile(r).text())
		s, _, err := protobuf.Schema(files, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range messagesOf(files) {
			c := converter(t, s, d)
			for range 10 {
				m := dynamicpb.NewMessage(d)
				fill(r, m, 3)
				roundTrip(t, c, m)
			}
		}
	}
}

func shop(t testing.TB) ([]protoreflect.FileDescriptor, *schema.Schema) {
	t.Helper()
	files, err := protobuf.ParseFS(os.DirFS("testdata"), "shop.proto", "parts.proto")
	if err != nil {
		t.Fatal(err)
	}
	s, _, err := protobuf.Schema(files, &protobuf.Options{Root: "shop.v1.Order", Identifier: "SHOP"})
	if err != nil {
		t.Fatal(err)
	}
	return files, s
}

func TestEveryKindOfFieldComesBack(t *testing.T) {
	files, s := shop(t)
	for _, d := range messagesOf(files) {
		c := converter(t, s, d)
		r := rand.New(rand.NewPCG(1, 23))
		for range 300 {
			m := dynamicpb.NewMessage(d)
			fill(r, m, 3)
			roundTrip(t, c, m)
		}
	}
}

func TestAMessageIsReadByTheNamesOfItsSchema(t *testing.T) {
	files, s := shop(t)
	d := messagesOf(files)[0]
	m := dynamicpb.NewMessage(d)
	set := func(name string, v any) { m.Set(d.Fields().ByName(protoreflect.Name(name)), protoreflect.ValueOf(v)) }
	set("customer", "Ann")
	set("level", protoreflect.EnumNumber(7)) // the default, set
	set("coins", int64(-5))
	levels := m.Mutable(d.Fields().ByName("levels")).Map()
	for k, v := range map[int32]protoreflect.EnumNumber{5: 7, -7: 7, 0: 0} {
		levels.Set(protoreflect.ValueOf(k).MapKey(), protoreflect.ValueOf(v))
	}
	buf := roundTrip(t, converter(t, s, d), m)
	typ, err := fbverify.Compile(s, "")
	if err != nil {
		t.Fatal(err)
	}
	message, err := dynamic.Root(typ, buf, &fbverify.Options{Identifier: "SHOP"})
	if err != nil {
		t.Fatal(err)
	}
	text, err := dynamic.AppendJSON(nil, message, nil)
	if err != nil {
		t.Fatal(err)
	}
	want := `{"customer":"Ann","levels":[{"key":-7,"value":"HIGH"},{"key":0},{"key":5,"value":"HIGH"}],` +
		`"pay_with_type":"coins","pay_with":{"value":-5},"level":"HIGH"}`
	if got := strings.ReplaceAll(string(text), ": ", ":"); strings.ReplaceAll(got, ", ", ",") != want {
		t.Errorf("the buffer is\n%s\nwant\n%s", text, want)
	}
}

// TestOldBuffersReadAsOldMessagesDo holds evolution to Protobuf's own: a buffer that was made by one version of a
// file reads by another as the message's bytes do.
func TestOldBuffersReadAsOldMessagesDo(t *testing.T) {
	n := 60
	if testing.Short() {
		n = 10
	}
	drop := func(*protobuf.LossError) error { return nil }
	for seed := range uint64(n) {
		r := rand.New(rand.NewPCG(seed, 24))
		p := newProtoFile(r)
		p.sameTypes = true
		before := parse(t, "x.proto", p.text())
		old, _, err := protobuf.Schema(before, nil)
		if err != nil {
			t.Fatal(err)
		}
		for range 8 {
			p.edit()
		}
		after := parse(t, "x.proto", p.text())
		s, _, err := protobuf.Schema(after, &protobuf.Options{Previous: old})
		if err != nil {
			t.Fatal(err)
		}
		for _, way := range []struct {
			name        string
			from, to    []protoreflect.FileDescriptor
			write, read *schema.Schema
		}{{"new reads old", before, after, old, s}, {"old reads new", after, before, s, old}} {
			for i, d := range messagesOf(way.from) {
				writer, reader := converter(t, way.write, d), converter(t, way.read, messagesOf(way.to)[i])
				reader.Lost = drop
				for range 10 {
					m := dynamicpb.NewMessage(d)
					fill(r, m, 2)
					wire, err := proto.Marshal(m)
					if err != nil {
						t.Fatal(err)
					}
					want, got := dynamicpb.NewMessage(messagesOf(way.to)[i]), dynamicpb.NewMessage(messagesOf(way.to)[i])
					if err := (proto.UnmarshalOptions{DiscardUnknown: true}).Unmarshal(wire, want); err != nil {
						t.Fatal(err)
					}
					buf, err := writer.Marshal(m)
					if err != nil {
						t.Fatal(err)
					}
					if err := reader.Unmarshal(buf, got, nil); err != nil {
						t.Fatal(err)
					}
					if !proto.Equal(want, got) {
						t.Fatalf("seed %d, %s: by Protobuf it is\n%v\nand by the buffer\n%v", seed, way.name, want, got)
					}
				}
			}
		}
	}
}

func TestWhatWouldBeLostIsToldOrDropped(t *testing.T) {
	files := parse(t, "x.proto", `syntax = "proto2";
message M { optional int32 a = 1; optional M m = 2; oneof o { int32 b = 3; } extensions 100 to 200; map<string, M> by = 4; repeated M list = 5; }
extend M { optional int32 x = 100; }`)
	older := parse(t, "x.proto", `syntax = "proto2";
message M { optional M m = 2; oneof o { string c = 9; } extensions 100 to 200; map<string, M> by = 4; repeated M list = 5; }`)
	s, _, err := protobuf.Schema(files, nil)
	if err != nil {
		t.Fatal(err)
	}
	old, _, err := protobuf.Schema(older, nil)
	if err != nil {
		t.Fatal(err)
	}
	d := files[0].Messages().Get(0)
	field := func(name protoreflect.Name) protoreflect.FieldDescriptor { return d.Fields().ByName(name) }
	deep := func(set func(protoreflect.Message)) proto.Message {
		m := dynamicpb.NewMessage(d)
		list := m.Mutable(field("list")).List()
		list.AppendMutable()
		set(list.AppendMutable().Message().Mutable(field("by")).Map().Mutable(protoreflect.ValueOf("k").MapKey()).Message())
		return m
	}
	for _, c := range []struct {
		name   string
		schema *schema.Schema
		set    func(protoreflect.Message)
		kind   protobuf.LossKind
		path   string
	}{
		{"unknown", s, func(m protoreflect.Message) {
			m.SetUnknown(protowire.AppendVarint(protowire.AppendTag(nil, 77, protowire.VarintType), 5))
		}, protobuf.UnknownFields, `M.list[1].by["k"]`},
		{"extension", s, func(m protoreflect.Message) {
			x := dynamicpb.NewExtensionType(files[0].Extensions().Get(0))
			m.Set(x.TypeDescriptor(), protoreflect.ValueOf(int32(5)))
		}, protobuf.SetExtension, `M.list[1].by["k"].x`},
		{"a newer field", old, func(m protoreflect.Message) { m.Set(field("a"), protoreflect.ValueOf(int32(5))) }, protobuf.NoField, `M.list[1].by["k"].a`},
		{"a newer member", old, func(m protoreflect.Message) { m.Set(field("b"), protoreflect.ValueOf(int32(5))) }, protobuf.NoMember, `M.list[1].by["k"].b`},
	} {
		t.Run(c.name, func(t *testing.T) {
			conv := converter(t, c.schema, d)
			m := deep(c.set)
			_, err := conv.Marshal(m)
			var loss *protobuf.LossError
			if !errors.As(err, &loss) || loss.Kind != c.kind || loss.Path != c.path {
				t.Fatalf("the error is %v, want one of %s at %s", err, c.kind, c.path)
			}
			n := 0
			conv.Lost = func(*protobuf.LossError) error { n++; return nil }
			buf, err := conv.Marshal(m)
			if err != nil || n != 1 {
				t.Fatalf("%d losses were told, and the error is %v", n, err)
			}
			got := dynamicpb.NewMessage(d)
			if err := conv.Unmarshal(buf, got, nil); err != nil {
				t.Fatal(err)
			}
			if want := deep(func(protoreflect.Message) {}); !proto.Equal(got, want) {
				t.Errorf("the rest is\n%v\nwant\n%v", got, want)
			}
		})
	}
}

func TestWhatALaterWriterSetIsToldOrDropped(t *testing.T) {
	now := parse(t, "x.proto", `syntax = "proto3"; message M { oneof o { string c = 9; } M m = 2; }`)
	later := parse(t, "x.proto", `syntax = "proto3"; message M { oneof o { string c = 9; int32 b = 3; } M m = 2; int32 a = 1; }`)
	old, _, err := protobuf.Schema(now, nil)
	if err != nil {
		t.Fatal(err)
	}
	s, _, err := protobuf.Schema(later, &protobuf.Options{Previous: old})
	if err != nil {
		t.Fatal(err)
	}
	d := later[0].Messages().Get(0)
	for name, want := range map[protoreflect.Name]protobuf.LossError{
		"b": {Path: "M.m.o", Kind: protobuf.NoMember}, "a": {Path: "M.m.a", Kind: protobuf.NoField},
	} {
		m := dynamicpb.NewMessage(d)
		m.Mutable(d.Fields().ByName("m")).Message().Set(d.Fields().ByName(name), protoreflect.ValueOf(int32(5)))
		buf, err := converter(t, s, d).Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		// The program knows the new schema and the old message.
		reader, got := converter(t, s, now[0].Messages().Get(0)), dynamicpb.NewMessage(now[0].Messages().Get(0))
		var loss *protobuf.LossError
		if err := reader.Unmarshal(buf, got, nil); !errors.As(err, &loss) || *loss != want {
			t.Errorf("the error is %v, want %v", err, &want)
		}
		reader.Lost = func(*protobuf.LossError) error { return nil }
		if err := reader.Unmarshal(buf, got, nil); err != nil {
			t.Error(err)
		}
	}
}

func TestMessagesThatNoBufferCanHoldAreRefused(t *testing.T) {
	files := parse(t, "x.proto", `syntax = "proto2"; message M { optional M m = 1; repeated string s = 2; } message R { required string s = 1; }`)
	s, _, err := protobuf.Schema(files, nil)
	if err != nil {
		t.Fatal(err)
	}
	d, required := files[0].Messages().Get(0), files[0].Messages().Get(1)
	deep := func(n int) *dynamicpb.Message {
		m := dynamicpb.NewMessage(d)
		at := protoreflect.Message(m)
		for range n - 1 {
			at = at.Mutable(d.Fields().ByName("m")).Message()
		}
		return m
	}
	c := converter(t, s, d)
	roundTrip(t, c, deep(64))
	wantError(t, c, deep(65), "MaxDepth", "M.m.m")
	c.MaxDepth = 65
	if _, err := c.Marshal(deep(65)); err != nil {
		t.Error(err)
	}
	bad := deep(2)
	list := bad.Mutable(d.Fields().ByName("m")).Message().Mutable(d.Fields().ByName("s")).List()
	list.Append(protoreflect.ValueOf("a"))
	list.Append(protoreflect.ValueOf("\xff"))
	wantError(t, c, bad, "UTF-8", "M.m.s[1]")
	wantError(t, converter(t, s, required), dynamicpb.NewMessage(required), "required", "R.s")
	if _, err := c.Marshal(dynamicpb.NewMessage(required)); err == nil || !strings.Contains(err.Error(), "is for M") {
		t.Errorf("a message of another type: %v", err)
	}
	if _, err := c.Marshal(nil); err == nil {
		t.Error("a nil message is converted")
	}
}

func TestATableHasNoMoreThanItsVtableCanSay(t *testing.T) {
	var fields strings.Builder
	for i := range 9000 {
		fmt.Fprintf(&fields, "int64 f%d = %d;\n", i, i+1)
	}
	files := parse(t, "x.proto", `syntax = "proto3"; message M { `+fields.String()+`} message O { repeated M m = 1; }`)
	s, _, err := protobuf.Schema(files, nil)
	if err != nil {
		t.Fatal(err)
	}
	d := files[0].Messages().Get(0)
	with := func(n int) *dynamicpb.Message {
		o := dynamicpb.NewMessage(files[0].Messages().Get(1))
		m := o.Mutable(o.Descriptor().Fields().Get(0)).List().AppendMutable().Message()
		for i := range n {
			m.Set(d.Fields().Get(i), protoreflect.ValueOf(int64(i+1)))
		}
		return o
	}
	c := converter(t, s, files[0].Messages().Get(1))
	roundTrip(t, c, with(8190))
	wantError(t, c, with(8192), "65535", "O.m[0]")
}

// TestTimeGrowsWithTheMessage converts messages of which each has other fields, so that
// no two tables have one vtable.
func TestTimeGrowsWithTheMessage(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	var fields strings.Builder
	for i := range 20 {
		fmt.Fprintf(&fields, "int32 f%d = %d;\n", i, i+2)
	}
	files := parse(t, "x.proto", `syntax = "proto3"; message M { repeated M m = 1; `+fields.String()+`}`)
	s, _, err := protobuf.Schema(files, nil)
	if err != nil {
		t.Fatal(err)
	}
	d := files[0].Messages().Get(0)
	c := converter(t, s, d)
	family := growth.Family{Name: "tables of different fields", Make: func(size int) []byte {
		var wire []byte
		for i := 1; len(wire) < size; i++ {
			var e []byte
			for bit := range 20 {
				if i>>bit&1 == 1 {
					e = protowire.AppendVarint(protowire.AppendTag(e, protowire.Number(2+bit), protowire.VarintType), 1)
				}
			}
			wire = protowire.AppendBytes(protowire.AppendTag(wire, 1, protowire.BytesType), e)
		}
		return wire
	}}
	series, _ := growth.Measure(family, growth.Sizes(64<<10, 512<<10), 5*time.Second, func(wire []byte) {
		m := dynamicpb.NewMessage(d)
		if err := proto.Unmarshal(wire, m); err != nil {
			t.Fatal(err)
		}
		if _, err := c.Marshal(m); err != nil {
			t.Fatal(err)
		}
	})
	// Four is a square.
	if len(series) < 4 || series.Factor() > 3 {
		t.Errorf("the time grows by %.1f where the size doubles: %v", series.Factor(), series)
	}
}

func wantError(t *testing.T, c *protobuf.Converter, m proto.Message, reason, path string) {
	t.Helper()
	_, err := c.Marshal(m)
	var fault *protobuf.Error
	if !errors.As(err, &fault) || !strings.Contains(fault.Reason, reason) || !strings.HasPrefix(fault.Path, path) {
		t.Errorf("the error is %v, want one of %s at %s", err, reason, path)
	}
}

// bomb is a buffer of n levels of M { repeated M m = 1; }, each of which holds the one below it twice.
func bomb(n int) []byte {
	b := flatbuffers.NewBuilder(0)
	b.StartObject(1)
	at := b.EndObject()
	for range n {
		b.StartVector(4, 2, 4)
		b.PrependUOffsetT(at)
		b.PrependUOffsetT(at)
		list := b.EndVector(2)
		b.StartObject(1)
		b.PrependUOffsetTSlot(0, list, 0)
		at = b.EndObject()
	}
	b.Finish(at)
	return b.FinishedBytes()
}

func TestSharedTablesEndAConversion(t *testing.T) {
	files := parse(t, "x.proto", `syntax = "proto3"; message M { repeated M m = 1; }`)
	s, _, err := protobuf.Schema(files, nil)
	if err != nil {
		t.Fatal(err)
	}
	d := files[0].Messages().Get(0)
	c := converter(t, s, d)
	m := dynamicpb.NewMessage(d)
	err = c.Unmarshal(bomb(16), m, nil) // 2^17 tables in 500 bytes, which verify
	var fault *protobuf.Error
	if !errors.As(err, &fault) || !strings.Contains(fault.Reason, "MaxBytes") {
		t.Fatalf("the error is %v, want one that names MaxBytes", err)
	}
	c.MaxBytes = 1 << 30
	if err := c.Unmarshal(bomb(16), m, nil); err != nil {
		t.Errorf("MaxBytes does not allow it: %v", err)
	}
	if err := c.Unmarshal(bomb(40), m, nil); err == nil {
		t.Error("2^41 tables were read")
	}
}

func TestDamagedBuffersAreRefusedOrRead(t *testing.T) {
	files, s := shop(t)
	n := 20000
	if testing.Short() {
		n = 2000
	}
	for _, d := range messagesOf(files) {
		c := converter(t, s, d)
		typ, err := fbverify.Compile(s, tableOf(s, d))
		if err != nil {
			t.Fatal(err)
		}
		r := rand.New(rand.NewPCG(3, 25))
		refused := 0
		for i := range n / 10 {
			m := dynamicpb.NewMessage(d)
			fill(r, m, 3)
			buf, err := c.Marshal(m)
			if err != nil {
				t.Fatal(err)
			}
			for range 10 {
				bad := append([]byte{}, buf...)
				for range 1 + r.IntN(3) {
					bad[r.IntN(len(bad))] = byte(r.Uint32() >> r.IntN(8))
				}
				got := dynamicpb.NewMessage(d)
				err := c.Unmarshal(bad, got, nil)
				if verdict := typ.Verify(bad, nil); verdict != nil && err == nil {
					t.Fatalf("message %d: a buffer that does not verify was read: %v", i, verdict)
				}
				if err != nil {
					refused++
				} else if _, err := proto.Marshal(got); err != nil && !strings.Contains(err.Error(), "required") {
					t.Fatalf("message %d: what was read is no message: %v", i, err)
				}
			}
		}
		if refused == 0 && d.Fields().Len() > 0 {
			t.Errorf("%s: nothing was refused", d.FullName())
		}
	}
}

func tableOf(s *schema.Schema, d protoreflect.MessageDescriptor) string {
	for _, o := range s.Objects {
		if name, _ := o.Attribute(protobuf.Attribute); name == string(d.FullName()) {
			return o.Name
		}
	}
	return ""
}

func TestAConverterIsForTheTableOfItsMessage(t *testing.T) {
	files, s := shop(t)
	typ, err := fbverify.Compile(s, "shop.v1.Order")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := protobuf.NewConverter(typ, messagesOf(files)[1]); err == nil || !strings.Contains(err.Error(), "stands for the message shop.v1.Order") {
		t.Errorf("another message: %v", err)
	}
	other, err := fbverify.Compile(parseFBS(t, "table M { x: int; } root_type M;"), "")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := protobuf.NewConverter(other, messagesOf(files)[0]); err == nil || !strings.Contains(err.Error(), "stands for no message") {
		t.Errorf("a table of other origin: %v", err)
	}
	// Tables of another schema, even of one that says the same.
	_, again := shop(t)
	c, twin := converter(t, s, messagesOf(files)[0]), fbverify.MustCompile(again, "shop.v1.Order")
	m := dynamicpb.NewMessage(messagesOf(files)[0])
	m.Set(m.Descriptor().Fields().ByName("customer"), protoreflect.ValueOf("x"))
	message, err := dynamic.Root(twin, roundTrip(t, c, m), nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := c.ToProto(message.Root(), m); err == nil || !strings.Contains(err.Error(), "another schema") {
		t.Errorf("a table of another schema: %v", err)
	}
}

func ExampleConverter() {
	files, _ := protobuf.ParseFS(os.DirFS("testdata"), "parts.proto")
	s, _, _ := protobuf.Schema(files, &protobuf.Options{Root: "parts.Receipt"})
	t := fbverify.MustCompile(s, "")
	d := files[0].Messages().ByName("Receipt") // of generated code: (*parts.Receipt)(nil).ProtoReflect().Descriptor()
	c, _ := protobuf.NewConverter(t, d)

	receipt := dynamicpb.NewMessage(d)
	receipt.Set(d.Fields().ByName("number"), protoreflect.ValueOf(int32(17)))
	buf, _ := c.Marshal(receipt)

	message, _ := dynamic.Root(t, buf, nil)
	fmt.Println(message.Root().Value("number").Int())

	back := dynamicpb.NewMessage(d)
	fmt.Println(c.Unmarshal(buf, back, nil), proto.Equal(receipt, back))
	// Output:
	// 17
	// <nil> true
}
