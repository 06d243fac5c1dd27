package comment

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

const marker = "<!-- the marker -->"

// A server is a small GitHub: the comments of one pull request.
type server struct {
	*httptest.Server
	mu       sync.Mutex
	comments []Comment
	perPage  int
	requests []string
	fail     func(r *http.Request) (status int, header http.Header) // 0 for no failure
	answer   string                                                 // to writes, in place of the comment
	link     string                                                 // in place of the next page
}

func newServer(t *testing.T, bodies ...string) *server {
	s := &server{perPage: 100}
	for i, body := range bodies {
		s.comments = append(s.comments, Comment{ID: int64(i + 1), Body: body})
	}
	s.Server = httptest.NewServer(s)
	t.Cleanup(s.Close)
	return s
}

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests = append(s.requests, r.Method+" "+r.URL.Path)
	if r.Header.Get("Authorization") != "Bearer secret" {
		w.WriteHeader(http.StatusUnauthorized)
		fmt.Fprint(w, `{"message": "Bad credentials"}`)
		return
	}
	if s.fail != nil {
		if status, header := s.fail(r); status != 0 {
			for k, v := range header {
				w.Header()[k] = v
			}
			w.WriteHeader(status)
			fmt.Fprint(w, `{"message": "Resource not accessible by integration"}`)
			return
		}
	}
	var sent struct{ Body string }
	if r.Method != http.MethodGet {
		if err := json.NewDecoder(r.Body).Decode(&sent); err != nil || len(sent.Body) > Limit {
			w.WriteHeader(http.StatusUnprocessableEntity)
			return
		}
	}
	var now *Comment
	switch list := "/repos/o/r/issues/7/comments"; {
	case r.Method == http.MethodGet && r.URL.Path == list:
		s.page(w, r)
		return
	case r.Method == http.MethodPost && r.URL.Path == list:
		s.comments = append(s.comments, Comment{ID: int64(1000 + len(s.comments))})
		now = &s.comments[len(s.comments)-1]
		defer w.WriteHeader(http.StatusCreated)
	case r.Method == http.MethodPatch:
		for i := range s.comments {
			if r.URL.Path == fmt.Sprintf("/repos/o/r/issues/comments/%d", s.comments[i].ID) {
				now = &s.comments[i]
			}
		}
	}
	if now == nil {
		w.WriteHeader(http.StatusNotFound)
		fmt.Fprint(w, `{"message": "Not Found"}`)
		return
	}
	now.Body, now.URL = sent.Body, fmt.Sprintf("https://example.com/c%d", now.ID)
	if s.answer != "" {
		fmt.Fprint(w, s.answer)
		return
	}
	json.NewEncoder(w).Encode(now)
}

func (s *server) page(w http.ResponseWriter, r *http.Request) {
	page, _ := strconv.Atoi(r.URL.Query().Get("page"))
	page = max(page, 1)
	from, to := min((page-1)*s.perPage, len(s.comments)), min(page*s.perPage, len(s.comments))
	if to < len(s.comments) {
		next := fmt.Sprintf("%s%s?per_page=100&page=%d", s.URL, r.URL.Path, page+1)
		if s.link != "" {
			next = s.link
		}
		w.Header().Set("Link", fmt.Sprintf(`<%s%s?page=1>; rel="first", <%s>; rel="next"`, s.URL, r.URL.Path, next))
	}
	json.NewEncoder(w).Encode(s.comments[from:to])
}

func (s *server) client() *Client {
	return &Client{API: s.URL, Token: "secret", Wait: time.Millisecond}
}

func (s *server) update(body string) (string, bool, error) {
	return s.client().Update(context.Background(), "o/r", 7, body)
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
	if len(s.comments) != 2 || s.comments[0].Body != "a person's words" || s.comments[1].Body != marker+"\nsecond" {
		t.Errorf("comments are %+v", s.comments)
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
		if s.comments[i].Body != body {
			t.Errorf("comment %d is now %q", i, s.comments[i].Body)
		}
	}
}

func TestTheCommentIsFoundByItsMarkerWhateverTheLineEnds(t *testing.T) {
	s := newServer(t, "x", marker+"\r\nold text")
	if _, created, err := s.update(marker + "\nnew text"); err != nil || created || s.comments[1].Body != marker+"\nnew text" {
		t.Errorf("%v, created %v, %+v", err, created, s.comments)
	}
}

func TestTheCommentIsFoundOnALaterPage(t *testing.T) {
	var bodies []string
	for i := range 250 {
		bodies = append(bodies, fmt.Sprint("comment ", i))
	}
	bodies[230] = marker + "\nold"
	s := newServer(t, bodies...)
	if _, created, err := s.update(marker + "\nnew"); err != nil || created || s.comments[230].Body != marker+"\nnew" {
		t.Errorf("%v, created %v", err, created)
	}
	if got := strings.Join(s.requests, ", "); strings.Count(got, "GET") != 3 {
		t.Errorf("requests were %s", got)
	}
}

func TestARefusalIsAnErrorThatSaysWhy(t *testing.T) {
	for _, method := range []string{"GET", "POST"} {
		s := newServer(t)
		s.fail = func(r *http.Request) (int, http.Header) {
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
		if len(s.comments) != 0 {
			t.Errorf("%s: %+v", method, s.comments)
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
			s.fail = func(r *http.Request) (int, http.Header) {
				if r.Method == c.method && left > 0 {
					left--
					return c.status, c.header
				}
				return 0, nil
			}
			if _, created, err := s.update(marker + "\ntext"); err != nil || !created || len(s.comments) != 1 {
				t.Errorf("%v, created %v, %d comments", err, created, len(s.comments))
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
	s.fail = func(r *http.Request) (int, http.Header) {
		if r.Method == "POST" {
			return http.StatusBadGateway, nil
		}
		return 0, nil
	}
	_, _, err := s.update(marker + "\ntext")
	if err == nil || strings.Count(strings.Join(s.requests, " "), "POST") != 1 {
		t.Errorf("%v after %v", err, s.requests)
	}
}

func TestAnAnswerThatIsNotTheCommentIsAnError(t *testing.T) {
	for _, answer := range []string{`{}`, `[]`, `<html>`, `{"id": 5, "body": "something else"}`, `{"body": "` + marker + `"}`} {
		s := newServer(t)
		s.answer = answer
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
	if len(s.requests) > 0 {
		t.Errorf("requests were made: %v", s.requests)
	}
}

func TestTheTokenGoesToNoOtherServer(t *testing.T) {
	other := newServer(t)
	s := newServer(t, "a", "b")
	s.perPage, s.link = 1, other.URL+"/repos/o/r/issues/7/comments"
	if _, _, err := s.update(marker + "\ntext"); err == nil || !strings.Contains(err.Error(), "next page") {
		t.Errorf("%v", err)
	}
	if len(other.requests) > 0 {
		t.Errorf("the other server was asked %v", other.requests)
	}
}

func TestPagesWithoutEndAreAnError(t *testing.T) {
	s := newServer(t, "a", "b")
	s.perPage = 1
	s.link = s.URL + "/repos/o/r/issues/7/comments"
	if _, _, err := s.update(marker + "\ntext"); err == nil || !strings.Contains(err.Error(), "100 pages") {
		t.Errorf("%v", err)
	}
}

func TestAnEndOfTheContextEndsTheWaiting(t *testing.T) {
	s := newServer(t)
	s.fail = func(*http.Request) (int, http.Header) { return 503, nil }
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
	got := s.comments[0].Body
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
