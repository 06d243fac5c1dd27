package repair

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"iter"
	"math"

	flatbuffers "github.com/google/flatbuffers/go"

	"github.com/fbverify/go/fbverify"
	fb "github.com/fbverify/go/generated/arrow"
	"github.com/fbverify/go/readers"
	"github.com/fbverify/go/readers/arrow"
)

const (
	magicArrow   = "ARROW1\x00\x00"
	continuation = math.MaxUint32 // before the length of a message, since version 0.15
	mostDepth    = 128            // of Arrow's own readers
)

// message is a message of a stream that is sound by itself.
type message struct {
	at, body, end int64 // in the file: its length, its body, and what comes after
	view          fb.Message
	stray         bool // it stands behind bytes that are none
}

// messages finds the sound messages of a stream that starts at a position. Behind bytes that
// are no message it goes on at the next one, which is where a mark stands.
func messages(ctx context.Context, b []byte, from int64, r *Result) (found []message) {
	size := int64(len(b))
	stray := false
	legacy := size-from >= 4 && binary.LittleEndian.Uint32(b[from:]) != continuation
	work := 64 * size    // in search of a message without a mark: bytes to look at
	damaged := int64(-1) // where what is no message starts
	for pos := from; size-pos >= 8 && ctx.Err() == nil; {
		m, cost, why := messageAt(b, pos)
		if m == nil {
			head := binary.LittleEndian.Uint32(b[pos:])
			if head == 0 || head == continuation && binary.LittleEndian.Uint32(b[pos+4:]) == 0 {
				// The end of the stream, or padding: behind it a file has its footer.
				if damaged < 0 && pos > from {
					return found
				}
			}
			if damaged < 0 {
				damaged = pos
				r.lose("what stands at offset %d: %s", pos, why)
			}
			stray = true
			if legacy {
				// There are no marks to look for: a message may start at any multiple of eight.
				if work -= 16 + cost; work < 0 {
					return found
				}
				pos += 8 - (pos-from)&7
				continue
			}
			next := bytes.Index(b[pos+1:], []byte{0xff, 0xff, 0xff, 0xff})
			if next < 0 {
				return found
			}
			pos += 1 + int64(next)
			if rest := (pos - from) & 7; rest != 0 {
				pos += 8 - rest
				for size-pos >= 8 && binary.LittleEndian.Uint32(b[pos:]) != continuation {
					next := bytes.Index(b[pos:], []byte{0xff, 0xff, 0xff, 0xff})
					if next < 0 {
						return found
					}
					pos = from + (pos+int64(next)-from+7)&^7
				}
			}
			continue
		}
		m.stray, damaged = stray, -1
		found = append(found, *m)
		pos = m.end
	}
	return found
}

// messageAt returns the message at a position, or why there is none, and how many bytes it
// looked at.
func messageAt(b []byte, pos int64) (m *message, cost int64, err error) {
	head, n := int64(8), int64(binary.LittleEndian.Uint32(b[pos+4:]))
	if first := binary.LittleEndian.Uint32(b[pos:]); first != continuation {
		head, n = 4, int64(first)
	}
	rest := int64(len(b)) - pos - head
	if n < 8 || n > rest {
		return nil, cost, fmt.Errorf("the length of a message does not fit: %d bytes, with %d left", n, rest)
	}
	opts := &fbverify.Options{MaxDepth: mostDepth}
	counts, err := fbverify.TypeFor[fb.Message]().Measure(b[pos+head:pos+head+n], opts)
	if cost = int64(counts.Bytes); err != nil {
		return nil, cost, err
	}
	v, err := fbverify.RootWithOptions[fb.Message](b[pos+head:pos+head+n], opts)
	if err != nil {
		return nil, cost, err
	}
	m = &message{at: pos, body: pos + head + n, view: v.Root()}
	if l := m.view.BodyLength(); l < 0 || l > rest-n {
		return nil, cost, fmt.Errorf("the body of a message was cut off: it has %d bytes, with %d left", l, rest-n)
	}
	m.end = m.body + m.view.BodyLength()
	return m, cost, nil
}

