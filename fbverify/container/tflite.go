package container

import "fmt"

// Field ids of tflite: Model.subgraphs and .buffers, the place of a Buffer's bytes
// after the FlatBuffer, SubGraph.operators, and the place of an Operator's
// large options.
const (
	modelSubgraphs, modelBuffers       = 2, 4
	bufferOffset, bufferSize           = 1, 2
	subgraphOperators                  = 3
	operatorLargeOffset, operatorLarge = 9, 10
)

// tflite is a model: a FlatBuffer, and after it the weights that it addresses by
// their place in the file, when there are any. How long the FlatBuffer is
// stands nowhere: it ends where the first of those weights starts.
func (w *walker) tflite() {
	size := w.f.size
	if !w.src.is(4, "TFL3") && !w.report(w.noMark("", 4, "TFL3", "the file does not have a model's file identifier")) {
		return
	}
	spans, names := w.tfliteWeights()
	if w.done {
		return
	}
	end := size
	for _, s := range spans {
		end = min(end, s.offset)
	}
	p := Part{Name: "model", Root: rootModel, Length: end}
	p.Preset.Identifier = "TFL3"
	if w.part(p) {
		w.dataSpans(spans, end, size, func(id int) string { return names(id) })
	}
}

// tfliteWeights returns the ranges after the FlatBuffer that it addresses, and
// reports those that cannot be.
func (w *walker) tfliteWeights() ([]span, func(int) string) {
	size := w.f.size
	b := w.flat(0, size)
	model := b.root(0)
	budget := max(1_000_000, size/4) // each thing looked at takes an offset
	var spans []span
	place := func(t table, id int, idOffset, idSize int, name func() string) bool {
		// Offsets 0 and 1 mean that there is nothing: writers use 1 as a mark.
		offset, n := clamp(t.uint(idOffset, 8, 0)), clamp(t.uint(idSize, 8, 0))
		if b.fault != nil || offset <= 1 || n == 0 {
			return true
		}
		if offset > size || n > size-offset {
			kind := ErrTruncated
			if offset < b.high {
				kind = ErrLength
			} else if offset < size {
				spans = append(spans, span{offset, size - offset, id}) // what there is of them
			}
			return w.report(&Error{Kind: kind, Part: name(), Offset: t.pos, Detail: "the bytes it addresses after the FlatBuffer do not fit into the file",
				Found: fmt.Sprintf("%d bytes at %d", n, offset), Allowed: fmt.Sprintf("up to %d", size)})
		}
		if k := len(spans); k > 0 && spans[k-1].offset == offset && spans[k-1].length == n {
			return true // the same table again
		}
		spans = append(spans, span{offset, n, id})
		return true
	}
	buffers := model.vector(modelBuffers, 4, "the list of buffers")
	for i := range buffers.n {
		if budget--; budget < 0 {
			break
		}
		t := buffers.table(i, "a buffer")
		if !place(t, int(i), bufferOffset, bufferSize, func() string { return indexed("buffer", i, "") }) {
			return nil, nil
		}
		if b.fault != nil {
			break
		}
	}
	operators := make(map[int]string) // only those with large options
	subgraphs := model.vector(modelSubgraphs, 4, "the list of subgraphs")
	for i := range subgraphs.n {
		list := subgraphs.table(i, "a subgraph").vector(subgraphOperators, 4, "a subgraph's operators")
		if budget--; budget < 0 || b.fault != nil {
			break
		}
		for j := range list.n {
			if budget--; budget < 0 || b.fault != nil {
				break
			}
			name := func() string { return indexed("subgraph", i, indexed(".operator", j, ".options")) }
			id, had := -1-len(operators), len(spans)
			if !place(list.table(j, "an operator"), id, operatorLargeOffset, operatorLarge, name) {
				return nil, nil
			}
			if len(spans) > had {
				operators[id] = name()
			}
		}
	}
	if f := b.take(); f != nil {
		w.unreadable("model", f, "weights after the FlatBuffer may have been missed")
	}
	if budget < 0 {
		w.report(&Error{Kind: ErrLimit, Part: "model", Detail: "it lists more buffers and operators than it could hold"})
	}
	kept := spans[:0]
	for _, s := range spans {
		name := func(id int) string { return indexed("buffer", int64(id), "") }
		if s.id < 0 {
			name = func(id int) string { return operators[id] }
		}
		// What has been read up to here belongs to the FlatBuffer.
		if s.offset < b.high {
			w.report(&Error{Kind: ErrOverlap, Part: name(s.id), Offset: s.offset, Detail: "it addresses bytes after the FlatBuffer, but they lie in it",
				Found: fmt.Sprint(s.offset), Allowed: fmt.Sprintf("from %d", b.high)})
			continue
		}
		kept = append(kept, s)
	}
	return kept, func(id int) string {
		if id < 0 {
			return operators[id]
		}
		return indexed("buffer", int64(id), ".data")
	}
}
