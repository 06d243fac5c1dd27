package container

import (
	"io"
	"runtime"
	"testing"
)

// repeated is a file of a head and then one message over and over.
type repeated struct {
	head, message []byte
	size          int64
}

func (r repeated) ReadAt(b []byte, off int64) (int, error) {
	for i := range b {
		switch at := off + int64(i); {
		case at >= r.size:
			return i, io.EOF
		case at < int64(len(r.head)):
			b[i] = r.head[at]
		default:
			b[i] = r.message[(at-int64(len(r.head)))%int64(len(r.message))]
		}
	}
	return len(b), nil
}

func TestNothingIsKeptOfAPartThatWasPassed(t *testing.T) {
	const count = 300_000
	r := repeated{head: append([]byte("fgb\x03fgb\x00"), fgbHeader(0, 0)...), message: withPrefix(emptyTable())}
	r.size = int64(len(r.head) + count*len(r.message))
	f, err := Open(r, r.size, nil)
	if err != nil {
		t.Fatal(err)
	}
	heap := func() uint64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	before := heap()
	n := 0
	for p, err := range f.Parts() {
		if err != nil {
			t.Fatal(err)
		}
		if n++; n == count {
			if grown := int64(heap()) - int64(before); grown > 1<<20 {
				t.Errorf("%d bytes are kept of %d parts, the last of which is %s", grown, n, p.Name)
			}
		}
	}
	if n != count+1 {
		t.Errorf("%d parts, want the header and %d features", n, count)
	}
}

func BenchmarkParts(b *testing.B) {
	files := realFiles(b)
	for _, name := range []string{"vortex/wide.vortex", "flatgeobuf/gdal-points-indexed.fgb", "arrow/plain.arrow"} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(files[name])))
			b.ReportAllocs()
			for b.Loop() {
				f, err := OpenBytes(files[name], nil)
				if err != nil {
					b.Fatal(err)
				}
				for _, err := range f.Parts() {
					if err != nil {
						b.Fatal(err)
					}
				}
			}
		})
	}
}
