package dynamic

import (
	"fmt"
	"strings"
	"testing"

	"github.com/fbverify/go/internal/oracle"
)

// hashSchema has every function for every type that can hold it, for single values
// and vectors.
const hashSchema = `table T {
  a:ushort (hash:"fnv1_16"); b:short (hash:"fnv1_16"); c:ushort (hash:"fnv1a_16"); d:short (hash:"fnv1a_16");
  e:uint (hash:"fnv1_32"); f:int (hash:"fnv1_32"); g:uint (hash:"fnv1a_32"); h:int (hash:"fnv1a_32");
  i:ulong (hash:"fnv1_64"); j:long (hash:"fnv1_64"); k:ulong (hash:"fnv1a_64"); l:long (hash:"fnv1a_64");
  va:[ushort] (hash:"fnv1_16"); vb:[short] (hash:"fnv1_16"); vc:[ushort] (hash:"fnv1a_16"); vd:[short] (hash:"fnv1a_16");
  ve:[uint] (hash:"fnv1_32"); vf:[int] (hash:"fnv1_32"); vg:[uint] (hash:"fnv1a_32"); vh:[int] (hash:"fnv1a_32");
  vi:[ulong] (hash:"fnv1_64"); vj:[long] (hash:"fnv1_64"); vk:[ulong] (hash:"fnv1a_64"); vl:[long] (hash:"fnv1a_64");
} root_type T;`

var hashedTexts = []string{`""`, `"abc"`, `abc`, `"a\u0000b"`, `"\u0000"`, `"é😀"`, `"123"`, `"true"`, `"` + strings.Repeat("long ", 100) + `"`}

// hashedFields are those that flatc hashes texts for: none of 16 bits.
const hashedFields = "e f g h i j k l"

// TestTextsAreHashedAsFlatcHashesThem: by every function, single and in vectors, up
// to a NUL.
func TestTextsAreHashedAsFlatcHashesThem(t *testing.T) {
	flatc := oracle.NewFlatc(t)
	files := map[string][]byte{"s.fbs": []byte(hashSchema)}
	typ := compile(t, hashSchema, "")
	for _, text := range hashedTexts {
		var members []string
		for _, name := range strings.Fields(hashedFields) {
			members = append(members, fmt.Sprintf("%s:%s, v%s:[7, %s, %s]", name, text, name, text, text))
		}
		in := []byte("{" + strings.Join(members, ", ") + "}")
		theirs, err := flatc.ToBinary(files, "s.fbs", in)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		m, err := Root(typ, theirs, nil)
		if err != nil {
			t.Fatal(err)
		}
		ours := encodeRoot(t, typ, string(in))
		if got, want := dump(t, ours, nil), dump(t, m, nil); got != want {
			t.Errorf("%s: got %s\nwant %s", text, got, want)
		}
	}
}

// TestSixteenBitsAreHashedWhereFlatcRefusesTheText: it says that it would.
func TestSixteenBitsAreHashedWhereFlatcRefusesTheText(t *testing.T) {
	typ := compile(t, hashSchema, "")
	for in, want := range map[string]string{
		`{a:"abc", b:"abc", c:"abc", d:"abc"}`: `{"a":27863,"b":27863,"c":62284,"d":-3252}`,
		`{a:"123", va:["123"], vb:["-5", 6]}`:  `{"a":123,"va":[123],"vb":[-5,6]}`,
	} {
		if got := dump(t, encodeRoot(t, typ, in), nil); got != want {
			t.Errorf("%s: got %s, want %s", in, got, want)
		}
	}
}

// TestHashesStartAtTheirBasis, which for 64 bits is not FNV's own.
func TestHashesStartAtTheirBasis(t *testing.T) {
	typ := compile(t, hashSchema, "")
	for in, want := range map[string]string{
		`{k:"", i:"\u0000x", l:""}`: `{"i":14695981039346656837,"k":14695981039346656837,"l":-3750763034362894779}`,
		`{g:"", e:"", h:""}`:        `{"e":2166136261,"g":2166136261,"h":-2128831035}`,
	} {
		if got := dump(t, encodeRoot(t, typ, in), nil); got != want {
			t.Errorf("%s: got %s, want %s", in, got, want)
		}
	}
}
