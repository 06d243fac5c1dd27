package trust_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/fbverify/go/fbverify"
	"github.com/fbverify/go/fbverify/container"
	"github.com/fbverify/go/internal/seeds"
	"github.com/fbverify/go/internal/trust/trusttest"
)

// FuzzShow shows any bytes in one of the ways that fbinspect has, as any format.
func FuzzShow(f *testing.F) {
	formats := len(container.Formats()) + 1
	for _, file := range trusttest.SmallFiles(f) {
		for way := range looks {
			f.Add(file, uint8(0), uint8(way*formats+int(container.Unknown)))
		}
	}
	types := newLooker(f, trusttest.SurveySchema(f), "", 0, &fbverify.Options{}).types
	f.Fuzz(func(t *testing.T, buf []byte, bits, how uint8) {
		if len(buf) > 64<<10 {
			t.Skip("too large")
		}
		l := &looker{types: types, format: container.Format(int(how) % formats), opts: trusttest.OptionsOf(bits)}
		l.opts.MaxTables, l.opts.MaxApparentSize = 5000, 1<<20
		way := looks[int(how)/formats%len(looks)]
		trusttest.Placed(t, buf, len(buf)&15, func(where string, buf []byte) {
			w := &meter{most: shownBase + shownPerByte*len(buf)}
			var err error
			if fault := trusttest.Faulted(func() { err = way.look(l, buf, w) }); fault != nil {
				t.Fatalf("%s, %s: %v", way.name, where, fault)
			}
			if err != nil && !notData(err) {
				t.Fatalf("%s, %s: %v", way.name, where, err)
			}
		})
	})
}

// TestSeedsOfShow: half of the seeds are sound, and half have one damage.
func TestSeedsOfShow(t *testing.T) {
	s := trusttest.SurveySchema(t)
	typ := trusttest.Compile(t, s)
	verify := func(buf []byte) error { return typ.Verify(buf, nil) }
	seeds.Keep(t, "FuzzShow", func() seeds.Set {
		set := seeds.Set{}
		for seed := uint64(20); seed < 26; seed++ {
			how := uint8(int(seed-20)*(len(container.Formats())+1) + int(container.Raw))
			sound, damaged := trusttest.Smallest(s, seed, 0, verify)
			set[fmt.Sprintf("%d-sound", seed)] = seeds.Seed{sound, uint8(0), how}
			set[fmt.Sprintf("%d-damaged", seed)] = seeds.Seed{damaged, uint8(0), how}
		}
		return set
	}, func(name string, seed seeds.Seed) error {
		switch err := verify(seed[0].([]byte)); {
		case strings.HasSuffix(name, "-sound") && err != nil:
			return fmt.Errorf("it is refused: %w", err)
		case strings.HasSuffix(name, "-damaged") && err == nil:
			return fmt.Errorf("it is accepted")
		}
		return nil
	})
}
