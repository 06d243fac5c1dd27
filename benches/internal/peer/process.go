// Package peer builds and drives the other implementations that this one is
// held against: the Rust crate and the C++ Verifier, each in a process that
// lives as long as a comparison, and flatc.
package peer

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/fbverify/go/internal/pair"
)

// maxAnswer bounds a line of a peer in bytes; answers are a list of names at
// the longest.
const maxAnswer = 64 << 10

// A Process is a running peer. It answers one request at a time; its methods
// may be called from several goroutines, which then take turns.
type Process struct {
	Name    string   // "rust", "c++"
	Version string   // of the FlatBuffers library it was built with
	Works   []string // root types it can verify, "vortex.Layout"

	mu     sync.Mutex
	cmd    *exec.Cmd
	stdin  io.WriteCloser
	lines  chan string   // of its standard output; closed at its end
	closed chan struct{} // closed by Close: nobody will receive from lines any more
	broken error         // why nothing can be asked any more
}

// Start starts the program at path as the peer of that name and asks it for its
// version and works. The process ends when the Process is closed or this
// program ends, whichever comes first: its standard input closes then.
func Start(ctx context.Context, name, path string, args ...string) (*Process, error) {
	return begin(ctx, name, exec.Command(path, args...))
}

// StartOurs starts this program again as a peer of that name, with one more
// variable in its environment: it verifies as this library does under it. The
// program has to call Serve when its only argument is ServeArgument.
func StartOurs(ctx context.Context, name, variable string) (*Process, error) {
	program, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("peer %s: %w", name, err)
	}
	cmd := exec.Command(program, ServeArgument)
	cmd.Env = append(os.Environ(), variable)
	return begin(ctx, name, cmd)
}

func begin(ctx context.Context, name string, cmd *exec.Cmd) (*Process, error) {
	p := &Process{Name: name, cmd: cmd, lines: make(chan string), closed: make(chan struct{})}
	p.cmd.Stderr = os.Stderr
	var err error
	if p.stdin, err = p.cmd.StdinPipe(); err != nil {
		return nil, fmt.Errorf("peer %s: %w", name, err)
	}
	stdout, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, fmt.Errorf("peer %s: %w", name, err)
	}
	if err := p.cmd.Start(); err != nil {
		return nil, fmt.Errorf("peer %s: %w", name, err)
	}
	go p.read(stdout)

	version, err := p.ask(ctx, "version", "version")
	if err == nil {
		p.Version = strings.Join(version, " ")
		p.Works, err = p.ask(ctx, "works", "works")
	}
	if err != nil {
		return nil, errors.Join(err, p.Close())
	}
	return p, nil
}

// read hands the peer's lines on until it ends.
func (p *Process) read(stdout io.Reader) {
	defer close(p.lines)
	lines := bufio.NewScanner(stdout)
	lines.Buffer(nil, maxAnswer)
	for lines.Scan() {
		select {
		case p.lines <- lines.Text():
		case <-p.closed:
			return
		}
	}
}

// Can reports whether the peer can verify that root type.
func (p *Process) Can(work string) bool { return slices.Contains(p.Works, work) }

// A Request is a verification that a peer is asked for. The file at Path holds
// buffers of Size bytes each, which are copied until there are WorkingSet bytes of
// them, and verified in turn. It must not change any more.
type Request struct {
	Work         string // full name of the root type
	SizePrefixed bool
	Tables       int // the most tables of a buffer
	Size         int
	WorkingSet   int
	Path         string
}

// line is the request for n iterations.
func (r *Request) line(n int) (string, error) {
	if strings.ContainsAny(r.Path, "\r\n") {
		return "", fmt.Errorf("no peer can be told of a path with line breaks: %q", r.Path)
	}
	framing := "plain"
	if r.SizePrefixed {
		framing = "sized"
	}
	return fmt.Sprintf("run %s %s %d %d %d %d %s", r.Work, framing, r.Tables, r.Size, r.WorkingSet, n, r.Path), nil
}

