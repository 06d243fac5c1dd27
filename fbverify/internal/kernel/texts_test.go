package kernel

import (
	"encoding/binary"
	"math/rand/v2"
	"testing"
	"unicode/utf8"
	"unsafe"
)

// alphabet has the bytes at which the rules of UTF-8 change.
var alphabet = []byte{
	0x00, 0x41, 0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc0, 0xc1, 0xc2, 0xdf, 0xe0, 0xe1, 0xec, 0xed, 0xee, 0xef,
	0xf0, 0xf1, 0xf3, 0xf4, 0xf5, 0xf7, 0xf8, 0xfb, 0xfc, 0xfe, 0xff,
}

// checkValid looks at b as a whole buffer, and at b between other bytes of one.
func checkValid(t *testing.T, b []byte) {
	t.Helper()
	want := utf8.Valid(b)
	if got := Valid(b, 0, uint64(len(b))); got != want {
		t.Fatalf("%v: % x (%d bytes) is valid: %v, want %v", level, b, len(b), got, want)
	}
	if len(b) > 40 {
		return
	}
	const most = 40
	var buf [3 * most]byte
	for _, beside := range []byte{0x00, 0x80, 0xf1} {
		for i := range buf {
			buf[i] = beside
		}
		copy(buf[most:], b)
		for _, end := range []int{most + len(b), most + len(b) + 1, len(buf)} { // with much before it, or behind it, too
			for _, start := range []int{0, most} {
				if got := Valid(buf[start:end:end], uint64(most-start), uint64(len(b))); got != want {
					t.Fatalf("%v: % x (%d bytes) from %d of %d on among %#x is valid: %v, want %v", level, b, len(b), most-start, end-start, beside, got, want)
				}
			}
		}
	}
}

// eachLevel runs a test for every set of instructions that this machine has.
func eachLevel(t *testing.T, test func(t *testing.T)) {
	was := level
	defer func() { level = was }()
	for l := range best() + 1 {
		level = l
		t.Run(l.String(), test)
	}
}

func TestValidKnowsAllShortSequences(t *testing.T) { eachLevel(t, knowsAllShortSequences) }

// Sequences stand alone, and at the start and the end of a longer text, which
// kernels for long texts take.
func knowsAllShortSequences(t *testing.T) {
	around := func(seq ...byte) {
		t.Helper()
		checkValid(t, seq)
		text := append(make([]byte, 0, 80), seq...)
		checkValid(t, append(text, "a text, not too short; its end is here"...))
		text = append(text[:0], "a text, not too short; now it is at its end:"...)
		checkValid(t, append(text, seq...))
	}
	for a := range 256 {
		around(byte(a))
		if level < AVX2 && a > 0xc4 { // that is utf8.Valid
			continue
		}
		for b := range 256 {
			around(byte(a), byte(b))
			for _, c := range alphabet {
				around(byte(a), byte(b), c)
			}
		}
	}
	n, step := 0, 1
	if testing.Short() {
		step = 7 // alphabet has another number of letters, so that each comes at each place
	}
	for _, a := range alphabet {
		for _, b := range alphabet {
			for _, c := range alphabet {
				for _, d := range alphabet {
					if n++; n%step == 0 {
						around(a, b, c, d)
					}
				}
			}
		}
	}
}

// phrase makes UTF-8 of n bytes.
func phrase(rng *rand.Rand, n int) []byte {
	var b []byte
	for len(b) < n {
		switch left := n - len(b); {
		case left >= 4 && rng.IntN(4) == 0:
			b = utf8.AppendRune(b, 0x10000+rng.Int32N(0x100000))
		case left >= 3 && rng.IntN(3) == 0:
			b = utf8.AppendRune(b, 0x800+rng.Int32N(0xd000-0x800))
		case left >= 2 && rng.IntN(2) == 0:
			b = utf8.AppendRune(b, 0x80+rng.Int32N(0x780))
		default:
			b = append(b, byte(rng.IntN(128)))
		}
	}
	return b
}

// TestValidAtEveryLengthAndPlace damages texts that begin and end at pages that
// cannot be read.
func TestValidAtEveryLengthAndPlace(t *testing.T) { eachLevel(t, everyLengthAndPlace) }

func everyLengthAndPlace(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	page := guarded(t, 4096)
	for n := range 200 {
		for _, b := range [][]byte{page[4096-n:], page[:n]} {
			copy(b, phrase(rng, n))
			checkValid(t, b)
			for i := range b {
				was := b[i]
				for range 3 {
					b[i] = alphabet[rng.IntN(len(alphabet))]
					checkValid(t, b)
				}
				b[i] = was
			}
			if n == 0 {
				continue
			}
			for cut := range min(n, 70) {
				checkValid(t, b[cut:])
				checkValid(t, b[:n-cut])
			}
		}
	}
}

