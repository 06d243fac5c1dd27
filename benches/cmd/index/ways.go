package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"runtime"
	"runtime/debug"
	"sort"
	"time"

	"google.golang.org/protobuf/encoding/protodelim"

	"github.com/fbverify/go/benches/internal/pb"
	"github.com/fbverify/go/fbverify"
	"github.com/fbverify/go/generated/bench"
	"github.com/fbverify/go/internal/inputs"
	flatbuffers "github.com/google/flatbuffers/go"
)

const (
	bytesPerRow = 104       // of the FlatBuffers file, about
	shardRows   = 2_000_000 // rows of a shard, which has to be smaller than 2 GB
)

// options are for buffers of millions of rows.
var options = &fbverify.Options{Framing: fbverify.SizePrefixed, MaxTables: 1 << 30, MaxApparentSize: 1 << 40}

// A way makes an index of a file, a function from an id to the sum of its row.
type way struct {
	name  string
	proto bool
	open  func(file string, rows int) (lookup func(id uint64) (sum uint64, ok bool), err error)
}

var ways = []way{
	{"mapped, verified", false, func(file string, _ int) (func(uint64) (uint64, bool), error) {
		return mapped(file, func(message []byte) (bench.Shard, error) {
			v, err := fbverify.RootWithOptions[bench.Shard](message, options)
			return v.Root(), err
		})
	}},
	{"mapped, vouched for", false, func(file string, _ int) (func(uint64) (uint64, bool), error) {
		return mapped(file, func(message []byte) (bench.Shard, error) {
			return fbverify.RootUnchecked[bench.Shard](message, fbverify.SizePrefixed).Root(), nil
		})
	}},
	{"FlatBuffers, decoded into a Go map", false, decoded},
	{"Protobuf, decoded into a Go map", true, unmarshalled},
}

// sumOf adds up a row.
func sumOf(r bench.Row) uint64 {
	return inputs.RowSum(r.ID(), r.At(), r.Price(), r.Quantity(), uint8(r.Side()), r.Symbol(), r.Venue(), r.Note())
}

// shards are the messages of a file, by the roots that root makes of them.
func shards(data []byte, root func(message []byte) (bench.Shard, error)) (list []bench.Shard, err error) {
	for len(data) > 0 {
		message, rest, err := fbverify.SizePrefixed.Message(data)
		if err != nil {
			return nil, err
		}
		s, err := root(message)
		if err != nil {
			return nil, fmt.Errorf("shard %d: %w", len(list), err)
		}
		if s.Rows().Len() > 0 {
			list = append(list, s)
		}
		data = rest
	}
	return list, nil
}

// mapped looks rows up where they lie: shards are in the order of their ids.
func mapped(file string, root func(message []byte) (bench.Shard, error)) (func(uint64) (uint64, bool), error) {
	m, err := fbverify.Map(file)
	if err != nil {
		return nil, err
	}
	list, err := shards(m.Bytes(), root)
	if err != nil {
		return nil, err
	}
	return func(id uint64) (uint64, bool) {
		i := sort.Search(len(list), func(i int) bool { return list[i].Rows().At(0).ID() > id }) - 1
		if i < 0 {
			return 0, false
		}
		row, ok := list[i].Rows().Lookup(id)
		if !ok {
			return 0, false
		}
		return sumOf(row), true
	}, nil
}

// decoded verifies the file and makes Go structs of it.
func decoded(file string, rows int) (func(uint64) (uint64, bool), error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	index := make(map[uint64]*bench.RowT, rows)
	_, err = shards(data, func(message []byte) (bench.Shard, error) {
		v, err := fbverify.RootWithOptions[bench.Shard](message, options)
		if err != nil {
			return bench.Shard{}, err
		}
		list := v.Root().Rows()
		for i := range list.Len() {
			row := list.At(i).Unpack()
			index[row.ID] = row
		}
		return v.Root(), nil
	})
	if err != nil {
		return nil, err
	}
	return func(id uint64) (uint64, bool) {
		r := index[id]
		if r == nil {
			return 0, false
		}
		return inputs.RowSum(r.ID, r.At, r.Price, r.Quantity, uint8(r.Side), r.Symbol, r.Venue, r.Note), true
	}, nil
}

