package fbverify_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/fbverify/go/fbverify"
	"github.com/fbverify/go/internal/race"
)

// books is a stream of n books of growing size.
func books(n int) []byte {
	var s []byte
	for i := range n {
		s = append(s, prefixedBook(title(i), float64(i), "Author")...)
	}
	return s
}

func title(i int) string { return strings.Repeat("x", i*37%1000) + fmt.Sprint(i) }

func TestReaderGivesEveryMessageHoweverTheBytesArrive(t *testing.T) {
	const n = 400
	stream := books(n)
	for name, from := range map[string]func() io.Reader{
		"at once":      func() io.Reader { return bytes.NewReader(stream) },
		"byte by byte": func() io.Reader { return iotest.OneByteReader(bytes.NewReader(stream)) },
		"in halves":    func() io.Reader { return iotest.HalfReader(bytes.NewReader(stream)) },
		"end with data": func() io.Reader {
			return iotest.DataErrReader(bytes.NewReader(stream))
		},
	} {
		for _, memory := range []string{"chunks", "copy", "reuse"} {
			t.Run(name+", "+memory, func(t *testing.T) {
				r := fbverify.NewReader(from(), bookTypes()["Book"], &fbverify.ReaderOptions{
					Options: fbverify.Options{Copy: memory == "copy"}, ReuseUnchecked: memory == "reuse",
				})
				var kept []fbverify.Verified[Book]
				for i := range n {
					v, err := fbverify.Next[Book](r)
					if err != nil {
						t.Fatal(err)
					}
					if v.Root().Title() != title(i) || v.Root().Price() != float64(i) {
						t.Fatalf("message %d is %q", i, v.Root().Title())
					}
					kept = append(kept, v)
				}
				if _, err := fbverify.Next[Book](r); err != io.EOF {
					t.Errorf("after the last message: %v", err)
				}
				if r.Offset() != int64(len(stream)) {
					t.Errorf("the offset is %d of %d", r.Offset(), len(stream))
				}
				for i, v := range kept {
					if memory != "reuse" && v.Root().Title() != title(i) {
						t.Errorf("message %d was overwritten", i)
					}
				}
			})
		}
	}
}

func TestReaderNextReturnsBytesWithTheirPrefix(t *testing.T) {
	stream := books(3)
	r := fbverify.NewReader(bytes.NewReader(stream), bookTypes()["Book"], nil)
	var got []byte
	for m, err := range r.All() {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, m...)
	}
	if !bytes.Equal(got, stream) {
		t.Error("the messages are not the stream")
	}
	if _, err := fbverify.NewReader(bytes.NewReader(stream), nil, nil).Next(); err == nil {
		t.Error("Next without a type gave a message")
	}
}

func TestReaderGoesOnAfterABadMessage(t *testing.T) {
	good := prefixedBook("Good", 1, "Author")
	bad := bytes.Clone(good)
	binary.LittleEndian.PutUint32(bad[4:], 0xffff)
	short := []byte{2, 0, 0, 0, 9, 9}
	empty := []byte{0, 0, 0, 0}
	large := append(binary.LittleEndian.AppendUint32(nil, 100_000), make([]byte, 100_000)...)
	stream := bytes.Join([][]byte{good, bad, good, short, empty, good, large, good}, nil)
	r := fbverify.NewReader(iotest.HalfReader(bytes.NewReader(stream)), nil, &fbverify.ReaderOptions{MaxMessage: 1000})
	var got []string
	for v, err := range fbverify.Messages[Book](r) {
		var at *fbverify.StreamError
		var fault *fbverify.Error
		switch {
		case err == nil:
			got = append(got, v.Root().Title())
		case errors.As(err, &at) && errors.As(err, &fault):
			got = append(got, fmt.Sprintf("%d@%d %s", at.Message, at.Offset, fault.Kind.Name()))
		default:
			t.Fatalf("unexpected error %v", err)
		}
	}
	g := len(good)
	want := []string{"Good", fmt.Sprintf("1@%d out-of-bounds", g), "Good",
		fmt.Sprintf("3@%d too-short", 3*g), fmt.Sprintf("4@%d too-short", 3*g+6), "Good",
		fmt.Sprintf("6@%d too-large", 4*g+10), "Good"}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got  %v\nwant %v", got, want)
	}
}

func TestReaderNamesWhereATruncatedStreamEnds(t *testing.T) {
	stream := books(3)
	third := len(stream) - len(prefixedBook(title(2), 2, "Author"))
	for cut := third + 1; cut < len(stream); cut++ {
		r := fbverify.NewReader(bytes.NewReader(stream[:cut]), bookTypes()["Book"], nil)
		var err error
		n := 0
		for _, err = range r.All() {
			if err == nil {
				n++
			}
		}
		var at *fbverify.StreamError
		if n != 2 || !errors.As(err, &at) || at.Message != 2 || at.Offset != int64(third) || !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Fatalf("cut at %d: %d messages, then %v", cut, n, err)
		}
	}
}

