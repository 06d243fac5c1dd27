package trust_test

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"hash"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/fbverify/go/fbverify"
	"github.com/fbverify/go/fbverify/dynamic"
	"github.com/fbverify/go/internal/fbrand"
	seedfiles "github.com/fbverify/go/internal/seeds"
	"github.com/fbverify/go/internal/trust/trusttest"
)

// platformsFile has a line for each seed: what came of its buffers, in numbers, and a
// hash of all verdicts, values and JSON texts.
const platformsFile = "testdata/platforms.txt"

// TestEveryPlatformSeesTheSame holds verdicts, faults, values and JSON to what an
// amd64 wrote down, whatever the order of bytes and the width of words here.
func TestEveryPlatformSeesTheSame(t *testing.T) {
	var lines []string
	for seed := range uint64(60) {
		lines = append(lines, platformLine(t, seed))
	}
	got := strings.Join(lines, "\n") + "\n"
	if *seedfiles.Update {
		if err := os.WriteFile(platformsFile, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	file, err := os.ReadFile(platformsFile)
	if err != nil {
		t.Fatal(err)
	}
	want := strings.Split(string(file), "\n")
	for i, line := range lines {
		if i >= len(want) || line != want[i] {
			t.Errorf("seed %d:\n%s, want\n%s", i, line, want[min(i, len(want)-1)])
		}
	}
}

func platformLine(t *testing.T, seed uint64) string {
	r := fbrand.NewRand(seed)
	_, sch := fbrand.Schema(r, fbrand.SchemaOptions{})
	typ := trusttest.Compile(t, sch)
	d := digest{hash: sha256.New()}
	accepted, faults := 0, 0
	b := fbrand.ForSchema(r, sch, sch.Root, fbrand.BufferOptions{Objects: 1 + r.IntN(40), Loose: r.IntN(2) == 0})
	bufs := [][]byte{b.Bytes}
	for range 12 {
		bufs = append(bufs, fbrand.Damage(r, b).Bytes)
	}
	for _, buf := range bufs {
		for _, o := range []*fbverify.Options{{MaxTables: 10_000}, {MaxTables: 10_000, Strict: true, SkipUTF8: true}} {
			for _, fault := range typ.Explain(buf, o) {
				faults++
				d.text(fault.Error())
			}
		}
		m, err := dynamic.Root(typ, buf, &fbverify.Options{MaxTables: 10_000})
		if err != nil {
			d.text(err.Error())
			continue
		}
		accepted++
		d.value(m.Root().AsValue())
		json, err := dynamic.AppendJSON(nil, m, &dynamic.JSONOptions{MaxBytes: 1 << 18, FlexBytes: true, Defaults: true})
		if err != nil {
			d.text(err.Error())
		}
		d.text(string(json))
	}
	return fmt.Sprintf("%d: %d accepted, %d faults, %d values, %x", seed, accepted, faults, d.values, d.hash.Sum(nil)[:8])
}

// digest hashes what is read.
type digest struct {
	hash   hash.Hash
	values int
}

func (d *digest) number(n uint64) {
	var b [8]byte
	binary.BigEndian.PutUint64(b[:], n)
	d.hash.Write(b[:])
}

func (d *digest) text(s string) {
	d.number(uint64(len(s)))
	d.hash.Write([]byte(s))
}

func (d *digest) value(v dynamic.Value) {
	const most = 10_000
	if d.values++; d.values > most {
		return
	}
	d.number(uint64(v.Kind()))
	if !v.Present() && v.Kind() != dynamic.KindBool && v.Kind() != dynamic.KindInt && v.Kind() != dynamic.KindUint && v.Kind() != dynamic.KindFloat {
		return
	}
	switch v.Kind() {
	case dynamic.KindBool, dynamic.KindInt, dynamic.KindUint:
		d.number(v.Uint())
		d.text(v.EnumName())
	case dynamic.KindFloat:
		f := v.Float()
		if math.IsNaN(f) {
			f = math.NaN() // whose other bits processors do not agree on
		}
		d.number(math.Float64bits(f))
	case dynamic.KindString:
		d.text(string(v.Bytes()))
	case dynamic.KindTable:
		for f, field := range v.Table().AllFields() {
			d.text(f.Name())
			d.value(field)
		}
	case dynamic.KindStruct:
		for f, field := range v.Struct().Fields() {
			d.text(f.Name())
			d.value(field)
		}
	case dynamic.KindVector, dynamic.KindArray:
		for _, elem := range v.All() {
			d.value(elem)
		}
	case dynamic.KindUnion:
		d.text(v.Union().Type().String())
		d.value(v.Union())
	}
}