// parseRequest is the inverse of line.
func parseRequest(line string) (r Request, n int, err error) {
	words := strings.SplitN(line, " ", 8)
	if len(words) != 8 || words[0] != "run" || words[2] != "plain" && words[2] != "sized" {
		return r, 0, errors.New("run wants WORK FRAMING TABLES SIZE SET ITERATIONS FILE")
	}
	r = Request{Work: words[1], SizePrefixed: words[2] == "sized", Path: words[7]}
	for i, to := range []*int{&r.Tables, &r.Size, &r.WorkingSet, &n} {
		if *to, err = strconv.Atoi(words[3+i]); err != nil || *to < 0 {
			return r, 0, fmt.Errorf("%q is no count", words[3+i])
		}
	}
	return r, n, nil
}

// Leg returns the verification as a leg: its sum is 1 for buffers that are
// accepted, 0 for ones that are refused.
func (p *Process) Leg(r Request) pair.Leg {
	return pair.Leg{Name: p.Name, Run: func(ctx context.Context, n int) (pair.Sample, error) {
		line, err := r.line(n)
		if err != nil {
			return pair.Sample{}, err
		}
		words, err := p.ask(ctx, "ok", line)
		if err != nil {
			return pair.Sample{}, err
		}
		if len(words) != 2 {
			return pair.Sample{}, p.nonsense(strings.Join(words, " "))
		}
		ns, err1 := strconv.ParseInt(words[0], 10, 64)
		sum, err2 := strconv.ParseUint(words[1], 10, 64)
		if err := errors.Join(err1, err2); err != nil || ns < 0 {
			return pair.Sample{}, p.nonsense(strings.Join(words, " "))
		}
		return pair.Sample{Elapsed: time.Duration(ns), Sum: sum}, nil
	}}
}

func (p *Process) nonsense(answer string) error {
	return fmt.Errorf("peer %s answered %q, which makes no sense", p.Name, answer)
}

// ask sends one line and returns the words of the answer, which has to start
// with verb. When the context ends first the peer is killed, since it cannot be
// told to stop what it is doing.
func (p *Process) ask(ctx context.Context, verb, request string) ([]string, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.broken != nil {
		return nil, p.broken
	}
	if _, err := io.WriteString(p.stdin, request+"\n"); err != nil {
		return nil, p.breakDown(fmt.Errorf("peer %s does not listen: %w", p.Name, err))
	}
	select {
	case line, ok := <-p.lines:
		if !ok {
			return nil, p.breakDown(fmt.Errorf("peer %s ended while working on %q", p.Name, request))
		}
		words := strings.Fields(line)
		switch {
		case len(words) > 0 && words[0] == verb:
			return words[1:], nil
		case len(words) > 0 && words[0] == "err":
			return nil, fmt.Errorf("peer %s: %s", p.Name, strings.TrimPrefix(line, "err "))
		default:
			return nil, p.breakDown(p.nonsense(line))
		}
	case <-ctx.Done():
		return nil, p.breakDown(fmt.Errorf("peer %s was stopped while working on %q: %w", p.Name, request, ctx.Err()))
	}
}

// breakDown notes why the peer is of no use any more, and kills it.
func (p *Process) breakDown(err error) error {
	p.broken = err
	p.cmd.Process.Kill() // fails only if it has ended by itself
	return err
}

// Close ends the process and waits for it. Closing twice is harmless.
func (p *Process) Close() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.stdin == nil {
		return nil
	}
	p.stdin.Close()
	p.stdin = nil
	close(p.closed)
	failed := p.broken
	if failed == nil {
		p.broken = fmt.Errorf("peer %s is closed", p.Name)
	}
	err := p.cmd.Wait()
	if failed != nil {
		return nil // whoever asked last was told
	}
	if err != nil {
		return fmt.Errorf("peer %s: %w", p.Name, err)
	}
	return nil
}
