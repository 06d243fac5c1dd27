package fbverify

import (
	"fmt"

	"github.com/fbverify/go/fbverify/internal/rule"
	"github.com/fbverify/go/fbverify/internal/traversal"
)

// Framing says what stands before the root offset of a message: nothing, or the
// message's length. Positions and alignment of a size-prefixed message count from
// the first byte of the prefix, as C++ writes it; one that keeps to an alignment
// counted from after the prefix is accepted too, unless Strict.
type Framing uint8

// The framings.
const (
	Unframed         Framing = iota // the root offset comes first, and the message is all the bytes that there are
	SizePrefixed                    // a uint32 before it says how many bytes follow the prefix
	LongSizePrefixed                // so does a uint64, as C++ writes it for buffers with 64-bit offsets
)

// Prefix returns the number of bytes of the size prefix: 0, 4 or 8. The root offset
// follows it.
func (f Framing) Prefix() int { return int(rule.Framing(f).Prefix()) }

// String returns the framing in a word: "unframed", "size-prefixed" or
// "long-size-prefixed".
func (f Framing) String() string {
	switch f {
	case Unframed:
		return "unframed"
	case SizePrefixed:
		return "size-prefixed"
	case LongSizePrefixed:
		return "long-size-prefixed"
	}
	return fmt.Sprintf("Framing(%d)", uint8(f))
}

// Message returns the message that buf starts with, its size prefix included, and
// the bytes after it. It looks at nothing but the prefix. Where buf is too short, or
// the prefix promises more than there is, the error is an [*Error] of kind
// ErrTooShort or ErrSizePrefix, and the message is all of buf.
func (f Framing) Message(buf []byte) (message, rest []byte, err error) {
	size, err := f.Size(buf, int64(len(buf)))
	return buf[:size:size], buf[size:], err
}

// Size is [Framing.Message] where not all bytes are at hand: of the n bytes that
// start with head it returns how many are the message's, its size prefix included.
// head needs no more than [Framing.Prefix] bytes.
func (f Framing) Size(head []byte, n int64) (int64, error) {
	m := rule.Framing(f).Message(head, uint64(max(n, 0)))
	if m.Fault != rule.OK {
		return int64(m.End), newError(traversal.FramingFault(&m, uint64(n)))
	}
	return int64(m.End), nil
}
