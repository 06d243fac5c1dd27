package inputs

import (
	"crypto/sha256"
	"encoding/hex"
	"testing"
)

// pinned are the first eight bytes of the SHA-256 of inputs. Figures are
// comparable as long as these do not change; a change here is a change of what
// is measured, and has to be said with the figures.
var pinned = map[string]string{
	"Model":               "d75f1918b0be50b9",
	"Layout 1x8":          "4c4e80ff69ad5b10",
	"Layout 16x32":        "2c1e939aaa883960",
	"Layout 128x32":       "84392e5f27298d45",
	"Layout 1024x32":      "bcb6db7193bd7462",
	"Array 8":             "0d3a1b693a3da2fa",
	"Array 100":           "a05d5d03425bd967",
	"Array 1000":          "6e573d751ad30985",
	"Hier":                "267ff4fc43fda2be",
	"Flat10":              "1cba54758cdbf414",
	"Flat100":             "edd17bc7d90b361b",
	"Rows":                "e9e306694ea6bc59",
	"Texts":               "b125e05ebd8d9060",
	"tables":              "5a6b0f0ad71bff53",
	"fields":              "db14b027d7f7508b",
	"unions":              "a5017d1da58a67e8",
	"nested":              "d7ad93d68d5aaf2d",
	"strings":             "d56de1b77e48b25f",
	"string-vectors":      "d765f9dd430113a8",
	"overlapping-strings": "c60216e7e1a1b4cc",
	"overlapping-vectors": "5a6b0f0ad71bff53",
	"none-unions":         "2fe7e46f2896f7db",
	"chain":               "0d11ce8f4433585e",
	"wide-unions":         "77fc47d5fd1c04d8",
	"vtables":             "f7bcf0570b096f73",
}

func pin(t *testing.T, name string, b []byte) {
	t.Helper()
	h := sha256.Sum256(b)
	if got, want := hex.EncodeToString(h[:8]), pinned[name]; got != want {
		t.Errorf("%q: %q, // was %q", name, got, want)
	}
}

func TestInputsAreTheSameEverywhere(t *testing.T) {
	for range 2 { // the same again in the same process
		for _, size := range LayoutSizes {
			layout := Layout(size.Chunks, size.Columns)
			pin(t, "Layout "+layout.Name, layout.Bytes)
		}
		for _, fields := range ArraySizes {
			array := Array(fields)
			pin(t, "Array "+array.Name, array.Bytes)
		}
		pin(t, "Hier", HierMessage(1))
		pin(t, "Flat10", Flat(1, 10))
		pin(t, "Flat100", Flat(1, 100))
		pin(t, "Rows", Rows(1000))
		pin(t, "Texts", Texts(1<<20).Bytes)
		pin(t, "Model", Model(100_000))
		for _, h := range Hostiles {
			pin(t, h.Name, h.Make(16<<10))
		}
		if t.Failed() {
			return
		}
	}
}
