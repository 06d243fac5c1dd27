package trust_test

import (
	"encoding/binary"
	"fmt"
	"testing"

	"github.com/fbverify/go/fbverify"
	"github.com/fbverify/go/internal/fbrand"
	seedfiles "github.com/fbverify/go/internal/seeds"
	"github.com/fbverify/go/internal/trust/trusttest"
	"github.com/fbverify/go/schema"
)

// The seeds of this package are random buffers, sound ones and such with one damage
// each. When package fbrand learns to make others they are written anew, but need
// not be as long as the sound ones are sound and most of the others are not.

// smallest is [trusttest.Smallest] with the verdict of the type itself.
func smallest(t *testing.T, s *schema.Schema, seed uint64, prefix int) (sound, damaged []byte) {
	j := &subject{typ: trusttest.Compile(t, s), prefix: prefix}
	return trusttest.Smallest(s, seed, prefix, func(buf []byte) error { return j.verify(buf, nil) })
}

// checkSeeds holds seeds to what their names say, with the type of each.
func checkSeeds(t *testing.T, target string, set func() seedfiles.Set, typeOf func(seed seedfiles.Seed) *fbverify.Type, buffer int) {
	t.Helper()
	seedfiles.Keep(t, target, set, func(name string, seed seedfiles.Seed) error {
		buf, bits := seed[buffer].([]byte), seed[buffer+1].(uint8)
		j := &subject{typ: typeOf(seed)}
		if bits&64 != 0 {
			j.prefix = 4
		}
		var kind string
		var n int
		if _, err := fmt.Sscanf(name, "%d-%s", &n, &kind); err != nil {
			return fmt.Errorf("its name is not a number and what it is: %w", err)
		}
		o := trusttest.OptionsOf(bits)
		switch err := j.verify(buf, &o); {
		case kind == "sound" && err != nil, kind == "sound-size-prefixed" && err != nil:
			return fmt.Errorf("it is refused: %w", err)
		case kind == "damaged" && err == nil:
			return fmt.Errorf("it is accepted")
		}
		return nil
	})
}

func TestSeedsOfRandomSchemas(t *testing.T) {
	schemaOf := func(seed uint64) *schema.Schema {
		_, s := fbrand.Schema(fbrand.NewRand(seed), fbrand.SchemaOptions{})
		return s
	}
	checkSeeds(t, "FuzzRandomSchemas", func() seedfiles.Set {
		set := seedfiles.Set{}
		for seed := uint64(0); len(set) < 20; seed++ {
			sound, damaged := smallest(t, schemaOf(seed), seed, 0)
			if sound == nil {
				continue
			}
			set[fmt.Sprintf("%d-sound", seed)] = seedfiles.Seed{seed, sound, uint8(0)}
			set[fmt.Sprintf("%d-damaged", seed)] = seedfiles.Seed{seed, damaged, uint8(0)}
		}
		for seed := uint64(100); len(set) < 23; seed++ {
			sound, _ := smallest(t, schemaOf(seed), seed, 4)
			if sound == nil {
				continue
			}
			set[fmt.Sprintf("%d-sound-size-prefixed", seed)] = seedfiles.Seed{seed, sound, uint8(64)}
		}
		return set
	}, func(seed seedfiles.Seed) *fbverify.Type { return trusttest.Compile(t, schemaOf(seed[0].(uint64))) }, 1)
}

// ofOneSchema are seeds of a target whose type does not depend on them.
func ofOneSchema(t *testing.T, target string, s *schema.Schema) {
	t.Helper()
	checkSeeds(t, target, func() seedfiles.Set {
		set := seedfiles.Set{}
		for seed := range uint64(8) {
			sound, damaged := smallest(t, s, seed, 0)
			set[fmt.Sprintf("%d-sound", seed)] = seedfiles.Seed{sound, uint8(0)}
			set[fmt.Sprintf("%d-damaged", seed)] = seedfiles.Seed{damaged, uint8(0)}
		}
		for seed := uint64(8); seed < 10; seed++ {
			sound, _ := smallest(t, s, seed, 4)
			set[fmt.Sprintf("%d-sound-size-prefixed", seed)] = seedfiles.Seed{sound, uint8(64)}
		}
		return set
	}, func(seedfiles.Seed) *fbverify.Type { return trusttest.Compile(t, s) }, 0)
}

func TestSeedsOfSurvey(t *testing.T)  { ofOneSchema(t, "FuzzSurvey", trusttest.SurveySchema(t)) }
func TestSeedsOfMonster(t *testing.T) { ofOneSchema(t, "FuzzMonster", monsterSchema(t)) }

func TestSeedsOfStream(t *testing.T) {
	s := streamSchema()
	typ := trusttest.Compile(t, s)
	good := func(name string, seed seedfiles.Seed) error {
		stream, bits := seed[0].([]byte), seed[1].(uint8)
		sound, refused, cut := messages(stream, typ, bits)
		switch {
		case name == "three-sound" && (sound != 3 || refused+cut > 0),
			name == "nothing" && sound+refused+cut > 0,
			name == "damaged-in-the-middle" && (sound != 2 || refused != 1),
			name == "cut-in-the-last" && (sound != 2 || cut != 1),
			name == "lies-about-its-length" && cut != 1,
			name == "long-prefix" && (sound != 1 || refused+cut > 0):
			return fmt.Errorf("%d messages are sound, %d refused, %d cut", sound, refused, cut)
		}
		return nil
	}
	seedfiles.Keep(t, "FuzzStream", func() seedfiles.Set {
		var parts [][]byte
		var damaged []byte
		for seed := range uint64(3) {
			sound, d := smallest(t, s, seed, 4)
			parts = append(parts, sound)
			if len(d) == len(sound) && string(d[:4]) == string(sound[:4]) {
				damaged = d
			}
		}
		if damaged == nil {
			t.Fatal("each damage is to the size prefix")
		}
		join := func(parts ...[]byte) (all []byte) {
			for _, p := range parts {
				all = append(all, p...)
			}
			return all
		}
		three := join(parts...)
		plain, _ := smallest(t, s, 7, 0)
		return seedfiles.Set{
			"three-sound":           {three, uint8(0)},
			"damaged-in-the-middle": {join(parts[0], damaged, parts[2]), uint8(0)},
			"cut-in-the-last":       {three[:len(three)-5], uint8(0)},
			"lies-about-its-length": {[]byte{0xff, 0xff, 0xff, 0xff}, uint8(0)},
			"messages-of-no-bytes":  {make([]byte, 16), uint8(0)},
			"long-prefix":           {append(binary.LittleEndian.AppendUint64(nil, uint64(len(plain))), plain...), uint8(64 | 2)},
			"nothing":               {[]byte{}, uint8(0)},
		}
	}, good)
}
