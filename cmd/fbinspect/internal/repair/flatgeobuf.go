package repair

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
	"sort"

	flatbuffers "github.com/google/flatbuffers/go"

	"github.com/fbverify/go/fbverify"
	fb "github.com/fbverify/go/generated/flatgeobuf"
	"github.com/fbverify/go/readers/flatgeobuf"
)

// flatGeobuf mends a map: the features that are sound, with the index where it leads to all of
// them and nowhere else.
func flatGeobuf(ctx context.Context, b []byte) (*Result, error) {
	v, at, err := headerOf(b)
	if err != nil {
		return nil, fmt.Errorf("nothing of it can be saved: the header says what features are, and it is damaged: %w", err)
	}
	r := new(Result)
	count := v.Root().FeaturesCount()
	features := at + indexSize(count, v.Root().IndexNodeSize())
	if features < at || features > int64(len(b)) {
		return nil, fmt.Errorf("nothing of it can be saved: the file ends in its index, before the first feature")
	}
	header := v.Root().Unpack()
	header.FeaturesCount, header.IndexNodeSize = 0, 0
	f, err := flatgeobuf.OpenBytes(headed(header, b), nil) // which knows the columns
	if err != nil {
		return nil, fmt.Errorf("nothing of it can be saved: %w", err)
	}
	index := b[at:features]
	kept := sizedFeatures(ctx, b, f, features, leaves(index, features, count), r)
	if len(kept) == 0 {
		return nil, fmt.Errorf("nothing of it can be saved: no feature is sound")
	}
	known := count > 0
	whole := false
	if old, err := flatgeobuf.OpenBytes(b, nil); err == nil && len(index) > 0 {
		whole = uint64(len(kept)) == count && len(r.Lost) == 0 && searched(ctx, old, len(kept))
	}
	if len(index) > 0 && !whole {
		r.lose("the index, which is for features that are not there or is damaged itself: readers look at every feature")
	}
	header.FeaturesCount = uint64(len(kept))
	if whole {
		header.IndexNodeSize = v.Root().IndexNodeSize()
	}
	r.add(headed(header, b))
	if whole {
		r.add(index)
	}
	for _, k := range kept {
		r.add(b[k[0]:k[1]])
	}
	r.Kept = append(r.Kept, "the header")
	r.keep(len(kept), "feature")
	if known && count > uint64(len(kept)) {
		r.lose("%d of %d features", count-uint64(len(kept)), count)
	}
	return r, ctx.Err()
}

// headerOf verifies the header, and returns where it ends.
func headerOf(b []byte) (v fbverify.Verified[fb.Header], end int64, err error) {
	const start = 8 // behind the mark
	if len(b) < start+4 {
		return v, 0, errors.New("the file ends before it")
	}
	end = start + 4 + int64(binary.LittleEndian.Uint32(b[start:]))
	if end > int64(len(b)) {
		return v, 0, fmt.Errorf("it has %d bytes, and the file has %d", end-start, len(b)-start)
	}
	v, err = fbverify.RootWithOptions[fb.Header](b[start:end], &fbverify.Options{Framing: fbverify.SizePrefixed})
	return v, end, err
}

// headed returns the mark of the file b, and a header.
func headed(header *fb.HeaderT, b []byte) []byte {
	builder := flatbuffers.NewBuilder(1024)
	fb.FinishSizePrefixedHeaderBuffer(builder, header.Pack(builder))
	mark := []byte("fgb\x03fgb\x01")
	if string(b[:7]) == string(mark[:7]) {
		mark[7] = b[7] // the patch version
	}
	return append(mark, builder.FinishedBytes()...)
}

// node is the bytes of an entry of an index: a box and an offset.
const node = 40

// indexSize is the bytes of a packed tree over so many features; -1 for more than a file has.
func indexSize(count uint64, perNode uint16) int64 {
	if count == 0 || perNode == 0 {
		return 0
	}
	const most = math.MaxInt64 / (4 * node)
	if count > most {
		return -1
	}
	per := uint64(max(perNode, 2))
	nodes := count
	for n := count; ; {
		n = (n + per - 1) / per
		nodes += n
		if n == 1 {
			return int64(nodes * node)
		}
	}
}

// leaves returns where an index says that features start, in order; nothing where it says what
// cannot be.
func leaves(index []byte, features int64, count uint64) (starts []int64) {
	if count == 0 || uint64(len(index)/node) < count {
		return nil
	}
	for leaf := index[len(index)-int(count)*node:]; len(leaf) > 0; leaf = leaf[node:] {
		if at := binary.LittleEndian.Uint64(leaf[32:]); at < math.MaxInt64-uint64(features) {
			starts = append(starts, features+int64(at))
		}
	}
	slices.Sort(starts)
	return slices.Compact(starts)
}

// sizedFeatures finds the features that are sound, as their places in the file. Where the size
// of one does not lead to the next, it goes on where the index says that one starts, or else
// at the next bytes that are one.
func sizedFeatures(ctx context.Context, b []byte, f *flatgeobuf.File, from int64, starts []int64, r *Result) (kept [][2]int64) {
	size := int64(len(b))
	work := 64 * size // in search of a feature: bytes to look at
	var run error     // of bytes that are none
	for pos := from; size-pos >= 4 && ctx.Err() == nil; {
		end := pos + 4 + int64(binary.LittleEndian.Uint32(b[pos:]))
		next := sort.Search(len(starts), func(i int) bool { return starts[i] > pos })
		cost, err := featureAt(f, b, pos, end)
		if err == nil && next < len(starts) && starts[next] < end {
			err = fmt.Errorf("its size of %d bytes reaches into the next one", end-pos-4)
		}
		if err == nil {
			kept, run = append(kept, [2]int64{pos, end}), nil
			pos = end
			continue
		}
		if run == nil {
			run = err
			r.lose("the feature at offset %d: %v", pos, err)
		}
		if next < len(starts) {
			pos = starts[next]
			continue
		}
		// The size may be right, and only the feature is damaged: then another one follows.
		if end == size {
			return kept
		}
		if end < size-4 {
			more, err := featureAt(f, b, end, end+4+int64(binary.LittleEndian.Uint32(b[end:])))
			if err == nil {
				run, pos = nil, end
				continue
			}
			cost += more
		}
		if work -= cost; work < 0 {
			break
		}
		pos++
	}
	return kept
}

// featureAt says what is wrong with the feature that would lie there, and how many bytes it
// looked at.
func featureAt(f *flatgeobuf.File, b []byte, pos, end int64) (cost int64, err error) {
	const least = 16
	if end > int64(len(b)) || end-pos < 12 {
		return least, fmt.Errorf("its size of %d bytes does not fit, with %d left", end-pos-4, int64(len(b))-pos-4)
	}
	opts := &fbverify.Options{Framing: fbverify.SizePrefixed}
	counts, err := fbverify.TypeFor[fb.Feature]().Measure(b[pos:end], opts)
	cost = least + int64(counts.Bytes)
	if err != nil {
		return cost, err
	}
	v, err := fbverify.RootWithOptions[fb.Feature](b[pos:end], opts)
	if err != nil {
		return cost, err
	}
	_, err = f.Properties(&flatgeobuf.Feature{Verified: v})
	return cost, err
}

// searched reports whether the index leads to every feature.
func searched(ctx context.Context, f *flatgeobuf.File, n int) bool {
	all := flatgeobuf.Box{MinX: math.Inf(-1), MinY: math.Inf(-1), MaxX: math.Inf(1), MaxY: math.Inf(1)}
	for _, err := range f.Search(ctx, all) {
		if err != nil {
			return false
		}
		n--
	}
	return n == 0
}
