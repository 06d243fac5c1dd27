// Package githubtest has a server that behaves as GitHub's API does towards who
// keeps a comment on a pull request.
package githubtest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strconv"
	"sync"
	"testing"
	"unicode/utf8"
)

// A Server is a small GitHub: it knows one pull request and its comments.
type Server struct {
	*httptest.Server
	mu       sync.Mutex
	Comments []Comment
	PerPage  int      // comments; 0 means 100
	Requests []string // "GET /repos/…"

	Fail   func(r *http.Request) (status int, header http.Header) // 0 for no failure
	Answer string                                                 // to writes, in place of the comment
	Link   string                                                 // in place of the next page
}

// A Comment is one on the pull request.
type Comment struct {
	ID   int64  `json:"id"`
	Body string `json:"body"`
	URL  string `json:"html_url"`
	User User   `json:"user"`
}

// A User wrote a comment.
type User struct {
	Login string `json:"login"`
}

// What the server knows.
const (
	Token = "secret"
	Repo  = "o/r"
	Login = "github-actions[bot]" // who has the token
	Pull  = 7
	Limit = 65536 // characters of a comment
)

// New starts a server whose pull request has comments, all by the one who has the token.
func New(t *testing.T, bodies ...string) *Server {
	s := &Server{}
	for i, body := range bodies {
		s.Comments = append(s.Comments, Comment{ID: int64(i + 1), Body: body, User: User{Login}})
	}
	s.Server = httptest.NewServer(s)
	t.Cleanup(s.Close)
	return s
}

// ServeHTTP answers as the API does.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.Requests = append(s.Requests, r.Method+" "+r.URL.Path)
	if r.Header.Get("Authorization") != "Bearer "+Token {
		w.WriteHeader(http.StatusUnauthorized)
		fmt.Fprint(w, `{"message": "Bad credentials"}`)
		return
	}
	if s.Fail != nil {
		if status, header := s.Fail(r); status != 0 {
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
		if err := json.NewDecoder(r.Body).Decode(&sent); err != nil || utf8.RuneCountInString(sent.Body) > Limit {
			w.WriteHeader(http.StatusUnprocessableEntity)
			return
		}
	}
	var now *Comment
	switch list := fmt.Sprintf("/repos/%s/issues/%d/comments", Repo, Pull); {
	case r.Method == http.MethodGet && r.URL.Path == list:
		s.page(w, r)
		return
	case r.Method == http.MethodPost && r.URL.Path == list:
		s.Comments = append(s.Comments, Comment{ID: int64(1000 + len(s.Comments)), User: User{Login}})
		now = &s.Comments[len(s.Comments)-1]
		defer w.WriteHeader(http.StatusCreated)
	case r.Method == http.MethodPatch:
		for i := range s.Comments {
			if r.URL.Path == fmt.Sprintf("/repos/%s/issues/comments/%d", Repo, s.Comments[i].ID) {
				now = &s.Comments[i]
			}
		}
	}
	if now == nil {
		w.WriteHeader(http.StatusNotFound)
		fmt.Fprint(w, `{"message": "Not Found"}`)
		return
	}
	now.Body, now.URL = sent.Body, fmt.Sprintf("https://example.com/c%d", now.ID)
	if s.Answer != "" {
		fmt.Fprint(w, s.Answer)
		return
	}
	json.NewEncoder(w).Encode(now)
}

func (s *Server) page(w http.ResponseWriter, r *http.Request) {
	page, _ := strconv.Atoi(r.URL.Query().Get("page"))
	page = max(page, 1)
	size := s.PerPage
	if size == 0 {
		size = 100
	}
	from, to := min((page-1)*size, len(s.Comments)), min(page*size, len(s.Comments))
	if to < len(s.Comments) {
		next := fmt.Sprintf("%s%s?per_page=100&page=%d", s.URL, r.URL.Path, page+1)
		if s.Link != "" {
			next = s.Link
		}
		w.Header().Set("Link", fmt.Sprintf(`<%s%s?page=1>; rel="first", <%s>; rel="next"`, s.URL, r.URL.Path, next))
	}
	json.NewEncoder(w).Encode(s.Comments[from:to])
}
