package ui

import (
	"fmt"
	"io"
	"strings"
)

// HexRow is the number of bytes in a row of [Hex].
const HexRow = 16

// Hex writes bytes as rows of sixteen: their offset, their values, and the
// characters they stand for. b starts at offset start of the file. The size
// bytes at mark are marked: by colour, or by carets in a line below.
func Hex(w io.Writer, style Style, indent string, b []byte, start, mark int64, size int) {
	for row := 0; row < len(b); {
		// The first row may be a short one, so that rows start at multiples.
		n := min(HexRow-int((start+int64(row))%HexRow), len(b)-row)
		at := start + int64(row)
		fmt.Fprintf(w, "%s%s  ", indent, style.Dim(fmt.Sprintf("%08x", at)))
		lead := int(at % HexRow)
		var carets strings.Builder
		io.WriteString(w, cells(lead))
		carets.WriteString(cells(lead))
		end := len(strings.TrimRight(cells(lead), " "))
		for i := range n {
			column := lead + i
			marked := at+int64(i) >= mark && at+int64(i) < mark+int64(size)
			text := fmt.Sprintf("%02x", b[row+i])
			next := marked && at+int64(i)+1 < mark+int64(size) && i+1 < n
			gap := " "
			if column == HexRow/2-1 {
				gap = "  "
			}
			if marked {
				io.WriteString(w, style.Mark(text))
				carets.WriteString("^^")
				end = carets.Len()
			} else {
				io.WriteString(w, text)
				carets.WriteString("  ")
			}
			if next {
				io.WriteString(w, style.Mark(gap))
				carets.WriteString(strings.Repeat("^", len(gap)))
			} else {
				io.WriteString(w, gap)
				carets.WriteString(gap)
			}
		}
		fmt.Fprintf(w, "%s %s%s\n", cells(HexRow)[len(cells(lead+n)):], strings.Repeat(" ", lead), Printable(b[row:row+n]))
		if !style.On() && end > 0 && strings.Contains(carets.String(), "^") {
			fmt.Fprintf(w, "%s          %s\n", indent, carets.String()[:end])
		}
		row += n
	}
}

// cells returns the room that n bytes take in a row.
func cells(n int) string {
	if n > HexRow/2-1 {
		return strings.Repeat(" ", 3*n+1)
	}
	return strings.Repeat(" ", 3*n)
}

// Printable returns the ASCII characters that bytes stand for, a dot for each
// that is none.
func Printable(b []byte) string {
	out := make([]byte, len(b))
	for i, c := range b {
		if c < ' ' || c > '~' {
			c = '.'
		}
		out[i] = c
	}
	return string(out)
}
