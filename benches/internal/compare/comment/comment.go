// Package comment keeps one comment on a pull request up to date.
package comment

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// A Client talks to the API of GitHub.
type Client struct {
	API   string // "https://api.github.com"
	Token string
	HTTP  *http.Client // nil means one with a timeout

	// Author is the login that the token writes comments as; "" means [Actions]. Only its
	// comments are updated: anybody can write one with the marker.
	Author string

	// Wait is how long to wait before the first repetition of a request that
	// failed for a passing reason; 0 means two seconds.
	Wait time.Duration
}

// Actions is who writes with the token that a workflow is given.
const Actions = "github-actions[bot]"

// Limit is how long a comment may be: 65536 characters, and a byte is at most
// one.
const Limit = 65536

// mostPages bounds the search for the comment, 100 comments a page.
const mostPages = 100

var repository = regexp.MustCompile(`^[A-Za-z0-9._-]+/[A-Za-z0-9._-]+$`)

// A Comment is one on a pull request.
type Comment struct {
	ID   int64  `json:"id"`
	Body string `json:"body"`
	URL  string `json:"html_url"`
	User struct {
		Login string `json:"login"`
	} `json:"user"`
}

// Update makes body, whose first line is a marker, the text of the comment that
// has this marker as its first line and was written by the client's author, or of a
// new one where no comment has. It returns where the comment is and whether it is new. All
// that keeps the comment from being there is an error.
func (c *Client) Update(ctx context.Context, repo string, pull int, body string) (where string, created bool, err error) {
	marker := firstLine(body)
	switch {
	case c.Token == "":
		return "", false, errors.New("there is no token: set GITHUB_TOKEN")
	case !repository.MatchString(repo):
		return "", false, fmt.Errorf("repository %q is not of the form owner/name", repo)
	case pull <= 0:
		return "", false, fmt.Errorf("there is no pull request %d", pull)
	case !strings.HasPrefix(marker, "<!--") || !strings.HasSuffix(marker, "-->"):
		return "", false, fmt.Errorf("the first line, %.60q, is no marker: <!-- … -->", marker)
	case strings.TrimSpace(strings.TrimPrefix(body, marker)) == "":
		return "", false, errors.New("the comment would have no text")
	}
	author := c.Author
	if author == "" {
		author = Actions
	}
	body = Fit(body, Limit)
	old, err := c.find(ctx, repo, pull, marker, author)
	if err != nil {
		return "", false, err
	}
	method, at := http.MethodPost, fmt.Sprintf("%s/repos/%s/issues/%d/comments", c.API, repo, pull)
	if old != nil {
		method, at = http.MethodPatch, fmt.Sprintf("%s/repos/%s/issues/comments/%d", c.API, repo, old.ID)
	}
	text, err := json.Marshal(map[string]string{"body": body})
	if err != nil {
		return "", false, err
	}
	var now Comment
	if _, err := c.request(ctx, method, at, text, &now); err != nil {
		return "", false, err
	}
	if now.ID == 0 || firstLine(now.Body) != marker {
		return "", false, fmt.Errorf("%s %s: the answer is not the comment that was sent", method, at)
	}
	if now.User.Login != author {
		return "", false, fmt.Errorf("the comment at %s was written by %q and not by %q, so that the next run would not find it", now.URL, now.User.Login, author)
	}
	return now.URL, old == nil, nil
}

// find returns the author's first comment with the marker, nil where there is none.
func (c *Client) find(ctx context.Context, repo string, pull int, marker, author string) (*Comment, error) {
	at := fmt.Sprintf("%s/repos/%s/issues/%d/comments?per_page=100", c.API, repo, pull)
	for page := 1; at != ""; page++ {
		if page > mostPages {
			return nil, fmt.Errorf("no comment with the marker on %d pages, and there are more", mostPages)
		}
		var comments []Comment
		header, err := c.request(ctx, http.MethodGet, at, nil, &comments)
		if err != nil {
			return nil, err
		}
		for i := range comments {
			if comments[i].User.Login == author && firstLine(comments[i].Body) == marker {
				return &comments[i], nil
			}
		}
		if at, err = c.next(header); err != nil {
			return nil, err
		}
	}
	return nil, nil
}

