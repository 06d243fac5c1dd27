package works

import (
	"context"
	"errors"
	"os"
	"regexp"
	"testing"

	"github.com/fbverify/go/benches/internal/peer"
	"github.com/fbverify/go/internal/oracle"
	"github.com/fbverify/go/internal/pair"
)

func all(t *testing.T) []Work {
	t.Helper()
	works, err := All(oracle.RepoRoot(), true)
	if err != nil {
		t.Fatal(err)
	}
	return works
}

// TestEveryWorkWithoutPeersIsDoneAlikeByAllItsLegs runs each leg once, and
// leaves the largest hostile buffers to the command.
func TestEveryWorkWithoutPeersIsDoneAlikeByAllItsLegs(t *testing.T) {
	env := &Env{Root: oracle.RepoRoot(), Temp: t.TempDir(), Short: true}
	large := regexp.MustCompile(`^hostile/.*/(4194304|16777216)/`)
	done := 0
	for _, w := range all(t) {
		if large.MatchString(w.Name) {
			continue
		}
		ours, others, err := w.Make(context.Background(), env)
		if errors.Is(err, ErrNoPeer) && len(w.Needs) > 0 {
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", w.Name, err)
			continue
		}
		if len(others) == 0 {
			t.Errorf("%s: held against nobody", w.Name)
		}
		if err := once(ours, others); err != nil {
			t.Errorf("%s: %v", w.Name, err)
		}
		done++
	}
	if done < 50 {
		t.Errorf("only %d works were done", done)
	}
}

// once runs legs a single time, several iterations each, and compares sums.
func once(ours pair.Leg, others []pair.Leg) error {
	want, err := ours.Run(context.Background(), 3)
	if err != nil {
		return err
	}
	for _, leg := range others {
		got, err := leg.Run(context.Background(), 2)
		if err != nil {
			return err
		}
		if got.Sum != want.Sum {
			return &pair.Disagreement{A: ours.Name, B: leg.Name, SumA: want.Sum, SumB: got.Sum}
		}
	}
	return nil
}

func TestNamesOfWorksAreUnique(t *testing.T) {
	names := map[string]bool{}
	for _, w := range all(t) {
		if names[w.Name] {
			t.Errorf("two works are called %s", w.Name)
		}
		names[w.Name] = true
	}
}

// TestPeersAgreeOnEveryWork is for machines with the peers' compilers: it builds
// them, which takes half a minute the first time.
func TestPeersAgreeOnEveryWork(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the peers")
	}
	ctx := context.Background()
	builder := peer.Builder{Root: oracle.RepoRoot()}
	env := &Env{Root: builder.Root, Temp: t.TempDir(), Short: true}
	cxx := func(compiler string) func(context.Context) (string, error) {
		return func(ctx context.Context) (string, error) { return builder.CXX(ctx, compiler) }
	}
	for _, of := range []struct {
		name  string
		build func(context.Context) (string, error)
	}{{Rust, builder.Rust}, {CXX + " by " + peer.GXX, cxx(peer.GXX)}, {CXX + " by " + peer.Clang, cxx(peer.Clang)}} {
		program, err := of.build(ctx)
		var missing *peer.Missing
		if errors.As(err, &missing) {
			if os.Getenv(oracle.RequireEnv) != "" && missing.Tool != peer.Clang {
				t.Errorf("%v (and %s is set)", err, oracle.RequireEnv)
			}
			t.Log(err)
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		p, err := peer.Start(ctx, of.name, program)
		if err != nil {
			t.Fatal(err)
		}
		defer p.Close()
		if p.Version != peer.Version {
			t.Errorf("%s is of version %s, want %s", of.name, p.Version, peer.Version)
		}
		if of.name == Rust {
			env.Rust = p
		} else {
			env.CXX = append(env.CXX, p)
		}
	}
	if env.Rust == nil && len(env.CXX) == 0 {
		t.Skip("neither cargo nor a compiler of C++ is installed")
	}
	for _, w := range all(t) {
		if len(w.Needs) == 0 || w.Needs[0] == Flatc {
			continue
		}
		ours, others, err := w.Make(ctx, env)
		if err == nil {
			err = once(ours, others)
		}
		if err != nil {
			t.Errorf("%s: %v", w.Name, err)
		}
	}
}

func TestSumJSONSeesThroughSpelling(t *testing.T) {
	same := []string{`{"a":1.0,"b":[true,null,"x"]}`, ` {"b": [true, null, "\u0078"], "a": 1}`, `{"b":[true,null,"x"],"a":1.0000000001}`}
	want, err := sumJSON([]byte(same[0]))
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range same[1:] {
		if got, err := sumJSON([]byte(text)); err != nil || got != want {
			t.Errorf("%s: %#x, %v; want %#x", text, got, err, want)
		}
	}
	for _, text := range []string{`{"a":1.1,"b":[true,null,"x"]}`, `{"a":1,"b":[true,null]}`, `{"a":1,"b":[null,true,"x"]}`, `{"a":1,"b":[true,null,"y"]}`, `{"a":1,"b":["true",null,"x"]}`} {
		if got, err := sumJSON([]byte(text)); err != nil || got == want {
			t.Errorf("%s: %#x, %v; want another sum", text, got, err)
		}
	}
	for _, text := range []string{``, `{`, `1 2`} {
		if _, err := sumJSON([]byte(text)); err == nil {
			t.Errorf("%q has a sum", text)
		}
	}
}
