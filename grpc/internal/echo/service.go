package echo

import (
	"context"
	"io"

	flatbuffers "github.com/google/flatbuffers/go"

	"github.com/fbverify/go/fbverify"
	fbgrpc "github.com/fbverify/go/grpc"
)

//go:generate go run github.com/fbverify/go/cmd/fbgen -grpc -o . echo.fbs

// Build returns a finished Word.
func Build(text string, number int32) *flatbuffers.Builder {
	b := flatbuffers.NewBuilder(64)
	at := b.CreateString(text)
	WordStart(b)
	WordAddText(b, at)
	WordAddNumber(b, number)
	b.Finish(WordEnd(b))
	return b
}

// BuildAll returns finished Words with the texts.
func BuildAll(texts []string) *flatbuffers.Builder {
	b := flatbuffers.NewBuilder(64)
	words := make([]flatbuffers.UOffsetT, len(texts))
	for i, text := range texts {
		at := b.CreateString(text)
		WordStart(b)
		WordAddText(b, at)
		words[i] = WordEnd(b)
	}
	vector := b.CreateVectorOfTables(words)
	WordsStart(b)
	WordsAddWords(b, vector)
	b.Finish(WordsEnd(b))
	return b
}

// Handlers is an EchoServer that sends words back: Repeat as often as the number says.
type Handlers struct {
	Entered func() // by a call whose request is there, and by each request of a stream
}

func (h Handlers) Once(_ context.Context, in fbverify.Verified[Word]) (fbgrpc.Message, error) {
	h.Entered()
	return fbgrpc.Forward(in), nil
}

func (h Handlers) Repeat(in fbverify.Verified[Word], out fbgrpc.Replies) error {
	h.Entered()
	b := flatbuffers.NewBuilder(64)
	for i := range in.Root().Number() { // one builder for all: a sent message is a copy
		b.Reset()
		at := b.CreateString(in.Root().Text())
		WordStart(b)
		WordAddText(b, at)
		WordAddNumber(b, i)
		b.Finish(WordEnd(b))
		if err := out.Send(b); err != nil {
			return err
		}
	}
	return nil
}

// Join keeps all requests until the last one came, which shows that they stay as they were. It
// disregards errors, which shows that the call ends with them all the same.
func (h Handlers) Join(in *fbgrpc.Requests[Word]) (fbgrpc.Message, error) {
	var kept []fbverify.Verified[Word]
	for {
		word, err := in.Recv()
		if err != nil {
			break
		}
		h.Entered()
		kept = append(kept, word)
	}
	texts := make([]string, len(kept))
	for i, word := range kept {
		texts[i] = word.Root().Text()
	}
	return BuildAll(texts), nil
}

func (h Handlers) Talk(in *fbgrpc.Requests[Word], out fbgrpc.Replies) error {
	for {
		word, err := in.Recv()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		h.Entered()
		if err := out.Send(fbgrpc.Forward(word)); err != nil {
			return err
		}
	}
}
