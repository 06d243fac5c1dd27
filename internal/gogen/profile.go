package gogen

import (
	"fmt"

	"github.com/fbverify/go/fbverify"
	"github.com/fbverify/go/fbverify/dynamic"
)

// Sample is a file to count vtables in: one buffer, or a stream of size-prefixed
// ones, of either width, that fills the file.
type Sample struct {
	Name string // for errors
	Root string // full or unambiguous last name of the root table; "" tries each schema's root_type
	Data []byte // not trusted: it is verified
}

// newProfile counts the vtables of the tables in all samples.
func newProfile(m *merged, samples []Sample) (*profile, error) {
	p := new(profile)
	for _, sample := range samples {
		roots := m.roots
		if sample.Root != "" {
			roots = []string{sample.Root}
		}
		if len(roots) == 0 {
			return nil, fmt.Errorf("%s: no schema says what table a sample's root is", sample.Name)
		}
		var firstErr error
		done := false
		for _, name := range roots {
			root := m.Object(name)
			if root == nil || root.IsStruct {
				return nil, fmt.Errorf("%s: there is no table %s to be the root of a sample", sample.Name, name)
			}
			typ, err := fbverify.Compile(m.Schema, root.Name)
			if err == nil {
				err = p.sample(typ, sample.Data)
			}
			if err == nil {
				done = true
				break
			}
			if firstErr == nil {
				firstErr = fmt.Errorf("%s: this is no buffer whose root is %s, and no stream of size-prefixed ones: %w", sample.Name, root.Name, err)
			}
		}
		if !done {
			return nil, firstErr
		}
	}
	return p, nil
}

// sample counts in one file. A file whose size prefixes add up to its length is a
// stream, if all its messages are sound.
func (p *profile) sample(t *fbverify.Type, data []byte) error {
	for _, framing := range []fbverify.Framing{fbverify.SizePrefixed, fbverify.LongSizePrefixed} {
		counts := new(profile)
		if counts.stream(t, data, framing) == nil {
			p.join(counts)
			return nil
		}
	}
	counts := new(profile)
	if err := counts.buffer(t, data); err != nil {
		return err
	}
	p.join(counts)
	return nil
}

// stream counts in the messages of a stream.
func (p *profile) stream(t *fbverify.Type, data []byte, framing fbverify.Framing) error {
	for {
		message, rest, err := framing.Message(data)
		if err == nil {
			err = p.buffer(t, message[framing.Prefix():])
		}
		if err != nil || len(rest) == 0 {
			return err
		}
		data = rest
	}
}

// join adds the counts of q.
func (p *profile) join(q *profile) {
	for table, seen := range q.tables {
		for vtable, n := range seen {
			p.count(table, vtable, n)
		}
	}
}

// buffer counts in one buffer, once it is verified. A table that offsets share counts once.
func (p *profile) buffer(t *fbverify.Type, data []byte) error {
	// Writers that align from after a length put before the buffer are welcome, and so is
	// text that is no UTF-8: neither changes where fields lie.
	m, err := dynamic.Root(t, data, &fbverify.Options{SkipAlignment: true, SkipUTF8: true})
	if err != nil {
		return err
	}
	type visit struct {
		offset int
		object *dynamic.Object
	}
	seen := map[visit]bool{}
	queue := []dynamic.Table{m.Root()}
	push := func(v dynamic.Value) {
		if v.Kind() == dynamic.KindUnion {
			v = v.Union()
		}
		if v.Kind() != dynamic.KindTable {
			return
		}
		t := v.Table()
		if at := (visit{t.Offset(), t.Object()}); !seen[at] {
			seen[at] = true
			queue = append(queue, t)
		}
	}
	seen[visit{m.Root().Offset(), m.Root().Object()}] = true
	for ; len(queue) > 0; queue = queue[1:] {
		t := queue[0]
		offset, size := t.VTable()
		p.count(t.Object().Name(), countedVTable(data[offset:offset+size]), 1)
		for _, v := range t.Fields() {
			switch v.Kind() {
			case dynamic.KindTable, dynamic.KindUnion:
				push(v)
			case dynamic.KindVector:
				if v.Len() == 0 || !leads(v.At(0).Kind()) {
					continue
				}
				for _, e := range v.All() {
					push(e)
				}
			}
		}
	}
	return nil
}

// leads reports whether a value of the kind may be a table.
func leads(k dynamic.Kind) bool {
	return k == dynamic.KindTable || k == dynamic.KindUnion || k == dynamic.KindNone
}
