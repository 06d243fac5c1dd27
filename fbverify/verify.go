package fbverify

import (
	"fmt"

	"github.com/fbverify/go/fbverify/internal/machine"
	"github.com/fbverify/go/fbverify/internal/program"
	"github.com/fbverify/go/fbverify/internal/rule"
	"github.com/fbverify/go/fbverify/internal/traversal"
)

// Counts are what a verification met on an expanded walk: what two offsets
// share counts twice.
type Counts struct {
	Tables int
	Bytes  int64 // inline bytes of tables, vectors and strings with their length words

	// Unknown says that a union has a tag which the schema does not know, and a value that
	// nobody looked at: [Type.Unknown] says where.
	Unknown bool

	// Excepted says that the buffer is not what the letter asks for, and was accepted with the
	// exceptions of the schema: [Type.Deviations] says where. It may be set without need of a
	// buffer that shares very much.
	Excepted bool
}

// Deviations returns what Verify lets pass because the schema says that the readers of its
// format do: the faults that buf has with [Options.NoExceptions]. It is for buffers that Verify
// accepts with the options.
func (t *Type) Deviations(buf []byte, opts *Options) []*Error {
	var o Options
	if opts != nil {
		o = *opts
	}
	if t.lenient == nil || o.Strict || o.NoExceptions {
		return nil
	}
	o.NoExceptions = true
	return t.Explain(buf, &o)
}

// maxFaults is how many faults Explain returns at most.
const maxFaults = 10_000

// Verify proves that every read of buf as t stays inside it, or returns the
// first fault in the order of reading as an *Error. Nil opts are the defaults.
// The proof holds for as long as nobody writes to buf.
func (t *Type) Verify(buf []byte, opts *Options) error {
	_, err := t.verify(buf, opts)
	return err
}

// Measure is Verify, and also says how much there was. On an error the counts
// are those up to the fault.
func (t *Type) Measure(buf []byte, opts *Options) (Counts, error) { return t.verify(buf, opts) }

// Explain returns every fault of buf as t, in the order of reading, nil when
// there is none. Constraints of the schema are asked only where the shape has no
// fault. The first is what Verify returns without Parallel. Below a fault
// nothing can be said, so its subtree is left out; a faulty part that several
// offsets share is reported at least once. Nothing is looked at after MaxTables,
// MaxApparentSize or ErrOverlap. At most 10,000 faults are returned. Options that
// are themselves wrong give a single Error of kind ErrOptions.
func (t *Type) Explain(buf []byte, opts *Options) []*Error {
	var o Options
	if opts != nil {
		o = *opts
		if err := o.check(); err != nil {
			return []*Error{err}
		}
	}
	verdict := t.verdict(buf, &o)
	if verdict == machine.Valid {
		return t.askAll(buf, &o, maxFaults)
	}
	// Results are remembered from the start where Verify would: where a limit is met,
	// and what overlaps too much, depends on that.
	r := t.explain(buf, &o, maxFaults, verdict == machine.Shared)
	if len(r.Faults) == 0 {
		return t.askAll(buf, &o, maxFaults)
	}
	errs := make([]*Error, len(r.Faults))
	for i := range r.Faults {
		errs[i] = newError(&r.Faults[i])
	}
	return errs
}

// CheckSize returns the error of kind ErrTooLarge that Verify returns of a message of
// n bytes because there are more than the offsets of t's schema reach; nil where
// Verify would look at them. It is for those who would have to read them first.
func (t *Type) CheckSize(n int64) error {
	if n <= rule.MaxBuffer || t.program.Root.Wide {
		return nil
	}
	return &Error{Kind: ErrTooLarge, Type: t.String(), Path: t.Root().ShortName(),
		Thing: ThingBuffer, Found: n, Allowed: rule.MaxBuffer, Detail: traversal.TooLarge(uint64(n))}
}

// unset are the options of those who pass none.
var unset Options

// defaults is what they come to. The tables that a buffer has room for are fewer
// than the limit on tables.
var defaults = machine.Config{MaxDepth: rule.MaxDepth, MaxBytes: ^uint64(0)}

