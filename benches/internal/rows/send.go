package rows

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"time"

	"github.com/fbverify/go/fbverify"
	"github.com/fbverify/go/generated/bench"
	"github.com/fbverify/go/internal/inputs"
)

// A Receiver takes streams of rows from TCP connections of this machine, verifies
// every row, and answers each stream with the number of its rows and their sum. On a
// connection a stream follows another; a row with the identity 0, which no other row
// has, ends one.
type Receiver struct {
	// Typed adds up the fields of all rows; otherwise the sum is that of the verified
	// bytes.
	Typed bool

	listener net.Listener
	all      sync.WaitGroup

	mu    sync.Mutex
	open  map[net.Conn]struct{}
	first time.Time // when the first row of the last stream was there
}

// Receive starts a Receiver on a free port of the loopback.
func Receive(typed bool) (*Receiver, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	r := &Receiver{Typed: typed, listener: l, open: map[net.Conn]struct{}{}}
	r.all.Add(1)
	go func() {
		defer r.all.Done()
		for {
			conn, err := l.Accept()
			if err != nil {
				return // it was closed
			}
			r.mu.Lock()
			r.open[conn] = struct{}{}
			r.mu.Unlock()
			r.all.Add(1)
			go func() {
				defer r.all.Done()
				_ = r.serve(conn) // the sender notices: there is no answer
				conn.Close()
				r.mu.Lock()
				delete(r.open, conn)
				r.mu.Unlock()
			}()
		}
	}()
	return r, nil
}

// Close ends the Receiver and all connections, and returns when nothing of it runs
// any more.
func (r *Receiver) Close() {
	r.listener.Close()
	r.mu.Lock()
	for conn := range r.open {
		conn.Close()
	}
	r.mu.Unlock()
	r.all.Wait()
}

// First returns when the first row of the last stream had been verified.
func (r *Receiver) First() time.Time {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.first
}

// answer is what the Receiver says of a stream: rows and sum.
const answer = 16

// serve answers the streams of a connection, until the sender closes it.
func (r *Receiver) serve(conn net.Conn) error {
	in := fbverify.NewReader(conn, bench.Row{}.FlatBuffersType(), &fbverify.ReaderOptions{ReuseUnchecked: true})
	count, sum := uint64(0), uint64(0)
	for {
		message, err := in.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		v := fbverify.RootUnchecked[bench.Row](message, fbverify.SizePrefixed).Root() // the Reader has verified it
		if v.ID() == 0 {
			var said [answer]byte
			binary.LittleEndian.PutUint64(said[:], count)
			binary.LittleEndian.PutUint64(said[8:], sum)
			if _, err := conn.Write(said[:]); err != nil {
				return err
			}
			count, sum = 0, 0
			continue
		}
		if count == 0 {
			now := time.Now()
			r.mu.Lock()
			r.first = now
			r.mu.Unlock()
		}
		count++
		if r.Typed {
			sum += inputs.RowSum(v.ID(), v.At(), v.Price(), v.Quantity(), uint8(v.Side()), v.Symbol(), v.Venue(), v.Note())
		} else {
			sum += uint64(len(message))
		}
	}
}

// end is the message that ends a stream.
var end = Whole([]inputs.Row{{}})

// A Sender has a connection to a Receiver.
type Sender struct{ conn net.Conn }

// Dial connects to a Receiver. The connection ends with ctx.
func (r *Receiver) Dial(ctx context.Context) (*Sender, error) {
	var d net.Dialer
	conn, err := d.DialContext(ctx, "tcp", r.listener.Addr().String())
	if err != nil {
		return nil, err
	}
	return &Sender{conn}, nil
}

// Close closes the connection.
func (s *Sender) Close() error { return s.conn.Close() }

// Send sends one stream, as write writes it, and returns what the Receiver answers.
func (s *Sender) Send(write func(io.Writer) error) (count, sum uint64, err error) {
	if err := write(s.conn); err != nil {
		return 0, 0, err
	}
	if _, err := s.conn.Write(end); err != nil {
		return 0, 0, err
	}
	var said [answer]byte
	if _, err := io.ReadFull(s.conn, said[:]); err != nil {
		return 0, 0, fmt.Errorf("rows: the receiver gave no answer: %w", err)
	}
	return binary.LittleEndian.Uint64(said[:]), binary.LittleEndian.Uint64(said[8:]), nil
}

// Cancelled sends the rows until ctx ends, which is asked before each row, and the
// connection with it. It returns how long after the end of ctx the work had stopped.
func (r *Receiver) Cancelled(list []inputs.Row, after int, write func(ctx context.Context, w io.Writer, list []inputs.Row, each func(i int)) error) (time.Duration, error) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	s, err := r.Dial(ctx)
	if err != nil {
		return 0, err
	}
	stop := context.AfterFunc(ctx, func() { s.conn.Close() })
	defer stop()
	var at time.Time
	err = write(ctx, s.conn, list, func(i int) {
		if i == after {
			at = time.Now()
			cancel()
		}
	})
	took := time.Since(at)
	if at.IsZero() || err == nil {
		return 0, fmt.Errorf("rows: what was cancelled went on to its end: %v", err)
	}
	if !errors.Is(err, context.Canceled) && !errors.Is(err, net.ErrClosed) {
		return 0, err
	}
	return took, nil
}

// StreamUntil writes rows through a Writer until ctx ends, and calls each before each.
func StreamUntil(ctx context.Context, w io.Writer, list []inputs.Row, each func(i int)) error {
	stream := fbverify.NewWriter(w, nil)
	for i := range list {
		each(i)
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := stream.Finish(list[i].Build(stream.Builder())); err != nil {
			return err
		}
	}
	return stream.Close()
}

// GatherUntil gathers rows in memory until ctx ends, and calls each before each; it
// writes them at once.
func GatherUntil(ctx context.Context, w io.Writer, list []inputs.Row, each func(i int)) error {
	var whole bytes.Buffer
	if err := StreamUntil(ctx, &whole, list, each); err != nil {
		return err
	}
	_, err := w.Write(whole.Bytes())
	return err
}

// Whole is the rows of a list as a stream in memory.
func Whole(list []inputs.Row) []byte {
	var out bytes.Buffer
	if err := WriteStreaming(&out, list); err != nil {
		panic(err) // a Buffer takes everything
	}
	return out.Bytes()
}
