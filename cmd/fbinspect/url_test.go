package main

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	flatbuffers "github.com/google/flatbuffers/go"

	"github.com/fbverify/go/generated/arrow"
	"github.com/fbverify/go/internal/oracle"
)

// ranges is a web server on this machine that counts.
type ranges struct {
	address         string
	requests, bytes atomic.Int64
}

func serve(t *testing.T, h http.HandlerFunc) *ranges {
	s := new(ranges)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.requests.Add(1)
		h(&metered{w, s}, r)
	}))
	t.Cleanup(server.Close)
	s.address = server.URL
	return s
}

type metered struct {
	http.ResponseWriter
	s *ranges
}

func (m *metered) Write(b []byte) (int, error) {
	m.s.bytes.Add(int64(len(b)))
	return m.ResponseWriter.Write(b)
}

// fbinspect runs a command line, and returns what it printed.
func fbinspect(args ...string) (code int, stdout, stderr string) {
	var out, errs bytes.Buffer
	code = run(args, &out, &errs)
	return code, out.String(), errs.String()
}

// sparseArrow writes an Arrow file of two batches with large bodies that hold nothing.
func sparseArrow(t *testing.T, body int64) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "sparse.arrow")
	f, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	at := int64(0)
	put := func(b []byte) {
		if _, err := f.WriteAt(b, at); err != nil {
			t.Fatal(err)
		}
		at += int64(len(b))
	}
	packed := func(p interface {
		Pack(*flatbuffers.Builder) flatbuffers.UOffsetT
	}) []byte {
		b := flatbuffers.NewBuilder(0)
		b.Finish(p.Pack(b))
		return b.FinishedBytes()
	}
	message := func(kind arrow.MessageHeader, header any, body int64) arrow.Block {
		m := arrow.NewMessageT()
		m.Version, m.BodyLength = arrow.MetadataVersionV5, body
		m.Header = &arrow.MessageHeaderT{Type: kind, Value: header}
		b, block := packed(m), arrow.Block{Offset: at, BodyLength: body}
		b = append(b, make([]byte, -len(b)&7)...)
		block.MetaDataLength = int32(len(b) + 8)
		put(binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(nil, math.MaxUint32), uint32(len(b))))
		put(b)
		at += body
		return block
	}
	put([]byte("ARROW1\x00\x00"))
	footer := arrow.NewFooterT()
	footer.Version = arrow.MetadataVersionV5
	footer.Schema = arrow.NewSchemaT()
	x := arrow.NewIntT()
	x.BitWidth, x.IsSigned = 64, true
	field := arrow.NewFieldT()
	field.Name, field.Type = "x", &arrow.TypeT{Type: arrow.TypeInt, Value: x}
	footer.Schema.Fields = []*arrow.FieldT{field}
	message(arrow.MessageHeaderSchema, footer.Schema, 0)
	for range 2 {
		batch := arrow.NewRecordBatchT()
		batch.Length = body / 8
		batch.Nodes = []arrow.FieldNode{{Length: body / 8}}
		batch.Buffers = []arrow.Buffer{{}, {Length: body}}
		footer.RecordBatches = append(footer.RecordBatches, message(arrow.MessageHeaderRecordBatch, batch, body))
	}
	put([]byte{0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0})
	b := packed(footer)
	put(append(binary.LittleEndian.AppendUint32(b, uint32(len(b))), "ARROW1"...))
	return name
}

func TestAFileOfFourGigabytesTakesFewRequests(t *testing.T) {
	name := sparseArrow(t, 2<<30)
	for _, args := range [][]string{
		{"verify"}, {"info"}, {"dump", "--path", "schema.fields[0].name"}, {"verify", "--all", "--json"},
	} {
		s := serve(t, func(w http.ResponseWriter, r *http.Request) { http.ServeFile(w, r, name) })
		code, far, stderr := fbinspect(append(args, s.address+"/f.arrow")...)
		local, near, _ := fbinspect(append(args, name)...)
		if code != local || strings.ReplaceAll(far, s.address+"/f.arrow", name) != near {
			t.Errorf("%v: exit code %d, and %d of the local file\n%s%s\n%s", args, code, local, far, stderr, near)
		}
		t.Logf("%v: %d requests, %d bytes", args, s.requests.Load(), s.bytes.Load())
		if s.requests.Load() > 6 || s.bytes.Load() > 1<<20 {
			t.Errorf("%v: %d requests and %d bytes", args, s.requests.Load(), s.bytes.Load())
		}
	}
}

