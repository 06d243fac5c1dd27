package machine

import (
	"github.com/fbverify/go/fbverify/internal/kernel"
	"github.com/fbverify/go/fbverify/internal/program"
)

// str checks the string that the offset at `at` leads to.
func (m *machine) str(at uint64) bool {
	pos, ok := m.follow(at)
	if !ok || pos&m.Align != 0 {
		return false
	}
	data, size := pos+4, uint64(m.u32(pos))
	// Names of up to fifteen ASCII characters are most of all strings. Both
	// words are read whole where the buffer goes on for so long.
	if size < 16 && m.N-data >= 16 && m.flags == 0 {
		const high = 0x8080808080808080
		// Sizes below and above 8 come in no order that a processor could guess,
		// so there is no branch on them: long is all ones from 8 on.
		first, second, long := m.u64(data), m.u64(data+8), -(size >> 3)
		// What comes after the NUL is shifted out, so that this is the last byte.
		rest := (first ^ (first^second)&long) << (^(8 * size) & 56)
		if rest&(high|0xff<<56)|first&long&high == 0 && m.textBytes >= int64(size) {
			m.textBytes -= int64(size)
			m.Bytes += 5 + size
			return true
		}
	}
	return m.text(data, size, 4)
}

// text checks the bytes of a string whose length word, of `head` bytes, was
// read already.
func (m *machine) text(data, size, head uint64) bool {
	end := uint64(1)
	if m.flags&program.SkipTerminator != 0 {
		end = 0
	}
	// data <= n, since the length word is inside the buffer.
	if size > m.N-data || size+end > m.N-data || end != 0 && m.u8(data+size) != 0 {
		return false
	}
	m.Bytes += head + size + end
	if m.flags&program.SkipUTF8 != 0 {
		return true
	}
	if data == m.lastText && size == m.lastSize {
		return true // several offsets to one long string are common
	}
	if m.textBytes -= int64(size); m.textBytes < 0 {
		return false
	}
	m.lastText, m.lastSize = data, size
	return kernel.Valid(m.slice(0, m.N), data, size)
}

func (m *machine) strings(at uint64) bool {
	data, count, ok := m.elements(at, 4, m.Align)
	return ok && m.stringElements(data, count)
}

func (m *machine) stringElements(data, count uint64) bool {
	if m.items -= int64(count); m.items < 0 {
		return false
	}
	// Where strings are long, the kernel is asked ever less often.
	pause, rest := uint64(0), uint64(0)
	if m.flags&(program.SkipUTF8|program.SkipTerminator) != 0 {
		rest = count
	}
	for at, end := data, data+4*count; at < end; at += 4 {
		if rest > 0 {
			rest--
		} else {
			next := m.shortStrings(at, end)
			if next > at {
				pause = 0
			} else {
				pause = min(2*pause+1, 31)
			}
			if at, rest = next, pause; at == end {
				break
			}
		}
		if !m.str(at) {
			return false
		}
	}
	return true
}

// shortStrings checks elements of a vector of strings from the one at `at` on,
// for as long as they are short and sound. It returns where it stopped; what is
// there is for the caller to judge.
func (m *machine) shortStrings(at, end uint64) uint64 {
	r := kernel.Texts{P: m.P, N: m.N, At: at, End: end, Left: m.textBytes, Align: m.Align}
	r.Strings()
	m.textBytes = r.Left
	m.Bytes += r.Bytes
	return r.At
}
