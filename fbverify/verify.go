package fbverify

import (
	"encoding/binary"
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
}

// maxFaults is how many faults Explain returns at most.
const maxFaults = 10_000

// Verify proves that every read of buf as t stays inside it, or returns the
// first fault in the order of reading as an *Error. Nil opts are the defaults.
// The proof holds for as long as nobody writes to buf.
func (t *Type) Verify(buf []byte, opts *Options) error {
	_, err := t.verify(buf, opts, 0)
	return err
}

// VerifySizePrefixed is Verify for a buffer that starts with its own length in
// bytes, a uint32 that does not count itself. Positions and alignment count
// from the first byte of the prefix, as C++ writes it; a message that keeps to
// an alignment counted from after the prefix is accepted too, unless Strict.
func (t *Type) VerifySizePrefixed(buf []byte, opts *Options) error {
	_, err := t.verify(buf, opts, prefixSize(opts))
	return err
}

// Measure is Verify, and also says how much there was. On an error the counts
// are those up to the fault.
func (t *Type) Measure(buf []byte, opts *Options) (Counts, error) { return t.verify(buf, opts, 0) }

// MeasureSizePrefixed is VerifySizePrefixed, and also says how much there was.
func (t *Type) MeasureSizePrefixed(buf []byte, opts *Options) (Counts, error) {
	return t.verify(buf, opts, prefixSize(opts))
}

// Explain returns every fault of buf as t, in the order of reading, nil when
// there is none. The first is what Verify returns without Parallel. Below a fault
// nothing can be said, so its subtree is left out; a faulty part that several
// offsets share is reported at least once. Nothing is looked at after MaxTables,
// MaxApparentSize or ErrOverlap. At most 10,000 faults are returned. Options that
// are themselves wrong give a single Error of kind ErrOptions.
func (t *Type) Explain(buf []byte, opts *Options) []*Error { return t.explainAll(buf, opts, 0) }

// ExplainSizePrefixed is Explain for a buffer that starts with its own length.
func (t *Type) ExplainSizePrefixed(buf []byte, opts *Options) []*Error {
	return t.explainAll(buf, opts, prefixSize(opts))
}

// prefixSize is the number of bytes of the size prefix that opts ask for.
func prefixSize(opts *Options) int {
	if opts != nil && opts.LongPrefix {
		return rule.Offset64Size
	}
	return rule.OffsetSize
}

// unset are the options of those who pass none.
var unset Options

// defaults is what they come to. The tables that a buffer has room for are fewer
// than the limit on tables.
var defaults = machine.Config{MaxDepth: rule.MaxDepth, MaxBytes: ^uint64(0)}