// TestURLsAreReadAsFilesAre: every file of testdata, from a server that has ranges, one that
// has none, and one that fails at one request in five, cuts short and is slow.
func TestURLsAreReadAsFilesAre(t *testing.T) {
	root := filepath.Join(oracle.RepoRoot(), "testdata")
	var names []string
	for _, pattern := range []string{"arrow/*", "damaged/*", "flatgeobuf/*", "tflite/*", "vortex/*"} {
		found, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil || len(found) == 0 {
			t.Fatal(pattern, err)
		}
		for _, name := range found {
			if info, err := os.Stat(name); err == nil && info.Size() < 1<<20 {
				names = append(names, name)
			}
		}
	}
	plain := http.FileServer(http.Dir(root)).ServeHTTP
	var turn atomic.Int64
	for kind, h := range map[string]http.HandlerFunc{
		"ranges": plain,
		"whole":  func(w http.ResponseWriter, r *http.Request) { r.Header.Del("Range"); plain(w, r) },
		"failing": func(w http.ResponseWriter, r *http.Request) {
			switch turn.Add(1) % 10 {
			case 3:
				w.WriteHeader(http.StatusServiceUnavailable)
			case 6:
				panic(http.ErrAbortHandler)
			case 8:
				time.Sleep(5 * time.Millisecond)
				fallthrough
			default:
				plain(w, r)
			}
		},
	} {
		t.Run(kind, func(t *testing.T) {
			s := serve(t, h)
			near, far := []string{"verify", "--json", "--all"}, []string{"verify", "--json", "--all"}
			for _, name := range names {
				near = append(near, name)
				far = append(far, s.address+filepath.ToSlash(strings.TrimPrefix(name, root)))
			}
			want, wanted, _ := fbinspect(near...)
			code, got, stderr := fbinspect(far...)
			if code != want {
				t.Errorf("exit code %d, want %d: %s", code, want, stderr)
			}
			wantLines, lines := strings.Split(wanted, "\n"), strings.Split(strings.ReplaceAll(got, s.address, root), "\n")
			if len(lines) != len(wantLines) {
				t.Fatalf("%d lines, want %d: %s", len(lines), len(wantLines), stderr)
			}
			for i := range lines {
				if lines[i] != wantLines[i] {
					t.Errorf("got  %.600s\nwant %.600s", lines[i], wantLines[i])
				}
			}
		})
	}
}

func TestAURLThatCannotBeReadIsSaidInAWord(t *testing.T) {
	b, err := os.ReadFile(filepath.Join(oracle.RepoRoot(), "testdata", "arrow", "plain.arrow"))
	if err != nil {
		t.Fatal(err)
	}
	var n atomic.Int64
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/changing": // between any two requests
			w.Header().Set("ETag", fmt.Sprintf(`"%d"`, n.Add(1)))
			http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(append(b[:len(b):len(b)], make([]byte, 1<<20)...)))
		case "/huge":
			w.Header().Set("Content-Range", "bytes 9223372036854775797-9223372036854775806/9223372036854775807")
			w.WriteHeader(http.StatusPartialContent)
			w.Write([]byte("__ARROW1\x00\x00"))
		case "/denied":
			w.WriteHeader(http.StatusForbidden)
		default:
			w.WriteHeader(http.StatusNotFound)
		}
	})
	secret := strings.Replace(s.address, "http://", "http://user:hunter2@", 1)
	for _, c := range []struct{ args, says string }{
		{"verify " + secret + "/missing?token=hunter2", "/missing?…: there is no such file"},
		{"info " + secret + "/denied", "not allowed"},
		{"verify " + secret + "/changing", "it changed while it was read"},
		{"verify " + secret + "/huge", ""},
		{"dump " + secret + "/huge", ""},
		{"html " + secret + "/huge", ""},
		{"stats " + secret + "/huge", ""},
		{"verify ftp://user:hunter2@example.org/f", "ftp:// is not read"},
		{"verify -r " + secret + "/folder/", "a web server lists nothing"},
		{"verify " + secret + "/folder/", "-r looks into folders"},
		{"verify file://otherhost/f", "another machine"},
		{"verify http://user:hunter2@%zz/f", "no sound URL"},
		{"verify --max-fetch 1000 " + secret + "/changing", "--max-fetch allows more"},
	} {
		started := time.Now()
		code, stdout, stderr := fbinspect(strings.Fields(c.args)...)
		if code == 0 || !strings.Contains(stderr+stdout, c.says) || strings.Contains(stdout+stderr, "hunter2") {
			t.Errorf("%s: exit code %d\n%s%s", strings.ReplaceAll(c.args, "hunter2", "…"), code, stdout, stderr)
		}
		if d := time.Since(started); d > 20*time.Second {
			t.Errorf("%s took %v", c.args, d)
		}
	}
}

func TestVerdictsOfURLsHaveNoSecrets(t *testing.T) {
	root := http.FileServer(http.Dir(filepath.Join(oracle.RepoRoot(), "testdata", "tflite")))
	s := serve(t, root.ServeHTTP)
	name := strings.Replace(s.address, "http://", "http://user:hunter2@", 1) + "/conv.tflite?sig=hunter2"
	for _, args := range [][]string{
		{"verify", "--json", name}, {"info", "--json", name}, {"dump", "--json", "--path", "version", name, name},
		{"stats", "--json", name}, {"annotate", name}, {"html", "-o", filepath.Join(t.TempDir(), "f.html"), name}, {"diff", name, name},
	} {
		code, stdout, stderr := fbinspect(args...)
		if code != 0 || strings.Contains(stdout+stderr, "hunter2") {
			t.Errorf("%s: exit code %d, %s%s", args[0], code, stdout, stderr)
		}
		if args[0] == "html" {
			if page, err := os.ReadFile(args[2]); err != nil || bytes.Contains(page, []byte("hunter2")) {
				t.Errorf("the page has the secret, %v", err)
			}
		}
		var line struct{ File string }
		if args[0] == "verify" {
			if err := json.Unmarshal([]byte(stdout), &line); err != nil || line.File != s.address+"/conv.tflite?…" {
				t.Errorf("file %q, %v", line.File, err)
			}
		}
	}
}
