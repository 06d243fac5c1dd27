package inputs

import (
	"math/rand/v2"

	flatbuffers "github.com/google/flatbuffers/go"
)

// words are short strings of several scripts: two, three and four bytes a
// character, and ASCII between.
var words = []string{
	"Straße", "çà et là", "naïveté", "Ελλάδα", "καλημέρα", "ποταμός", "Москва", "погода", "дорога",
	"日本", "東京都", "北京市", "서울", "안녕", "नमस्ते", "שלום", "مرحبا", "žluťoučký", "Łódź", "🚀 go", "naïve café", "½ π",
}

// Texts returns about size bytes with root bench.Texts: vectors of short
// strings, nine in ten of which are not plain ASCII.
func Texts(size int) Buffer {
	r := rng(uint64(size))
	b := flatbuffers.NewBuilder(size + size/4)
	var lists []flatbuffers.UOffsetT
	for int(b.Offset())+4*len(lists) < size {
		lists = append(lists, textList(b, r, 16))
	}
	listsAt := offsets(b, lists)
	b.StartObject(1)
	b.PrependUOffsetTSlot(0, listsAt, 0)
	return Buffer{Name: "texts", Bytes: finished(b, b.EndObject()), Tables: 1 + len(lists)}
}

// textList writes a table bench.TextList of count words.
func textList(b *flatbuffers.Builder, r *rand.Rand, count int) flatbuffers.UOffsetT {
	elements := make([]flatbuffers.UOffsetT, count)
	for i := range elements {
		word := "plain"
		if r.IntN(10) > 0 {
			word = words[r.IntN(len(words))]
		}
		elements[i] = b.CreateString(word)
	}
	wordsAt := offsets(b, elements)
	b.StartObject(1)
	b.PrependUOffsetTSlot(0, wordsAt, 0)
	return b.EndObject()
}
