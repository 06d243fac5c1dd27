package fbs

import (
	"testing"

	"github.com/fbverify/go/internal/seeds"
	"github.com/fbverify/go/schema/internal/schematest"
)

func TestSeedsOfParse(t *testing.T) {
	set := seeds.Set{}
	for name, text := range schematest.Texts {
		set[name] = seeds.Seed{text}
	}
	seeds.Check(t, "FuzzParse", set)
}
