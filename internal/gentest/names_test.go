package gentest

import (
	"fmt"
	"testing"

	flatbuffers "github.com/google/flatbuffers/go"

	"github.com/fbverify/go/fbverify"
	"github.com/fbverify/go/internal/gentest/awkward"
	"github.com/fbverify/go/internal/gentest/features"
	"github.com/fbverify/go/internal/oracle"
)

func TestFlatcTakesTheSchemasOfTheGoldens(t *testing.T) {
	f := oracle.NewFlatc(t)
	files := schemaFiles(t, "awkward.fbs", "features.fbs", "wide.fbs")
	for name := range files {
		if _, err := f.BFBS(files, name); err != nil {
			t.Error(err)
		}
	}
}

// TestAwkwardNamesAreReadAndWritten is mostly about compiling.
func TestAwkwardNamesAreReadAndWritten(t *testing.T) {
	b := flatbuffers.NewBuilder(0)
	in := &awkward.TagTwinT{
		ThingType: "not the kind",
		Thing:     &awkward.ThingT{Type: awkward.ThingSecond, Value: awkward.Point{PackField: 1, Type: 2, Bool: 1}},
		Things: []*awkward.ThingT{
			{Type: awkward.ThingKeywords, Value: &awkward.KeywordsT{Type: 1, StringField: "s", Nil: 2, B: []int32{3}, T: []byte{4}}},
			{Type: awkward.ThingNote, Value: "note"},
		},
	}
	awkward.FinishTagTwinBuffer(b, in.Pack(b))
	verified, err := fbverify.RootWithOptions[awkward.TagTwin](b.FinishedBytes(), &fbverify.Options{Strict: true})
	if err != nil {
		t.Fatal(err)
	}
	v := verified.Root()
	if v.ThingType() != "not the kind" || v.ThingTypeField() != awkward.ThingSecond || v.Thing().Kind() != awkward.ThingSecond {
		t.Errorf("got %q, %v, %v", v.ThingType(), v.ThingTypeField(), v.Thing().Kind())
	}
	if p, ok := v.Thing().AsSecond(); !ok || p.PackField != 1 || !p.Bool.Bool() {
		t.Errorf("got %+v, %v", p, ok)
	}
	if _, ok := v.Thing().AsSpot(); ok {
		t.Error("one struct type is taken for two members")
	}
	k, ok := v.Things().At(0).AsKeywords()
	if !ok || k.Type() != 1 || k.StringField() != "s" || k.Nil() != 2 || k.B()[0] != 3 || k.T()[0] != 4 {
		t.Errorf("got %+v, %v", k.Unpack(), ok)
	}
	for i, x := range v.Things().All() {
		if i == 1 {
			if s, ok := x.AsNote(); !ok || s != "note" {
				t.Errorf("got %q, %v", s, ok)
			}
		}
	}
}

func TestEnumNamesGoBothWays(t *testing.T) {
	for _, v := range awkward.ShoutValues() {
		if got, err := awkward.ParseShout(v.String()); err != nil || got != v {
			t.Errorf("%v became %q and then %v, %v", int16(v), v, got, err)
		}
	}
	if s := awkward.Shout(77).String(); s != "Shout(77)" {
		t.Errorf("an unknown value is %q", s)
	}
	if _, err := awkward.ParseShout("Conv2D"); err == nil {
		t.Error("Go's name was taken for the schema's")
	}
	flags := awkward.BitsHas | awkward.BitsReadOnly
	if s := flags.String(); s != "Has READ_ONLY" {
		t.Errorf("flags are %q", s)
	}
	if got, err := awkward.ParseBits("READ_ONLY Has"); err != nil || got != flags || !got.Has(awkward.BitsHas) || got.Has(awkward.BitsString) {
		t.Errorf("parsed %v, %v", got, err)
	}
	if s := (flags | 0x80).String(); s != "Has READ_ONLY Bits(0x80)" {
		t.Errorf("flags with an unknown bit are %q", s)
	}
	if got, err := awkward.ParseBits(""); err != nil || got != 0 || got.String() != "" {
		t.Errorf("no flags: %v, %v", got, err)
	}
	if _, err := awkward.ParseBits("Has Nothing"); err == nil {
		t.Error("an unknown flag was parsed")
	}
}

// A field that comes later does not take a name from an earlier one.
func TestNamesOfPresence(t *testing.T) {
	b := flatbuffers.NewBuilder(0)
	b.Finish((&awkward.PresenceT{Name: "n", HasNameField: true}).Pack(b))
	v := fbverify.RootUnchecked[awkward.Presence](b.FinishedBytes(), fbverify.Unframed).Root()
	if !v.HasName() || !v.HasNameField() || v.HasTitle() || v.HasTitleField() || v.HasHasHasName() || v.HasHasNameFieldField() || v.HasNameFieldField().Present() {
		t.Error("presence is told wrongly")
	}
}

// NewXT is what an empty table is unpacked to.
func TestNewOwnedStructsHaveTheDefaultsOfTheSchema(t *testing.T) {
	b := flatbuffers.NewBuilder(0)
	b.StartObject(0)
	b.Finish(b.EndObject())
	empty := fbverify.RootUnchecked[features.Defaults](b.FinishedBytes(), fbverify.Unframed).Root().Unpack()
	if got, want := fmt.Sprintf("%#v", features.NewDefaultsT()), fmt.Sprintf("%#v", empty); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}
