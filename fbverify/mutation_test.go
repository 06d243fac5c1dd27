package fbverify_test

import (
	"math/rand/v2"
	"testing"

	"github.com/fbverify/go/fbverify"
	flatbuffers "github.com/google/flatbuffers/go"
)

// richBook is a Book with a nested Author.
func richBook() []byte {
	inner := flatbuffers.NewBuilder(0)
	inner.Finish(addAuthor(inner, "Inside"))
	nested := inner.FinishedBytes()
	b := flatbuffers.NewBuilder(0)
	b.StartVector(1, len(nested), 8)
	for i := len(nested) - 1; i >= 0; i-- {
		b.PrependByte(nested[i])
	}
	cover := b.EndVector(len(nested))
	title := b.CreateString("Outside")
	author := addAuthor(b, "Name")
	b.StartObject(4)
	b.PrependFloat64Slot(1, 2.5, 0)
	b.PrependUOffsetTSlot(3, cover, 0)
	b.PrependUOffsetTSlot(2, author, 0)
	b.PrependUOffsetTSlot(0, title, 0)
	b.Finish(b.EndObject())
	return b.FinishedBytes()
}

// What is accepted must be readable: with -tags fbdebug every read outside the
// buffer panics here, and elsewhere each has an allocation of its own to leave.
func TestDamagedBuffersThatAreAcceptedCanBeRead(t *testing.T) {
	const rounds = 20000
	r := rand.New(rand.NewPCG(1, 2))
	good := richBook()
	accepted, refused, bytes := 0, 0, 0
	for range rounds {
		buf := make([]byte, len(good)-r.IntN(2)*r.IntN(8))
		copy(buf, good)
		for range 1 + r.IntN(3) {
			at := r.IntN(len(buf))
			switch r.IntN(3) {
			case 0:
				buf[at] ^= 1 << r.IntN(8)
			case 1:
				buf[at] = byte(r.Uint32())
			default:
				buf[at] += byte(r.IntN(9) * 4)
			}
		}
		v, err := fbverify.RootWithOptions[Book](buf, &fbverify.Options{SkipUTF8: r.IntN(2) == 0, SkipAlignment: r.IntN(2) == 0})
		if err != nil {
			refused++
			continue
		}
		accepted++
		book := v.Root()
		sum := len(book.Title()) + len(book.Author().Name())
		if book.Price() == 2.5 {
			sum++
		}
		if cover, ok := book.CoverNested(); ok {
			sum += len(cover.Root().Name())
		}
		for _, c := range []byte(book.Title() + book.Author().Name()) {
			bytes += int(c)
		}
		if sum > 3*len(buf) {
			t.Fatalf("the strings are longer than the buffer: %q", buf)
		}
	}
	if accepted < rounds/100 || refused < rounds/100 {
		t.Errorf("%d buffers were accepted and %d refused: the damage decides nothing", accepted, refused)
	}
}
