package remote

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"github.com/cenkalti/backoff/v5"
)

// File is a file that lies elsewhere. It is safe for concurrent use; reads of blocks that are
// not at hand follow one another, so that none is asked for twice.
type File struct {
	ctx   context.Context
	store Store
	name  string
	info  Info
	opts  Options
	tail  []byte // the last bytes of the file, or all where the server had nothing less

	moved, requests atomic.Int64

	mu     sync.Mutex
	blocks map[int64][]byte
	order  []int64 // of blocks, the oldest first
	next   int64   // the block after the last that was asked for
	ahead  int64   // blocks that were asked for beyond what was wanted
}

// Reading large pieces takes several requests at a time, where that helps.
const (
	piece  = 8 << 20
	pieces = 4
	// maxAhead is the most bytes that are asked for beyond what is wanted, when a file is
	// read from front to back.
	maxAhead = 4 << 20
)

// Open asks for the size of the file and its last bytes, in one request where the store can
// do that. Reads end when ctx does. Errors are of the type *[Error], or those of ctx.
func Open(ctx context.Context, name string, opts *Options) (*File, error) {
	store, u, key, err := open(ctx, name)
	if err != nil {
		return nil, err
	}
	f := &File{ctx: ctx, store: store, name: redacted(u), opts: opts.defaults(), blocks: map[int64][]byte{}, next: -1}
	err = f.try(func(ctx context.Context, alive func()) (err error) {
		f.tail, err = f.stat(ctx, key, alive)
		return err
	})
	if err != nil {
		store.Close()
		return nil, f.fail(err)
	}
	return f, nil
}

// maxWhole is how many bytes are read of a file in one piece, where the server gives no
// ranges of it.
const maxWhole = 64 << 20

// stat asks what the object is, and reads what comes with the answer.
func (f *File) stat(ctx context.Context, key string, alive func()) ([]byte, error) {
	info, body, at, err := f.store.Stat(ctx, key, f.opts.Block)
	if err != nil {
		return nil, err
	}
	if body != nil {
		defer body.Close()
	}
	if info.Size < 0 || at < 0 || at > info.Size {
		return nil, fmt.Errorf("it is said to have %d bytes", info.Size)
	}
	f.info = info
	f.info.Key = key
	switch n := info.Size - at; {
	case body == nil || n == 0:
		return nil, nil
	case n > int64(f.opts.Block) && n > maxWhole:
		return nil, fmt.Errorf("%w, and it has %d bytes: at most %d are read in one piece", ErrNoRanges, info.Size, maxWhole)
	case n > f.opts.MaxBytes:
		return nil, fmt.Errorf("%w: it comes in one piece of %d bytes, %d are the limit", ErrLimit, n, f.opts.MaxBytes)
	default:
		var tail bytes.Buffer // grows as bytes arrive: n is only a number that was told
		_, err := io.CopyN(&tail, f.counted(body, alive), n)
		return tail.Bytes(), brokeOff(err)
	}
}

// counted counts what is read, and tells that it arrives.
func (f *File) counted(body io.Reader, alive func()) io.Reader {
	return readerFunc(func(p []byte) (int, error) {
		n, err := body.Read(p)
		if n > 0 {
			alive()
			f.moved.Add(int64(n))
		}
		return n, err
	})
}

