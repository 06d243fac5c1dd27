// Command tally reads what `go test -json` writes and says what ran: a line for each package that
// has tests, the whole output of what failed, why tests were skipped, and how many ran in
// all. Its exit status is 1 where a test or a build failed, or none ran.
//
//	go test -json ./... | go run ./internal/tally
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
)

func main() {
	ok, err := tally(os.Stdin, os.Stdout)
	if err != nil {
		fmt.Fprintln(os.Stderr, "tally:", err)
	}
	if !ok || err != nil {
		os.Exit(1)
	}
}

// event is a line of go test -json; of a build that failed, there are only lines of output.
type event struct {
	Action, Package, Test, Output, ImportPath string
	Elapsed                                   float64
}

// counts are of tests that have ended, those inside others included.
type counts struct{ passed, failed, skipped int }

func (c counts) String() string {
	text := fmt.Sprintf("%d tests passed", c.passed)
	if c.skipped > 0 {
		text += fmt.Sprintf(", %d skipped", c.skipped)
	}
	if c.failed > 0 {
		text += fmt.Sprintf(", %d failed", c.failed)
	}
	return text
}

func (c *counts) add(o counts) {
	c.passed, c.skipped, c.failed = c.passed+o.passed, c.skipped+o.skipped, c.failed+o.failed
}

func tally(r io.Reader, w io.Writer) (ok bool, err error) {
	type test struct{ pkg, name string }
	var (
		in       = bufio.NewReader(r)
		output   = map[test]*strings.Builder{} // of what has not ended
		packages = map[string]*counts{}
		skips    = map[string]int{} // why -> how often
		order    []string           // of skips, as they came
		total    counts
		ran      int // packages with tests
	)
	ok = true
	for {
		line, err := in.ReadString('\n')
		if strings.TrimSpace(line) != "" {
			var e event
			if json.Unmarshal([]byte(line), &e) != nil || e.Action == "" {
				fmt.Fprint(w, line) // of the go command itself
				goto next
			}
			if e.Package == "" {
				e.Package = e.ImportPath
			}
			k := test{e.Package, e.Test}
			c := packages[e.Package]
			if c == nil {
				c = new(counts)
				packages[e.Package] = c
			}
			said := func() string {
				b := output[k]
				delete(output, k)
				if b == nil {
					return ""
				}
				return b.String()
			}
			switch e.Action {
			case "output", "build-output":
				b := output[k]
				if b == nil {
					b = new(strings.Builder)
					output[k] = b
				}
				b.WriteString(e.Output)
			case "build-fail":
				ok = false
				fmt.Fprint(w, said())
			case "pass", "fail", "skip":
				text := said()
				if e.Test == "" {
					if e.Action == "fail" {
						ok = false
						fmt.Fprint(w, text)
					}
					if *c != (counts{}) {
						ran++
						fmt.Fprintf(w, "%-4s %s  %.1fs  %v\n", map[string]string{"pass": "ok", "fail": "FAIL", "skip": "skip"}[e.Action], e.Package, e.Elapsed, *c)
					}
					total.add(*c)
					delete(packages, e.Package)
					break
				}
				switch e.Action {
				case "pass":
					c.passed++
				case "fail":
					c.failed++
					ok = false
					fmt.Fprint(w, text)
				case "skip":
					c.skipped++
					why := reason(text)
					if skips[why] == 0 {
						order = append(order, why)
					}
					skips[why]++
				}
			}
		}
	next:
		if err == io.EOF {
			break
		}
		if err != nil {
			return false, err
		}
	}
	for pkg, c := range packages {
		if *c != (counts{}) { // it was cut off
			ok = false
			fmt.Fprintf(w, "FAIL %s did not end: %v\n", pkg, *c)
			total.add(*c)
		}
	}
	for _, why := range order {
		fmt.Fprintf(w, "skipped, %d times: %s\n", skips[why], why)
	}
	fmt.Fprintf(w, "%v, in %d packages\n", total, ran)
	if total.passed == 0 {
		fmt.Fprintln(w, "no test has passed")
		return false, nil
	}
	return ok, nil
}

// reason is what a test said when it was skipped: the last line that it logged itself, or its
// last.
func reason(output string) string {
	why, logged := "without a reason", false
	for line := range strings.Lines(output) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "=== ") || strings.HasPrefix(line, "--- ") {
			continue
		}
		if _, rest, ok := strings.Cut(line, ".go:"); ok {
			if _, text, ok := strings.Cut(rest, ": "); ok {
				why, logged = text, true
			}
		}
		if !logged {
			why = line
		}
	}
	return why
}
