package machine

import (
	"github.com/fbverify/go/fbverify/internal/kernel"
	"github.com/fbverify/go/fbverify/internal/program"
)

// texts checks the strings behind the slots of the table at pos, the first of which is no
// name.
func (m *machine) texts(pos uint64, slots []uint16) bool {
	for {
		if !m.str(pos + uint64(slots[0])) {
			return false
		}
		done, bytes, positions := kernel.Names(m.P, m.N, pos, slots[1:])
		m.Bytes += bytes + 5*uint64(done) // with length words and NULs
		if m.Text -= int64(bytes); m.Text < 0 || positions&m.Align != 0 {
			return false
		}
		if slots = slots[1+done:]; len(slots) == 0 {
			return true
		}
	}
}

// str checks the string that the offset at `at` leads to.
func (m *machine) str(at uint64) bool {
	b := m.buffer()
	pos, ok := b.follow(at)
	return ok && pos&m.Align == 0 && m.text(pos+4, uint64(b.u32(pos)), 4)
}

// binary checks the string of any bytes that the offset at `at` leads to.
func (m *machine) binary(at uint64) bool {
	b := m.buffer()
	pos, ok := b.follow(at)
	return ok && pos&m.Align == 0 && m.ended(pos+4, uint64(b.u32(pos)), 4)
}

// ended checks that a string whose length word, of `head` bytes, was read already lies
// inside the buffer, and that it has an end.
func (m *machine) ended(data, size, head uint64) bool {
	b := m.buffer()
	end := uint64(1)
	if m.flags&program.SkipTerminator != 0 {
		end = 0
	}
	// data <= n, since the length word is inside the buffer.
	if size > b.n-data || size+end > b.n-data || end != 0 && b.u8(data+size) != 0 {
		return false
	}
	m.Bytes += head + size + end
	return true
}

// text checks the bytes of a string whose length word, of `head` bytes, was
// read already.
func (m *machine) text(data, size, head uint64) bool {
	if !m.ended(data, size, head) {
		return false
	}
	if m.flags&program.SkipUTF8 != 0 {
		return true
	}
	if m.origin+data == m.lastText && size == m.lastSize {
		return true // several offsets to one long string are common
	}
	if m.Text -= int64(size); m.Text < 0 {
		return false
	}
	m.lastText, m.lastSize = m.origin+data, size
	b := m.buffer()
	return kernel.Valid(b.slice(0, b.n), data, size)
}

func (m *machine) strings(at uint64) bool {
	data, count, ok := m.elements(at, 4, m.Align)
	return ok && m.stringElements(data, count)
}

func (m *machine) stringElements(data, count uint64) bool {
	if m.Left -= elementBytes * int64(count); m.Left < 0 {
		return false
	}
	// Where strings are long, the kernel is asked ever less often.
	pause, rest := uint64(0), uint64(0)
	if m.flags&program.SkipTerminator != 0 {
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
	r := kernel.Texts{P: m.P, N: m.N, At: at, End: end, Left: m.Text, Align: m.Align}
	r.Strings()
	m.Text = r.Left
	m.Bytes += r.Bytes
	return r.At
}
