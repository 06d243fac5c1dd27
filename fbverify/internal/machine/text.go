package machine

import (
	"unicode/utf8"

	"github.com/fbverify/go/fbverify/internal/program"
)

// str checks the string that the offset at `at` leads to.
func (m *machine) str(at uint64) bool {
	pos, ok := m.follow(at)
	return ok && pos&m.Align == 0 && m.text(pos+4, uint64(m.u32(pos)), 4)
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
	return utf8.Valid(m.slice(data, size))
}

func (m *machine) strings(at uint64) bool {
	data, count, ok := m.elements(at, 4, m.Align)
	return ok && m.stringElements(data, count)
}

func (m *machine) stringElements(data, count uint64) bool {
	if m.items -= int64(count); m.items < 0 {
		return false
	}
	for at := data; at < data+4*count; at += 4 {
		if !m.str(at) {
			return false
		}
	}
	return true
}