// arrowFile mends an Arrow file: by its footer where that is sound, else by its messages.
func arrowFile(ctx context.Context, b []byte) (*Result, error) {
	r := new(Result)
	f, err := arrow.OpenBytes(b, nil)
	if err != nil {
		r.lose("the footer: %v", err)
		start := int64(len(magicArrow))
		return r, r.fromMessages(ctx, b, messages(ctx, b, min(start, int64(len(b))), r), true)
	}
	a := &arrowOut{r: r, file: true, version: f.Footer().Root().Version(), schema: f.Schema().View}
	a.start(nil)
	a.needs = dictionaryIDs(a.schema)
	for batch, err := range f.Dictionaries(ctx) {
		a.batch(b, batch, err)
	}
	for batch, err := range f.Batches(ctx) {
		a.batch(b, batch, err)
	}
	return r, a.end(f.Footer().Root())
}

// arrowStream mends an Arrow stream.
func arrowStream(ctx context.Context, b []byte) (*Result, error) {
	r := new(Result)
	return r, r.fromMessages(ctx, b, messages(ctx, b, 0, r), false)
}

var errNoSchema = errors.New("nothing of it can be saved: the schema is damaged, and nothing can be read without it")

// fromMessages puts messages together. Each is held against the schema, as a reader would.
func (r *Result) fromMessages(ctx context.Context, b []byte, found []message, file bool) error {
	if len(found) == 0 {
		return errNoSchema
	}
	schema, ok := found[0].view.Header().AsSchema()
	if !ok {
		return errNoSchema
	}
	top := b[found[0].at:found[0].body]
	judged, err := judge(ctx, b, top, found, schema)
	if err != nil {
		return err
	}
	a := &arrowOut{r: r, file: file, version: found[0].view.Version(), schema: schema}
	a.start(top)
	a.needs = dictionaryIDs(schema)
	for _, v := range judged {
		if file && v.batch != nil && v.batch.Dictionary { // a file's reader has them all before the first batch
			a.has(v.batch)
		}
	}
	for i, m := range found[1:] {
		if judged[i+1].err == nil && judged[i+1].batch == nil {
			r.lose("the message at offset %d: it is no batch: %v", m.at, m.view.HeaderType())
			continue
		}
		a.batch(b, judged[i+1].batch, judged[i+1].err)
	}
	return a.end(fb.Footer{})
}

// verdict is a batch that is as the schema says, or why one is not.
type verdict struct {
	batch *arrow.Batch
	err   error
}

// judge holds messages against the schema, as a reader of a file would that has them all.
func judge(ctx context.Context, b, top []byte, found []message, schema fb.Schema) ([]verdict, error) {
	judged := make([]verdict, len(found))
	all := &arrowOut{r: new(Result), file: true, version: found[0].view.Version(), schema: schema}
	all.start(top)
	var dictionaries, batches []int // by their order there
	for i, m := range found[1:] {
		batch := &arrow.Batch{Message: readers.Range{Offset: m.at, Length: m.body - m.at}, Body: readers.Range{Offset: m.body, Length: m.end - m.body}}
		switch m.view.HeaderType() {
		case fb.MessageHeaderDictionaryBatch:
			batch.Dictionary = true
			dictionaries = append(dictionaries, i+1)
		case fb.MessageHeaderRecordBatch:
			batches = append(batches, i+1)
		default:
			continue
		}
		all.batch(b, batch, nil)
	}
	if err := all.end(fb.Footer{}); err != nil {
		return nil, err
	}
	f, err := arrow.Open(ctx, all.r, all.r.Size, nil)
	if err != nil {
		return nil, fmt.Errorf("nothing of it can be saved: %w", err)
	}
	take := func(order []int, list func(context.Context) iter.Seq2[*arrow.Batch, error]) {
		n := 0
		for batch, err := range list(ctx) {
			if n == len(order) {
				return
			}
			m := found[order[n]]
			if err == nil {
				batch.Message, batch.Body = readers.Range{Offset: m.at, Length: m.body - m.at}, readers.Range{Offset: m.body, Length: m.end - m.body}
			} else {
				err = fmt.Errorf("the message at offset %d: %w", m.at, err)
			}
			judged[order[n]] = verdict{batch, err}
			n++
		}
		for ; n < len(order); n++ {
			judged[order[n]].err = fmt.Errorf("the message at offset %d cannot be read", found[order[n]].at)
		}
	}
	take(dictionaries, f.Dictionaries)
	take(batches, f.Batches)
	return judged, ctx.Err()
}

