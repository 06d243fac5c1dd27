package reads

import (
	"github.com/fbverify/go/fbverify"
	"github.com/fbverify/go/generated/bench"
	"github.com/fbverify/go/internal/inputs"
)

// Scalar returns the loop that reads one scalar of a few messages in turn: from
// roots that are held, or through RootUnchecked each time. It is what getting an
// unchecked root costs.
func Scalar(held bool) (Loop, error) {
	var roots []fbverify.Verified[bench.Flat10]
	var bufs [][]byte
	for i := range flatMessages {
		buf := inputs.Flat(i, 10)
		root, err := fbverify.Root[bench.Flat10](buf)
		if err != nil {
			return nil, err
		}
		roots, bufs = append(roots, root), append(bufs, buf)
	}
	next := 0
	if held {
		return func(visits int) uint64 {
			total := uint64(0)
			for range visits {
				total += roots[next].Root().F8()
				if next++; next == len(roots) {
					next = 0
				}
			}
			return total
		}, nil
	}
	return func(visits int) uint64 {
		total := uint64(0)
		for range visits {
			total += fbverify.RootUnchecked[bench.Flat10](bufs[next], fbverify.Unframed).Root().F8()
			if next++; next == len(bufs) {
				next = 0
			}
		}
		return total
	}, nil
}
