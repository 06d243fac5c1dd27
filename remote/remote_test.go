package remote_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/fbverify/go/remote"
)

// data is n bytes of which no two blocks are alike.
func data(n int) []byte {
	b := make([]byte, n)
	rng := rand.New(rand.NewPCG(uint64(n), 1))
	for i := range b {
		b[i] = byte(rng.Uint32())
	}
	return b
}

// server serves what h does on this machine, and counts.
func server(t *testing.T, h http.HandlerFunc) (address string, requests *atomic.Int64) {
	requests = new(atomic.Int64)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requests.Add(1)
		h(w, r)
	}))
	t.Cleanup(s.Close)
	return s.URL, requests
}

func content(b []byte, etag string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if etag != "" {
			w.Header().Set("ETag", etag)
		}
		http.ServeContent(w, r, "f.bin", time.Unix(1e9, 0), bytes.NewReader(b))
	}
}

func opened(t *testing.T, name string, opts *remote.Options) *remote.File {
	t.Helper()
	f, err := remote.Open(t.Context(), name, opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

// readsLike holds random reads to those of the bytes.
func readsLike(t *testing.T, f *remote.File, want []byte, reads int) {
	t.Helper()
	if f.Size() != int64(len(want)) {
		t.Fatalf("%d bytes, want %d", f.Size(), len(want))
	}
	rng, r := rand.New(rand.NewPCG(3, 4)), bytes.NewReader(want)
	for range reads {
		off := rng.Int64N(int64(len(want)) + 10)
		n := rng.IntN(1 + rng.IntN(len(want)+10))
		got, expected := make([]byte, n), make([]byte, n)
		k, err := f.ReadAt(got, off)
		l, eof := r.ReadAt(expected, off)
		if n == 0 {
			continue // bytes.Reader tells the end before it looks at n
		}
		if k != l || err != eof || !bytes.Equal(got[:k], expected[:l]) {
			t.Fatalf("ReadAt(%d bytes, %d) = %d, %v, want %d, %v", n, off, k, err, l, eof)
		}
	}
}

func TestReadsAreThoseOfTheBytes(t *testing.T) {
	for _, size := range []int{1, 99, 100, 101, 1000, 12345, 1 << 20} {
		for _, o := range []remote.Options{{}, {Block: 100}, {Block: 64, Memory: 300}, {Block: 1, Memory: 1 << 20}, {Block: 4096, Memory: 1}} {
			if size > 1e5 && o.Block > 0 && o.Block < 100 {
				continue
			}
			t.Run(fmt.Sprintf("%d/%+v", size, o), func(t *testing.T) {
				b := data(size)
				address, _ := server(t, content(b, `"a"`))
				o.MaxBytes = 1 << 40
				readsLike(t, opened(t, address, &o), b, 30)
			})
		}
	}
}

func TestAnEmptyFile(t *testing.T) {
	address, _ := server(t, content(nil, ""))
	f := opened(t, address, nil)
	if n, err := f.ReadAt(make([]byte, 5), 0); f.Size() != 0 || n != 0 || err != io.EOF {
		t.Errorf("size %d, read %d, %v", f.Size(), n, err)
	}
}

func TestServersWithoutRanges(t *testing.T) {
	b := data(300_000)
	address, requests := server(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Length", fmt.Sprint(len(b)))
		w.Write(b)
	})
	readsLike(t, opened(t, address, nil), b, 20)
	if n := requests.Load(); n > 3 {
		t.Errorf("%d requests", n)
	}

	large, _ := server(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Length", fmt.Sprint(int64(1)<<40))
		w.Write(b)
	})
	if _, err := remote.Open(t.Context(), large, nil); !errors.Is(err, remote.ErrNoRanges) || !strings.Contains(err.Error(), "1099511627776") {
		t.Errorf("a large one: %v", err)
	}
	sizeless, _ := server(t, func(w http.ResponseWriter, r *http.Request) {
		for range 100 {
			w.Write(b[:1000])
			w.(http.Flusher).Flush()
		}
	})
	if _, err := remote.Open(t.Context(), sizeless, nil); !errors.Is(err, remote.ErrNoRanges) {
		t.Errorf("one that tells no size: %v", err)
	}
}

// Some servers know ranges from the start only.
func TestServersWithoutRangesFromTheEnd(t *testing.T) {
	b := data(300_000)
	for _, refused := range []int{http.StatusOK, http.StatusRequestedRangeNotSatisfiable} {
		address, _ := server(t, func(w http.ResponseWriter, r *http.Request) {
			if strings.HasPrefix(r.Header.Get("Range"), "bytes=-") {
				if refused != http.StatusOK {
					w.WriteHeader(refused)
					return
				}
				r.Header.Del("Range")
			}
			content(b, `"a"`)(w, r)
		})
		readsLike(t, opened(t, address, nil), b, 20)
	}
}

