package container

import (
	"fmt"

	"github.com/fbverify/go/fbverify"
	"github.com/fbverify/go/fbverify/traverse"
	"github.com/fbverify/go/internal/places"
)

// readersFeatures are those that read as many features as the header says.
const readersFeatures = "GDAL"

// flatGeobuf is eight magic bytes, a size-prefixed Header, an index unless the
// header says that there is none, and size-prefixed Features up to the end.
func (w *walker) flatGeobuf() {
	size := w.f.size
	if size < 12 {
		w.report(&Error{Kind: ErrTruncated, Offset: size, Detail: "the file ends before its header", Found: bytesOf(size), Allowed: "12 or more"})
		w.region(Magic, "magic", 0, min(8, size))
		return
	}
	if !w.fgbMagic() {
		return
	}
	header, ok := w.message("header", rootHeader, 8, fbverify.SizePrefixed)
	if !ok {
		return
	}
	var count, nodes uint64
	countAt := int64(8)
	prefix := int64(fbverify.SizePrefixed.Prefix())
	r := w.follow(rootHeader, 8+prefix, header-prefix, []string{"features_count", "index_node_size"}, func(r *reading) func(*traverse.Event) traverse.Answer {
		count, nodes = 0, 16
		return func(e *traverse.Event) traverse.Answer {
			if e.What == traverse.Field && e.Field.Name == "features_count" {
				count, countAt = r.value(e), r.base+int64(e.Pos)
			} else if e.What == traverse.Field {
				nodes = r.value(e)
			}
			return traverse.Go
		}
	})
	pos := 8 + header
	if f := r.any(); f != nil {
		w.unreadable("header", f, "where the features start is not known")
		return
	}
	tree, ok := places.PackedTree(count, uint16(nodes), size-pos)
	index := tree.Bytes()
	if !ok {
		w.report(&Error{Kind: ErrTruncated, Part: "index", Offset: countAt, Size: 8, Detail: "the index that the header announces does not fit into the file, so that where the features start is not known",
			Found: fmt.Sprintf("a tree over %d features with %d to a node", count, nodes), Allowed: fmt.Sprintf("at most %d bytes", size-pos)})
		return
	}
	if !w.region(Index, "index", pos, index) {
		return
	}
	limit := int64(-1)
	if count > 0 {
		limit = clamp(count)
	}
	found, end, ok := w.messages(pos+index, "feature", rootFeature, limit, fbverify.SizePrefixed)
	switch {
	case !ok:
	case limit >= 0 && found < limit:
		w.report(&Error{Kind: ErrTruncated, Part: indexed("feature", found, ""), Offset: end, Detail: "the file has fewer features than its header says",
			Found: fmt.Sprint(found), Allowed: fmt.Sprint(limit)})
	case end < size:
		w.deviate(readersFeatures, &Error{Kind: ErrTrailing, Offset: end, Size: int(min(size-end, 1<<30)), Detail: fmt.Sprintf("the file goes on after the %d features of its header", found),
			Found: bytesOf(size - end), Allowed: "none"})
		w.meet(end, size-end)
	}
}

// fgbMagic checks the magic bytes: "fgb", the major version, "fgb" and the patch
// version, which any reader of the major version takes.
func (w *walker) fgbMagic() bool {
	if !w.src.is(0, "fgb") || !w.src.is(4, "fgb") {
		if !w.report(&Error{Kind: ErrMagic, Offset: 0, Detail: "the file does not start with FlatGeobuf's magic bytes", Found: w.quote(0, 8), Allowed: `"fgb\x03fgb" and a byte`}) {
			return false
		}
	}
	if v, _ := w.src.uint(3, 1); v != 3 {
		if !w.report(&Error{Kind: ErrVersion, Offset: 3, Size: 1, Newer: v > 3, Detail: otherVersion(v > 3, "major version of FlatGeobuf"), Found: fmt.Sprint(v), Allowed: "3"}) {
			return false
		}
	}
	return w.region(Magic, "magic", 0, 8)
}
