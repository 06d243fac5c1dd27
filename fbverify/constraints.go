package fbverify

import (
	"fmt"
	"sync"

	"github.com/fbverify/go/fbverify/fbread"
	"github.com/fbverify/go/fbverify/internal/sense"
)

// RegisterConstraint makes f the function that a schema names by must_satisfy: it is asked
// of each table with such a field whose shape is proved, and what it returns is in the
// error, of kind [ErrUnsatisfied], that refuses the buffer. In f, fbread.As makes the table the view that it
// is. f may be asked by several goroutines at once, and more than once of a table; its time is
// its own. It panics when the name is taken or f is nil, as it is meant for init functions.
func RegisterConstraint(name string, f func(table fbread.Table) error) {
	if f == nil {
		panic("fbverify: the function of the constraint " + name + " is nil")
	}
	if _, taken := functions.LoadOrStore(name, f); taken {
		panic(fmt.Sprintf("fbverify: a function is registered for the constraint %s already", name))
	}
}

var functions sync.Map // from names to func(fbread.Table) error

// judge asks a registered function about the table at a position.
func judge(name string, buf []byte, table uint64) (error, bool) {
	f, ok := functions.Load(name)
	if !ok {
		return nil, false
	}
	return f.(func(fbread.Table) error)(fbread.TableAtUnchecked(buf, int(table))), true
}

// ask holds the values of a buffer whose shape is proved to the schema's constraints.
func (t *Type) ask(buf []byte, o *Options, c Counts) (Counts, error) {
	if t.sense == nil || o.SkipConstraints {
		return c, nil
	}
	if errs := t.askAll(buf, o, 1); errs != nil {
		return c, errs[0]
	}
	return c, nil
}

// askAll is ask for all faults, up to most.
func (t *Type) askAll(buf []byte, o *Options, most int) []*Error {
	if t.sense == nil || o.SkipConstraints {
		return nil
	}
	start := uint64(o.Framing.Prefix())
	if o.Framing != Unframed {
		buf, _, _ = o.Framing.Message(buf) // proved to be there
	}
	cfg := sense.Config{Start: start, SkipNested: o.NestedUnchecked, MaxFaults: most, Facts: o.Facts, Judge: judge}
	faults := sense.Walk(t.sense, buf, &cfg)
	if len(faults) == 0 {
		return nil
	}
	errs := make([]*Error, len(faults))
	for i := range faults {
		f := &faults[i]
		errs[i] = &Error{Kind: Kind(f.Kind), Type: f.Type, Path: f.Path, Offset: int(f.Offset), Size: int(f.Size),
			Thing: Thing(f.Thing), Leads: Thing(f.Leads), Target: f.Target, Found: f.Found, Allowed: f.Allowed, Detail: f.Detail}
	}
	return errs
}

// Facts are the names that a verification may need in [Options.Facts]: what the constraints
// call "@name", and "Type.field" of tables that may be around. Only those that are met where
// nothing else says them have to be stated.
func (t *Type) Facts() []string {
	if t.sense == nil {
		return nil
	}
	return append([]string(nil), t.sense.Facts...)
}
