package schemas

import (
	"context"
	"sort"

	"github.com/fbverify/go/fbverify"
	"github.com/fbverify/go/fbverify/container"
	"github.com/fbverify/go/fbverify/traverse"
	"github.com/fbverify/go/schema"
)

// Candidate is a root type that a buffer verifies as.
type Candidate struct {
	Schema     string  `json:"schema"` // as --schema takes it
	Root       string  `json:"root"`
	Format     string  `json:"format"`     // as --format takes it: raw, size-prefixed, long-stream
	Strict     bool    `json:"strict"`     // with --strict too
	Identifier bool    `json:"identifier"` // it has the schema's file identifier
	Tables     int     `json:"tables"`
	Fields     int     `json:"fields"`  // set in the root table, of a stream in the first
	Own        bool    `json:"own"`     // of a schema that the user named
	Covered    float64 `json:"covered"` // part of the buffer's bytes that a reader can reach, 0 to 1; vtables do not count
}

// likelyCover is the part of the bytes that a type has to account for to be likely by that
// alone: vtables and padding do not count, and are a third of an honest small buffer.
const likelyCover = 0.5

// Likely reports whether more speaks for a candidate than that it verifies, as small buffers
// do as many types.
func (c *Candidate) Likely() bool { return c.Identifier || c.Own || c.Covered >= likelyCover }

// Named is a schema with the name that a user gives it by.
type Named struct {
	Name   string
	Schema *schema.Schema
	Own    bool // the user named it
}

// Find tries every table of the schemas as the root of buf, with and without a size
// prefix, and of the messages of a stream, and returns those that verify, the likeliest
// first. Constraints are not asked. A small buffer verifies as
// many types: what speaks for one is how much of the buffer it accounts for.
func Find(ctx context.Context, buf []byte, schemas []Named, opts *fbverify.Options) ([]Candidate, error) {
	var found []Candidate
	seen := map[string]bool{} // the same table is in several schemas of a format
	for _, named := range schemas {
		types, err := fbverify.CompileAll(named.Schema)
		if err != nil {
			return nil, err
		}
		for _, typ := range types {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			if seen[typ.String()] {
				continue
			}
			seen[typ.String()] = true
			for _, format := range formats {
				if c, ok := try(typ, buf, format, opts); ok {
					c.Schema, c.Own = named.Name, named.Own
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
		case a.Likely() != b.Likely():
			return a.Likely()
		case a.Strict != b.Strict:
			return a.Strict
		}
		return a.Covered > b.Covered
	})
	return found, nil
}

// formats are the layouts that are tried.
var formats = [...]container.Format{container.Raw, container.SizePrefixed, container.LongSizePrefixed, container.Stream, container.LongStream}

// try reports whether all messages of buf, as a format lays them out, verify as a type. A
// stream has at least two.
func try(typ *fbverify.Type, buf []byte, format container.Format, opts *fbverify.Options) (Candidate, bool) {
	o := *opts
	o.Framing = format.Framing()
	o.SkipConstraints = true // a buffer of the type that means nonsense is of that type all the same
	c := Candidate{Root: typ.String(), Format: format.String(), Strict: true}
	var reached uint64
	for rest, first := buf, true; first || len(rest) > 0; first = false {
		message, after, err := o.Framing.Message(rest)
		if err != nil || first && format.Several() != (len(after) > 0) {
			return Candidate{}, false // a prefix that does not fit says that there is none
		}
		rest, o.Strict = after, false
		counts, err := typ.Measure(message, &o)
		if err != nil {
			return Candidate{}, false
		}
		c.Tables += counts.Tables
		reached += uint64(counts.Bytes)
		if first {
			var fields rootFields
			if err := typ.Traversal(message, &o).Run(&fields); err != nil {
				return Candidate{}, false
			}
			c.Fields, c.Identifier = int(fields), identified(typ, message[o.Framing.Prefix():])
		}
		o.Strict = true
		c.Strict = c.Strict && typ.Verify(message, &o) == nil
	}
	c.Covered = min(1, float64(reached)/float64(len(buf)))
	return c, true
}

// identified reports whether a message, after its prefix, has the file identifier of a type.
func identified(typ *fbverify.Type, b []byte) bool {
	id := typ.Schema().FileIdentifier
	return id != "" && typ.Root() == typ.Schema().Root && len(b) >= 8 && string(b[4:8]) == id
}

// rootFields counts the fields that a root table has, also those that the schema does not
// know.
type rootFields int

func (n *rootFields) Enter(e *traverse.Event) traverse.Answer {
	if e.What == traverse.Field {
		*n++
		return traverse.Skip
	}
	return traverse.Go
}

func (*rootFields) Leave(*traverse.Event) {}
