package arrow_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fbverify/go/internal/oracle"
	"github.com/fbverify/go/readers/arrow"
)

// real are the Arrow files and streams of testdata and, where it is there, of the corpus.
func real(t testing.TB) (files, streams map[string][]byte) {
	files, streams = map[string][]byte{}, map[string][]byte{}
	patterns := []string{filepath.Join(oracle.RepoRoot(), "testdata", "arrow", "*")}
	shared := filepath.Join(oracle.RepoRoot(), "..", "shared")
	if _, err := os.Stat(shared); err == nil {
		patterns = append(patterns, filepath.Join(shared, "corpus", "arrow", "valid", "*"), filepath.Join(shared, "cases", "arrow", "*"))
	} else if os.Getenv(oracle.RequireEnv) != "" {
		oracle.Corpus(t)
	}
	for _, pattern := range patterns {
		names, _ := filepath.Glob(pattern)
		for _, name := range names {
			b, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			switch ext := filepath.Ext(name); {
			case ext == ".arrow" || ext == ".arrow_file":
				files[filepath.Base(name)] = b
			case ext == ".arrows" || ext == ".stream":
				streams[filepath.Base(name)] = b
			}
		}
	}
	if len(files) < 5 || len(streams) < 4 {
		t.Fatalf("only %d files and %d streams", len(files), len(streams))
	}
	return files, streams
}

// refused are those that are damaged, with what the error says.
var refused = map[string]string{
	"unsealed.arrow":             "there is no footer",
	"meta-len.arrows":            "Options.MaxRead",
	"arrow-buffer-length.arrows": "Message.header.buffers[1].offset at offset 96: it reaches from 16 for 5000 to 5016, past the end of Message.bodyLength at 120",
}

// summary reads the metadata of all batches, and returns what it says.
func summary(schema *arrow.Schema, next func() (*arrow.Batch, error)) (string, error) {
	var b strings.Builder
	for _, f := range schema.Fields {
		fmt.Fprintf(&b, "%s: %s\n", f.Name, f.Type())
	}
	for {
		batch, err := next()
		if err == io.EOF {
			return b.String(), nil
		}
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&b, "%s: %d rows, %d bytes\n", batch.Name, batch.Rows, batch.Body.Length)
		for _, c := range batch.Columns() {
			fmt.Fprintf(&b, "  %s %d %d %d", c.Field.Name, c.Length, c.Nulls, len(c.Children))
			for _, buf := range c.Buffers {
				fmt.Fprintf(&b, " %s %d+%d", buf.Kind, buf.Offset-batch.Body.Offset, buf.Length)
			}
			b.WriteByte('\n')
		}
	}
}

func ofFile(f *arrow.File) (string, error) {
	ctx := context.Background()
	i, dictionaries, batches := 0, len(f.DictionaryBlocks()), len(f.BatchBlocks())
	return summary(f.Schema(), func() (*arrow.Batch, error) {
		switch i++; {
		case i <= dictionaries:
			return f.Dictionary(ctx, i-1)
		case i <= dictionaries+batches:
			return f.Batch(ctx, i-1-dictionaries)
		}
		return nil, io.EOF
	})
}

func ofStream(r io.Reader) (string, error) {
	ctx := context.Background()
	s, err := arrow.OpenStream(ctx, r, nil)
	if err != nil {
		return "", err
	}
	return summary(s.Schema(), func() (*arrow.Batch, error) { return s.Next(ctx) })
}

func TestRealFilesAndStreamsAreReadToTheirEnds(t *testing.T) {
	files, streams := real(t)
	check := func(name string, err error) bool {
		t.Helper()
		want, bad := refused[name]
		if bad && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v, want an error that says %q", name, err, want)
		}
		if !bad && err != nil {
			t.Errorf("%s: %v", name, err)
		}
		return err == nil
	}
	for name, b := range files {
		f, err := arrow.OpenBytes(b, nil)
		if !check(name, err) {
			continue
		}
		want, err := ofFile(f)
		if !check(name, err) {
			continue
		}
		// As a stream it says the same, dictionaries first.
		if got, err := ofStream(f.Stream(context.Background())); err != nil || got != want {
			t.Errorf("%s as a stream: %v\n%s, want\n%s", name, err, got, want)
		}
	}
	for name, b := range streams {
		_, err := ofStream(bytes.NewReader(b))
		check(name, err)
	}
}

func TestAFileAndItsStreamSayTheSame(t *testing.T) {
	files, streams := real(t)
	pairs := 0
	for name, b := range files {
		base, ok := strings.CutSuffix(name, ".arrow_file")
		s := streams[base+".stream"]
		if !ok || s == nil {
			continue
		}
		pairs++
		f, err := arrow.OpenBytes(b, nil)
		if err != nil {
			t.Fatal(err)
		}
		got, err := ofFile(f)
		if err != nil {
			t.Fatal(err)
		}
		want, err := ofStream(bytes.NewReader(s))
		if err != nil {
			t.Fatal(err)
		}
		if got != want {
			t.Errorf("%s says\n%s its stream\n%s", name, got, want)
		}
	}
	t.Log(pairs, "pairs")
}

// What ends early is no end: a stream that is cut off anywhere but between two messages says so.
func TestAStreamThatIsCutOffIsNotItsEnd(t *testing.T) {
	_, streams := real(t)
	b := streams["dictionary-delta.arrows"]
	if b == nil {
		t.Fatal("the stream is not there")
	}
	ends := 0
	for n := range len(b) {
		_, err := ofStream(bytes.NewReader(b[:n]))
		if err == nil {
			ends++ // between two messages, as streams without a mark end
		} else if !errors.Is(err, io.ErrUnexpectedEOF) && n > 0 {
			t.Errorf("after %d bytes: %v", n, err)
		}
	}
	if ends != 5 { // before the mark, and after the schema and each of three messages
		t.Errorf("%d places where it could end", ends)
	}
}