// arrowOut writes an Arrow file or stream.
type arrowOut struct {
	r                     *Result
	file                  bool
	version               fb.MetadataVersion
	schema                fb.Schema
	legacy                bool // messages without a mark before their length
	dictionaries, batches []fb.Block
	rows                  int64
	needs                 map[int64]bool // ids of dictionaries that were not met yet
}

// dictionaryIDs are the ids of the dictionaries that the columns of a schema refer to.
func dictionaryIDs(s fb.Schema) map[int64]bool {
	ids := map[int64]bool{}
	var fields func(list fb.FieldVector)
	fields = func(list fb.FieldVector) {
		for _, f := range list.All() {
			if d := f.Dictionary(); d.Present() {
				ids[d.ID()] = true
			}
			fields(f.Children())
		}
	}
	fields(s.Fields())
	return ids
}

// has notes that a dictionary is there, unless it only adds to one that is not.
func (a *arrowOut) has(batch *arrow.Batch) {
	if !batch.Delta {
		delete(a.needs, batch.ID)
	}
}

// start writes the schema: the message that the damaged file has, where it is sound.
func (a *arrowOut) start(b []byte) {
	if a.file {
		a.r.add([]byte(magicArrow))
	}
	if b == nil {
		m := fb.NewMessageT()
		m.Version, m.Header = a.version, &fb.MessageHeaderT{Type: fb.MessageHeaderSchema, Value: a.schema.Unpack()}
		builder := flatbuffers.NewBuilder(1024)
		builder.Finish(m.Pack(builder))
		text := builder.FinishedBytes()
		n := (len(text) + 7) &^ 7
		b = binary.LittleEndian.AppendUint32([]byte{0xff, 0xff, 0xff, 0xff}, uint32(n))
		b = append(append(b, text...), make([]byte, n-len(text))...)
	}
	a.legacy = binary.LittleEndian.Uint32(b) != continuation
	a.r.Kept = append(a.r.Kept, "the schema")
	a.r.add(b)
	a.r.align()
}

// batch writes a batch, or notes that it is lost.
func (a *arrowOut) batch(b []byte, batch *arrow.Batch, err error) {
	if err != nil {
		a.r.lose("%v", err)
		return
	}
	if batch.Dictionary {
		a.has(batch)
	}
	switch {
	case batch.Dictionary && a.needs[batch.ID]:
		a.r.lose("the dictionary batch at offset %d, which adds to one that is lost", batch.Message.Offset)
		return
	case !batch.Dictionary && len(a.needs) > 0:
		a.r.lose("the batch at offset %d, whose dictionary is lost", batch.Message.Offset)
		return
	}
	block := fb.Block{Offset: a.r.Size, MetaDataLength: int32(batch.Message.Length), BodyLength: batch.Body.Length}
	a.r.add(b[batch.Message.Offset:batch.Message.End()])
	a.r.add(b[batch.Body.Offset:batch.Body.End()])
	a.r.align()
	if batch.Dictionary {
		a.dictionaries = append(a.dictionaries, block)
		return
	}
	a.batches = append(a.batches, block)
	a.rows += batch.Rows
}

// end writes the end of a stream, and a file's footer. It takes metadata from the old one.
func (a *arrowOut) end(old fb.Footer) error {
	r := a.r
	if len(a.batches) == 0 && len(r.Lost) > 0 && len(a.dictionaries) == 0 {
		r.Kept = append(r.Kept, "no batch")
	}
	r.keep(len(a.dictionaries), "dictionary batch")
	if n := len(a.batches); n > 0 {
		r.keep(n, "batch")
		r.keep(int(a.rows), "row")
	}
	if a.legacy {
		r.add(make([]byte, 4))
	} else {
		r.add([]byte{0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0})
	}
	if !a.file {
		return nil
	}
	footer := fb.NewFooterT()
	footer.Version, footer.Schema = a.version, a.schema.Unpack()
	footer.Dictionaries, footer.RecordBatches = a.dictionaries, a.batches
	if old.Present() {
		footer.CustomMetadata = old.Unpack().CustomMetadata
	}
	builder := flatbuffers.NewBuilder(1024)
	builder.Finish(footer.Pack(builder))
	text := builder.FinishedBytes()
	r.align()
	r.add(text)
	r.add(binary.LittleEndian.AppendUint32(nil, uint32(len(text))))
	r.add([]byte(magicArrow[:6]))
	return nil
}