func TestFailuresAreTriedAgain(t *testing.T) {
	b := data(500_000)
	var n atomic.Int64
	address, _ := server(t, func(w http.ResponseWriter, r *http.Request) {
		switch n.Add(1) % 5 {
		case 1:
			w.Header().Set("Retry-After", "0")
			w.WriteHeader(http.StatusServiceUnavailable)
		case 3: // half an answer
			rec := httptest.NewRecorder()
			content(b, `"a"`)(rec, r)
			for k, v := range rec.Header() {
				w.Header()[k] = v
			}
			w.WriteHeader(rec.Code)
			w.Write(rec.Body.Bytes()[:rec.Body.Len()/2])
			panic(http.ErrAbortHandler)
		default:
			content(b, `"a"`)(w, r)
		}
	})
	readsLike(t, opened(t, address, &remote.Options{Memory: 1 << 16, MaxBytes: 1 << 40}), b, 12)
}

func TestWhatCannotBeRead(t *testing.T) {
	status := func(code int) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(code) }
	}
	says := func(key, value string, code int) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) { w.Header().Set(key, value); w.WriteHeader(code) }
	}
	for name, c := range map[string]struct {
		h     http.HandlerFunc
		is    error
		tries int64
		text  string
	}{
		"missing":    {status(404), remote.ErrNotFound, 1, "404"},
		"gone":       {status(410), remote.ErrNotFound, 1, "410"},
		"denied":     {status(403), remote.ErrDenied, 1, "403"},
		"login":      {status(401), remote.ErrDenied, 1, "401"},
		"broken":     {status(500), nil, 3, "500 Internal Server Error (tried 3 times)"},
		"throttled":  {status(429), nil, 3, "429"},
		"teapot":     {status(418), nil, 1, "418"},
		"compressed": {says("Content-Encoding", "gzip", 206), nil, 1, "encoding"},
		"no size":    {says("Content-Range", "bytes 0-1/*", 206), nil, 1, "says no size"},
		"no range":   {says("Content-Range", "", 206), nil, 1, "says no size"},
		"nonsense":   {says("Content-Range", "bytes 5-1/2", 206), nil, 1, "says no size"},
		"too large":  {says("Content-Range", "bytes 0-1/9223372036854775808", 206), nil, 1, "says no size"},
		"circle":     {func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, r.URL.Path+"x", http.StatusFound) }, nil, 10, "tenth"},
	} {
		t.Run(name, func(t *testing.T) {
			address, requests := server(t, c.h)
			_, err := remote.Open(t.Context(), address+"/f", &remote.Options{Tries: 3})
			var of *remote.Error
			if err == nil || c.is != nil && !errors.Is(err, c.is) || !strings.Contains(err.Error(), c.text) || !errors.As(err, &of) {
				t.Fatalf("%v", err)
			}
			if requests.Load() != c.tries {
				t.Errorf("%d requests, want %d", requests.Load(), c.tries)
			}
		})
	}
}

func TestASizeIsOnlyANumber(t *testing.T) {
	b := data(1000)
	const size = 1<<63 - 1
	address, _ := server(t, func(w http.ResponseWriter, r *http.Request) {
		var from, to int64
		if _, err := fmt.Sscanf(r.Header.Get("Range"), "bytes=%d-%d", &from, &to); err != nil || from < 0 {
			from, to = size-1000, size-1
		}
		w.Header().Set("Content-Range", fmt.Sprintf("bytes %d-%d/%d", from, to, int64(size)))
		w.WriteHeader(206)
		w.Write(b[:min(1000, to-from+1)])
	})
	f := opened(t, address, &remote.Options{Tries: 2})
	if f.Size() != size {
		t.Fatal(f.Size())
	}
	if _, err := f.ReadAt(make([]byte, 10), 1<<50); err == nil || !strings.Contains(err.Error(), "EOF") {
		t.Errorf("a block of which there is a part: %v", err)
	}
	if _, err := f.ReadAt(make([]byte, 10), size-10); err != nil {
		t.Errorf("the end: %v", err)
	}
}

func TestBytesAreLimited(t *testing.T) {
	address, _ := server(t, content(data(1<<20), `"a"`))
	f := opened(t, address, &remote.Options{MaxBytes: 200_000, Block: 1000})
	_, err := io.Copy(io.Discard, io.NewSectionReader(f, 0, f.Size()))
	if !errors.Is(err, remote.ErrLimit) {
		t.Errorf("%v", err)
	}
	if _, moved := f.Cost(); moved > 200_000 {
		t.Errorf("%d bytes were moved", moved)
	}
}

