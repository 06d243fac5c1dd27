package fbs

import (
	"bytes"
	"math/rand"
	"strings"
	"testing"

	"github.com/fbverify/go/internal/oracle"
	"github.com/fbverify/go/schema/internal/schematest"
)

func TestRandomSchemasReadAsFlatcReadsThem(t *testing.T) {
	flatc := oracle.NewFlatc(t)
	r := rand.New(rand.NewSource(1))
	accepted := 0
	for i := range 400 {
		text := schematest.Random(r)
		ours, err := Parse("x.fbs", []byte(text))
		binary, flatcErr := flatc.BFBS(map[string][]byte{"in/x.fbs": []byte(text)}, "in/x.fbs")
		if err != nil && (strings.Contains(err.Error(), "would contain itself") ||
			strings.Contains(err.Error(), "nested_flatbuffer names") || strings.Contains(err.Error(), "once all is declared")) {
			continue // flatc takes these, see refusals
		}
		if (err == nil) != (flatcErr == nil) {
			t.Fatalf("schema %d\nthis parser: %v\nflatc: %v\n%s", i, err, flatcErr, text)
		}
		if err != nil {
			continue
		}
		accepted++
		if d := differencesOfBFBS(ours, mustLoad(t, binary)); d != nil {
			t.Fatalf("schema %d\n%s\n%s", i, strings.Join(d, "\n"), text)
		}
	}
	if accepted < 50 {
		t.Errorf("only %d of 400 schemas were accepted", accepted)
	}
}

func TestRandomSchemasAreWrittenUnlessNoTextCanSayThem(t *testing.T) {
	r := rand.New(rand.NewSource(2))
	parsed, refused := 0, 0
	for range 20000 {
		text := schematest.Random(r)
		s, err := Parse("x.fbs", []byte(text))
		if err != nil {
			continue
		}
		parsed++
		if err := s.Check(); err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		var b bytes.Buffer
		if err := Write(&b, s); err != nil {
			if refused++; refused < 2 {
				t.Logf("%v\n%s", err, text)
			}
			continue
		}
		readBack(t, s)
		if t.Failed() {
			t.Fatal(text)
		}
	}
	t.Logf("%d schemas, %d of them cannot be written", parsed, refused)
	if refused*50 > parsed || parsed < 1000 {
		t.Errorf("%d of %d schemas could not be written", refused, parsed)
	}
}