func (t *Type) verify(buf []byte, o *Options) (Counts, error) {
	cfg := &defaults
	if o == nil {
		// Nearly all calls: there is no framing to look at, and no identifier.
		if n := uint64(len(buf)); n >= rule.OffsetSize && (n <= rule.MaxBuffer || t.program.Root.Wide) {
			verdict, c := machine.Run(t.program, buf, 0, cfg)
			if verdict == machine.Valid {
				if t.sense == nil {
					return counts(c.Tables, c.Bytes, c.Unknown, false), nil
				}
				return t.ask(buf, &unset, counts(c.Tables, c.Bytes, c.Unknown, false))
			}
			if t.lenient != nil && verdict == machine.Invalid {
				if verdict, c = machine.Run(t.lenient(), buf, 0, cfg); verdict == machine.Valid {
					return t.ask(buf, &unset, counts(c.Tables, c.Bytes, c.Unknown, true))
				}
			}
			return t.refuse(buf, &unset, verdict)
		}
		o = &unset
	} else {
		if err := o.check(); err != nil {
			return Counts{}, err
		}
		cfg = &machine.Config{
			MaxDepth: o.maxDepth(), MaxTables: o.maxTables(len(buf)), MaxBytes: o.maxBytes(),
			Flags: o.flags(), Parallel: o.Parallel,
		}
	}
	// The header, sharing and Strict are the traversal's to judge.
	verdict := unknown
	if message, prefix, ok := t.message(buf, o); ok && !o.Strict {
		var c machine.Counts
		var lenient bool
		if verdict, c, lenient = t.run(message, prefix, cfg, o); verdict == machine.Valid {
			return t.ask(buf, o, counts(c.Tables, c.Bytes, c.Unknown, lenient))
		}
	}
	return t.refuse(buf, o, verdict)
}

// run asks the machine about a message with a prefix of that size: to the letter, and where
// that refuses it with the exceptions of the schema.
func (t *Type) run(message []byte, prefix uint64, cfg *machine.Config, o *Options) (v machine.Verdict, c machine.Counts, lenient bool) {
	v, c = run(t.program, message, prefix, cfg)
	if p := t.judge(o); p != t.program && v == machine.Invalid {
		v, c = run(p, message, prefix, cfg)
		return v, c, true
	}
	return v, c, false
}

// run asks the machine. A message that is refused with its prefix as the base of positions is
// tried with its own first byte as that: some writers align so.
func run(p *program.Program, message []byte, prefix uint64, cfg *machine.Config) (machine.Verdict, machine.Counts) {
	verdict, c := machine.Run(p, message, prefix, cfg)
	if verdict != machine.Valid && prefix > 0 {
		if v, counts := machine.Run(p, message[prefix:], 0, cfg); v != machine.Invalid {
			return v, counts
		}
	}
	return verdict, c
}

// judge returns the program that decides under the options: with the exceptions of the
// schema, unless they ask for the letter.
func (t *Type) judge(o *Options) *program.Program {
	if t.lenient == nil || o.Strict || o.NoExceptions {
		return t.program
	}
	return t.lenient()
}

// unknown stands for the verdict of a machine that was not asked.
const unknown = machine.Shared + 1

// refuse looks for the fault of a buffer that the machine did not accept. What
// it refused must have one.
func (t *Type) refuse(buf []byte, o *Options, verdict machine.Verdict) (Counts, error) {
	r := t.explain(buf, o, 1, verdict == machine.Shared)
	c := counts(r.Tables, r.Bytes, r.Unknown, t.judge(o) != t.program)
	switch {
	case len(r.Faults) > 0:
		return c, newError(&r.Faults[0])
	case verdict == machine.Invalid:
		// The machine refused what the traversal accepts: one of them is wrong,
		// and refusing is the safe side.
		return c, &Error{Kind: ErrInternal, Type: t.String(), Path: t.Root().ShortName(), Detail: "no check of the traversal fails"}
	}
	return t.ask(buf, o, c)
}

// message returns the message that buf starts with and the size of its prefix,
// when all that stands before the root table but the root offset is right. Errors
// are left to the traversal.
func (t *Type) message(buf []byte, o *Options) (message []byte, prefix uint64, ok bool) {
	m := rule.Framing(o.Framing).Message(buf, uint64(len(buf)))
	if m.Fault != rule.OK || m.End > rule.MaxBuffer && !t.program.Root.Wide || m.End < m.Start+rule.OffsetSize {
		return nil, 0, false
	}
	buf = buf[:m.End]
	if o.Identifier != "" {
		at := m.Start + rule.OffsetSize
		if m.End < at+4 || string(buf[at:at+4]) != o.Identifier {
			return nil, 0, false
		}
	}
	return buf, m.Start, true
}

