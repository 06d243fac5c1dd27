package trust_test

import (
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"

	flatbuffers "github.com/google/flatbuffers/go"

	"github.com/fbverify/go/fbverify"
	"github.com/fbverify/go/fbverify/dynamic"
	"github.com/fbverify/go/internal/fbrand"
	"github.com/fbverify/go/internal/gentest/archive"
	"github.com/fbverify/go/internal/gentest/features"
	"github.com/fbverify/go/internal/gentest/survey"
	"github.com/fbverify/go/internal/gentest/wide"
	"github.com/fbverify/go/internal/oracle"
	"github.com/fbverify/go/internal/trust/trusttest"
	"github.com/fbverify/go/schema/fbs"
)

// TestWhatFlatcWritesIsAccepted: values of random buffers, as JSON, through flatc,
// size-prefixed and with defaults forced too.
func TestWhatFlatcWritesIsAccepted(t *testing.T) {
	flatc := oracle.NewFlatc(t)
	written, refused := 0, map[string]int{}
	for seed, end := trusttest.Seeds(40); seed < end; seed++ {
		r := fbrand.NewRand(seed)
		// flatc's JSON parser writes tags of one byte whatever the union says, and
		// does not align a vector64 that is a nested buffer: its own Verifier
		// refuses that. It sorts a vector64 of structs with a key from the middle of
		// its length on.
		wide := seed%2 == 1
		text, sch := fbrand.Schema(r, fbrand.SchemaOptions{NoWideTags: true, NoWide: !wide, NoNested: wide, NoKeys: wide})
		typ := trusttest.Compile(t, sch)
		files := map[string][]byte{"random.fbs": []byte(text)}
		b := fbrand.ForSchema(r, sch, sch.Root, fbrand.BufferOptions{Objects: 25})
		m, err := dynamic.Root(typ, b.Bytes, nil)
		if err != nil {
			t.Fatal(err)
		}
		json, err := dynamic.AppendJSON(nil, m, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, flags := range [][]string{nil, {"--size-prefixed"}, {"--force-defaults"}} {
			buf, err := flatc.ToBinary(files, "random.fbs", json, flags...)
			if err != nil {
				var failure *oracle.Failure
				if !errors.As(err, &failure) {
					t.Fatalf("seed %d: %v", seed, err)
				}
				line := strings.TrimSpace(failure.Stderr + failure.Stdout)
				if i := strings.Index(line, "error: "); i >= 0 {
					line = line[i:]
				}
				refused[regexp.MustCompile(`[0-9]+|[a-z.]*[STUE][0-9]+|".*"`).ReplaceAllString(strings.SplitN(line, "\n", 2)[0], "_")]++
				continue
			}
			s := &subject{typ: typ, name: fmt.Sprintf("seed %d, flatc %v", seed, flags)}
			if len(flags) > 0 && flags[0] == "--size-prefixed" {
				s.prefix = 4
				if strings.Contains(text, "nested_flatbuffer") {
					continue // flatc puts a prefix before nested buffers too, which readers do not expect
				}
			}
			if !s.judge(t, buf, high(fbverify.Options{}), 0) {
				t.Fatalf("%s: refused: %v\n%s\n%s\n%s", s.name, s.verify(buf, nil), text, json, trusttest.Dump(buf))
			}
			written++
		}
	}
	t.Logf("%d buffers of flatc accepted; flatc itself refused: %v", written, refused)
	if written < 40 && *trusttest.SeedFlag == 0 && !testing.Short() {
		t.Errorf("flatc wrote %d buffers only", written)
	}
}

// TestWhatIsEncodedIsAcceptedByStrict: package dynamic's own writer, from the JSON of
// random buffers.
func TestWhatIsEncodedIsAcceptedByStrict(t *testing.T) {
	for seed, end := trusttest.Seeds(300); seed < end; seed++ {
		r := fbrand.NewRand(seed)
		text, sch := fbrand.Schema(r, fbrand.SchemaOptions{})
		typ := trusttest.Compile(t, sch)
		b := fbrand.ForSchema(r, sch, sch.Root, fbrand.BufferOptions{Objects: 40})
		m, err := dynamic.Root(typ, b.Bytes, nil)
		if err != nil {
			t.Fatal(err)
		}
		json, err := dynamic.AppendJSON(nil, m, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, o := range []*dynamic.EncodeOptions{nil, {OmitDefaults: true}, {Framing: fbverify.SizePrefixed}} {
			buf, err := dynamic.EncodeJSON(typ, json, o)
			if err != nil {
				t.Fatalf("seed %d: %v\n%s\n%s", seed, err, text, json)
			}
			s := &subject{typ: typ, name: fmt.Sprintf("seed %d, encoded with %+v", seed, o)}
			if o != nil && o.Framing == fbverify.SizePrefixed {
				s.prefix = 4
			}
			if err := s.verify(buf, &fbverify.Options{Strict: true}); err != nil {
				t.Fatalf("%s: %v\n%s\n%s", s.name, err, text, json)
			}
			s.judge(t, buf, high(fbverify.Options{}), 0)
		}
	}
}

// TestWhatGeneratedCodePacksIsAccepted: Unpack, Pack and verify again, through the
// Builder of the FlatBuffers module.
func TestWhatGeneratedCodePacksIsAccepted(t *testing.T) {
	t.Run("features", repack[features.Everything])
	t.Run("survey", repack[survey.Survey])
	t.Run("archive", repack[archive.Archive])
	t.Run("wide", repack[wide.Root])
}

func repack[T fbverify.View[T]](t *testing.T) {
	var view T
	typ := view.FlatBuffersType()
	for seed, end := trusttest.Seeds(80); seed < end; seed++ {
		b := fbrand.ForSchema(fbrand.NewRand(seed), typ.Schema(), typ.Root(), fbrand.BufferOptions{Objects: 60})
		v, err := fbverify.Root[T](b.Bytes)
		if err != nil {
			t.Fatal(err)
		}
		builder := flatbuffers.NewBuilder(0)
		owned := reflect.ValueOf(v.Root()).MethodByName("Unpack").Call(nil)[0]
		root := owned.MethodByName("Pack").Call([]reflect.Value{reflect.ValueOf(builder)})[0]
		builder.FinishSizePrefixed(flatbuffers.UOffsetT(root.Uint()))
		packed := builder.FinishedBytes()
		// The Builder shares a vtable between tables of different sizes, whose
		// declared size then holds for one of them only. Nothing reads it.
		for _, f := range typ.Explain(packed, &fbverify.Options{Framing: fbverify.SizePrefixed, Strict: true}) {
			if f.Kind != fbverify.ErrTableSize {
				t.Fatalf("seed %d: %v", seed, f)
			}
		}
		s := &subject{typ: typ, prefix: 4, name: fmt.Sprintf("seed %d, packed", seed)}
		s.judge(t, packed, high(fbverify.Options{}), 0)
	}
}

// newer adds to every table of a schema what a later version may add.
func newer(text string) string {
	var b strings.Builder
	inTable := false
	for _, line := range strings.SplitAfter(text, "\n") {
		inTable = inTable || strings.HasPrefix(line, "table ")
		if inTable && line == "}\n" {
			b.WriteString("  later0:ulong = 7;\n  later1:string;\n  later2:[string];\n  later3:[double];\n  later4:bool = null;\n")
			inTable = false
		}
		b.WriteString(line)
	}
	return b.String()
}

// TestOtherVersionsOfASchemaAreAccepted: what a newer writer's schema adds does not
// trouble an older reader, nor what it lacks a newer one.
func TestOtherVersionsOfASchemaAreAccepted(t *testing.T) {
	for seed, end := trusttest.Seeds(300); seed < end; seed++ {
		r := fbrand.NewRand(seed)
		text, oldSchema := fbrand.Schema(r, fbrand.SchemaOptions{})
		newSchema, err := fbs.ParseFS(fstest.MapFS{"newer.fbs": {Data: []byte(newer(text))}}, "newer.fbs")
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		older, later := trusttest.Compile(t, oldSchema), trusttest.Compile(t, newSchema)
		for _, c := range []struct {
			what           string
			writer, reader *fbverify.Type
		}{{"a newer writer, an older reader", later, older}, {"an older writer, a newer reader", older, later}} {
			b := fbrand.ForSchema(r, c.writer.Schema(), c.writer.Root(), fbrand.BufferOptions{Objects: 40, NoFuture: true})
			s := &subject{typ: c.reader, name: fmt.Sprintf("seed %d, %s", seed, c.what)}
			if err := s.verify(b.Bytes, &fbverify.Options{Strict: true}); err != nil {
				t.Fatalf("%s, strict: %v\n%s", s.name, err, text)
			}
			if !s.judge(t, b.Bytes, high(fbverify.Options{}), 0) {
				t.Fatalf("%s: refused\n%s", s.name, text)
			}
		}
	}
}
