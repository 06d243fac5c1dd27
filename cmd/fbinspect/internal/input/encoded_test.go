package input

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fbverify/go/fbverify/container"
	"github.com/fbverify/go/internal/oracle"
)

// TestTextThatStandsForBytesIsCalledByItsName, and what is in it, too.
func TestTextThatStandsForBytesIsCalledByItsName(t *testing.T) {
	model, err := os.ReadFile(filepath.Join(oracle.RepoRoot(), "testdata", "tflite", "conv.tflite"))
	if err != nil {
		t.Fatal(err)
	}
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	z.Write(model)
	z.Close()
	lines := func(text string, width int) string {
		var b strings.Builder
		for ; len(text) > width; text = text[width:] {
			b.WriteString(text[:width] + "\n")
		}
		return b.String() + text + "\n"
	}
	list := func(format, between string) string {
		var b []string
		for _, c := range model {
			b = append(b, fmt.Sprintf(format, c))
		}
		return strings.Join(b, between)
	}
	var xxd strings.Builder
	for i := 0; i < len(model); i += 16 {
		fmt.Fprintf(&xxd, "%08x:", i)
		for j := i; j < min(i+16, len(model)); j += 2 {
			fmt.Fprintf(&xxd, " %x", model[j:min(j+2, len(model))])
		}
		xxd.WriteString("  text\n")
	}
	b64 := base64.StdEncoding.EncodeToString(model)
	for name, c := range map[string]struct{ text, want, of string }{
		"base64":              {b64, "base64", "tflite"},
		"base64 in lines":     {lines(b64, 76), "base64", "tflite"},
		"base64 for URLs":     {base64.RawURLEncoding.EncodeToString(model), "base64", "tflite"},
		"base64 as a URL":     {"data:application/octet-stream;base64," + b64, "base64", "tflite"},
		"base64 with a BOM":   {"\xef\xbb\xbf" + b64, "base64", "tflite"},
		"base64 of gzip":      {base64.StdEncoding.EncodeToString(packed.Bytes()), "base64", "gzip"},
		"base64 of anything":  {lines(base64.StdEncoding.EncodeToString(bytes.Repeat([]byte("anything"), 99)), 64), "base64", ""},
		"hexadecimal":         {hex.EncodeToString(model), "hexadecimal", "tflite"},
		"hexadecimal spaced":  {list("%02X", " "), "hexadecimal", "tflite"},
		"xxd":                 {xxd.String(), "hex dump", "tflite"},
		"hexdump -C":          {hex.Dump(model), "hex dump", "tflite"},
		"xxd -i":              {"unsigned char m[] = {\n  " + list("0x%02x", ", ") + "\n};\n", "array of bytes", "tflite"},
		"numbers in brackets": {"[" + list("%d", ",") + "]", "array of bytes", "tflite"},
		"Go":                  {"var m = []byte{" + list("0x%X", ",") + "}", "array of bytes", "tflite"},
	} {
		_, err := FromBytes("file", []byte(c.text)).Container(&Types{}, container.Unknown)
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), c.of) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, text := range []string{"TheQuickBrownFoxJumpsOverTheLazyDog", "deadbeef deadbeef dead", "[1, 2, 3, 4, 5]", strings.Repeat("word ", 100)} {
		if what, _ := FromBytes("file", []byte(text)).Foreign(); strings.Contains(what, "base64") || strings.Contains(what, "hex") || strings.Contains(what, "array of bytes") {
			t.Errorf("%q: %s", text, what)
		}
	}
}

func TestZerosAtTheEndAreTold(t *testing.T) {
	for _, c := range []struct {
		head, zeros int
		want        string
	}{
		{0, 100, "all of its 100 bytes are zero"},
		{0, 300 << 10, "all of its 307,200 bytes are zero"},
		{1000, 600, "from offset 1000 on all is zero, 600 bytes"},
		{40, 50, "from offset 40 on all is zero"},
		{70 << 10, 200 << 10, "from offset 71680 on all is zero, 204,800 bytes"},
		{1000, 500, ""},
		{5, 20, ""},
		{50, 0, ""},
		{0, 0, ""},
	} {
		b := append(bytes.Repeat([]byte{7}, c.head), make([]byte, c.zeros)...)
		if got := FromBytes("f", b).ZeroEnd(); !strings.HasPrefix(got, c.want) || (got == "") != (c.want == "") {
			t.Errorf("%d bytes and %d zeros: %q", c.head, c.zeros, got)
		}
	}
}
