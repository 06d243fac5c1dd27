package trust_test

import (
	"flag"
	"fmt"
	"runtime/debug"
	"testing"
	"unsafe"

	"github.com/fbverify/go/fbverify"
	"github.com/fbverify/go/fbverify/dynamic"
)

var seedFlag = flag.Uint64("seeds", 0, "seeds of the random tests; 0 is a few, so that all tests take seconds")
var firstFlag = flag.Uint64("first", 0, "the first seed")

// seeds returns the seeds of a test: from the flags, or few of them.
func seeds(few uint64) (first, end uint64) {
	n := few
	if *seedFlag > 0 {
		n = *seedFlag
	} else if testing.Short() {
		n = few/4 + 1
	}
	return *firstFlag, *firstFlag + n
}

// dump writes a buffer for the message of a failure, which its seed can bring back.
func dump(buf []byte) string {
	const most = 1000
	if len(buf) > most {
		return fmt.Sprintf("%x… (%d bytes)", buf[:most], len(buf))
	}
	return fmt.Sprintf("%x", buf)
}

// peek reads one byte at a position relative to buf, inside it or not.
//
//go:noinline
func peek(buf []byte, at int) byte {
	return *(*byte)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(buf)), at))
}

// faulted runs f and returns what it panicked with, which may be a read of memory
// that is not there.
func faulted(f func()) (failure any) {
	old := debug.SetPanicOnFault(true)
	defer debug.SetPanicOnFault(old)
	defer func() {
		if failure = recover(); failure != nil {
			failure = fmt.Sprintf("%v\n%s", failure, debug.Stack())
		}
	}()
	f()
	return nil
}

// placed returns copies of buf: at the end of memory that can be read, at its
// start, and at an address that is `shift` more than a multiple of 16.
func placed(t testing.TB, buf []byte, shift int, use func(where string, buf []byte)) {
	use("before a page that cannot be read", beforeGuard(t, buf))
	use("after a page that cannot be read", afterGuard(t, buf))
	b := make([]byte, len(buf)+32)
	at := (shift - int(uintptr(unsafe.Pointer(&b[0])))) & 15
	use(fmt.Sprintf("at %d more than a multiple of 16", shift), b[at:][:copy(b[at:], buf):len(buf)])
}

// lengthened adds n bytes to a buffer, which belong to it and to nothing in it: right
// before a page that cannot be read, it then starts at another address modulo 16. One
// that says how long it is stays as it is.
func lengthened(buf []byte, prefix, n int) []byte {
	if prefix > 0 {
		return buf
	}
	return append(buf[:len(buf):len(buf)], make([]byte, n)...)
}

// readAll reads every field of every table below the root through package
// dynamic, and prints all as JSON. It returns how many values it read.
func readAll(typ *fbverify.Type, buf []byte, opts *fbverify.Options, prefix int) (values int, err error) {
	root := dynamic.Root
	if prefix > 0 {
		root = dynamic.SizePrefixedRoot
	}
	m, err := root(typ, buf, opts)
	if err != nil {
		return 0, fmt.Errorf("dynamic refuses what Verify accepts: %w", err)
	}
	d := reader{most: 200_000}
	d.value(m.Root().Value())
	if opts == nil {
		opts = &fbverify.Options{}
	}
	json := &dynamic.JSONOptions{MaxBytes: 1 << 20, FlexBytes: true, NestedBytes: opts.SkipNested}
	if opts.SkipUTF8 {
		json.NonUTF8 = dynamic.NonUTF8Escape
	}
	if text, err := dynamic.AppendJSON(nil, m, json); err != nil {
		if _, again := dynamic.AppendJSON(nil, m, &dynamic.JSONOptions{NonUTF8: json.NonUTF8, NestedBytes: json.NestedBytes, FlexBytes: true}); again != nil || d.values < d.most {
			return d.values, fmt.Errorf("no JSON: %w", err)
		}
	} else if len(text) == 0 {
		return d.values, fmt.Errorf("empty JSON")
	}
	return d.values, nil
}

// reader reads values, those of objects that are shared each time, but not more
// than most.
type reader struct{ values, most, sum int }

func (d *reader) value(v dynamic.Value) {
	if d.values++; d.values > d.most {
		return
	}
	switch v.Kind() {
	case dynamic.KindBool, dynamic.KindInt, dynamic.KindUint:
		d.sum += int(v.Int()) + len(v.EnumName())
	case dynamic.KindFloat:
		if v.Float() > 0 {
			d.sum++
		}
	case dynamic.KindString:
		for _, c := range v.Bytes() {
			d.sum += int(c)
		}
	case dynamic.KindTable:
		t := v.Table()
		if !t.Present() {
			return
		}
		for _, field := range t.AllFields() {
			d.value(field)
		}
	case dynamic.KindStruct:
		s := v.Struct()
		for _, field := range s.Fields() {
			d.value(field)
		}
	case dynamic.KindVector, dynamic.KindArray:
		if f := v.Field(); v.Present() && f != nil && f.Nested() != nil {
			if m, err := v.Nested(); err == nil {
				d.value(m.Root().Value())
			}
		}
		for _, elem := range v.All() {
			d.value(elem)
		}
	case dynamic.KindUnion:
		d.value(v.Union())
	}
}