func TestReaderTriesAgainAfterAnErrorBelow(t *testing.T) {
	stream := books(3)
	boom := errors.New("boom")
	r := fbverify.NewReader(io.MultiReader(
		bytes.NewReader(stream[:10]), &once{err: boom}, bytes.NewReader(stream[10:])), bookTypes()["Book"], nil)
	n, failed := 0, 0
	for {
		_, err := r.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			if !errors.Is(err, boom) {
				t.Fatal(err)
			}
			failed++
			continue
		}
		n++
	}
	if n != 3 || failed != 1 {
		t.Errorf("%d messages, %d errors", n, failed)
	}
}

// once is a reader that fails once and then is at its end.
type once struct{ err error }

func (o *once) Read([]byte) (int, error) {
	err := o.err
	o.err = nil
	if err == nil {
		err = io.EOF
	}
	return 0, err
}

func TestReaderGivesUpOnAReaderThatGivesNothing(t *testing.T) {
	r := fbverify.NewReader(silent{}, bookTypes()["Book"], nil)
	if _, err := r.Next(); !errors.Is(err, io.ErrNoProgress) {
		t.Errorf("got %v", err)
	}
	r = fbverify.NewReader(liar{}, bookTypes()["Book"], nil)
	if _, err := r.Next(); err == nil {
		t.Error("a reader that claims too many bytes was believed")
	}
}

type silent struct{}

func (silent) Read([]byte) (int, error) { return 0, nil }

type liar struct{}

func (liar) Read(p []byte) (int, error) { return len(p) + 1, nil }

func TestALyingPrefixCostsNoMemory(t *testing.T) {
	var before, after runtime.MemStats
	prefix := binary.LittleEndian.AppendUint32(nil, math.MaxUint32)
	r := fbverify.NewReader(bytes.NewReader(append(prefix, 1, 2, 3)), bookTypes()["Book"], &fbverify.ReaderOptions{MaxMessage: math.MaxInt64})
	runtime.ReadMemStats(&before)
	_, err := r.Next()
	runtime.ReadMemStats(&after)
	if err == nil {
		t.Error("a message of four gigabytes was read from three bytes")
	}
	if got := after.TotalAlloc - before.TotalAlloc; got > 1<<20 {
		t.Errorf("%d bytes were allocated", got)
	}
}

func TestMessagesLargerThanAChunkAreRead(t *testing.T) {
	var stream []byte
	sizes := []int{10, 300_000, 5, 70_000, 65_536, 1, 2_000_000, 20}
	for _, n := range sizes {
		stream = append(stream, prefixedBook(strings.Repeat("y", n), 1, "Author")...)
	}
	for _, reuse := range []bool{false, true} {
		r := fbverify.NewReader(iotest.HalfReader(bytes.NewReader(stream)), nil, &fbverify.ReaderOptions{ReuseUnchecked: reuse})
		i := 0
		for v, err := range fbverify.Messages[Book](r) {
			if err != nil {
				t.Fatal(err)
			}
			if len(v.Root().Title()) != sizes[i] || v.Root().Author().Name() != "Author" {
				t.Errorf("message %d has %d bytes of title", i, len(v.Root().Title()))
			}
			i++
		}
		if i != len(sizes) {
			t.Errorf("%d messages", i)
		}
	}
}

func TestLongPrefixes(t *testing.T) {
	var stream []byte
	for i := range 5 {
		book := bookBytes(title(i), 1, "")
		stream = append(binary.LittleEndian.AppendUint64(stream, uint64(len(book))), book...)
	}
	r := fbverify.NewReader(bytes.NewReader(stream), nil, &fbverify.ReaderOptions{Options: fbverify.Options{Framing: fbverify.LongSizePrefixed}})
	n := 0
	for v, err := range fbverify.Messages[Book](r) {
		if err != nil {
			t.Fatal(err)
		}
		if v.Root().Title() != title(n) {
			t.Errorf("message %d is %q", n, v.Root().Title())
		}
		n++
	}
	if n != 5 {
		t.Errorf("%d messages", n)
	}
	huge := binary.LittleEndian.AppendUint64(nil, math.MaxUint64)
	if _, err := fbverify.Next[Book](fbverify.NewReader(bytes.NewReader(huge), nil, &fbverify.ReaderOptions{Options: fbverify.Options{Framing: fbverify.LongSizePrefixed}})); !errors.Is(err, fbverify.ErrTooLarge) {
		t.Errorf("got %v", err)
	}
}

func TestWrongOptionsEndALoop(t *testing.T) {
	r := fbverify.NewReader(bytes.NewReader(books(3)), nil, &fbverify.ReaderOptions{Options: fbverify.Options{MaxDepth: -1}})
	n := 0
	for _, err := range fbverify.Messages[Book](r) {
		if !errors.Is(err, fbverify.ErrOptions) {
			t.Errorf("got %v", err)
		}
		n++
	}
	if n != 1 {
		t.Errorf("%d rounds", n)
	}
}