func (t *Type) verify(buf []byte, o *Options, prefix int) (Counts, error) {
	cfg := &defaults
	if o == nil {
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
	// The header, sharing and Strict are the explainer's to judge.
	verdict := unknown
	if message, ok := t.message(buf, o, prefix); ok && !o.Strict {
		var c machine.Counts
		verdict, c = machine.Run(t.program, message, uint64(prefix), cfg)
		if verdict != machine.Valid && prefix > 0 {
			verdict, c = t.again(message[prefix:], cfg, verdict, c)
		}
		if verdict == machine.Valid {
			return counts(c.Tables, c.Bytes), nil
		}
	}
	return t.refuse(buf, o, prefix, verdict)
}

// again verifies a message that was refused with its prefix as the base of
// positions with its own first byte as that: some writers align so.
func (t *Type) again(message []byte, cfg *machine.Config, verdict machine.Verdict, c machine.Counts) (machine.Verdict, machine.Counts) {
	if v, counts := machine.Run(t.program, message, 0, cfg); v != machine.Invalid {
		return v, counts
	}
	return verdict, c
}

// unknown stands for the verdict of a machine that was not asked.
const unknown = machine.Shared + 1

// refuse looks for the fault of a buffer that the machine did not accept. What
// it refused must have one.
func (t *Type) refuse(buf []byte, o *Options, prefix int, verdict machine.Verdict) (Counts, error) {
	r := t.explain(buf, o, prefix, 1, verdict == machine.Shared)
	c := counts(r.Tables, r.Bytes)
	switch {
	case len(r.Faults) > 0:
		return c, newError(&r.Faults[0])
	case verdict == machine.Invalid:
		// The machine refused what the explainer accepts: one of them is wrong,
		// and refusing is the safe side.
		return c, &Error{Kind: ErrInternal, Type: t.String(), Path: t.Root().ShortName(), Detail: "no check of the explainer fails"}
	}
	return c, nil
}

// message cuts a size-prefixed buffer where its prefix says, and checks all
// that stands before the root table but the root offset. Errors are left to the
// explainer.
func (t *Type) message(buf []byte, o *Options, prefix int) ([]byte, bool) {
	if prefix > 0 {
		if len(buf) < prefix {
			return nil, false
		}
		length := uint64(binary.LittleEndian.Uint32(buf))
		if prefix == rule.Offset64Size {
			length = binary.LittleEndian.Uint64(buf)
		}
		if length > uint64(len(buf)-prefix) {
			return nil, false
		}
		buf = buf[:prefix+int(length)]
	}
	if uint64(len(buf)) > rule.MaxBuffer && !t.program.Wide || len(buf) < prefix+rule.OffsetSize {
		return nil, false
	}
	if o.Identifier != "" {
		at := prefix + rule.OffsetSize
		if len(buf) < at+4 || string(buf[at:at+4]) != o.Identifier {
			return nil, false
		}
	}
	return buf, true
}

// explain walks the buffer slowly. A size-prefixed message that has faults with
// positions counted from its prefix is tried once more with positions counted
// from after it; when that does not help, the first faults stand.
func (t *Type) explain(buf []byte, o *Options, prefix, maxFaults int, shared bool) traversal.Result {
	cfg := traversal.Config{
		MaxDepth: o.maxDepth(), MaxTables: o.maxTables(len(buf)), MaxBytes: o.maxBytes(),
		Flags: o.flags(), Strict: o.Strict, MaxFaults: maxFaults, Identifier: o.Identifier, Prefix: prefix, Shared: shared,
	}
	r := traversal.Walk(t.program, buf, &cfg)
	if len(r.Faults) == 0 || prefix == 0 || o.Strict {
		return r
	}
	if message, ok := t.message(buf, o, prefix); ok {
		cfg.Prefix, cfg.MaxFaults = 0, 1
		if r := traversal.Walk(t.program, message[prefix:], &cfg); len(r.Faults) == 0 {
			return r
		}
	}
	return r
}

func (t *Type) explainAll(buf []byte, opts *Options, prefix int) []*Error {
	var o Options
	if opts != nil {
		o = *opts
		if err := o.check(); err != nil {
			return []*Error{err}
		}
	}
	r := t.explain(buf, &o, prefix, maxFaults, t.shares(buf, &o, prefix))
	if len(r.Faults) == 0 {
		return nil
	}
	errs := make([]*Error, len(r.Faults))
	for i := range r.Faults {
		errs[i] = newError(&r.Faults[i])
	}
	return errs
}

// shares reports whether Verify would find that the buffer shares more than it could
// hold. The explainer remembers results from the start then, here as there: where it
// meets a limit, and what overlaps too much, depends on that.
func (t *Type) shares(buf []byte, o *Options, prefix int) bool {
	message, ok := t.message(buf, o, prefix)
	if !ok || o.Strict {
		return false
	}
	cfg := &machine.Config{MaxDepth: o.maxDepth(), MaxTables: o.maxTables(len(buf)), MaxBytes: o.maxBytes(), Flags: o.flags()}
	verdict, c := machine.Run(t.program, message, uint64(prefix), cfg)
	if verdict != machine.Valid && prefix > 0 {
		verdict, _ = t.again(message[prefix:], cfg, verdict, c)
	}
	return verdict == machine.Shared
}

func newError(f *traversal.Fault) *Error {
	return &Error{Kind: Kind(f.Kind), Type: f.Type, Path: f.Path, Offset: int(f.Offset), Size: int(f.Size), Detail: f.Detail}
}

func counts(tables, bytes uint64) Counts {
	const most = 1<<63 - 1
	return Counts{int(min(tables, uint64(^uint(0)>>1))), int64(min(bytes, most))}
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

// check refuses options that mean nothing.
func (o *Options) check() *Error {
	wrong := func(format string, args ...any) *Error {
		return &Error{Kind: ErrOptions, Detail: fmt.Sprintf(format, args...)}
	}
	switch {
	case o.MaxDepth < 0 || o.MaxDepth > highestDepth:
		return wrong("MaxDepth is %d, and 0 to %d are allowed", o.MaxDepth, highestDepth)
	case o.MaxTables < 0:
		return wrong("MaxTables is %d, and must not be negative", o.MaxTables)
	case o.MaxApparentSize < 0:
		return wrong("MaxApparentSize is %d, and must not be negative", o.MaxApparentSize)
	case o.Parallel < 0:
		return wrong("Parallel is %d, and must not be negative", o.Parallel)
	case o.Identifier != "" && len(o.Identifier) != 4:
		return wrong("Identifier is %q of %d bytes, and file identifiers have 4", o.Identifier, len(o.Identifier))
	}
	return nil
}
