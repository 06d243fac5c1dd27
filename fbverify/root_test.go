package fbverify_test

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/fbverify/go/fbverify"
	"github.com/fbverify/go/internal/gentest/shop"
	"github.com/fbverify/go/schema/fbs"
	flatbuffers "github.com/google/flatbuffers/go"
)

func ExampleRootAs() {
	book, err := fbverify.RootAs[shop.Book](bookTypes()["Book"], bookBytes("Flat", 1, ""), nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%s\n", book.Title())
	// Output: Flat
}

func TestRootReadsWhatWasWritten(t *testing.T) {
	buf := bookBytes("Title", 2.5, "Name")
	for name, root := range map[string]func() (fbverify.Verified[Book], error){
		"checked": func() (fbverify.Verified[Book], error) { return fbverify.Root[Book](buf) },
		"opts": func() (fbverify.Verified[Book], error) {
			return fbverify.RootWithOptions[Book](buf, &fbverify.Options{Strict: true})
		},
		"copy": func() (fbverify.Verified[Book], error) {
			return fbverify.RootWithOptions[Book](buf, &fbverify.Options{Copy: true})
		},
		"unchecked": func() (fbverify.Verified[Book], error) {
			return fbverify.RootUnchecked[Book](buf, fbverify.Unframed), nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			v, err := root()
			if err != nil {
				t.Fatal(err)
			}
			r := v.Root()
			if r.Title() != "Title" || r.Price() != 2.5 || r.Author().Name() != "Name" {
				t.Errorf("read %q, %v, %q", r.Title(), r.Price(), r.Author().Name())
			}
			if !slices.Equal(v.Bytes(), buf) {
				t.Error("Bytes are not those that were verified")
			}
			if own := &v.Bytes()[0] != &buf[0]; own != (name == "copy") {
				t.Errorf("the bytes are a copy: %v", own)
			}
		})
	}
}

func TestEveryTruncatedRootIsRefused(t *testing.T) {
	buf := bookBytes("Title", 2.5, "Name")
	accepted := 0
	for n := range len(buf) {
		v, err := fbverify.Root[Book](buf[:n:n])
		var fault *fbverify.Error
		switch {
		case err == nil:
			// Only padding may be missing: what is left reads the same.
			accepted++
			if r := v.Root(); r.Title() != "Title" || r.Author().Name() != "Name" {
				t.Errorf("%d of %d bytes: accepted, and read %q by %q", n, len(buf), r.Title(), r.Author().Name())
			}
		case !errors.As(err, &fault):
			t.Errorf("%d bytes: the error is a %T", n, err)
		}
	}
	if accepted > 4 {
		t.Errorf("%d truncated buffers were accepted", accepted)
	}
}

func TestCopyIsNotReachedByLaterWrites(t *testing.T) {
	buf := bookBytes("Title", 2.5, "Name")
	v, err := fbverify.RootWithOptions[Book](buf, &fbverify.Options{Copy: true})
	if err != nil {
		t.Fatal(err)
	}
	clear(buf)
	if v.Root().Title() != "Title" {
		t.Error("a write to the buffer changed the copy")
	}
}

func TestSizePrefixedRoots(t *testing.T) {
	message := prefixedBook("Title", 2.5, "Name")
	stream := append(slices.Clone(message), 9, 9, 9)
	long := append(binary.LittleEndian.AppendUint64(nil, uint64(len(message)-4)), message[4:]...)
	for name, root := range map[string]func() (fbverify.Verified[Book], error){
		"checked": func() (fbverify.Verified[Book], error) {
			return fbverify.RootWithOptions[Book](message, &fbverify.Options{Framing: fbverify.SizePrefixed})
		},
		"trailing": func() (fbverify.Verified[Book], error) {
			return fbverify.RootWithOptions[Book](stream, &fbverify.Options{Framing: fbverify.SizePrefixed})
		},
		"unchecked": func() (fbverify.Verified[Book], error) {
			first, _, err := fbverify.SizePrefixed.Message(stream)
			return fbverify.RootUnchecked[Book](first, fbverify.SizePrefixed), err
		},
		"strict": func() (fbverify.Verified[Book], error) {
			return fbverify.RootWithOptions[Book](message, &fbverify.Options{Framing: fbverify.SizePrefixed, Strict: true})
		},
		"copy": func() (fbverify.Verified[Book], error) {
			return fbverify.RootWithOptions[Book](stream, &fbverify.Options{Framing: fbverify.SizePrefixed, Copy: true})
		},
		"long": func() (fbverify.Verified[Book], error) {
			return fbverify.RootWithOptions[Book](long, &fbverify.Options{Framing: fbverify.LongSizePrefixed, SkipAlignment: true})
		},
	} {
		t.Run(name, func(t *testing.T) {
			v, err := root()
			if err != nil {
				t.Fatal(err)
			}
			if r := v.Root(); r.Title() != "Title" || r.Author().Name() != "Name" {
				t.Errorf("read %q by %q", r.Title(), r.Author().Name())
			}
			if want := len(message); name != "long" && len(v.Bytes()) != want {
				t.Errorf("%d bytes, want %d: the message with its prefix", len(v.Bytes()), want)
			}
		})
	}
	if _, err := fbverify.RootWithOptions[Book](stream, &fbverify.Options{Framing: fbverify.SizePrefixed, Strict: true}); !errors.Is(err, fbverify.ErrTrailing) {
		t.Errorf("bytes after a message, strictly: %v", err)
	}
	binary.LittleEndian.PutUint32(message, uint32(len(message)))
	if _, err := fbverify.RootWithOptions[Book](message, &fbverify.Options{Framing: fbverify.SizePrefixed}); !errors.Is(err, fbverify.ErrSizePrefix) {
		t.Errorf("a prefix that promises too much: %v", err)
	}
}

