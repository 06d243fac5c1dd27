package seeds

import (
	"reflect"
	"testing"
)

func TestWhatIsWrittenIsReadBack(t *testing.T) {
	all := make([]byte, 256)
	for i := range all {
		all[i] = byte(i)
	}
	for i := range 256 {
		want := Seed{all, string(all), uint8(i), ^uint64(i)}
		got, err := decode(string(encode(t, want)))
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Fatalf("%v: %q came back as %q", err, want, got)
		}
	}
}

func TestWhatIsNoSeedIsRefused(t *testing.T) {
	for _, text := range []string{"", "go test fuzz v2\n", header + "x\n", header + "int(5)\n", header + "[]byte(x)\n", header + "byte('ab')\nstring(5)\n"} {
		if seed, err := decode(text); err == nil {
			t.Errorf("%q is read as %q", text, seed)
		}
	}
}