// explain walks the buffer slowly. A size-prefixed message that has faults with
// positions counted from its prefix is tried once more with positions counted
// from after it; when that does not help, the first faults stand.
func (t *Type) explain(buf []byte, o *Options, maxFaults int, shared bool) traversal.Result {
	cfg := t.walkConfig(buf, o, maxFaults)
	cfg.Shared = shared
	p := t.judge(o)
	r := traversal.Walk(p, buf, &cfg)
	if len(r.Faults) == 0 || o.Framing == Unframed || o.Strict {
		return r
	}
	if message, prefix, ok := t.message(buf, o); ok {
		cfg.Framing, cfg.MaxFaults = rule.Unframed, 1
		if r := traversal.Walk(p, message[prefix:], &cfg); len(r.Faults) == 0 {
			return r
		}
	}
	return r
}

func (t *Type) walkConfig(buf []byte, o *Options, maxFaults int) traversal.Config {
	return traversal.Config{
		MaxDepth: o.maxDepth(), MaxTables: o.maxTables(len(buf)), MaxBytes: o.maxBytes(),
		Flags: o.flags(), Strict: o.Strict, MaxFaults: maxFaults, Identifier: o.Identifier, Framing: rule.Framing(o.Framing),
	}
}

// verdict is what the machine says of the buffer, unknown where it is not asked.
func (t *Type) verdict(buf []byte, o *Options) machine.Verdict {
	message, prefix, ok := t.message(buf, o)
	if !ok || o.Strict {
		return unknown
	}
	cfg := &machine.Config{MaxDepth: o.maxDepth(), MaxTables: o.maxTables(len(buf)), MaxBytes: o.maxBytes(), Flags: o.flags()}
	verdict, _, _ := t.run(message, prefix, cfg, o)
	return verdict
}

func newError(f *traversal.Fault) *Error {
	return &Error{Kind: Kind(f.Kind), Type: f.Type, Path: f.Path, Offset: int(f.Offset), Size: int(f.Size),
		Thing: Thing(f.Thing), Leads: Thing(f.Leads), Target: f.Target, Found: f.Found, Allowed: f.Allowed, Detail: f.Detail}
}

func counts(tables, bytes uint64, unknown, excepted bool) Counts {
	const most = 1<<63 - 1
	return Counts{int(min(tables, uint64(^uint(0)>>1))), int64(min(bytes, most)), unknown, excepted}
}

// The defaults of the options.

func (o *Options) maxDepth() int {
	if o.MaxDepth == 0 {
		return rule.MaxDepth
	}
	return o.MaxDepth
}

func (o *Options) maxTables(n int) uint64 {
	if o.MaxTables == 0 {
		return rule.MaxTables(uint64(n))
	}
	return uint64(o.MaxTables)
}

func (o *Options) maxBytes() uint64 {
	if o.MaxApparentSize == 0 {
		return ^uint64(0)
	}
	return uint64(o.MaxApparentSize)
}

func (o *Options) flags() program.Flags {
	var f program.Flags
	if o.SkipUTF8 {
		f |= program.SkipUTF8
	}
	if o.SkipAlignment {
		f |= program.SkipAlignment
	}
	if o.SkipNullTerminator {
		f |= program.SkipTerminator
	}
	if o.NestedUnchecked {
		f |= program.SkipNested
	}
	return f
}

// highestDepth bounds MaxDepth: readers of nested data recurse, and so does the
// explainer.
const highestDepth = 1 << 16

func wrongOptions(format string, args ...any) *Error {
	return &Error{Kind: ErrOptions, Detail: fmt.Sprintf(format, args...)}
}

// check refuses options that mean nothing.
func (o *Options) check() *Error {
	wrong := wrongOptions
	switch {
	case o.MaxDepth < 0 || o.MaxDepth > highestDepth:
		return wrong("MaxDepth is %d, and 0 to %d are allowed", o.MaxDepth, highestDepth)
	case o.MaxTables < 0:
		return wrong("MaxTables is %d, and must not be negative", o.MaxTables)
	case o.MaxApparentSize < 0:
		return wrong("MaxApparentSize is %d, and must not be negative", o.MaxApparentSize)
	case o.Parallel < 0:
		return wrong("Parallel is %d, and must not be negative", o.Parallel)
	case o.Framing > LongSizePrefixed:
		return wrong("Framing is %d, and Unframed, SizePrefixed and LongSizePrefixed are allowed", o.Framing)
	case o.Identifier != "" && len(o.Identifier) != 4:
		return wrong("Identifier is %q of %d bytes, and file identifiers have 4", o.Identifier, len(o.Identifier))
	}
	return nil
}
