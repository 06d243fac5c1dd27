package trusttest

import (
	"github.com/fbverify/go/internal/fbrand"
	"github.com/fbverify/go/schema"
)

// Smallest returns the smallest of some random buffers of a schema with more than a
// few tables, and the same with a damage for which verify refuses it; nil and nil
// where none is small.
func Smallest(s *schema.Schema, seed uint64, prefix int, verify func(buf []byte) error) (sound, damaged []byte) {
	for try := range uint64(200) {
		r := fbrand.NewRand(seed<<8 | try)
		b := fbrand.ForSchema(r, s, s.Root, fbrand.BufferOptions{Objects: 8, Loose: try%2 == 1, Prefix: prefix})
		if b.Tables < 3 || len(b.Bytes) > 1500 || sound != nil && len(b.Bytes) >= len(sound) {
			continue
		}
		for range 20 {
			d := fbrand.Damage(r, b)
			if verify(d.Bytes) != nil {
				sound, damaged = b.Bytes, d.Bytes
				break
			}
		}
	}
	return sound, damaged
}