func TestCopyOfAMessageLeavesTheRestOfTheStream(t *testing.T) {
	message := prefixedBook("Title", 2.5, "Name")
	stream := append(slices.Clone(message), make([]byte, 1<<20)...)
	for _, buf := range [][]byte{stream, message} {
		v, err := fbverify.RootWithOptions[Book](buf, &fbverify.Options{Framing: fbverify.SizePrefixed, Copy: true})
		if err != nil {
			t.Fatal(err)
		}
		if b := v.Bytes(); cap(b) > 2*len(message) || &b[0] == &buf[0] {
			t.Errorf("a message of %d bytes has a copy of %d", len(message), cap(b))
		}
	}
	for n := range 8 {
		if _, err := fbverify.RootWithOptions[Book](message[:n], &fbverify.Options{Copy: true, Framing: fbverify.SizePrefixed + fbverify.Framing(n%2)}); err == nil {
			t.Errorf("%d bytes were accepted", n)
		}
	}
}

func TestFlatcTypesGetTheSameProof(t *testing.T) {
	typ := bookTypes()["Book"]
	buf, message := bookBytes("Title", 1, ""), prefixedBook("Title", 1, "")
	plain, err := fbverify.RootAs[shop.Book](typ, buf, nil)
	if err != nil || string(plain.Title()) != "Title" {
		t.Errorf("RootAs: %v", err)
	}
	prefixed, err := fbverify.RootAs[shop.Book](typ, message, &fbverify.Options{Framing: fbverify.SizePrefixed, Copy: true})
	if err != nil || string(prefixed.Title()) != "Title" {
		t.Errorf("RootAs of a size-prefixed message: %v", err)
	}
	long := append(binary.LittleEndian.AppendUint64(nil, uint64(len(message)-4)), message[4:]...)
	prefixed, err = fbverify.RootAs[shop.Book](typ, long, &fbverify.Options{Framing: fbverify.LongSizePrefixed, SkipAlignment: true})
	if err != nil || string(prefixed.Title()) != "Title" {
		t.Errorf("RootAs with a long prefix: %v", err)
	}
	if p, err := fbverify.RootAs[shop.Book](typ, buf[:8], nil); err == nil || p != nil {
		t.Errorf("a truncated buffer gave %v, %v", p, err)
	}
	if p, err := fbverify.RootAs[shop.Book](typ, message[:8], &fbverify.Options{Framing: fbverify.SizePrefixed}); err == nil || p != nil {
		t.Errorf("a truncated message gave %v, %v", p, err)
	}
}

func TestNestedBuffersOfAVerifiedParentAreVerified(t *testing.T) {
	inner := flatbuffers.NewBuilder(0)
	inner.Finish(addAuthor(inner, "Inside"))
	nested := inner.FinishedBytes()
	build := func(nested []byte) []byte {
		b := flatbuffers.NewBuilder(0)
		title := b.CreateString("Outside")
		b.StartVector(1, len(nested), 8)
		for i := len(nested) - 1; i >= 0; i-- {
			b.PrependByte(nested[i])
		}
		cover := b.EndVector(len(nested))
		b.StartObject(4)
		b.PrependUOffsetTSlot(3, cover, 0)
		b.PrependUOffsetTSlot(0, title, 0)
		b.Finish(b.EndObject())
		return b.FinishedBytes()
	}
	v, err := fbverify.Root[Book](build(nested))
	if err != nil {
		t.Fatal(err)
	}
	author, ok := v.Root().CoverNested()
	if !ok || author.Root().Name() != "Inside" || !slices.Equal(author.Bytes(), nested) {
		t.Errorf("nested buffer: %v", ok)
	}
	if _, err := fbverify.Root[Book](build(nested[:len(nested)-8])); err == nil {
		t.Error("a truncated nested buffer was accepted")
	}
	plain := fbverify.RootUnchecked[Book](bookBytes("Title", 1, ""), fbverify.Unframed)
	if author, ok := plain.Root().CoverNested(); ok || author.Bytes() != nil {
		t.Error("an absent nested buffer is there")
	}
}

