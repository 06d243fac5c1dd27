package container

import (
	"fmt"

	"github.com/fbverify/go/fbverify"
	"github.com/fbverify/go/fbverify/internal/rule"
	"github.com/fbverify/go/fbverify/traverse"
)

// modelFields are those that lead from a Model to the bytes after the FlatBuffer: of its
// buffers, and of its operators' large options.
var modelFields = []string{"subgraphs", "operators", "buffers", "offset", "size", "large_custom_options_offset", "large_custom_options_size"}

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
		p.file = w.f
		w.again(p, "TFL3")
		w.dataSpans(spans, end, size, func(id int) string { return names(id) })
	}
}

// tfliteWeights returns the ranges after the FlatBuffer that it addresses, and
// reports those that cannot be.
func (w *walker) tfliteWeights() ([]span, func(int) string) {
	size := w.f.size
	type weights struct {
		offsetAt, nAt   int64 // where the numbers stand
		subgraph, index int   // -1 and the number of a buffer, or the numbers of an operator
		raw, rawN       uint64
		offset, n       int64
	}
	name := func(a weights) string {
		if a.subgraph < 0 {
			return indexed("buffer", int64(a.index), "")
		}
		return indexed("subgraph", int64(a.subgraph), indexed(".operator", int64(a.index), ".options"))
	}
	var found []weights
	r := w.src.follow(knownTypes[rootModel](), 0, size, rule.MaxBuffer, fbverify.Options{}, modelFields, func(r *reading) func(*traverse.Event) traverse.Answer {
		found = nil
		var at weights
		subgraph := -1
		return func(e *traverse.Event) traverse.Answer {
			switch {
			case e.What == traverse.Table && e.Index != traverse.None && e.Sound:
				at = weights{offsetAt: int64(e.Pos), nAt: int64(e.Pos), subgraph: -1, index: e.Index}
				switch e.Field.Name {
				case "subgraphs":
					subgraph = e.Index
				case "operators":
					at.subgraph = subgraph
				}
			case e.What != traverse.Field:
			case e.Field.Name == "offset" || e.Field.Name == "large_custom_options_offset":
				at.raw, at.offsetAt = r.value(e), int64(e.Pos)
				at.offset = clamp(at.raw)
			case e.Field.Name == "size" || e.Field.Name == "large_custom_options_size":
				// Offsets 0 and 1 mean that there is nothing: writers use 1 as a mark.
				at.rawN, at.nAt = r.value(e), int64(e.Pos)
				if at.n = clamp(at.rawN); at.n > 0 && at.offset > 1 {
					found = append(found, at)
				}
			}
			return traverse.Go
		}
	})
	high := int64(r.high)
	var spans []span
	operators := make(map[int]string) // only those with large options
	for _, a := range found {
		id := a.index
		if a.subgraph >= 0 {
			id = -1 - len(operators)
			operators[id] = name(a)
		}
		if a.offset > size || a.n > size-a.offset {
			kind := ErrTruncated
			if a.offset < high {
				kind = ErrLength
			} else if a.offset < size {
				spans = append(spans, span{a.offset, size - a.offset, id}) // what there is of them
			}
			at := a.offsetAt
			if a.offset >= high && a.offset <= size {
				at = a.nAt
			}
			if !w.report(&Error{Kind: kind, Part: name(a), Offset: at, Size: 8, Detail: "the bytes it addresses after the FlatBuffer do not fit into the file",
				Found: fmt.Sprintf("%d bytes at %d", a.rawN, a.raw), Allowed: fmt.Sprintf("up to %d", size)}) {
				return nil, nil
			}
			continue
		}
		if a.offset < high { // what has been read up to here belongs to the FlatBuffer
			if !w.report(&Error{Kind: ErrOverlap, Part: name(a), Offset: a.offsetAt, Size: 8, Detail: "it addresses bytes after the FlatBuffer, but they lie in it",
				Found: fmt.Sprint(a.raw), Allowed: fmt.Sprintf("from %d", high)}) {
				return nil, nil
			}
			continue
		}
		spans = append(spans, span{a.offset, a.n, id})
	}
	if f := r.any(); f != nil {
		w.unreadable("model", f, "weights after the FlatBuffer may have been missed")
	}
	return spans, func(id int) string {
		if id < 0 {
			return operators[id]
		}
		return indexed("buffer", int64(id), ".data")
	}
}
