package input

import (
	"errors"
	"strings"
	"testing"

	"github.com/fbverify/go/fbverify"
	"github.com/fbverify/go/fbverify/container"
	"github.com/fbverify/go/schema/fbs"
)

// TestAFileOfAnotherKindIsCalledByItsName, also where a schema was given.
func TestAFileOfAnotherKindIsCalledByItsName(t *testing.T) {
	s, err := fbs.Parse("t.fbs", []byte("table T {} root_type T;"))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ what, want, advice string }{
		{"\x1f\x8b\x08\x00 and so on", "gzip", "unpack"},
		{"\x28\xb5\x2f\xfd\x00\x00\x00\x00", "zstd", "unpack"},
		{"PK\x03\x04\x14\x00", "zip", "unpack"},
		{"PAR1\x15\x04\x00\x00", "Parquet", "Thrift"},
		{"ORC\x0a\x00\x00", "ORC", "Protocol Buffers"},
		{"\n <!DOCTYPE html><html><body>Not Found</body></html>", "HTML", "get it again"},
		{"<HTML lang=en>", "HTML", "get it again"},
		{"<?xml version='1.0'?><Error><Code>AccessDenied</Code></Error>", "XML", "get it again"},
		{`{"error": "not found", "code": 404}`, "JSON", "schema"},
		{`[1, 2, 3`, "JSON", "schema"},
		{"version https://git-lfs.github.com/spec/v1\noid sha256:4d7a214614ab2935\nsize 12345\n", "Git LFS pointer", "git lfs pull"},
		{"// a schema\nnamespace a.b;\ntable T { x: int; }\nroot_type T;", "schema in text form", "--schema"},
		{"The server is down for maintenance.", "plain text", "text editor"},
		{strings.Repeat("\x00", 257) + "ustar\x00", "tar", "unpack"},
	} {
		for _, types := range []*Types{{}, {schema: s, root: fbverify.MustCompile(s, "")}} {
			_, err := FromBytes("file", []byte(c.what)).Container(types, container.Unknown)
			if !errors.Is(err, container.ErrUnknownFormat) || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), c.advice) {
				t.Errorf("%.20q: %v, which does not say %q and %q", c.what, err, c.want, c.advice)
			}
		}
	}
	if what, _ := FromBytes("file", make([]byte, 8)).Foreign(); what != "" {
		t.Errorf("eight zeros: %s", what)
	}
	if what, _ := FromBytes("file", []byte("\x01\x02\x03")).Foreign(); what != "" {
		t.Errorf("three bytes: %s", what)
	}
}
