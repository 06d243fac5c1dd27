package peer

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"
)

// actEnv makes the test binary act as a peer, in the way that it names.
const actEnv = "FBVERIFY_TEST_PEER"

func TestMain(m *testing.M) {
	if act := os.Getenv(actEnv); act != "" {
		pretend(act)
		return
	}
	os.Exit(m.Run())
}

// pretend answers like a peer until its input ends.
func pretend(act string) {
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		switch request := lines.Text(); {
		case act == "mute":
		case request == "version":
			fmt.Println("version 1.2.3")
		case request == "works":
			fmt.Println("works a.B c.D")
		case act == "dies":
			os.Exit(3)
		case act == "hangs":
			time.Sleep(time.Hour)
		case act == "raves":
			fmt.Println("ok many true")
		case strings.HasPrefix(request, "run a.B plain 100 8 64 12 "):
			fmt.Println("ok 3400 1")
		default:
			fmt.Println("err no idea: " + request)
		}
	}
}

func start(t *testing.T, act string) (*Process, error) {
	t.Helper()
	t.Setenv(actEnv, act)
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	p, err := Start(ctx, "fake", program)
	if err == nil {
		t.Cleanup(func() { p.Close() })
	}
	return p, err
}

func request(work, path string) Request {
	return Request{Work: work, Tables: 100, Size: 8, WorkingSet: 64, Path: path}
}

func TestAPeerIsAskedAndAnswers(t *testing.T) {
	p, err := start(t, "well")
	if err != nil {
		t.Fatal(err)
	}
	if p.Version != "1.2.3" || !p.Can("c.D") || p.Can("c.E") {
		t.Errorf("version %q, works %q", p.Version, p.Works)
	}
	s, err := p.Leg(request("a.B", "/some where/a file")).Run(context.Background(), 12)
	if err != nil || s.Elapsed != 3400 || s.Sum != 1 {
		t.Errorf("%+v, %v", s, err)
	}
	if err := p.Close(); err != nil {
		t.Error(err)
	}
	if _, err := p.Leg(request("a.B", "file")).Run(context.Background(), 12); err == nil {
		t.Error("a closed peer answered")
	}
}

func TestAPeersErrorIsPassedOnAndItLivesOn(t *testing.T) {
	p, err := start(t, "well")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.Leg(request("x.Y", "file")).Run(context.Background(), 1); err == nil || !strings.Contains(err.Error(), "no idea: run x.Y plain 100 8 64 1 file") {
		t.Errorf("got %v", err)
	}
	if _, err := p.Leg(request("a.B", "file")).Run(context.Background(), 12); err != nil {
		t.Error(err)
	}
}

func TestAPeerThatDiesOrRavesIsAnError(t *testing.T) {
	for act, want := range map[string]string{"dies": "ended while", "raves": "makes no sense"} {
		p, err := start(t, act)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := p.Leg(request("a.B", "file")).Run(context.Background(), 12); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v", act, err)
		}
	}
}

func TestAPeerThatHangsEndsWithTheContext(t *testing.T) {
	p, err := start(t, "hangs")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	if _, err := p.Leg(request("a.B", "file")).Run(ctx, 12); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
	done := make(chan error, 1)
	go func() { done <- p.Close() }()
	select {
	case <-done:
	case <-time.After(5 * time.Second):
		t.Error("Close waits for a peer that hangs")
	}
}

func TestAProgramThatIsNoPeerIsAnError(t *testing.T) {
	t.Setenv(actEnv, "mute")
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 200*time.Millisecond)
	defer cancel()
	if _, err := Start(ctx, "fake", program); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
}

func TestAPathWithLineBreaksIsRefused(t *testing.T) {
	p, err := start(t, "well")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.Leg(request("a.B", "a\nversion")).Run(context.Background(), 12); err == nil {
		t.Error("a line break went through")
	}
}

func TestWhatIsMissingIsSaidWithHowToGetIt(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	b := Builder{Root: t.TempDir()}
	cxx := func(compiler string) func(context.Context) (string, error) {
		return func(ctx context.Context) (string, error) { return b.CXX(ctx, compiler) }
	}
	for name, build := range map[string]func(context.Context) (string, error){"cargo": b.Rust, GXX: cxx(GXX), Clang: cxx(Clang)} {
		_, err := build(context.Background())
		var missing *Missing
		if !errors.As(err, &missing) || missing.Tool != name || !strings.Contains(err.Error(), "nstall") {
			t.Errorf("%s: got %v", name, err)
		}
	}
}
