package peer

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/fbverify/go/benches/internal/families"
	"github.com/fbverify/go/benches/internal/realfiles"
	"github.com/fbverify/go/fbverify"
)

// ServeArgument makes a program that calls Serve act as a peer.
const ServeArgument = "--serve-as-peer"

// Serve answers requests as the other peers do, by this library, until in ends. Root
// is the folder of this repository.
func Serve(root string, in io.Reader, out io.Writer) error {
	var kept Request // what runner verifies
	var runner *families.Runner
	run := func(line string) (string, error) {
		r, n, err := parseRequest(line)
		if err != nil {
			return "", err
		}
		if runner == nil || r != kept {
			runner = nil
			if runner, err = load(root, r); err != nil {
				return "", err
			}
			kept = r
		}
		elapsed, accepted, err := runner.Run(n, nil)
		if err != nil {
			return "", err
		}
		verdict := 0
		if accepted {
			verdict = 1
		}
		return fmt.Sprintf("ok %d %d", elapsed.Nanoseconds(), verdict), nil
	}
	lines := bufio.NewScanner(in)
	for lines.Scan() {
		var answer string
		var err error
		switch line := lines.Text(); line {
		case "version":
			answer = "version " + Version
		case "works":
			answer = "works"
			for _, s := range families.Schemas {
				answer += " " + strings.Join(s.Roots, " ")
			}
			for _, b := range realfiles.Bare {
				answer += " " + b.Root
			}
		default:
			answer, err = run(line)
		}
		if err != nil {
			answer = "err " + strings.ReplaceAll(err.Error(), "\n", " ")
		}
		if _, err := fmt.Fprintln(out, answer); err != nil {
			return err
		}
	}
	return lines.Err()
}

// load reads the buffers of a request.
func load(root string, r Request) (*families.Runner, error) {
	t, err := realfiles.BareType(root, r.Work)
	if t == nil && err == nil {
		t, err = families.TypeOf(r.Work)
	}
	if err != nil {
		return nil, err
	}
	data, err := os.ReadFile(r.Path)
	if err != nil {
		return nil, err
	}
	if r.Size == 0 || len(data) == 0 || len(data)%r.Size != 0 {
		return nil, fmt.Errorf("%s: not buffers of %d bytes", r.Path, r.Size)
	}
	in := &families.Input{Type: t}
	if r.SizePrefixed {
		in.Framing = fbverify.SizePrefixed
	}
	for ; len(data) > 0; data = data[r.Size:] {
		in.Buffers = append(in.Buffers, data[:r.Size])
	}
	return families.NewRunner(in, r.WorkingSet), nil
}
