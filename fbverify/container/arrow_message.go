package container

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/fbverify/go/fbverify"
	"github.com/fbverify/go/fbverify/traverse"
	"github.com/fbverify/go/internal/places"
)

// Facts of Arrow's IPC format (https://arrow.apache.org/docs/format/Columnar.html):
// the marker before a message since version 0.15, and the members of the union
// MessageHeader.
const (
	continuation = places.Continuation

	headerSchema       = 1
	headerDictionary   = 2
	headerRecordBatch  = 3
	headerTensor       = 4
	headerSparseTensor = 5
)

// message is what the framing needs to know of an Arrow Message.
type message struct {
	version uint64
	kind    uint64 // of MessageHeader
	header  bool   // there is one that can be read
	body    int64  // bytes; negative when the file says so
	bodyAt  int64  // where the file says so
	buffers vector // places in the body
	fault   *fault // of what is not the header
}

// messageFields are those that lead to what is in a message: a tensor's data is one place, a
// dictionary's a batch.
var messageFields = []string{"version", "header_type", "header", "bodyLength", "data", "buffers"}

// readMessage reads the Message of n bytes at pos. A header that cannot be read does not
// keep the next message from being found.
func readMessage(s *source, pos, n int64) (m message) {
	r := s.follow(knownTypes[rootMessage](), pos, n, mostRead, fbverify.Options{}, messageFields, func(r *reading) func(*traverse.Event) traverse.Answer {
		m = message{}
		return func(e *traverse.Event) traverse.Answer {
			switch {
			case !e.Sound:
			case e.What == traverse.Table:
				m.header = m.header || e.Depth == 2
			case e.What == traverse.Vector && e.Field.Name == "buffers":
				m.buffers = r.vector(e)
			case e.What != traverse.Field:
			case e.Field.Name == "version":
				m.version = r.value(e)
			case e.Field.Name == "header_type":
				m.kind = r.value(e)
			case e.Field.Name == "bodyLength":
				m.body, m.bodyAt = int64(r.value(e)), r.base+int64(e.Pos)
			case e.Field.Name == "data" && e.Field.Type.IsStruct():
				m.buffers = vector{r, e.Pos, 1, e.Size}
			}
			return traverse.Go
		}
	})
	m.fault = r.first("version", "header_type", "bodyLength")
	return m
}

// names numbers the messages of a file by what they are.
type names struct{ schemas, dictionaries, batches, tensors, sparse, others int64 }

func (n *names) next(kind uint64) string {
	count := func(p *int64, name string) string {
		*p++
		return indexed(name, *p-1, "")
	}
	switch kind {
	case headerSchema:
		if n.schemas++; n.schemas == 1 {
			return "schema"
		}
		return indexed("schema", n.schemas-1, "")
	case headerDictionary:
		return count(&n.dictionaries, "dictionary")
	case headerRecordBatch:
		return count(&n.batches, "batch")
	case headerTensor:
		return count(&n.tensors, "tensor")
	case headerSparseTensor:
		return count(&n.sparse, "sparse-tensor")
	}
	return count(&n.others, "message")
}

// arrowPart is a Part with the limits that Arrow's C++ reader sets.
func arrowPart(name, root string, offset, length int64) Part {
	return Part{Name: name, Root: root, Offset: offset, Length: length, Preset: places.ArrowLimits(length)}
}

// ipc walks encapsulated messages.
type ipc struct {
	*walker
	names names
	end   int64 // of the bytes that messages may lie in
	found int64 // messages met

	// name names a message by its position; nil, or "" for a position it does not
	// know, leaves that to names.
	name func(at int64, kind uint64, metadata, body int64) string
}

// outcome says why a message could not be passed.
type outcome uint8

const (
	passed  outcome = iota // the next message may follow
	ended                  // an end-of-stream marker
	faulty                 // reported: where the next message is cannot be said
	stopped                // the consumer wants no more
)

// prefix reads what stands before a message's metadata, as [places.MessagePrefix] does.
func (w *ipc) prefix(pos int64) (size, length int64) {
	var scratch [64]byte
	n, length := places.MessagePrefix(w.src.at(pos, int(max(0, min(8, w.end-pos))), &scratch))
	return int64(n), length
}

