package fbverify_test

import (
	"fmt"
	"strings"
	"testing"

	flatbuffers "github.com/google/flatbuffers/go"

	"github.com/fbverify/go/fbverify"
	. "github.com/fbverify/go/internal/fbasm"
	"github.com/fbverify/go/schema/fbs"
)

// older and newer are one schema before and after somebody added members to its unions.
const (
	olderUnion = `union U { Leaf } union V : short { Leaf = 300 }`
	newerUnion = `table Late { a:string; b:[Leaf]; } union U { Leaf, Late, Text:string } union V : short { Leaf = 300, Late = 301 }`
	withUnions = `table Leaf { v:int; } table Node { name:string; u:U; } table R { name:string; u:U; us:[U]; v:V; nodes:[Node]; page:[ubyte] (nested_flatbuffer: "Node"); } root_type R;`
)

func unionType(t *testing.T, unions string) *fbverify.Type {
	t.Helper()
	s, err := fbs.Parse("u.fbs", []byte(unions+withUnions))
	if err != nil {
		t.Fatal(err)
	}
	return fbverify.MustCompile(s, "R")
}

// late makes a value of the newer type, and returns its offset.
func late(b *flatbuffers.Builder, text string) flatbuffers.UOffsetT {
	a := b.CreateString(text)
	b.StartObject(1)
	b.PrependInt32Slot(0, 7, 0)
	leaf := b.EndObject()
	b.StartVector(4, 1, 4)
	b.PrependUOffsetT(leaf)
	list := b.EndVector(1)
	b.StartObject(2)
	b.PrependUOffsetTSlot(0, a, 0)
	b.PrependUOffsetTSlot(1, list, 0)
	return b.EndObject()
}

// TestValuesOfANewerWriterAreFound: where they are, by which path, and that the bytes which are
// named have in them all that the newer schema finds there.
func TestValuesOfANewerWriterAreFound(t *testing.T) {
	const secret = "what the older schema cannot see"
	for _, c := range []struct {
		name  string
		build func(b *flatbuffers.Builder) // starts and ends R's object as far as the fields go
		paths string
		tag   int64
	}{
		{"nothing new", func(b *flatbuffers.Builder) {
			b.StartObject(1)
			leaf := b.EndObject()
			b.StartObject(9)
			b.PrependByteSlot(1, 1, 0)
			b.PrependUOffsetTSlot(2, leaf, 0)
		}, "", 0},
		{"a union", func(b *flatbuffers.Builder) {
			v := late(b, secret)
			b.StartObject(9)
			b.PrependByteSlot(1, 2, 0)
			b.PrependUOffsetTSlot(2, v, 0)
		}, "R.u", 2},
		{"a wide tag", func(b *flatbuffers.Builder) {
			v := late(b, secret)
			b.StartObject(9)
			b.PrependInt16Slot(5, 301, 0)
			b.PrependUOffsetTSlot(6, v, 0)
		}, "R.v", 301},
		{"an element", func(b *flatbuffers.Builder) {
			v := late(b, secret)
			b.StartObject(1)
			leaf := b.EndObject()
			b.StartVector(4, 2, 4)
			b.PrependUOffsetT(v)
			b.PrependUOffsetT(leaf)
			values := b.EndVector(2)
			tags := b.CreateByteVector([]byte{1, 2})
			b.StartObject(9)
			b.PrependUOffsetTSlot(3, tags, 0)
			b.PrependUOffsetTSlot(4, values, 0)
		}, "R.us[1]", 2},
		{"below an element", func(b *flatbuffers.Builder) {
			v := late(b, secret)
			b.StartObject(3)
			b.PrependByteSlot(1, 2, 0)
			b.PrependUOffsetTSlot(2, v, 0)
			node := b.EndObject()
			b.StartVector(4, 1, 4)
			b.PrependUOffsetT(node)
			nodes := b.EndVector(1)
			b.StartObject(9)
			b.PrependUOffsetTSlot(7, nodes, 0)
		}, "R.nodes[0].u", 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := flatbuffers.NewBuilder(0)
			c.build(b)
			b.Finish(b.EndObject())
			buf := b.FinishedBytes()
			typ := unionType(t, olderUnion)
			counts, err := typ.Measure(buf, nil)
			if err != nil {
				t.Fatal(err)
			}
			parallel, err := typ.Measure(buf, &fbverify.Options{Parallel: 4})
			if err != nil || parallel != counts {
				t.Errorf("in parallel: %v, %+v; want %+v", err, parallel, counts)
			}
			found := typ.Unknown(buf, nil)
			if counts.Unknown != (c.paths != "") || counts.Unknown != (len(found) > 0) {
				t.Fatalf("unknown is %v, and found is %v", counts.Unknown, found)
			}
			if c.paths == "" {
				return
			}
			var paths []string
			for _, u := range found {
				paths = append(paths, u.Path)
				if u.Tag != c.tag || u.Offset < u.From || u.Offset >= u.To || u.Bytes <= len(secret) || u.Bytes > u.To-u.From {
					t.Errorf("%+v", u)
				}
				if !strings.Contains(string(buf[u.From:u.To]), secret) {
					t.Errorf("%+v does not have what it leads to", u)
				}
				if s := u.String(); !strings.Contains(s, u.Path) || !strings.Contains(s, fmt.Sprint(u.Offset)) {
					t.Errorf("shown as %q", s)
				}
			}
			if got := strings.Join(paths, " "); got != c.paths {
				t.Errorf("found %s, want %s", got, c.paths)
			}
			// The schema that knows it leaves nothing.
			newer := unionType(t, newerUnion)
			if counts, err := newer.Measure(buf, nil); err != nil || counts.Unknown || newer.Unknown(buf, nil) != nil {
				t.Errorf("by the newer schema: %v, %+v", err, counts)
			}
		})
	}
}

// TestWhatTheExceptionsLetPassIsTold, and nothing where they were not needed.
func TestWhatTheExceptionsLetPassIsTold(t *testing.T) {
	typ := exceptionsType(t)
	loose := oneOffset(3, loosely(1, 1, 2)...)
	counts, err := typ.Measure(loose, nil)
	told := typ.Deviations(loose, nil)
	if err != nil || !counts.Excepted || len(told) != 1 || told[0].Kind != fbverify.ErrMisaligned || told[0].Path != "R.loose" {
		t.Errorf("%v, %+v, %v", err, counts, told)
	}
	fine := oneOffset(1, Align(4), Label("target"), U32(1), Bytes('a', 0))
	if counts, err := typ.Measure(fine, nil); err != nil || counts.Excepted || typ.Deviations(fine, nil) != nil {
		t.Errorf("%v, %+v", err, counts)
	}
	for name, opts := range map[string]*fbverify.Options{"strict": {Strict: true}, "letter": {NoExceptions: true}} {
		if told := typ.Deviations(loose, opts); told != nil {
			t.Errorf("%s: %v", name, told)
		}
	}
}
