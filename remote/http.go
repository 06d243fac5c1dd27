package remote

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"iter"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"
)

// web is what one web server has. The key of an object is its URL.
type web struct {
	client *http.Client
	mu     sync.Mutex
	led    string // where redirects led at last; empty = nowhere else
}

// transport is shared, so that connections are used again.
var transport = func() *http.Transport {
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.MaxIdleConnsPerHost = 16
	return t
}()

func openHTTP(_ context.Context, u *url.URL) (Store, string, error) {
	if u.Host == "" {
		return nil, "", errors.New("it names no host")
	}
	return &web{client: &http.Client{Transport: transport, CheckRedirect: mayLead}}, u.String(), nil
}

// mayLead says whether a redirect is followed. Credentials of the URL stay with its host:
// net/http sends them to no other.
func mayLead(next *http.Request, via []*http.Request) error {
	switch {
	case len(via) >= 10:
		return errors.New("it is redirected for the tenth time")
	case via[len(via)-1].URL.Scheme == "https" && next.URL.Scheme != "https":
		return fmt.Errorf("it is redirected from https to %s", next.URL.Scheme)
	}
	return nil
}

func (w *web) Close() error { return nil }

func (w *web) List(context.Context, string) iter.Seq2[Info, error] {
	return func(yield func(Info, error) bool) {
		yield(Info{}, errors.New("a web server lists nothing: name each file"))
	}
}

// ask requests a range. The answer is one of success.
func (w *web) ask(ctx context.Context, key, bytes, tag string) (*http.Response, error) {
	w.mu.Lock()
	led := w.led
	w.mu.Unlock()
	if led != "" {
		response, err := w.askAt(ctx, led, bytes, tag)
		var status *statusError
		if !errors.As(err, &status) || status.code < 400 || status.code >= 500 || errors.Is(err, ErrChanged) {
			return response, err
		}
		// Such an address may hold for a while only.
	}
	response, err := w.askAt(ctx, key, bytes, tag)
	if err == nil {
		led = ""
		if end := response.Request.URL.String(); end != key {
			led = end
		}
		w.mu.Lock()
		w.led = led
		w.mu.Unlock()
	}
	return response, err
}

func (w *web) askAt(ctx context.Context, address, bytes, tag string) (*http.Response, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, errors.New("it is no sound URL")
	}
	// A compressed answer would have ranges of other bytes.
	request.Header.Set("Accept-Encoding", "identity")
	request.Header.Set("Range", "bytes="+bytes)
	if etag := entityTag(tag); etag != "" {
		request.Header.Set("If-Match", etag)
	}
	response, err := w.client.Do(request)
	if err != nil {
		var failed *url.Error // whose text has the URL
		if errors.As(err, &failed) {
			err = failed.Err
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		var untrusted *tls.CertificateVerificationError
		var unknown *net.DNSError
		if response != nil /* a redirect that is not followed */ || errors.As(err, &untrusted) || errors.As(err, &unknown) && unknown.IsNotFound {
			return nil, err
		}
		return nil, &Temporary{Err: err}
	}
	if err := refusal(response); err != nil {
		io.Copy(io.Discard, io.LimitReader(response.Body, 4<<10))
		response.Body.Close()
		return nil, err
	}
	return response, nil
}

// statusError is an answer that is none of success.
type statusError struct {
	code int
	err  error
}

func (s *statusError) Error() string {
	text := fmt.Sprintf("the server answers %d %s", s.code, http.StatusText(s.code))
	if s.err != nil {
		text = s.err.Error() + ": " + text
	}
	return text
}
func (s *statusError) Unwrap() error { return s.err }

func refusal(r *http.Response) error {
	failed := &statusError{code: r.StatusCode}
	switch r.StatusCode {
	case http.StatusOK, http.StatusPartialContent:
		if c := r.Header.Get("Content-Encoding"); c != "" && c != "identity" {
			return fmt.Errorf("the server sends it in the encoding %.20q, so that ranges are none of the file's", c)
		}
		return nil
	case http.StatusRequestedRangeNotSatisfiable:
		return failed
	case http.StatusNotFound, http.StatusGone:
		failed.err = ErrNotFound
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusProxyAuthRequired:
		failed.err = ErrDenied
	case http.StatusPreconditionFailed:
		failed.err = ErrChanged
	case http.StatusRequestTimeout, http.StatusTooManyRequests, http.StatusInternalServerError,
		http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return &Temporary{Err: failed, After: retryAfter(r.Header.Get("Retry-After"))}
	}
	return failed
}

