package oracle

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"sync"
	"time"
)

// A server is a child process that answers one JSON line with one JSON line. It is started by the first
// call, and again by the next call after it died or was killed for not answering.
// Its standard input closes when this process ends, which ends it.
type server struct {
	command []string
	dir     string

	mu    sync.Mutex // held through a whole call: the child answers in order
	child *child     // nil when none is running
}

type child struct {
	cmd    *exec.Cmd
	stdin  io.WriteCloser
	stdout *bufio.Reader
	stderr bytes.Buffer // not read before cmd.Wait returned
}

var errTimeout = errors.New("no answer in time")

// call sends request and decodes the answer into response. An error means there was no answer; the
// next call starts a new child.
func (s *server) call(request, response any, timeout time.Duration) error {
	line, err := json.Marshal(request)
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.child == nil {
		if s.child, err = start(s.command, s.dir); err != nil {
			return err
		}
	}
	c := s.child

	type answer struct {
		line []byte
		err  error
	}
	done := make(chan answer, 1) // buffered: after a timeout nobody receives
	go func() {
		if _, err := c.stdin.Write(append(line, '\n')); err != nil {
			done <- answer{err: err}
			return
		}
		line, err := c.stdout.ReadBytes('\n')
		done <- answer{line, err}
	}()

	var got answer
	timer := time.NewTimer(timeout)
	defer timer.Stop()
	select {
	case got = <-done:
	case <-timer.C:
		got.err = fmt.Errorf("%w (%v)", errTimeout, timeout)
	}
	if got.err == nil {
		got.err = json.Unmarshal(got.line, response)
	}
	if got.err != nil {
		s.child = nil
		return fmt.Errorf("%w%s", got.err, c.end())
	}
	return nil
}

func start(command []string, dir string) (*child, error) {
	c := &child{cmd: exec.Command(command[0], command[1:]...)}
	c.cmd.Dir = dir
	c.cmd.Stderr = &c.stderr
	c.cmd.WaitDelay = 5 * time.Second
	var err error
	if c.stdin, err = c.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	stdout, err := c.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	c.stdout = bufio.NewReaderSize(stdout, 1<<16)
	if err := c.cmd.Start(); err != nil {
		return nil, err
	}
	return c, nil
}

// end kills the child and returns what it wrote to standard error, made to be appended to a message.
func (c *child) end() string {
	c.cmd.Process.Kill()
	c.cmd.Wait()
	if text := bytes.TrimSpace(c.stderr.Bytes()); len(text) > 0 {
		return ": " + string(text)
	}
	return ""
}
