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

	"github.com/fbverify/go/benches/internal/pair"
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
	p := &Process{Name: name, cmd: exec.Command(path, args...), lines: make(chan string), closed: make(chan struct{})}
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

// Leg returns the verification of the file at path as a leg: its sum is 1 for a
// buffer that is accepted, 0 for one that is refused. The file must not change
// any more.
func (p *Process) Leg(work, path string) pair.Leg {
	return pair.Leg{Name: p.Name, Run: func(ctx context.Context, n int) (pair.Sample, error) {
		if strings.ContainsAny(path, "\r\n") {
			return pair.Sample{}, fmt.Errorf("peer %s cannot be told of a path with line breaks: %q", p.Name, path)
		}
		words, err := p.ask(ctx, "ok", fmt.Sprintf("run %s %d %s", work, n, path))
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