// texts lays strings out, the last of which ends where memory does.
func layTexts(t testing.TB, all [][]byte) (buf []byte, r Texts) {
	n := 4 * len(all)
	for _, s := range all {
		n = (n+3)&^3 + 4 + len(s) + 1
	}
	buf = guarded(t, n)
	pos := 4 * len(all)
	for i, s := range all {
		pos = (pos + 3) &^ 3
		binary.LittleEndian.PutUint32(buf[4*i:], uint32(pos-4*i))
		binary.LittleEndian.PutUint32(buf[pos:], uint32(len(s)))
		copy(buf[pos+4:], s)
		pos += 4 + len(s) + 1
	}
	return buf, Texts{P: unsafe.Pointer(&buf[0]), N: uint64(n), End: 4 * uint64(len(all)), Left: int64(n), Align: 3}
}

// goodTexts says how far portable code would get, and what it would count.
func goodTexts(buf []byte, r Texts) (at, bytes, text uint64) {
	n := uint64(len(buf))
	for at = r.At; at < r.End; at += 4 {
		uo := uint64(binary.LittleEndian.Uint32(buf[at:]))
		pos := at + uo
		if uo == 0 || pos+4 > n || pos&r.Align != 0 {
			break
		}
		size := uint64(binary.LittleEndian.Uint32(buf[pos:]))
		if size >= n-pos-4 || buf[pos+4+size] != 0 || int64(text+size) > r.Left || !utf8.Valid(buf[pos+4:pos+4+size]) {
			break
		}
		bytes, text = bytes+5+size, text+size
	}
	return at, bytes, text
}

// TestStringsStopsNotPastWhatIsWrong damages vectors of strings word by word.
func TestStringsStopsNotPastWhatIsWrong(t *testing.T) { eachLevel(t, stopsNotPastWhatIsWrong) }

func stopsNotPastWhatIsWrong(t *testing.T) {
	if level < AVX2 {
		t.Skip("no kernel for strings at this level")
	}
	rng := rand.New(rand.NewPCG(3, 4))
	check := func(buf []byte, r Texts) (whole bool) {
		t.Helper()
		got := r
		got.Strings()
		want := r
		want.End = got.At
		at, bytes, text := goodTexts(buf, want)
		if at != got.At || bytes != got.Bytes || int64(text) != r.Left-got.Left {
			t.Fatalf("went %d strings of %d, %d bytes, %d of text; of these %d are good with %d, %d", got.At/4, r.End/4, got.Bytes, r.Left-got.Left, at/4, bytes, text)
		}
		// It may stop early only at a string that is long, or near the buffer's end.
		if at, _, _ := goodTexts(buf, r); at != got.At {
			pos := got.At + uint64(binary.LittleEndian.Uint32(buf[got.At:]))
			if size := binary.LittleEndian.Uint32(buf[pos:]); size <= 28 && (r.N-pos-4 >= 32 || pos+5+uint64(size) >= 32) {
				t.Fatalf("stopped at string %d of %d bytes, which is good", got.At/4, size)
			}
		}
		return got.At == r.End || r.N < 32+8
	}
	for round := range 20 {
		all := make([][]byte, 1+rng.IntN(20))
		for i := range all {
			all[i] = phrase(rng, rng.IntN(30-round%2))
		}
		buf, r := layTexts(t, all)
		if round%2 == 1 && !check(buf, r) {
			t.Fatal("stopped among short strings")
		}
		for at := 0; at+4 <= len(buf); at++ {
			was := binary.LittleEndian.Uint32(buf[at:])
			for _, v := range []uint32{0, 1, was + 1, was - 1, was + 4, ^was, 1 << 31, 0xffffffff, rng.Uint32(), was ^ 1<<rng.IntN(32), uint32(len(buf) - at - 4), uint32(len(buf) - at - 5)} {
				binary.LittleEndian.PutUint32(buf[at:], v)
				check(buf, r)
			}
			binary.LittleEndian.PutUint32(buf[at:], was)
		}
		for left := range min(r.Left, 100) {
			r.Left = left
			check(buf, r)
		}
	}
}

func TestValidSkipsOnlyASCII(t *testing.T) { eachLevel(t, skipsOnlyASCII) }

// skipsOnlyASCII puts characters, whole, cut off and wrong, at each place of a long ASCII
// text, whose other bytes may be skipped many at a time.
func skipsOnlyASCII(t *testing.T) {
	for _, size := range []int{96, 160, 191, 192, 193, 224, 333, 500} {
		text := make([]byte, size)
		for i := range text {
			text[i] = byte(i % 0x80)
		}
		for _, seq := range []string{"é", "€", "😀", "\xc3", "\xe2\x82", "\xe2", "\xf0\x9f\x98", "\xf0\x9f", "\xf0", "\x80", "\xff", "\xed\xa0\x80", "é€"} {
			for at := range size {
				was := append([]byte(nil), text...)
				copy(text[at:], seq)
				if got, want := Valid(text, 0, uint64(size)), utf8.Valid(text); got != want {
					t.Fatalf("%d bytes with % x at %d are valid: %v, want %v", size, seq, at, got, want)
				}
				copy(text, was)
			}
		}
	}
}
