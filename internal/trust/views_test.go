package trust_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/fbverify/go/fbverify"
	"github.com/fbverify/go/internal/fbrand"
	"github.com/fbverify/go/internal/gentest/agree"
	"github.com/fbverify/go/internal/gentest/archive"
	"github.com/fbverify/go/internal/gentest/awkward"
	"github.com/fbverify/go/internal/gentest/features"
	"github.com/fbverify/go/internal/gentest/survey"
	"github.com/fbverify/go/internal/gentest/wide"
	"github.com/fbverify/go/internal/trust/trusttest"
	"github.com/fbverify/go/schema"
	"github.com/fbverify/go/schema/fbs"
)

// TestGeneratedViewsReadWhatIsAccepted: all accessors, fixed views, Unpack and
// nested roots of generated code, on random and on damaged buffers that Verify
// accepts, right before memory that cannot be read, right after, and at each address
// modulo 16. Run it with -tags fbdebug too: views then check what they otherwise
// take for granted.
func TestGeneratedViewsReadWhatIsAccepted(t *testing.T) {
	t.Run("features", viewsOf[features.Everything]("internal/gentest/features.fbs"))
	t.Run("survey", viewsOf[survey.Survey]("testdata/flatbuffers/survey.fbs"))
	t.Run("archive", viewsOf[archive.Archive]("testdata/flatbuffers/archive.fbs"))
	t.Run("wide", viewsOf[wide.Root]("internal/gentest/wide.fbs"))
	t.Run("awkward", viewsOf[awkward.AwkwardOtherFoo]("internal/gentest/awkward.fbs"))
}

func viewsOf[T fbverify.View[T]](file string) func(t *testing.T) {
	return func(t *testing.T) {
		s, err := fbs.ParseFS(os.DirFS(filepath.Join("..", "..")), file)
		if err != nil {
			t.Fatal(err)
		}
		readViews[T](t, s)
	}
}

func readViews[T fbverify.View[T]](t *testing.T, s *schema.Schema) {
	var view T
	typ := view.FlatBuffersType()
	accepted, refused, tables := 0, 0, 0
	for seed, end := trusttest.Seeds(60); seed < end; seed++ {
		r := fbrand.NewRand(seed)
		b := fbrand.ForSchema(r, typ.Schema(), typ.Root(), fbrand.BufferOptions{Objects: 1 + r.IntN(60), Loose: r.IntN(2) == 0})
		for i := range 32 { // each address modulo 16 with a sound buffer and with a damaged one
			buf, how := b.Bytes, "as written"
			if i >= 16 {
				d := fbrand.Damage(r, b)
				buf, how = d.Bytes, d.How
			} else if i > 0 && seed%4 != 0 {
				continue
			}
			var v fbverify.Verified[T]
			var err error
			trusttest.Placed(t, trusttest.Lengthened(buf, 0, i&15), i&15, func(where string, buf []byte) {
				if f := trusttest.Faulted(func() {
					if v, err = fbverify.RootWithOptions[T](buf, &fbverify.Options{MaxTables: 20_000}); err == nil {
						tables += agree.RootBy(t, v, s).Tables
					}
				}); f != nil {
					t.Fatalf("seed %d, %s, %s: %v\n%s", seed, how, where, f, trusttest.Dump(buf))
				}
			})
			if t.Failed() {
				t.Fatalf("seed %d, %s\n%s", seed, how, trusttest.Dump(buf))
			}
			if err == nil {
				accepted++
			} else {
				refused++
				if i < 16 {
					t.Fatal(fmt.Sprint("seed ", seed, ": ", err))
				}
			}
		}
	}
	t.Logf("%d buffers accepted and read, %d refused; %d tables", accepted, refused, tables)
	if accepted == 0 || refused == 0 || tables < accepted {
		t.Errorf("%d accepted, %d refused, %d tables", accepted, refused, tables)
	}
}
