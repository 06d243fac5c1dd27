package container

import "fmt"

// noMark is the fault of a mark that is not where it belongs.
func (w *walker) noMark(part string, pos int64, mark, detail string) *Error {
	return &Error{Kind: ErrMagic, Part: part, Offset: pos, Size: int(min(int64(len(mark)), w.f.size-pos)), Mark: mark, Detail: detail,
		Found: w.quote(pos, int64(len(mark))), Allowed: fmt.Sprintf("%q", mark)}
}

// noEnd is the fault of a file that does not end with the mark of its format, or is too
// short to have one at either end, for which it needs least bytes.
func (w *walker) noEnd(part string, least int64, mark, so string) *Error {
	size := w.f.size
	e := &Error{Kind: ErrTruncated, Part: part, Offset: size, Mark: mark, Detail: "the file does not end with " + mark + ", " + so}
	if n := int64(len(mark)); size >= n && w.src.is(size-n, mark) {
		e.Mark, e.Detail = "", "the file is too short for what stands between its marks, "+so
		e.Found, e.Allowed = bytesOf(size), fmt.Sprintf("%d or more", least)
	} else {
		e.Found, e.Allowed = w.quote(max(0, size-n), min(n, size)), fmt.Sprintf("%q", mark)
	}
	return e
}

// quote returns n bytes of the file as a Go string.
func (w *walker) quote(pos, n int64) string {
	var scratch [64]byte
	return fmt.Sprintf("%q", w.src.at(pos, int(max(0, min(n, w.f.size-pos, 64))), &scratch))
}
