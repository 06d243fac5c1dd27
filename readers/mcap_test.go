package readers_test

import (
	"math/rand/v2"
	"os"
	"testing"

	"github.com/fbverify/go/fbverify"
	"github.com/fbverify/go/fbverify/container"
	"github.com/fbverify/go/fbverify/dynamic"
)

// TestDamagedMCAPIsReadWithoutAPanic: what the example does, on mutants: schemas, records and
// messages are all the file's word. What a judgement accepts is read whole.
func TestDamagedMCAPIsReadWithoutAPanic(t *testing.T) {
	b, err := os.ReadFile("../testdata/mcap/surveys.mcap")
	if err != nil {
		t.Fatal(err)
	}
	read, failed, damaged := 0, 0, 0
	for i := range *mutants {
		m := damage(rand.New(rand.NewPCG(*seed, uint64(i))), b)
		err := eachMessage(m, func(_ string, typ *fbverify.Type, message []byte) error {
			if typ == nil {
				return nil
			}
			j, err := container.Judge(typ, message, nil)
			if err != nil {
				return err
			}
			if j.Fault != nil {
				damaged++
				return nil
			}
			view, err := dynamic.Root(typ, message, nil)
			if err != nil {
				t.Fatalf("mutant %d: accepted, and not opened: %v", i, err)
			}
			read++
			_, _ = dynamic.AppendJSON(nil, view, nil) // text and FlexBuffers may be at fault
			return nil
		})
		if err != nil {
			failed++
		}
	}
	t.Logf("of %d files %d gave an error; %d messages were read, %d were damaged", *mutants, failed, read, damaged)
	if failed == 0 || read == 0 || damaged <= *mutants/2 {
		t.Error("the mutants test little")
	}
}