func TestAFileThatChangesIsNotReadOn(t *testing.T) {
	for name, after := range map[string]http.HandlerFunc{
		"tag":  content(data(100_000), `"b"`),
		"size": content(data(100_001), `"a"`),
		"weak": content(data(100_000), `W/"b"`),
		"date": func(w http.ResponseWriter, r *http.Request) {
			http.ServeContent(w, r, "f", time.Unix(2e9, 0), bytes.NewReader(data(100_000)))
		},
		"no ranges": func(w http.ResponseWriter, r *http.Request) { w.Write(data(100_000)) },
	} {
		t.Run(name, func(t *testing.T) {
			before := content(data(100_000), map[string]string{"tag": `"a"`, "size": `"a"`, "weak": `W/"a"`}[name])
			var changed atomic.Bool
			address, _ := server(t, func(w http.ResponseWriter, r *http.Request) {
				if changed.Load() {
					after(w, r)
				} else {
					before(w, r)
				}
			})
			f := opened(t, address, &remote.Options{Block: 1000})
			changed.Store(true)
			if _, err := f.ReadAt(make([]byte, 10), 0); !errors.Is(err, remote.ErrChanged) {
				t.Errorf("%v", err)
			}
		})
	}
}

func TestReadingEndsWithTheContextAndWhenNothingArrives(t *testing.T) {
	b := data(10_000)
	var stuck atomic.Bool
	address, _ := server(t, func(w http.ResponseWriter, r *http.Request) {
		if stuck.Load() {
			<-r.Context().Done()
			return
		}
		content(b, `"a"`)(w, r)
	})
	ctx, cancel := context.WithCancel(t.Context())
	f, err := remote.Open(ctx, address, &remote.Options{Block: 100})
	if err != nil {
		t.Fatal(err)
	}
	stuck.Store(true)
	time.AfterFunc(50*time.Millisecond, cancel)
	if _, err := f.ReadAt(make([]byte, 10), 0); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	if _, err := remote.Open(t.Context(), address, &remote.Options{Idle: 50 * time.Millisecond, Tries: 2}); err == nil || !strings.Contains(err.Error(), "nothing arrived for 50ms") {
		t.Errorf("stuck: %v", err)
	}
}

func TestSecretsStayWithTheirHostAndOutOfMessages(t *testing.T) {
	b := data(1000)
	var elsewhere atomic.Value
	other, _ := server(t, func(w http.ResponseWriter, r *http.Request) {
		elsewhere.Store(fmt.Sprint(r.Header, r.URL))
		content(b, "")(w, r)
	})
	other = strings.Replace(other, "127.0.0.1", "localhost", 1)
	address, _ := server(t, func(w http.ResponseWriter, r *http.Request) {
		switch user, password, _ := r.BasicAuth(); {
		case user != "user" || password != "hunter2":
			w.WriteHeader(401)
		case r.URL.Path == "/away":
			http.Redirect(w, r, other+"/f", http.StatusFound)
		case r.URL.Path == "/missing":
			w.WriteHeader(404)
		default:
			content(b, "")(w, r)
		}
	})
	secret := strings.Replace(address, "http://", "http://user:hunter2@", 1)
	f := opened(t, secret+"/f?sig=hunter2", nil)
	if want := address + "/f?…"; f.Name() != want {
		t.Errorf("name %q, want %q", f.Name(), want)
	}
	readsLike(t, opened(t, secret+"/away", &remote.Options{Block: 10}), b, 10)
	if got := fmt.Sprint(elsewhere.Load()); strings.Contains(got, "hunter2") || strings.Contains(got, "Authorization") {
		t.Errorf("the other host was told %s", got)
	}
	for _, name := range []string{secret + "/missing?sig=hunter2", "ftp://user:hunter2@example.org/", "http://user:hunter2@[::1", "http://user:hunter2@127.0.0.1:1/x?a=hunter2", "http://:hunter2@/"} {
		if _, err := remote.Open(t.Context(), name, &remote.Options{Tries: 1}); err == nil || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%v", err)
		}
	}
}

func TestOneRequestForAFooterAndFewFromFrontToBack(t *testing.T) {
	b := data(8 << 20)
	address, requests := server(t, content(b, `"a"`))
	f := opened(t, address, nil)
	if _, err := f.ReadAt(make([]byte, 1000), f.Size()-1000); err != nil || requests.Load() != 1 {
		t.Errorf("%d requests, %v", requests.Load(), err)
	}
	got, err := io.ReadAll(io.NewSectionReader(f, 0, f.Size()))
	if err != nil || !bytes.Equal(got, b) {
		t.Fatal(err)
	}
	if n := requests.Load(); n > 16 {
		t.Errorf("%d requests from front to back", n)
	}
	if made, moved := f.Cost(); made != requests.Load() || moved < 8<<20 || moved > 8<<20+1<<17 {
		t.Errorf("it tells %d requests and %d bytes", made, moved)
	}
}

func TestNamesThatAreURLs(t *testing.T) {
	for name, want := range map[string]bool{
		"https://a/b": true, "s3://b/k": true, "C://x": false, "a/b://c": false, "://": false, "-": false, "x": false, "file:///x": true, "1s://": false,
	} {
		if remote.IsURL(name) != want {
			t.Errorf("%s: %v", name, !want)
		}
	}
}
