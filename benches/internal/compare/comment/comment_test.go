package comment

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/fbverify/go/benches/internal/compare/githubtest"
)

const marker = "<!-- the marker -->"

type server struct{ *githubtest.Server }

func newServer(t *testing.T, bodies ...string) server { return server{githubtest.New(t, bodies...)} }

func (s server) client() *Client {
	return &Client{API: s.URL, Token: githubtest.Token, Wait: time.Millisecond}
}

func (s server) update(body string) (string, bool, error) {
	return s.client().Update(context.Background(), githubtest.Repo, githubtest.Pull, body)
}

func TestTheFirstRunCreatesAndTheSecondUpdates(t *testing.T) {
	s := newServer(t, "a person's words")
	if _, created, err := s.update(marker + "\nfirst"); err != nil || !created {
		t.Fatalf("first: %v, created %v", err, created)
	}
	where, created, err := s.update(marker + "\nsecond")
	if err != nil || created || where != "https://example.com/c1001" {
		t.Fatalf("second: %v, created %v, %s", err, created, where)
	}
	if len(s.Comments) != 2 || s.Comments[0].Body != "a person's words" || s.Comments[1].Body != marker+"\nsecond" {
		t.Errorf("comments are %+v", s.Comments)
	}
}

func TestOtherCommentsAreUntouched(t *testing.T) {
	others := []string{
		"<!-- another bot's marker -->\nbenchmarks",
		"a person quotes\n" + marker,
		"> " + marker + "\nquoted",
		marker + " and more on the line",
		"",
	}
	s := newServer(t, others...)
	if _, created, err := s.update(marker + "\ntext"); err != nil || !created {
		t.Fatalf("%v, created %v", err, created)
	}
	for i, body := range others {
		if s.Comments[i].Body != body {
			t.Errorf("comment %d is now %q", i, s.Comments[i].Body)
		}
	}
}

func TestTheCommentIsFoundByItsMarkerWhateverTheLineEnds(t *testing.T) {
	s := newServer(t, "x", marker+"\r\nold text")
	if _, created, err := s.update(marker + "\nnew text"); err != nil || created || s.Comments[1].Body != marker+"\nnew text" {
		t.Errorf("%v, created %v, %+v", err, created, s.Comments)
	}
}

// TestACommentOfSomebodyElseIsUntouched: anybody can post one that starts with the marker.
func TestACommentOfSomebodyElseIsUntouched(t *testing.T) {
	s := newServer(t, marker+"\nnot by us", marker+"\nby us")
	s.Comments[0].User.Login = "mallory"
	if _, created, err := s.update(marker + "\nnew"); err != nil || created || s.Comments[0].Body != marker+"\nnot by us" || s.Comments[1].Body != marker+"\nnew" {
		t.Errorf("%v, created %v, %+v", err, created, s.Comments)
	}
	s = newServer(t, marker+"\nnot by us")
	s.Comments[0].User.Login = "mallory"
	if _, created, err := s.update(marker + "\nnew"); err != nil || !created || len(s.Comments) != 2 || s.Comments[0].Body != marker+"\nnot by us" {
		t.Errorf("%v, created %v, %+v", err, created, s.Comments)
	}
	client := s.client()
	client.Author = "somebody"
	if _, _, err := client.Update(context.Background(), githubtest.Repo, githubtest.Pull, marker+"\ntext"); err == nil || !strings.Contains(err.Error(), "github-actions[bot]") {
		t.Errorf("a token of another: %v", err)
	}
}

func TestTheCommentIsFoundOnALaterPage(t *testing.T) {
	var bodies []string
	for i := range 250 {
		bodies = append(bodies, fmt.Sprint("comment ", i))
	}
	bodies[230] = marker + "\nold"
	s := newServer(t, bodies...)
	if _, created, err := s.update(marker + "\nnew"); err != nil || created || s.Comments[230].Body != marker+"\nnew" {
		t.Errorf("%v, created %v", err, created)
	}
	if got := strings.Join(s.Requests, ", "); strings.Count(got, "GET") != 3 {
		t.Errorf("requests were %s", got)
	}
}

func TestARefusalIsAnErrorThatSaysWhy(t *testing.T) {
	for _, method := range []string{"GET", "POST"} {
		s := newServer(t)
		s.Fail = func(r *http.Request) (int, http.Header) {
			if r.Method == method {
				return http.StatusForbidden, nil
			}
			return 0, nil
		}
		_, _, err := s.update(marker + "\ntext")
		var status *StatusError
		if !errors.As(err, &status) || status.Code != 403 || !strings.Contains(err.Error(), "Resource not accessible by integration") ||
			!strings.Contains(err.Error(), "pull-requests: write") {
			t.Errorf("%s: %v", method, err)
		}
		if len(s.Comments) != 0 {
			t.Errorf("%s: %+v", method, s.Comments)
		}
	}
}

