package trust_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"
	"testing/iotest"

	"github.com/fbverify/go/fbverify"
	"github.com/fbverify/go/internal/fbrand"
	"github.com/fbverify/go/internal/oracle"
	"github.com/fbverify/go/internal/trust/trusttest"
	"github.com/fbverify/go/schema"
	"github.com/fbverify/go/schema/bfbs"
)

// judgeFuzzed is judge for whatever the fuzzer makes of a buffer.
func judgeFuzzed(t *testing.T, typ *fbverify.Type, buf []byte, bits uint8) {
	if len(buf) > 1<<20 {
		t.Skip("too large")
	}
	s := &subject{typ: typ, name: fmt.Sprintf("options %#x", bits)}
	o := trusttest.OptionsOf(bits)
	if bits&64 != 0 {
		s.prefix = 4
	}
	// The limits that are there by default bound how long what is accepted is read.
	if errors.Is(s.verify(buf, &o), fbverify.ErrTableLimit) {
		return
	}
	s.judge(t, buf, &fbverify.Options{
		SkipUTF8: o.SkipUTF8, SkipAlignment: o.SkipAlignment, SkipNullTerminator: o.SkipNullTerminator, NestedUnchecked: o.NestedUnchecked,
		Parallel: o.Parallel, MaxDepth: 1 << 16, MaxTables: 1 << 30,
	}, len(buf)&15)
}

// FuzzRandomSchemas judges any bytes by a schema that a seed makes.
func FuzzRandomSchemas(f *testing.F) {
	f.Fuzz(func(t *testing.T, seed uint64, buf []byte, bits uint8) {
		_, s := fbrand.Schema(fbrand.NewRand(seed), fbrand.SchemaOptions{})
		judgeFuzzed(t, trusttest.Compile(t, s), buf, bits)
	})
}

// FuzzSurvey judges any bytes by a schema with nearly all that there is.
func FuzzSurvey(f *testing.F) {
	typ := trusttest.Compile(f, trusttest.SurveySchema(f))
	f.Fuzz(func(t *testing.T, buf []byte, bits uint8) { judgeFuzzed(t, typ, buf, bits) })
}

func monsterSchema(t testing.TB) *schema.Schema {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(oracle.Corpus(t), "schemas", "google", "monster_test.bfbs"))
	if err != nil {
		t.Fatal(err)
	}
	s, err := bfbs.Load(b)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// FuzzMonster judges any bytes by the schema that all implementations test with,
// starting from what several of them wrote.
func FuzzMonster(f *testing.F) {
	dir, typ := oracle.Corpus(f), trusttest.Compile(f, monsterSchema(f))
	files, _ := filepath.Glob(filepath.Join(dir, "google", "*.mon"))
	if len(files) == 0 {
		f.Fatal("no seeds")
	}
	for _, file := range files {
		buf, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(buf, uint8(0))
		f.Add(buf, uint8(64))
	}
	f.Fuzz(func(t *testing.T, buf []byte, bits uint8) { judgeFuzzed(t, typ, buf, bits) })
}

func streamSchema() *schema.Schema {
	_, s := fbrand.Schema(fbrand.NewRand(3), fbrand.SchemaOptions{})
	return s
}

// streamOptions are those of the bits; one of them says that prefixes are long.
func streamOptions(bits uint8) fbverify.Options {
	o := trusttest.OptionsOf(bits)
	o.Framing = fbverify.SizePrefixed
	if bits&64 != 0 {
		o.Framing = fbverify.LongSizePrefixed
	}
	return o
}

// messages counts what a stream has: messages that are sound, such that are refused, and
// one that is not there as a whole.
func messages(stream []byte, typ *fbverify.Type, bits uint8) (sound, refused, cut int) {
	o := streamOptions(bits)
	for in := fbverify.NewReader(bytes.NewReader(stream), typ, &fbverify.ReaderOptions{Options: o}); ; {
		switch _, err := in.Next(); {
		case err == io.EOF:
			return sound, refused, cut
		case errors.Is(err, io.ErrUnexpectedEOF):
			return sound, refused, 1
		case err != nil:
			refused++
		default:
			sound++
		}
	}
}

// FuzzStream reads any bytes as a stream, all at once and byte by byte: the same
// messages come out, each of which can be read, and no more bytes than went in.
func FuzzStream(f *testing.F) {
	typ := trusttest.Compile(f, streamSchema())
	f.Fuzz(func(t *testing.T, stream []byte, bits uint8) {
		o := streamOptions(bits)
		read := func(from io.Reader, reuse bool) (sizes []int, failures int) {
			in := fbverify.NewReader(from, typ, &fbverify.ReaderOptions{Options: o, ReuseUnchecked: reuse})
			for total := 0; ; {
				m, err := in.Next()
				if err == io.EOF || errors.Is(err, io.ErrUnexpectedEOF) {
					return sizes, failures
				}
				var se *fbverify.StreamError
				if err != nil {
					if !errors.As(err, &se) {
						t.Fatalf("%T: %v", err, err)
					}
					failures++
					continue
				}
				sizes = append(sizes, len(m))
				if total += len(m); total > len(stream) {
					t.Fatalf("%d bytes of messages from %d of stream", total, len(stream))
				}
				if err := typ.Verify(m, &o); err != nil {
					t.Fatalf("a message that is refused alone: %v", err)
				}
				if o.Framing == fbverify.SizePrefixed {
					trusttest.Placed(t, m, len(m)&15, func(where string, buf []byte) {
						if _, err := readAll(typ, buf, &o, 4); err != nil {
							t.Fatal(where, err)
						}
					})
				}
			}
		}
		sizes, failures := read(bytes.NewReader(stream), false)
		again, failed := read(iotest.OneByteReader(bytes.NewReader(stream)), true)
		if fmt.Sprint(sizes) != fmt.Sprint(again) || failures != failed {
			t.Fatalf("messages of %v and %d refused; byte by byte %v and %d", sizes, failures, again, failed)
		}
	})
}