func TestAnAbsentTableReadsAsDefaults(t *testing.T) {
	v, err := fbverify.Root[Book](bookBytes("Title", 1, ""))
	if err != nil {
		t.Fatal(err)
	}
	if a := v.Root().Author(); a.Present() || a.Name() != "" {
		t.Errorf("present %v, name %q", a.Present(), a.Name())
	}
}

func TestUncheckedRootsAllocateNothing(t *testing.T) {
	buf, message := bookBytes("Title", 1, "Name"), prefixedBook("Title", 1, "Name")
	var n int
	if got := testing.AllocsPerRun(100, func() {
		n += len(fbverify.RootUnchecked[Book](buf, fbverify.Unframed).Root().Author().Name())
		n += len(fbverify.RootUnchecked[Book](message, fbverify.SizePrefixed).Root().Author().Name())
	}); got != 0 {
		t.Errorf("%v allocations", got)
	}
}

// opened keeps what the benchmarks compute.
var opened uint64

func BenchmarkRootUnchecked(b *testing.B) {
	buf, message := bookBytes("Title", 1, "Name"), prefixedBook("Title", 1, "Name")
	b.Run("plain", func(b *testing.B) {
		b.ReportAllocs()
		var n uint64
		for range b.N {
			n += uint64(len(fbverify.RootUnchecked[Book](buf, fbverify.Unframed).Bytes()))
		}
		opened = n
	})
	b.Run("with-one-read", func(b *testing.B) {
		b.ReportAllocs()
		var n float64
		for range b.N {
			n += fbverify.RootUnchecked[Book](buf, fbverify.Unframed).Root().Price()
		}
		opened = uint64(n)
	})
	b.Run("size-prefixed", func(b *testing.B) {
		b.ReportAllocs()
		var n float64
		for range b.N {
			n += fbverify.RootUnchecked[Book](message, fbverify.SizePrefixed).Root().Price()
		}
		opened = uint64(n)
	})
}

// Monster is of another table, and Range_ of one whose name flatc found to be a word
// of Go.
type (
	Monster struct{ shop.Book }
	Range_  struct{ shop.Book }
	unnamed = struct{ *shop.Book }
)

func TestRootAsRefusesTypesOfOtherTables(t *testing.T) {
	s, err := fbs.Parse("t.fbs", []byte("namespace a.b; table World { x: int; } table Range { x: int; } table monster { x: int; }"))
	if err != nil {
		t.Fatal(err)
	}
	b := flatbuffers.NewBuilder(0)
	b.StartObject(1)
	b.Finish(b.EndObject())
	buf := b.FinishedBytes()
	as := func(root string, open func(*fbverify.Type) error, says string) {
		t.Helper()
		err := open(fbverify.MustCompile(s, root))
		if says == "" && err != nil || says != "" && (err == nil || !strings.Contains(err.Error(), says)) {
			t.Errorf("a %s: %v, want %q", root, err, says)
		}
	}
	monster := func(typ *fbverify.Type) error { _, err := fbverify.RootAs[Monster](typ, buf, nil); return err }
	ranged := func(typ *fbverify.Type) error { _, err := fbverify.RootAs[Range_](typ, buf, nil); return err }
	nameless := func(typ *fbverify.Type) error { _, err := fbverify.RootAs[unnamed](typ, buf, nil); return err }
	as("World", monster, "the buffer's root is a.b.World, and fbverify_test.Monster is the type of a table Monster")
	as("World", nameless, "has no name")
	as("Range", ranged, "")
	as("monster", monster, "") // flatc keeps the case; others, and people, do not
}

func TestAVerifiedIsNotMadeOfJSON(t *testing.T) {
	var v fbverify.Verified[Book]
	if !v.IsZero() {
		t.Error("the zero Verified is not zero")
	}
	if err := json.Unmarshal([]byte("{}"), &v); err == nil || !v.IsZero() {
		t.Errorf("Unmarshal into a Verified: %v", err)
	}
	v, err := fbverify.Root[Book](bookBytes("Title", 1, ""))
	if err != nil || v.IsZero() {
		t.Errorf("a Verified with a root is zero (%v)", err)
	}
}