var linkNext = regexp.MustCompile(`<([^>]*)>[^,]*;\s*rel="?next"?`)

// next returns the address of the next page, "" after the last. It must be on
// the same server, since the token goes there.
func (c *Client) next(header http.Header) (string, error) {
	for _, link := range header.Values("Link") {
		m := linkNext.FindStringSubmatch(link)
		if m == nil {
			continue
		}
		to, err := url.Parse(m[1])
		if err != nil {
			return "", fmt.Errorf("address of the next page: %w", err)
		}
		api, err := url.Parse(c.API)
		if err != nil {
			return "", fmt.Errorf("address of the API: %w", err)
		}
		if to.Scheme != api.Scheme || to.Host != api.Host {
			return "", fmt.Errorf("the next page is said to be at %s, which is not %s", to.Host, api.Host)
		}
		return m[1], nil
	}
	return "", nil
}

// attempts is how often a request is made, if it fails for a passing reason.
const attempts = 4

// request makes a request and decodes the answer into result.
func (c *Client) request(ctx context.Context, method, at string, body []byte, result any) (http.Header, error) {
	wait := c.Wait
	if wait <= 0 {
		wait = 2 * time.Second
	}
	for attempt := 1; ; attempt++ {
		header, passing, err := c.once(ctx, method, at, body, result)
		if err == nil {
			return header, nil
		}
		if !passing || attempt == attempts || ctx.Err() != nil {
			return nil, fmt.Errorf("%s %s: %w", method, at, err)
		}
		pause := wait << (attempt - 1)
		if s, e := strconv.Atoi(header.Get("Retry-After")); e == nil && s >= 0 {
			pause = max(pause, min(time.Duration(s)*time.Second, time.Minute))
		}
		select {
		case <-ctx.Done():
			return nil, fmt.Errorf("%s %s: %w", method, at, errors.Join(err, ctx.Err()))
		case <-time.After(pause):
		}
	}
}

// once makes a request once. Passing tells whether another attempt may help: the
// server had a problem, or wants us to slow down. A lost connection is passing
// only where nothing is created: a second attempt might create a second comment.
func (c *Client) once(ctx context.Context, method, at string, body []byte, result any) (header http.Header, passing bool, err error) {
	request, err := http.NewRequestWithContext(ctx, method, at, bytes.NewReader(body))
	if err != nil {
		return nil, false, err
	}
	request.Header.Set("Authorization", "Bearer "+c.Token)
	request.Header.Set("Accept", "application/vnd.github+json")
	request.Header.Set("X-GitHub-Api-Version", "2022-11-28")
	request.Header.Set("User-Agent", "fbverify-compare")
	if body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	client := c.HTTP
	if client == nil {
		client = &http.Client{Timeout: 30 * time.Second}
	}
	response, err := client.Do(request)
	if err != nil {
		return nil, method != http.MethodPost, err
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(io.LimitReader(response.Body, 64<<20))
	if err != nil {
		return response.Header, method != http.MethodPost, err
	}
	if response.StatusCode/100 != 2 {
		err := &StatusError{Status: response.Status, Code: response.StatusCode}
		var said struct{ Message string }
		if json.Unmarshal(answer, &said) == nil {
			err.Message = said.Message
		}
		limited := response.StatusCode == http.StatusTooManyRequests ||
			response.StatusCode == http.StatusForbidden && response.Header.Get("Retry-After") != ""
		return response.Header, limited || response.StatusCode >= 500 && method != http.MethodPost, err
	}
	if err := json.Unmarshal(answer, result); err != nil {
		return response.Header, false, fmt.Errorf("the answer is no JSON of the expected kind: %w", err)
	}
	return response.Header, false, nil
}

// A StatusError is the error of a request that the server refused.
type StatusError struct {
	Status  string // "403 Forbidden"
	Code    int
	Message string // the server's
}

func (e *StatusError) Error() string {
	text := e.Status
	if e.Message != "" {
		text += ": " + e.Message
	}
	if e.Code == http.StatusForbidden || e.Code == http.StatusNotFound {
		text += " (does the token have the permission pull-requests: write?)"
	}
	return text
}

// firstLine returns the first line without its end.
func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return strings.TrimRight(line, "\r \t")
}
