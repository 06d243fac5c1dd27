package schemas

import (
	"context"
	"sort"

	"github.com/fbverify/go/fbverify"
	"github.com/fbverify/go/fbverify/container"
	"github.com/fbverify/go/schema"
)

// Candidate is a root type that a buffer verifies as.
type Candidate struct {
	Schema     string  `json:"schema"` // as --schema takes it
	Root       string  `json:"root"`
	Format     string  `json:"format"`     // as --format takes it: raw, size-prefixed, long-size-prefixed
	Strict     bool    `json:"strict"`     // with --strict too
	Identifier bool    `json:"identifier"` // it has the schema's file identifier
	Tables     int     `json:"tables"`
	Fields     int     `json:"fields"`  // set in the root table
	Covered    float64 `json:"covered"` // part of the buffer's bytes that a reader can reach, 0 to 1; vtables do not count
}

// Named is a schema with the name that a user gives it by.
type Named struct {
	Name   string
	Schema *schema.Schema
}

// Find tries every table of the schemas as the root of buf, with and without a size
// prefix, and returns those that verify, the likeliest first. A small buffer verifies as
// many types: what speaks for one is how much of the buffer it accounts for.
func Find(ctx context.Context, buf []byte, schemas []Named, opts *fbverify.Options) ([]Candidate, error) {
	var found []Candidate
	seen := map[string]bool{} // the same table is in several schemas of a format
	for _, named := range schemas {
		for _, o := range named.Schema.Objects {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			if o.IsStruct || seen[o.Name] {
				continue
			}
			seen[o.Name] = true
			typ, err := fbverify.Compile(named.Schema, o.Name)
			if err != nil {
				return nil, err
			}
			for _, format := range []container.Format{container.Raw, container.SizePrefixed, container.LongSizePrefixed} {
				if c, ok := try(typ, buf, format, opts); ok {
					c.Schema = named.Name
					found = append(found, c)
				}
			}
		}
	}
	sort.SliceStable(found, func(i, j int) bool {
		a, b := &found[i], &found[j]
		switch {
		case a.Identifier != b.Identifier:
			return a.Identifier
		case a.Strict != b.Strict:
			return a.Strict
		}
		return a.Covered > b.Covered
	})
	return found, nil
}

func try(typ *fbverify.Type, buf []byte, format container.Format, opts *fbverify.Options) (Candidate, bool) {
	framing := format.Framing()
	if _, rest, err := framing.Message(buf); err != nil || len(rest) > 0 {
		return Candidate{}, false // a prefix that does not fit says that there is none
	}
	o := *opts
	o.Framing = framing
	counts, err := typ.Measure(buf, &o)
	if err != nil {
		return Candidate{}, false
	}
	c := Candidate{Root: typ.String(), Format: format.String(), Tables: counts.Tables}
	o.Strict = true
	c.Strict = typ.Verify(buf, &o) == nil
	start := framing.Prefix()
	if id := typ.Schema().FileIdentifier; id != "" && typ.Root() == typ.Schema().Root && len(buf) >= start+8 {
		c.Identifier = string(buf[start+4:start+8]) == id
	}
	c.Covered = min(1, float64(counts.Bytes)/float64(len(buf)))
	c.Fields = rootFields(buf[start:])
	return c, true
}

// rootFields counts the fields that the root table of a verified buffer has.
func rootFields(buf []byte) int {
	u32 := func(at int) int {
		return int(buf[at]) | int(buf[at+1])<<8 | int(buf[at+2])<<16 | int(buf[at+3])<<24
	}
	pos := u32(0)
	vt := pos - int(int32(uint32(u32(pos))))
	n := 0
	for at := vt + 4; at < vt+int(buf[vt])+int(buf[vt+1])<<8; at += 2 {
		if buf[at] != 0 || buf[at+1] != 0 {
			n++
		}
	}
	return n
}