// brokeOff is the error of an answer that ends early.
func brokeOff(err error) error {
	switch err {
	case nil:
		return nil
	case io.EOF:
		err = io.ErrUnexpectedEOF
	}
	return &Temporary{Err: err}
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

// Name is the URL without what may be a secret: user, password, and the query.
func (f *File) Name() string { return f.name }

// Size is the size in bytes that the store tells.
func (f *File) Size() int64 { return f.info.Size }

// Cost tells how many requests were made, those that failed among them, and how many bytes
// of the file they brought.
func (f *File) Cost() (requests, bytes int64) { return f.requests.Load(), f.moved.Load() }

// Close releases the store.
func (f *File) Close() error { return f.store.Close() }

func (f *File) fail(err error) error {
	if err == nil || err == io.EOF {
		return err
	}
	if ctx := f.ctx.Err(); ctx != nil {
		return ctx
	}
	return &Error{f.name, err}
}

// ReadAt reads at a position, as [io.ReaderAt] has it.
func (f *File) ReadAt(p []byte, off int64) (int, error) {
	switch {
	case off < 0:
		return 0, f.fail(fmt.Errorf("a read at %d", off))
	case off >= f.info.Size:
		return 0, io.EOF
	}
	short := int64(len(p)) > f.info.Size-off
	if short {
		p = p[:f.info.Size-off]
	}
	n, err := len(p), error(nil)
	if tail := f.info.Size - int64(len(f.tail)); off >= tail {
		copy(p, f.tail[off-tail:])
	} else {
		f.mu.Lock()
		n, err = f.read(p, off)
		f.mu.Unlock()
	}
	if err == nil && short {
		err = io.EOF
	}
	return n, f.fail(err)
}

// read reads bytes that the file has.
func (f *File) read(p []byte, off int64) (int, error) {
	block, done := int64(f.opts.Block), 0
	for done < len(p) {
		at := off + int64(done)
		if tail := f.info.Size - int64(len(f.tail)); at >= tail {
			return done + copy(p[done:], f.tail[at-tail:]), nil
		}
		i := at / block
		if b, ok := f.blocks[i]; ok {
			done += copy(p[done:], b[at-i*block:])
			continue
		}
		// The blocks that are missing, up to one that is there or the end of the read.
		last := (off + int64(len(p)) - 1) / block
		end := i + 1
		for ; end <= last; end++ {
			if _, ok := f.blocks[end]; ok {
				break
			}
		}
		if size := (end - i) * block; size > f.opts.Memory/2 && at == i*block {
			// Too much to be kept.
			n := min(int64(len(p)-done), size)
			if err := f.get(p[done:done+int(n)], at); err != nil {
				return done, err
			}
			done += int(n)
			f.next = -1
			continue
		}
		if i == f.next {
			f.ahead = min(max(1, 2*f.ahead), max(1, min(int64(maxAhead), f.opts.Memory/4)/block))
		} else {
			f.ahead = 0
		}
		end = min(end, i+max(1, f.opts.Memory/2/block)) // what is kept is read from there
		blocks := (f.info.Size-1)/block + 1
		for wish := min(end+f.ahead, blocks); end < wish; end++ {
			if _, ok := f.blocks[end]; ok {
				break
			}
		}
		b := make([]byte, min((end-i)*block, f.info.Size-i*block))
		if err := f.get(b, i*block); err != nil {
			return done, err
		}
		f.next = end
		for ; i < end; i++ {
			n := min(block, int64(len(b)))
			f.put(i, b[:n:n])
			b = b[n:]
		}
	}
	return done, nil
}

// put keeps a block, and forgets the oldest where there are too many. The one that was put
// last stays.
func (f *File) put(i int64, b []byte) {
	if _, ok := f.blocks[i]; ok {
		return
	}
	f.blocks[i] = b
	f.order = append(f.order, i)
	for len(f.order) > 1 && int64(len(f.order))*int64(f.opts.Block) > f.opts.Memory {
		delete(f.blocks, f.order[0])
		f.order = f.order[1:]
	}
}

// get fills b from offset on: large pieces by several requests at a time.
func (f *File) get(b []byte, offset int64) error {
	if f.moved.Load()+int64(len(b)) > f.opts.MaxBytes {
		return fmt.Errorf("%w: %d bytes at %d are wanted, %d were read of it, %d are the limit",
			ErrLimit, len(b), offset, f.moved.Load(), f.opts.MaxBytes)
	}
	if len(b) <= piece {
		return f.request(b, offset)
	}
	var wg sync.WaitGroup
	var failed error
	var once sync.Once
	free := make(chan struct{}, pieces)
	for at := 0; at < len(b); at += piece {
		free <- struct{}{}
		part, at := b[at:min(at+piece, len(b))], offset+int64(at)
		wg.Go(func() {
			defer func() { <-free }()
			if err := f.request(part, at); err != nil {
				once.Do(func() { failed = err })
			}
		})
	}
	wg.Wait()
	return failed
}

// request fills b by one request, and by more where that breaks off.
func (f *File) request(b []byte, offset int64) error {
	done := 0
	return f.try(func(ctx context.Context, alive func()) error {
		body, err := f.store.Range(ctx, f.info.Key, offset+int64(done), int64(len(b)-done), f.info.Tag)
		if err != nil {
			return err
		}
		defer body.Close()
		n, err := io.ReadFull(f.counted(body, alive), b[done:])
		done += n
		return brokeOff(err)
	})
}

// try makes a request, and makes it again while it fails and may not the next time. The
// function tells when bytes arrive.
func (f *File) try(request func(ctx context.Context, alive func()) error) error {
	tries := uint(0)
	_, err := backoff.Retry(f.ctx, func() (struct{}, error) {
		tries++
		f.requests.Add(1)
		ctx, stop := context.WithCancelCause(f.ctx)
		defer stop(nil)
		idle := time.AfterFunc(f.opts.Idle, func() {
			stop(fmt.Errorf("nothing arrived for %v", f.opts.Idle))
		})
		defer idle.Stop()
		err := request(ctx, func() { idle.Reset(f.opts.Idle) })
		if err != nil && f.ctx.Err() == nil && ctx.Err() != nil {
			err = &Temporary{Err: context.Cause(ctx)}
		}
		var temporary *Temporary
		switch {
		case err == nil:
			return struct{}{}, nil
		case !errors.As(err, &temporary):
			return struct{}{}, backoff.Permanent(err)
		case temporary.After > 0 && tries < f.opts.Tries:
			return struct{}{}, backoff.RetryAfter(int(min(temporary.After, time.Minute)/time.Second) + 1)
		}
		return struct{}{}, err
	}, backoff.WithMaxTries(f.opts.Tries), backoff.WithBackOff(&backoff.ExponentialBackOff{
		InitialInterval: 100 * time.Millisecond, RandomizationFactor: 0.5, Multiplier: 2, MaxInterval: 10 * time.Second,
	}), backoff.WithMaxElapsedTime(0))
	var permanent *backoff.PermanentError
	if errors.As(err, &permanent) {
		err = permanent.Unwrap()
	}
	if err != nil && tries > 1 {
		err = fmt.Errorf("%w (tried %d times)", err, tries)
	}
	return err
}
