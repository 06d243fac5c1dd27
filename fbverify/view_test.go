package fbverify_test

import (
	"sync"
	"testing/fstest"

	"github.com/fbverify/go/fbverify"
	"github.com/fbverify/go/fbverify/fbread"
	"github.com/fbverify/go/schema/fbs"
	flatbuffers "github.com/google/flatbuffers/go"
)

// A schema, and views of it written as fbgen writes them.
const bookSchema = `
namespace shop;
table Author { name:string (required); }
table Book   { title:string (required); price:double; author:Author; cover:[ubyte] (nested_flatbuffer: "Author"); }
root_type Book;
`

var bookTypes = sync.OnceValue(func() map[string]*fbverify.Type {
	s, err := fbs.ParseFS(fstest.MapFS{"book.fbs": {Data: []byte(bookSchema)}}, "book.fbs")
	if err != nil {
		panic(err)
	}
	return map[string]*fbverify.Type{
		"Book":   fbverify.MustCompile(s, "shop.Book"),
		"Author": fbverify.MustCompile(s, "shop.Author"),
	}
})

// Book is a view of the table shop.Book.
type Book fbread.Of[Book]

func (v Book) FlatBuffersType() *fbverify.Type { return bookTypes()["Book"] }
func (v Book) Title() string                   { return fbread.String(fbread.Unchecked(v), 4) }
func (v Book) Price() float64                  { return fbread.Float64(fbread.Unchecked(v), 6, 0) }
func (v Book) Author() Author                  { return fbread.Child[Author](fbread.Unchecked(v), 8) }
func (v Book) CoverNested() (fbverify.Verified[Author], bool) {
	buf := fbread.Bytes(fbread.Unchecked(v), 10)
	if len(buf) == 0 {
		return fbverify.Verified[Author]{}, false
	}
	return fbverify.RootUnchecked[Author](buf, fbverify.Unframed), true
}

// Author is a view of the table shop.Author.
type Author fbread.Of[Author]

func (v Author) FlatBuffersType() *fbverify.Type { return bookTypes()["Author"] }
func (v Author) Present() bool                   { return fbread.Present(fbread.Unchecked(v)) }
func (v Author) Name() string                    { return fbread.String(fbread.Unchecked(v), 4) }

// addBook writes a Book into b and returns it.
func addBook(b *flatbuffers.Builder, title string, price float64, author string) flatbuffers.UOffsetT {
	t := b.CreateString(title)
	var a flatbuffers.UOffsetT
	if author != "" {
		a = addAuthor(b, author)
	}
	b.StartObject(4)
	b.PrependFloat64Slot(1, price, 0)
	b.PrependUOffsetTSlot(2, a, 0)
	b.PrependUOffsetTSlot(0, t, 0)
	return b.EndObject()
}

func addAuthor(b *flatbuffers.Builder, name string) flatbuffers.UOffsetT {
	n := b.CreateString(name)
	b.StartObject(1)
	b.PrependUOffsetTSlot(0, n, 0)
	return b.EndObject()
}

// bookBytes is a finished Book.
func bookBytes(title string, price float64, author string) []byte {
	b := flatbuffers.NewBuilder(0)
	b.Finish(addBook(b, title, price, author))
	return b.FinishedBytes()
}

// prefixedBook is a finished Book with its size before it.
func prefixedBook(title string, price float64, author string) []byte {
	b := flatbuffers.NewBuilder(0)
	b.FinishSizePrefixed(addBook(b, title, price, author))
	return b.FinishedBytes()
}
