package gogen

import (
	"encoding/binary"
	"fmt"

	"github.com/fbverify/go/internal/wire"
	"github.com/fbverify/go/schema"
)

// Sample is a file to count vtables in: one buffer, or a stream of size-prefixed
// ones that fills the file.
type Sample struct {
	Name string // for errors
	Root string // full or unambiguous last name of the root table; "" tries each schema's root_type
	Data []byte // not trusted: every read is checked
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
			err := p.sample(m.Schema, root, sample.Data)
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
// stream.
func (p *profile) sample(s *schema.Schema, root *schema.Object, data []byte) error {
	if messages := splitStream(data); messages != nil {
		counts := new(profile)
		var err error
		for _, message := range messages {
			if err = counts.buffer(s, root, message, 4); err != nil {
				break
			}
		}
		if err == nil {
			p.join(counts)
			return nil
		}
	}
	counts := new(profile)
	if err := counts.buffer(s, root, data, 0); err != nil {
		return err
	}
	p.join(counts)
	return nil
}

// splitStream returns the messages of a stream without their prefixes, nil when
// data is none.
func splitStream(data []byte) [][]byte {
	var messages [][]byte
	for len(data) > 0 {
		if len(data) < 4 {
			return nil
		}
		n := uint64(binary.LittleEndian.Uint32(data))
		if n < 8 || n > uint64(len(data)-4) {
			return nil
		}
		messages = append(messages, data[4:4+n])
		data = data[4+n:]
	}
	return messages
}

// join adds the counts of q.
func (p *profile) join(q *profile) {
	for table, seen := range q.tables {
		for vtable, n := range seen {
			p.count(table, vtable, n)
		}
	}
}

// buffer counts in one buffer. Its tables are visited once each, so time is
// linear in its length.
func (p *profile) buffer(s *schema.Schema, root *schema.Object, data []byte, shift uint64) error {
	r := &wire.Reader{B: data, Rules: true, SkipAlignment: true, Shift: shift}
	table, err := r.Root()
	if err != nil {
		return err
	}
	type visit struct {
		pos    uint64
		object *schema.Object
	}
	seen := map[visit]bool{}
	queue := []visit{{table.Pos, root}}
	push := func(pos uint64, o *schema.Object) {
		if v := (visit{pos, o}); !o.IsStruct && !seen[v] {
			seen[v] = true
			queue = append(queue, v)
		}
	}
	for ; len(queue) > 0; queue = queue[1:] {
		v := queue[0]
		t, err := r.Table(v.pos)
		if err != nil {
			return err
		}
		vtable, err := r.Bytes(t.VTable, t.Size, "a vtable")
		if err != nil {
			return err
		}
		p.count(v.object.Name, countedVTable(vtable), 1)
		for _, f := range v.object.Fields {
			if f.Deprecated || f.Offset64 || f.Type.Base == schema.Vector64 {
				continue // never leads to a table
			}
			if err := follow(r, t, f, push); err != nil {
				return fmt.Errorf("%s.%s: %w", v.object.Name, f.Name, err)
			}
		}
	}
	return nil
}

// follow pushes the tables that a field refers to.
func follow(r *wire.Reader, t wire.Table, f *schema.Field, push func(uint64, *schema.Object)) error {
	element := f.Type
	if f.Type.IsVector() {
		element = f.Type.ElementType()
	}
	if !element.IsTable() && element.Base != schema.Union {
		return nil
	}
	pos, ok, err := t.Field(uint64(f.ID))
	if err != nil || !ok {
		return err
	}
	if !f.Type.IsVector() {
		object := element.Object
		if element.Base == schema.Union {
			if object, err = unionMember(r, t, f, 0); err != nil {
				return err
			}
		}
		return followOne(r, pos, f.Name, object, push)
	}
	if pos, err = r.Follow(pos, 4, f.Name); err != nil {
		return err
	}
	start, count, err := r.Vector(pos, 4, 4, 4, f.Name)
	if err != nil {
		return err
	}
	for i := range count {
		object := element.Object
		if element.Base == schema.Union {
			if object, err = unionMember(r, t, f, i); err != nil {
				return err
			}
		}
		if err := followOne(r, start+4*i, f.Name, object, push); err != nil {
			return err
		}
	}
	return nil
}

func followOne(r *wire.Reader, pos uint64, what string, object *schema.Object, push func(uint64, *schema.Object)) error {
	if object == nil {
		return nil
	}
	target, err := r.Follow(pos, 4, what)
	if err == nil {
		push(target, object)
	}
	return err
}

// unionMember returns the table that the kind of a union, or the one at i of a
// vector of unions, says its value is; nil for every other kind.
func unionMember(r *wire.Reader, t wire.Table, f *schema.Field, i uint64) (*schema.Object, error) {
	size := uint64(f.Type.Enum.Underlying.Size())
	pos, ok, err := t.Field(uint64(f.ID - 1))
	if err != nil || !ok {
		return nil, err
	}
	if f.Type.IsVector() {
		if pos, err = r.Follow(pos, 4, f.Name+"_type"); err != nil {
			return nil, err
		}
		start, count, err := r.Vector(pos, 4, size, size, f.Name+"_type")
		if err != nil {
			return nil, err
		}
		if i >= count {
			return nil, fmt.Errorf("there are fewer types than values")
		}
		pos = start + i*size
	}
	kind, err := r.Uint(pos, size, "the type of a union")
	if err != nil {
		return nil, err
	}
	for _, v := range f.Type.Enum.Values {
		if uint64(v.Value) == kind && v.Type.IsTable() {
			return v.Type.Object, nil
		}
	}
	return nil, nil
}
