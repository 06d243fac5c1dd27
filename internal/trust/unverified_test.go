package trust_test

import (
	"fmt"
	"runtime/debug"
	"testing"

	"github.com/fbverify/go/fbverify"
	"github.com/fbverify/go/fbverify/dynamic"
	"github.com/fbverify/go/internal/fbrand"
	"github.com/fbverify/go/internal/trust/trusttest"
)

// TestDynamicReadsOfBytesThatNobodyVerified panic at worst: so a buffer that
// somebody writes to after its verification is no way out of it. Buffers lie
// between pages that cannot be read.
func TestDynamicReadsOfBytesThatNobodyVerified(t *testing.T) {
	read, panicked := 0, 0
	for seed, end := trusttest.Seeds(300); seed < end; seed++ {
		r := fbrand.NewRand(seed)
		_, sch := fbrand.Schema(r, fbrand.SchemaOptions{})
		typ := trusttest.Compile(t, sch)
		b := fbrand.ForSchema(r, sch, sch.Root, fbrand.BufferOptions{Objects: 1 + r.IntN(40), Loose: true})
		for range 20 {
			damaged := fbrand.Damage(r, b)
			bytes := damaged.Bytes
			for range r.IntN(4) { // and a little more
				bytes = fbrand.Damage(r, fbrand.Buffer{Bytes: bytes}).Bytes
			}
			if typ.Verify(bytes, nil) == nil {
				continue
			}
			for where, buf := range map[string][]byte{"before": trusttest.BeforeGuard(t, bytes), "after": trusttest.AfterGuard(t, bytes)} {
				ok, fault := readUnverified(typ, buf)
				if fault != nil {
					t.Fatalf("seed %d, %s, %s a page that cannot be read: %v\n%s", seed, damaged.How, where, fault, trusttest.Dump(bytes))
				}
				if ok {
					read++
				} else {
					panicked++
				}
			}
		}
	}
	t.Logf("refused buffers: %d read to the end, %d panicked", read, panicked)
	if read == 0 || panicked == 0 {
		t.Error("all of one kind: nothing was shown")
	}
}

// readUnverified reads what it can. A panic is what is promised; a fault is a read of
// memory that is not the buffer's.
func readUnverified(typ *fbverify.Type, buf []byte) (ok bool, fault error) {
	old := debug.SetPanicOnFault(true)
	defer debug.SetPanicOnFault(old)
	defer func() {
		if e, is := recover().(interface {
			error
			Addr() uintptr
		}); is {
			ok, fault = false, fmt.Errorf("%w\n%s", e, debug.Stack())
		}
	}()
	d := reader{most: 20_000}
	d.value(dynamic.RootUnchecked(typ, buf, fbverify.Unframed).Root().AsValue())
	return true, nil
}