// unmarshalled reads the Protobuf file, a message after another.
func unmarshalled(file string, rows int) (func(uint64) (uint64, bool), error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	in := bufio.NewReaderSize(f, 1<<20)
	index := make(map[uint64]*pb.Row, rows)
	for {
		var row pb.Row
		if err := protodelim.UnmarshalFrom(in, &row); err != nil {
			if errors.Is(err, io.EOF) {
				break
			}
			return nil, err
		}
		index[row.Id] = &row
	}
	return func(id uint64) (uint64, bool) {
		r := index[id]
		if r == nil {
			return 0, false
		}
		return inputs.RowSum(r.Id, r.At, r.Price, r.Quantity, uint8(r.Side), r.Symbol, r.Venue, r.Note), true
	}, nil
}

// A reading is what one process found.
type reading struct {
	FirstNS           float64 // from the beginning of the work to the first answer
	EarlyNS, LookupNS float64 // a lookup, of the first round of them and of the second
	Own, OfFile       int64   // resident bytes at the end
	Sum               uint64
}

// be is the process of a way: it opens the file, looks up, and prints what that took.
func be(name, file string, rows, lookups int, out io.Writer) error {
	for _, w := range ways {
		if w.name != name {
			continue
		}
		start := time.Now()
		lookup, err := w.open(file, rows)
		if err != nil {
			return err
		}
		ask := func(seed uint64, n int) (sum uint64, took time.Duration, err error) {
			r := rand.New(rand.NewPCG(seed, 1))
			start := time.Now()
			for range n {
				id := r.Uint64N(uint64(rows)) + 1
				got, ok := lookup(id)
				if !ok {
					return 0, 0, fmt.Errorf("there is no row %d", id)
				}
				sum += got
			}
			return sum, time.Since(start), nil
		}
		first, _, err := ask(1, 1)
		if err != nil {
			return err
		}
		r := reading{FirstNS: float64(time.Since(start))}
		debug.FreeOSMemory() // what the decoding left behind is no part of the index
		a, early, err := ask(2, lookups)
		if err != nil {
			return err
		}
		b, later, err := ask(2, lookups)
		if err != nil {
			return err
		}
		if _, ok := lookup(0); ok {
			return errors.New("there is a row 0")
		}
		r.EarlyNS, r.LookupNS = float64(early)/float64(lookups), float64(later)/float64(lookups)
		r.Sum = first + a + b
		if r.Own, r.OfFile, err = resident(); err != nil {
			return err
		}
		runtime.KeepAlive(lookup)
		return json.NewEncoder(out).Encode(r)
	}
	return fmt.Errorf("no way is called %q", name)
}

// writeFlat writes shards of rows, each a size-prefixed message.
func writeFlat(file string, rows int) error {
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	defer f.Close()
	b := flatbuffers.NewBuilder(1 << 20)
	for from := 0; from < rows; from += shardRows {
		n := min(shardRows, rows-from)
		b.Reset()
		places := make([]flatbuffers.UOffsetT, n)
		for i := range places {
			row := inputs.RowAt(from + i)
			places[i] = row.Build(b)
		}
		b.StartVector(4, n, 4)
		for i := n - 1; i >= 0; i-- {
			b.PrependUOffsetT(places[i])
		}
		list := b.EndVector(n)
		b.StartObject(1)
		b.PrependUOffsetTSlot(0, list, 0)
		b.FinishSizePrefixed(b.EndObject())
		if _, err := f.Write(b.FinishedBytes()); err != nil {
			return err
		}
	}
	return f.Close()
}

// writeProto writes the rows, each a message behind its length.
func writeProto(file string, rows int) error {
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	defer f.Close()
	out := bufio.NewWriterSize(f, 1<<20)
	for i := range rows {
		r := inputs.RowAt(i)
		if _, err := protodelim.MarshalTo(out, &pb.Row{
			Id: r.ID, At: r.At, Price: r.Price, Quantity: r.Quantity, Side: pb.Side(r.Side), Symbol: r.Symbol, Venue: r.Venue, Note: r.Note,
		}); err != nil {
			return err
		}
	}
	return errors.Join(out.Flush(), f.Close())
}
