package fbverify

import (
	"github.com/fbverify/go/fbverify/internal/machine"
	"github.com/fbverify/go/fbverify/internal/traversal"
	"github.com/fbverify/go/fbverify/traverse"
)

// Traversal is a walk over a buffer that nobody vouches for, which tells a
// [traverse.Listener] what it meets: for those who show or account for a buffer that
// may be damaged. Package traverse says how to write one. It is for one goroutine.
type Traversal struct {
	walk *traversal.Traversal
	err  *Error // of the options
}

// Traversal prepares a walk over buf. Of the options, MaxDepth holds as for Verify;
// MaxTables and MaxApparentSize count what is entered, which is each object once
// unless the listener wants it again; Parallel and Copy mean nothing. Where a
// size-prefixed message keeps to an alignment counted from after the prefix, so does
// the walk. Nil opts are the defaults.
func (t *Type) Traversal(buf []byte, opts *Options) *Traversal {
	o := unset
	if opts != nil {
		o = *opts
	}
	if err := o.check(); err != nil {
		return &Traversal{err: err}
	}
	cfg := t.walkConfig(buf, &o, maxFaults)
	cfg.After = o.Framing != Unframed && !o.Strict && t.alignedAfter(buf, &o)
	return &Traversal{walk: traversal.New(t.judge(&o), buf, &cfg)}
}

// Run walks the buffer once and returns nil, or an *Error of the kind that ended the
// walk: ErrOptions, ErrTooShort, ErrTooLarge and ErrSizePrefix before it began, and
// ErrTableLimit, ErrSizeLimit and ErrOverlap on the way. A [traverse.FaultListener] is
// told of these, too, and of what is broken elsewhere, of 10,000 faults at most. A
// listener that stops the walk gives nil.
func (tr *Traversal) Run(l traverse.Listener) error {
	if tr.err != nil {
		return tr.err
	}
	var told func(*traversal.Fault)
	if f, ok := l.(traverse.FaultListener); ok {
		told = func(fault *traversal.Fault) { f.Fault(newError(fault)) }
	}
	if end := tr.walk.Run(l, told); end != nil {
		return newError(end)
	}
	return nil
}

// Seen returns the set of the places that were met, which is complete when the walk
// has come to its end. Of a place's As nothing is said but that objects read as the
// same have the same.
func (tr *Traversal) Seen() *traverse.Seen {
	if tr.err != nil {
		return new(traverse.Seen)
	}
	return tr.walk.Seen()
}

// Look tells l of the one object at a place, after Run: the Pos and As of an event, or
// what Seen returns. Of a table it tells the vtable and the fields too, and of a table and a
// vector what their offsets lead to, all of which it does not enter; but the values of a
// vector of unions are told with the table, which has their types, and the root of a nested
// buffer with the vector. How the walk came to the object is not known any more: At is
// None, Depth 0, and so on, and Seen means nothing. It is for those who show a buffer in the
// order of its bytes, and takes a time that depends on the object alone.
func (tr *Traversal) Look(p traverse.Place, l traverse.Listener) {
	if tr.err == nil {
		tr.walk.Look(p, l)
	}
}

// alignedAfter reports whether a message is sound with its alignment counted from
// after its size prefix, and not with that counted from the prefix.
func (t *Type) alignedAfter(buf []byte, o *Options) bool {
	message, prefix, ok := t.message(buf, o)
	if !ok {
		return false
	}
	cfg := &machine.Config{MaxDepth: o.maxDepth(), MaxTables: o.maxTables(len(buf)), MaxBytes: o.maxBytes(), Flags: o.flags()}
	p := t.judge(o)
	if v, _ := machine.Run(p, message, prefix, cfg); v != machine.Invalid {
		return false
	}
	v, _ := machine.Run(p, message[prefix:], 0, cfg)
	return v != machine.Invalid
}
