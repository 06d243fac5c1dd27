package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestEveryBenchmarkIsInOneSuite: one that is in none would be left out of the
// checks of pull requests without anybody noticing.
func TestEveryBenchmarkIsInOneSuite(t *testing.T) {
	files, err := filepath.Glob("../../*_test.go")
	if err != nil || len(files) == 0 {
		t.Fatalf("no benchmarks: %v", err)
	}
	in := map[string]int{}
	for _, s := range suites {
		for _, f := range s.functions {
			in[f]++
		}
	}
	found := map[string]bool{}
	for _, name := range files {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range file.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok || f.Recv != nil || !strings.HasPrefix(f.Name.Name, "Benchmark") {
				continue
			}
			bench := strings.TrimPrefix(f.Name.Name, "Benchmark")
			found[bench] = true
			if in[bench] != 1 {
				t.Errorf("%s is in %d suites", f.Name.Name, in[bench])
			}
		}
	}
	for f := range in {
		if !found[f] {
			t.Errorf("there is no Benchmark%s", f)
		}
	}
}

func TestSuitePatternsSelectTheirFunctions(t *testing.T) {
	for _, s := range suites {
		pattern, err := suitePattern(s.name)
		if err != nil {
			t.Fatal(err)
		}
		for _, other := range suites {
			for _, f := range other.functions {
				selected := false
				for _, alternative := range regexp.MustCompile(`\|\^`).Split(pattern, -1) {
					first, _, _ := strings.Cut(strings.TrimPrefix(alternative, "^"), "/")
					selected = selected || regexp.MustCompile("^"+first).MatchString("Benchmark"+f)
				}
				if selected != (other.name == s.name) {
					t.Errorf("suite %s, Benchmark%s: selected %v by %s", s.name, f, selected, pattern)
				}
			}
		}
		if got := suiteOf(s.functions[0] + "/x"); got != s.name {
			t.Errorf("%s is of suite %s", s.functions[0], got)
		}
	}
}

func workflows(t *testing.T) map[string]string {
	t.Helper()
	files, err := filepath.Glob("../../../.github/workflows/*.yml")
	if err != nil || len(files) < 2 {
		t.Fatalf("workflows: %v, %v", files, err)
	}
	texts := map[string]string{}
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		texts[filepath.Base(name)] = string(text)
	}
	return texts
}

func TestTheWorkflowRunsEverySuite(t *testing.T) {
	var names []string
	for _, s := range suites {
		names = append(names, s.name)
	}
	text := workflows(t)["bench.yml"]
	for _, want := range []string{
		"suite: [" + strings.Join(names, ", ") + "]", "--expect " + strings.Join(names, ","), "{" + strings.Join(names, ",") + "}/report.json",
		"retention-days: 14", "cancel-in-progress: true",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("bench.yml has no %q", want)
		}
	}
}

func TestWorkflowsPinActionsAndAskForLittle(t *testing.T) {
	uses := regexp.MustCompile(`uses: (\S+)(.*)`)
	pinned := regexp.MustCompile(`^[\w-]+/[\w-]+@[0-9a-f]{40}$`)
	untrusted := regexp.MustCompile(`(?m)^\s+(?:- )?run: (?:.*\n(?:\s{10,}.*\n)*)`)
	for name, text := range workflows(t) {
		for _, m := range uses.FindAllStringSubmatch(text, -1) {
			if !pinned.MatchString(m[1]) || !regexp.MustCompile(`^ # v\d+\.\d+\.\d+$`).MatchString(m[2]) {
				t.Errorf("%s: %q is not pinned to a commit, with its version behind", name, m[0])
			}
		}
		if !strings.Contains(text, "\npermissions:\n  contents: read\n") {
			t.Errorf("%s: the token may do more than read", name)
		}
		if strings.Contains(text, "pull_request_target") {
			t.Errorf("%s: code of a fork would run with a token that may write", name)
		}
		if strings.Count(text, "actions/checkout@") != strings.Count(text, "persist-credentials: false") {
			t.Errorf("%s: a checkout leaves its token for what runs later", name)
		}
		for _, script := range untrusted.FindAllString(text, -1) {
			if strings.Contains(script, "${{") {
				t.Errorf("%s: an expression in a script is pasted into it: %s", name, script)
			}
		}
	}
}
