package works

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/fbverify/go/benches/internal/reads"
	"github.com/fbverify/go/fbverify"
	"github.com/fbverify/go/generated/vortex"
	"github.com/fbverify/go/internal/inputs"
	"github.com/fbverify/go/internal/pair"
)

// HostileBounds are limits as a reader of files from strangers sets them. They
// bound what a buffer can cost, and none of the trees comes near.
var HostileBounds = &fbverify.Options{MaxDepth: 32, MaxTables: 1 << 20, MaxApparentSize: 64 << 20}

// modeWorks hold verification under limits against the one without, and an
// unchecked root of a large buffer against that of the smallest.
func modeWorks() []Work {
	layout := func(i int) inputs.Buffer {
		return inputs.Layout(inputs.LayoutSizes[i].Chunks, inputs.LayoutSizes[i].Columns)
	}
	array := func(i int) inputs.Buffer { return inputs.Array(inputs.ArraySizes[i]) }
	var works []Work
	for i, size := range inputs.LayoutSizes {
		works = append(works, modes("Layout", fmt.Sprintf("%dx%d", size.Chunks, size.Columns), i, layout, vortex.Layout.RowCount)...)
	}
	for i, fields := range inputs.ArraySizes {
		works = append(works, modes("Array", fmt.Sprint(fields), i, array, func(a vortex.Array) uint64 { return uint64(a.Root().Encoding()) })...)
	}
	return works
}

func modes[T fbverify.View[T]](shape, size string, i int, input func(int) inputs.Buffer, scalar func(T) uint64) []Work {
	works := []Work{{
		Name: "options/" + shape + "/" + size,
		Make: func(context.Context, *Env) (pair.Leg, []pair.Leg, error) {
			in := input(i)
			leg := func(name string, opts *fbverify.Options) pair.Leg {
				return verifying(name, func() error { _, err := fbverify.RootWithOptions[T](in.Bytes, opts); return err })
			}
			return sized(leg("opts", HostileBounds), in), []pair.Leg{leg("checked", nil)}, nil
		},
	}}
	if i == 0 {
		return works // which the others are held against
	}
	return append(works, Work{
		Name: "unchecked/" + shape + "/" + size,
		Make: func(context.Context, *Env) (pair.Leg, []pair.Leg, error) {
			large, small := input(i), input(0)
			ours, err := looping("unchecked", 1, func() (reads.Loop, error) { return unchecked(large.Bytes, scalar), nil })
			if err != nil {
				return ours, nil, err
			}
			other, err := looping("unchecked, "+small.Name, 1, func() (reads.Loop, error) { return unchecked(small.Bytes, scalar), nil })
			// They read different numbers: that each is right is shown here.
			for _, b := range []inputs.Buffer{large, small} {
				root, failed := fbverify.Root[T](b.Bytes)
				if failed != nil || unchecked(b.Bytes, scalar)(1) != scalar(root.Root()) {
					err = errors.Join(err, failed, errors.New("works: a checked and an unchecked root differ"))
				}
			}
			return same(sized(ours, large)), []pair.Leg{same(other)}, err
		},
	})
}

// same makes a leg whose result was shown to be right come to the sum 1.
func same(leg pair.Leg) pair.Leg {
	run := leg.Run
	leg.Run = func(ctx context.Context, n int) (pair.Sample, error) {
		s, err := run(ctx, n)
		s.Sum = 1
		return s, err
	}
	return leg
}

// unchecked is the loop of unchecked roots of copies of a buffer, in turn, from
// each of which one scalar is read.
func unchecked[T fbverify.View[T]](buf []byte, scalar func(T) uint64) reads.Loop {
	var copies [4][]byte
	for i := range copies {
		copies[i] = slices.Clone(buf)
	}
	return func(visits int) uint64 {
		total := uint64(0)
		for i := range visits {
			total += scalar(fbverify.RootUnchecked[T](copies[uint(i)%uint(len(copies))], fbverify.Unframed).Root())
		}
		return total
	}
}

// lengthWorks hold an accessor on a verified array, one that is held, against
// one that verifies the array at each call.
func lengthWorks() []Work {
	var works []Work
	for _, fields := range []int{8, 100, 1000} {
		works = append(works, Work{
			Name: fmt.Sprint("lengths/", fields),
			Make: func(context.Context, *Env) (pair.Leg, []pair.Leg, error) {
				buf := inputs.Array(fields).Bytes
				held, err := fbverify.Root[vortex.Array](buf)
				if err != nil {
					return pair.Leg{}, nil, err
				}
				loop := func(root func() (fbverify.Verified[vortex.Array], error)) func() (reads.Loop, error) {
					return func() (reads.Loop, error) {
						lengths := make([]uint32, 0, fields)
						return func(visits int) uint64 {
							total := uint64(0)
							for range visits {
								array, err := root()
								if err != nil {
									return 0
								}
								lengths = lengths[:0]
								for _, b := range array.Root().Buffers() {
									lengths = append(lengths, b.Length)
								}
								total += uint64(lengths[len(lengths)-1]) + uint64(len(lengths))<<32
							}
							return total
						}, nil
					}
				}
				ours, err := looping("a Verified that is held", 3, loop(func() (fbverify.Verified[vortex.Array], error) { return held, nil }))
				if err != nil {
					return ours, nil, err
				}
				other, err := looping("verified at each call", 3, loop(func() (fbverify.Verified[vortex.Array], error) { return fbverify.Root[vortex.Array](buf) }))
				return ours, []pair.Leg{other}, err
			},
		})
	}
	return works
}
