package main

import (
	"fmt"
	"strings"
	"testing"
)

// stream writes events as go test -json does: "action package test output".
func stream(events ...[4]string) string {
	var b strings.Builder
	for _, e := range events {
		fmt.Fprintf(&b, "{\"Action\":%q,\"Package\":%q,\"Test\":%q,\"Output\":%q}\n", e[0], e[1], e[2], e[3])
	}
	return b.String()
}

func TestWhatRanIsSaid(t *testing.T) {
	for _, c := range []struct {
		name, stream string
		ok           bool
		want         []string
	}{
		{"all pass", stream([4]string{"output", "p", "TestA", "noise\n"}, [4]string{"pass", "p", "TestA"}, [4]string{"pass", "p"}), true, []string{"ok   p", "1 tests passed, in 1 packages"}},
		{"one fails", stream([4]string{"output", "p", "TestA", "a.go:1: it broke\n"}, [4]string{"fail", "p", "TestA"}, [4]string{"fail", "p"}), false, []string{"it broke", "FAIL p", "1 failed"}},
		{"a skip", stream([4]string{"pass", "p", "TestA"}, [4]string{"output", "p", "TestB", "=== RUN TestB\n    b.go:7: no flatc here\n"}, [4]string{"skip", "p", "TestB"}, [4]string{"pass", "p"}), true, []string{"skipped, 1 times: no flatc here", "1 tests passed, 1 skipped"}},
		{"no tests", stream([4]string{"skip", "p"}), false, []string{"no test has passed"}},
		{"nothing", "", false, []string{"no test has passed"}},
		{"a build fails", stream([4]string{"pass", "p", "TestA"}, [4]string{"pass", "p"}) + `{"ImportPath":"q","Action":"build-output","Output":"q.go:1: undefined: x\n"}` + "\n" + `{"ImportPath":"q","Action":"build-fail"}` + "\n", false, []string{"undefined: x"}},
		{"the package fails outside of its tests", stream([4]string{"pass", "p", "TestA"}, [4]string{"output", "p", "", "panic: late\n"}, [4]string{"fail", "p"}), false, []string{"panic: late", "FAIL p"}},
		{"the stream is cut off", stream([4]string{"pass", "p", "TestA"}), false, []string{"p did not end"}},
		{"text between", "go: downloading x\n" + stream([4]string{"pass", "p", "TestA"}, [4]string{"pass", "p"}), true, []string{"go: downloading x"}},
	} {
		var out strings.Builder
		ok, err := tally(strings.NewReader(c.stream), &out)
		if err != nil || ok != c.ok {
			t.Errorf("%s: %v, %v, want %v", c.name, ok, err, c.ok)
		}
		for _, want := range c.want {
			if !strings.Contains(out.String(), want) {
				t.Errorf("%s: no %q in\n%s", c.name, want, out.String())
			}
		}
		if c.ok && strings.Contains(out.String(), "noise") {
			t.Errorf("%s: what a test that passes says is repeated", c.name)
		}
	}
}