func TestAPassingProblemIsTriedAgain(t *testing.T) {
	for _, c := range []struct {
		name, method string
		status       int
		header       http.Header
	}{
		{"server", "GET", 502, nil},
		{"rate", "POST", 429, http.Header{"Retry-After": {"0"}}},
		{"secondary rate", "POST", 403, http.Header{"Retry-After": {"0"}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, left := newServer(t), 2
			s.Fail = func(r *http.Request) (int, http.Header) {
				if r.Method == c.method && left > 0 {
					left--
					return c.status, c.header
				}
				return 0, nil
			}
			if _, created, err := s.update(marker + "\ntext"); err != nil || !created || len(s.Comments) != 1 {
				t.Errorf("%v, created %v, %d comments", err, created, len(s.Comments))
			}
			left = 100
			if _, _, err := s.update(marker + "\ntext"); c.method == "GET" && err == nil {
				t.Error("a lasting problem is no error")
			}
		})
	}
}

// TestCreatingIsNotRepeatedBlindly: a server that fails after it has done the
// work would get a second comment.
func TestCreatingIsNotRepeatedBlindly(t *testing.T) {
	s := newServer(t)
	s.Fail = func(r *http.Request) (int, http.Header) {
		if r.Method == "POST" {
			return http.StatusBadGateway, nil
		}
		return 0, nil
	}
	_, _, err := s.update(marker + "\ntext")
	if err == nil || strings.Count(strings.Join(s.Requests, " "), "POST") != 1 {
		t.Errorf("%v after %v", err, s.Requests)
	}
}

func TestAnAnswerThatIsNotTheCommentIsAnError(t *testing.T) {
	for _, answer := range []string{`{}`, `[]`, `<html>`, `{"id": 5, "body": "something else"}`, `{"body": "` + marker + `"}`} {
		s := newServer(t)
		s.Answer = answer
		if _, _, err := s.update(marker + "\ntext"); err == nil {
			t.Errorf("answer %s is taken for success", answer)
		}
	}
}

func TestWhatCannotBePostedIsRefusedBeforeAnyRequest(t *testing.T) {
	s := newServer(t)
	for _, c := range []struct {
		repo  string
		pull  int
		body  string
		token string
		want  string
	}{
		{"o/r", 7, marker + "\ntext", "", "no token"},
		{"o", 7, marker + "\ntext", "secret", "owner/name"},
		{"o/r/../x", 7, marker + "\ntext", "secret", "owner/name"},
		{"o/r", 0, marker + "\ntext", "secret", "no pull request 0"},
		{"o/r", 7, "", "secret", "no marker"},
		{"o/r", 7, "text\n" + marker, "secret", "no marker"},
		{"o/r", 7, marker + "\n \n", "secret", "no text"},
	} {
		client := s.client()
		client.Token = c.token
		if _, _, err := client.Update(context.Background(), c.repo, c.pull, c.body); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v", c, err)
		}
	}
	if len(s.Requests) > 0 {
		t.Errorf("requests were made: %v", s.Requests)
	}
}

func TestTheTokenGoesToNoOtherServer(t *testing.T) {
	other := newServer(t)
	s := newServer(t, "a", "b")
	s.PerPage, s.Link = 1, other.URL+"/repos/o/r/issues/7/comments"
	if _, _, err := s.update(marker + "\ntext"); err == nil || !strings.Contains(err.Error(), "next page") {
		t.Errorf("%v", err)
	}
	if len(other.Requests) > 0 {
		t.Errorf("the other server was asked %v", other.Requests)
	}
}

func TestPagesWithoutEndAreAnError(t *testing.T) {
	s := newServer(t, "a", "b")
	s.PerPage = 1
	s.Link = s.URL + "/repos/o/r/issues/7/comments"
	if _, _, err := s.update(marker + "\ntext"); err == nil || !strings.Contains(err.Error(), "100 pages") {
		t.Errorf("%v", err)
	}
}

func TestAnEndOfTheContextEndsTheWaiting(t *testing.T) {
	s := newServer(t)
	s.Fail = func(*http.Request) (int, http.Header) { return 503, nil }
	client := s.client()
	client.Wait = time.Hour
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	if _, _, err := client.Update(ctx, "o/r", 7, marker+"\ntext"); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%v", err)
	}
}

func TestALongCommentKeepsItsBeginning(t *testing.T) {
	var b strings.Builder
	b.WriteString(marker + "\nverdict: regression\n\n<details><summary>all</summary>\n\n")
	for i := range 3000 {
		fmt.Fprintf(&b, "| benchmark %d | äöü |\n", i)
	}
	b.WriteString("\n</details>\nlast line\n")
	s := newServer(t)
	if _, _, err := s.update(b.String()); err != nil {
		t.Fatal(err)
	}
	got := s.Comments[0].Body
	if len(got) > Limit || len(got) < Limit-1000 {
		t.Errorf("%d bytes", len(got))
	}
	if !strings.HasPrefix(got, marker+"\nverdict: regression\n") || strings.Count(got, "<details>") != strings.Count(got, "</details>") {
		t.Errorf("begins with %.80q, ends with %q", got, got[len(got)-200:])
	}
	kept := strings.Count(got, "| benchmark")
	if want := fmt.Sprintf("no room for %d more lines", 3000-kept+4); !strings.Contains(got, want) {
		t.Errorf("kept %d, ends with %q", kept, got[len(got)-200:])
	}
}

func TestFitKeepsWhatFits(t *testing.T) {
	text := strings.Repeat("line\n", 100)
	for limit := 300; limit < 600; limit++ {
		got := Fit(text, limit)
		if len(got) > limit || limit >= len(text) && got != text {
			t.Errorf("limit %d: %d bytes", limit, len(got))
		}
	}
}