func retryAfter(text string) time.Duration {
	if seconds, err := strconv.Atoi(text); err == nil && seconds > 0 {
		return time.Duration(min(seconds, 3600)) * time.Second
	}
	if at, err := http.ParseTime(text); err == nil {
		return max(0, time.Until(at))
	}
	return 0
}

// tagOf is what tells one state of an object from another: its size, and its entity tag or,
// where there is none, its date.
func tagOf(r *http.Response, size int64) string {
	mark := r.Header.Get("ETag")
	if mark == "" {
		mark = r.Header.Get("Last-Modified")
	}
	return fmt.Sprintf("%d %s", size, mark)
}

// entityTag is the entity tag of a tag, where it is a strong one: If-Match compares no other.
func entityTag(tag string) string {
	if _, mark, _ := strings.Cut(tag, " "); strings.HasPrefix(mark, `"`) {
		return mark
	}
	return ""
}

func (w *web) Stat(ctx context.Context, key string, last int) (Info, io.ReadCloser, int64, error) {
	r, err := w.ask(ctx, key, fmt.Sprintf("-%d", last), "")
	var status *statusError
	if errors.As(err, &status) && status.code == http.StatusRequestedRangeNotSatisfiable {
		// The last bytes of an empty file, or a server that knows no such range.
		r, err = w.ask(ctx, key, fmt.Sprintf("0-%d", last-1), "")
		if errors.As(err, &status) && status.code == http.StatusRequestedRangeNotSatisfiable {
			return Info{}, nil, 0, nil
		}
	}
	if err != nil {
		return Info{}, nil, 0, err
	}
	if r.StatusCode == http.StatusOK && r.ContentLength > int64(last) {
		// All of it, though its end was asked for. Some servers know only ranges from the start.
		r.Body.Close()
		if r, err = w.ask(ctx, key, fmt.Sprintf("0-%d", last-1), ""); err != nil {
			return Info{}, nil, 0, err
		}
	}
	if r.StatusCode == http.StatusOK {
		if r.ContentLength < 0 {
			r.Body.Close()
			return Info{}, nil, 0, fmt.Errorf("%w, and does not tell its size", ErrNoRanges)
		}
		return Info{Size: r.ContentLength, Tag: tagOf(r, r.ContentLength)}, r.Body, 0, nil
	}
	from, to, size, err := contentRange(r.Header.Get("Content-Range"))
	if err != nil && r.ContentLength == 0 && strings.HasSuffix(r.Header.Get("Content-Range"), "/0") {
		r.Body.Close() // some servers send the last bytes of an empty file
		return Info{Tag: tagOf(r, 0)}, nil, 0, nil
	}
	if err != nil {
		r.Body.Close()
		return Info{}, nil, 0, err
	}
	info := Info{Size: size, Tag: tagOf(r, size)}
	if to != size-1 {
		r.Body.Close() // the start, which is not what was asked for
		return info, nil, 0, nil
	}
	return info, r.Body, from, nil
}

func (w *web) Range(ctx context.Context, key string, offset, length int64, tag string) (io.ReadCloser, error) {
	r, err := w.ask(ctx, key, fmt.Sprintf("%d-%d", offset, offset+length-1), tag)
	if err != nil {
		return nil, err
	}
	fail := func(err error) (io.ReadCloser, error) { r.Body.Close(); return nil, err }
	if r.StatusCode == http.StatusOK {
		if tag != tagOf(r, r.ContentLength) {
			return fail(fmt.Errorf("%w: its size, entity tag or date is another", ErrChanged))
		}
		return fail(fmt.Errorf("%w any more, which it did before", ErrNoRanges))
	}
	from, to, size, err := contentRange(r.Header.Get("Content-Range"))
	switch {
	case err != nil:
	case tag != tagOf(r, size):
		err = fmt.Errorf("%w: its size, entity tag or date is another", ErrChanged)
	case from != offset || to > offset+length-1:
		err = fmt.Errorf("the server sends the bytes %d to %d, and %d to %d were asked for", from, to, offset, offset+length-1)
	}
	if err != nil {
		return fail(err)
	}
	return r.Body, nil
}

// contentRange reads "bytes 5-9/100".
func contentRange(text string) (from, to, size int64, err error) {
	unit, rest, _ := strings.Cut(text, " ")
	span, whole, _ := strings.Cut(rest, "/")
	first, last, _ := strings.Cut(span, "-")
	number := func(s string) int64 {
		n, e := strconv.ParseUint(s, 10, 63)
		err = errors.Join(err, e)
		return int64(n)
	}
	from, to, size = number(first), number(last), number(whole)
	if err != nil || !strings.EqualFold(unit, "bytes") || from > to || to >= size {
		return 0, 0, 0, fmt.Errorf("the server answers with the range %.80q, which says no size", text)
	}
	return from, to, size, nil
}