func TestReadingAStreamWithOneBufferAllocatesNothing(t *testing.T) {
	stream := books(100)
	src := bytes.NewReader(stream)
	r := fbverify.NewReader(src, nil, &fbverify.ReaderOptions{ReuseUnchecked: true})
	if got := testing.AllocsPerRun(20, func() {
		src.Reset(stream)
		n := 0
		for _, err := range fbverify.Messages[Book](r) {
			if err != nil {
				t.Fatal(err)
			}
			n++
		}
		if n != 100 {
			t.Fatalf("%d messages", n)
		}
	}); got != 0 && !race.Enabled {
		t.Errorf("%v allocations for 100 messages", got)
	}
}

func TestWriterWritesABufferfulAtATime(t *testing.T) {
	for _, size := range []int{1, 100, 4096, 64 << 10} {
		t.Run(fmt.Sprint(size), func(t *testing.T) {
			var out counting
			w := fbverify.NewWriter(&out, &fbverify.WriterOptions{BufferSize: size, Identifier: "BOOK"})
			const n = 300
			for i := range n {
				var err error
				if i%3 == 0 {
					err = w.WriteMessage(bookBytes(title(i), float64(i), "Author"))
				} else {
					err = w.Finish(addBook(w.Builder(), title(i), float64(i), "Author"))
				}
				if err != nil {
					t.Fatal(err)
				}
				if w.Buffered() > size {
					t.Fatalf("%d bytes wait, and the buffer has %d", w.Buffered(), size)
				}
			}
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
			if w.Messages() != n {
				t.Errorf("%d messages", w.Messages())
			}
			if most := out.Len()/max(size, 1) + n; size >= 4096 && out.writes > out.Len()/(size/2)+2 || out.writes > 2*most {
				t.Errorf("%d writes for %d bytes", out.writes, out.Len())
			}
			r := fbverify.NewReader(&out.Buffer, nil, nil)
			i := 0
			for v, err := range fbverify.Messages[Book](r) {
				if err != nil {
					t.Fatal(err)
				}
				if v.Root().Title() != title(i) {
					t.Errorf("message %d is %q", i, v.Root().Title())
				}
				if id := string(v.Bytes()[8:12]); i%3 != 0 && id != "BOOK" {
					t.Errorf("the identifier is %q", id)
				}
				i++
			}
			if i != n {
				t.Errorf("%d messages came back", i)
			}
		})
	}
}

type counting struct {
	bytes.Buffer
	writes int
}

func (c *counting) Write(p []byte) (int, error) {
	c.writes++
	return c.Buffer.Write(p)
}

func TestWriterErrorsStay(t *testing.T) {
	boom := errors.New("boom")
	out := &failing{after: 1000, err: boom}
	w := fbverify.NewWriter(out, &fbverify.WriterOptions{BufferSize: 64})
	var first error
	for range 100 {
		err := w.Finish(addBook(w.Builder(), "Title", 1, "Author"))
		if first == nil {
			first = err
		} else if err != first {
			t.Fatalf("the error was %v and is now %v", first, err)
		}
	}
	if !errors.Is(first, boom) {
		t.Fatalf("the error is %v", first)
	}
	written := out.n
	for name, err := range map[string]error{
		"WriteMessage": w.WriteMessage(bookBytes("Title", 1, "")), "Flush": w.Flush(), "Close": w.Close(), "Close again": w.Close(),
	} {
		if err != first {
			t.Errorf("%s returns %v", name, err)
		}
	}
	if out.n != written {
		t.Error("more was written after the error")
	}
	short := fbverify.NewWriter(&failing{after: 3}, &fbverify.WriterOptions{BufferSize: 1})
	if err := short.WriteMessage(bookBytes("Title", 1, "")); !errors.Is(err, io.ErrShortWrite) {
		t.Errorf("a short write gives %v", err)
	}
	if err := fbverify.NewWriter(io.Discard, &fbverify.WriterOptions{Identifier: "LONGER"}).Flush(); err == nil {
		t.Error("an identifier of six bytes was taken")
	}
}

// failing takes so many bytes and then fails, or writes short without an error.
type failing struct {
	n, after int
	err      error
}

func (f *failing) Write(p []byte) (int, error) {
	if f.n+len(p) > f.after {
		n := f.after - f.n
		f.n = f.after
		return n, f.err
	}
	f.n += len(p)
	return len(p), nil
}

func TestAClosedWriterTakesNothing(t *testing.T) {
	var out bytes.Buffer
	w := fbverify.NewWriter(&out, nil)
	if err := w.Finish(addBook(w.Builder(), "Title", 1, "")); err != nil {
		t.Fatal(err)
	}
	if out.Len() != 0 || w.Buffered() == 0 {
		t.Error("a small message was not held back")
	}
	if err := errors.Join(w.Flush(), w.Close(), w.Close()); err != nil {
		t.Fatal(err)
	}
	n := out.Len()
	if w.Finish(addBook(w.Builder(), "Title", 1, "")) == nil || w.WriteMessage(nil) == nil || w.Flush() == nil {
		t.Error("a closed Writer took something")
	}
	if out.Len() != n {
		t.Error("a closed Writer wrote something")
	}
}
