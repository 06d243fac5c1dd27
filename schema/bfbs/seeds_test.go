package bfbs

import (
	"encoding/binary"
	"testing"

	"github.com/fbverify/go/internal/seeds"
	"github.com/fbverify/go/schema/fbs"
	"github.com/fbverify/go/schema/internal/schematest"
)

func TestSeedsOfLoad(t *testing.T) {
	small := smallBFBS(t)
	set := seeds.Set{
		"much-in-little":    {small},
		"size-prefixed":     {append(binary.LittleEndian.AppendUint32(nil, uint32(len(small))), small...)},
		"identifier-alone":  {[]byte("\x10\x00\x00\x00BFBS")},
		"root-offset-zero":  {[]byte("\x00\x00\x00\x00BFBS")},
		"cut-in-the-middle": {small[:len(small)/2]},
		"text":              {[]byte("table T { x:int; }")},
		"nothing":           {[]byte{}},
	}
	for _, name := range []string{"enums", "structs", "unions", "attributes", "wide", "services", "namespaces"} {
		s, err := fbs.Parse(name+".fbs", []byte(schematest.Texts[name]))
		if err != nil {
			t.Fatal(err)
		}
		set[name] = seeds.Seed{mustMarshal(t, s)}
	}
	seeds.Check(t, "FuzzLoad", set)
}