// message walks one message at pos and returns where it ends.
func (w *ipc) message(pos int64) (int64, outcome) {
	rest := w.end - pos
	part := indexed("message", w.found, "")
	fault := func(kind Kind, at int64, size int, detail, found, allowed string) (int64, outcome) {
		if kind == ErrTruncated {
			size = 0 // the number is right: what it promises is missing
		}
		if !w.report(&Error{Kind: kind, Part: part, Offset: at, Size: size, Detail: detail, Found: found, Allowed: allowed}) {
			return pos, stopped
		}
		return pos, faulty
	}
	prefix, length := w.prefix(pos)
	if prefix == 0 {
		at := pos
		if rest >= 4 { // the first word says that there is another
			at += 4
		}
		return fault(ErrTruncated, at, 0, "the file ends within a message's length", bytesOf(w.end-at), "4 or more")
	}
	if length == 0 {
		if !w.region(Framing, "end-of-stream", pos, prefix) {
			return pos, stopped
		}
		return pos + prefix, ended
	}
	if length < 0 || length > rest-prefix {
		kind := ErrTruncated
		if length < 0 || w.end < w.f.size {
			kind = ErrLength
		}
		return fault(kind, pos+prefix-4, 4, "the length of its metadata does not fit", bytesOf(length), upTo(rest-prefix))
	}
	at := pos + prefix
	m := readMessage(w.src, at, length)
	name := ""
	if w.name != nil {
		name = w.name(pos, m.kind, prefix+length, m.body)
	}
	if name == "" {
		name = w.names.next(m.kind)
	}
	part = name
	w.found++
	if !w.region(Framing, name+".prefix", pos, prefix) || !w.part(arrowPart(name, rootMessage, at, length)) {
		return pos, stopped
	}
	if m.fault != nil {
		if w.unreadable(name, m.fault, "where its body ends and the next message starts is not known") {
			return pos, faulty
		}
		return pos, stopped
	}
	at += length
	if m.body < 0 || m.body > w.end-at {
		kind := ErrTruncated
		if m.body < 0 || w.end < w.f.size {
			kind = ErrLength
		}
		return fault(kind, m.bodyAt, 8, "the length of its body does not fit", bytesOf(m.body), fmt.Sprintf("0 to %d", w.end-at))
	}
	if !w.body(name, m, at) {
		return pos, stopped
	}
	return at + m.body, passed
}

// body tells the buffers of a message's body apart.
func (w *ipc) body(name string, m message, at int64) bool {
	spans, ok := w.buffers(name, m, at)
	if !ok || !w.regions {
		w.meet(at, m.body)
		return ok
	}
	if len(spans) == 0 {
		return w.region(Data, name+".body", at, m.body)
	}
	end := at
	for _, s := range spans {
		if s.offset < end { // buffers may share bytes; a region may not
			if s.offset+s.length <= end {
				continue
			}
			s.length -= end - s.offset
			s.offset = end
		}
		if !w.region(Padding, name+".padding", end, s.offset-end) || !w.region(Data, indexed(name+".buffer", int64(s.id), ""), s.offset, s.length) {
			return false
		}
		end = s.offset + s.length
	}
	return w.region(Padding, name+".padding", end, at+m.body-end)
}

// span is a range of bytes and the number of what lies in it.
type span struct {
	offset, length int64
	id             int
}

func sortSpans(spans []span) {
	byPlace := func(a, b span) int { return cmp.Or(cmp.Compare(a.offset, b.offset), cmp.Compare(a.id, b.id)) }
	if !slices.IsSortedFunc(spans, byPlace) {
		slices.SortFunc(spans, byPlace)
	}
}

// buffers returns where the buffers that have bytes lie, in order, and reports
// those that do not fit their body. It returns false when the consumer wants no more.
func (w *ipc) buffers(name string, m message, at int64) ([]span, bool) {
	var spans []span
	for i := range m.buffers.n {
		offset, length := int64(m.buffers.uint(i, 0, 8)), int64(m.buffers.uint(i, 8, 8))
		if length == 0 {
			continue // its offset is never used
		}
		if offset < 0 || length < 0 || offset > m.body || length > m.body-offset {
			number := m.buffers.at(i)
			if offset >= 0 && offset <= m.body {
				number += 8 // the length is wrong
			}
			if !w.report(&Error{Kind: ErrLength, Part: indexed(name+".buffer", int64(i), ""), Offset: number, Size: 8, Detail: "a data buffer does not fit its body",
				Found: fmt.Sprintf("%d bytes at %d", length, offset), Allowed: fmt.Sprintf("up to %d", m.body)}) {
				return nil, false
			}
			continue
		}
		spans = append(spans, span{at + offset, length, i})
	}
	sortSpans(spans)
	return spans, true
}
