package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fbverify/go/benches/internal/compare/githubtest"
	"github.com/fbverify/go/benches/internal/compare/report"
)

// TestFromReportsToTheComment is the second half of a pull request's check: the
// suites' reports are put together and posted, twice.
func TestFromReportsToTheComment(t *testing.T) {
	dir := t.TempDir()
	var files []string
	for _, suite := range []string{"Root", "Real"} {
		name := filepath.Join(dir, suite+".json")
		files = append(files, name)
		ratio := 1.5
		r := &report.Report{
			Suites: []report.Suite{{Name: suite, Verdict: report.Regression, Compared: 1, Up: 1, CalledOut: 1, GeometricMean: ratio}},
			Benchmarks: []report.Row{{Suite: suite, Name: suite + "/a", Status: "both", CalledOut: true, Change: report.Regression, By: "clocks",
				Separable: true, Ratio: &ratio, Rounds: 20, Agree: 20, Base: &report.Time{Ns: 1000}, Head: &report.Time{Ns: 1500}}},
			Runs: []report.Run{{Suites: []string{suite}, Threshold: 0.2, Base: report.Revision{Commit: strings.Repeat("a", 40)}, Head: report.Revision{Commit: strings.Repeat("b", 40)}}},
		}
		if err := writeFile(name, r.JSON); err != nil {
			t.Fatal(err)
		}
	}
	files = append(files, filepath.Join(dir, "Read.json")) // of a job that failed

	others := make([]string, 150)
	for i := range others {
		others[i] = "somebody's words"
	}
	others[120] = "<!-- another bot -->\n### Benchmarks"
	server := githubtest.New(t, others...)
	t.Setenv("GITHUB_TOKEN", githubtest.Token)
	t.Setenv("GITHUB_API_URL", server.URL)
	t.Setenv("GITHUB_REPOSITORY", githubtest.Repo)

	body := filepath.Join(dir, "report.md")
	for i, want := range []string{"created https://example.com/", "updated https://example.com/"} {
		var out, errs bytes.Buffer
		if code := run(t.Context(), append([]string{"merge", "--expect", "Root,Read,Real", "-o", body}, files...), &out, &errs); code != 0 {
			t.Fatalf("merge: exit %d: %s", code, errs.String())
		}
		if code := run(t.Context(), []string{"comment", "--pull", "7", body}, &out, &errs); code != 0 {
			t.Fatalf("comment: exit %d: %s", code, errs.String())
		}
		if !strings.HasPrefix(out.String(), want) {
			t.Errorf("it says %q", out.String())
		}
		if len(server.Comments) != len(others)+1 {
			t.Fatalf("run %d: %d comments", i+1, len(server.Comments))
		}
		// The second run has a report less.
		files = files[1:]
	}
	for i, text := range others {
		if server.Comments[i].Body != text {
			t.Errorf("comment %d is now %q", i, server.Comments[i].Body)
		}
	}
	last := server.Comments[len(others)].Body
	for _, want := range []string{report.Marker + "\n", "- **Root**: no result", "- **Read**: no result", "- **Real**: regression", "`Real/a`"} {
		if !strings.Contains(last, want) {
			t.Errorf("no %q in:\n%s", want, last)
		}
	}
}

func TestNothingIsPostedSilently(t *testing.T) {
	dir := t.TempDir()
	good, empty, wrong := filepath.Join(dir, "good.md"), filepath.Join(dir, "empty.md"), filepath.Join(dir, "wrong.json")
	os.WriteFile(good, []byte(report.Marker+"\ntext"), 0o644)
	os.WriteFile(empty, nil, 0o644)
	os.WriteFile(wrong, []byte("<html>"), 0o644)
	server := githubtest.New(t)
	t.Setenv("GITHUB_API_URL", server.URL)
	t.Setenv("GITHUB_REPOSITORY", githubtest.Repo)
	for _, c := range []struct {
		name, token string
		args        []string
		want        string
	}{
		{"no token", "", []string{"comment", "--pull", "7", good}, "GITHUB_TOKEN"},
		{"a wrong token", "x", []string{"comment", "--pull", "7", good}, "401 Unauthorized: Bad credentials"},
		{"no pull request", githubtest.Token, []string{"comment", good}, "no pull request 0"},
		{"another pull request", githubtest.Token, []string{"comment", "--pull", "8", good}, "404 Not Found"},
		{"an empty file", githubtest.Token, []string{"comment", "--pull", "7", empty}, "no marker"},
		{"no file", githubtest.Token, []string{"comment", "--pull", "7", filepath.Join(dir, "missing.md")}, "missing.md"},
		{"a missing report that nobody allowed for", githubtest.Token, []string{"merge", filepath.Join(dir, "missing.json")}, "missing.json"},
		{"a report that is none", githubtest.Token, []string{"merge", "--expect", "Root", wrong}, "wrong.json"},
		{"no arguments", githubtest.Token, []string{"merge"}, "no report"},
	} {
		t.Setenv("GITHUB_TOKEN", c.token)
		var out, errs bytes.Buffer
		if code := run(t.Context(), c.args, &out, &errs); code != exitFailed || !strings.Contains(errs.String(), c.want) || out.Len() > 0 {
			t.Errorf("%s: exit %d, wrote %q and %q", c.name, code, out.String(), errs.String())
		}
	}
	if len(server.Comments) > 0 {
		t.Errorf("comments are %+v", server.Comments)
	}
}

func TestACommentSaysThatAllSuitesFailed(t *testing.T) {
	var out, errs bytes.Buffer
	missing := filepath.Join(t.TempDir(), "report.json")
	if code := run(t.Context(), []string{"merge", "--expect", "Root,Real", missing, missing}, &out, &errs); code != 0 {
		t.Fatalf("exit %d: %s", code, errs.String())
	}
	for _, want := range []string{report.Marker + "\n", "no suite has a result", "- **Root**: no result", "- **Real**: no result"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in:\n%s", want, out.String())
		}
	}
}
