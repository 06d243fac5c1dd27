package input

import (
	"bytes"
	"encoding/json"
	"strings"
	"unicode/utf8"
)

// foreignMagic are the marks of formats that hold no FlatBuffers to be found
// here, but that people hand in by mistake.
var foreignMagic = []struct {
	at                  int
	magic, what, advice string
}{
	{0, "\x1f\x8b\x08", "it is compressed with gzip", adviceUnpack},
	{0, "\x28\xb5\x2f\xfd", "it is compressed with zstd", adviceUnpack},
	{0, "\x04\x22\x4d\x18", "it is compressed with LZ4", adviceUnpack},
	{0, "\xfd7zXZ\x00", "it is compressed with xz", adviceUnpack},
	{0, "BZh", "it is compressed with bzip2", adviceUnpack},
	{0, "\xff\x06\x00\x00sNaPpY", "it is compressed with Snappy", adviceUnpack},
	{0, "PK\x03\x04", "it is a zip archive", adviceUnpack},
	{0, "PK\x05\x06", "it is an empty zip archive", ""},
	{0, "7z\xbc\xaf\x27\x1c", "it is a 7z archive", adviceUnpack},
	{0, "PAR1", "it is a Parquet file", "Parquet holds Thrift, not FlatBuffers"},
	{0, "PARE", "it is an encrypted Parquet file", "Parquet holds Thrift, not FlatBuffers"},
	{0, "ORC", "it is an ORC file", "ORC holds Protocol Buffers, not FlatBuffers"},
	{0, "Obj\x01", "it is an Avro file", "Avro holds no FlatBuffers"},
	{0, "\x89HDF\r\n\x1a\n", "it is an HDF5 file", "HDF5 holds no FlatBuffers"},
	{0, "SQLite format 3\x00", "it is an SQLite database", ""},
	{0, "\x7fELF", "it is an ELF program or library", ""},
	{0, "\x89PNG\r\n\x1a\n", "it is a PNG image", ""},
	{0, "\xff\xd8\xff", "it is a JPEG image", ""},
	{0, "%PDF-", "it is a PDF document", ""},
	{257, "ustar", "it is a tar archive", adviceUnpack},
}

const adviceUnpack = "unpack it first"

// Foreign recognises files of kinds that hold no FlatBuffers to be found here: what it
// is, in a clause, and what a person could do; "" where it does not, and for no advice.
func (s *Source) Foreign() (what, advice string) {
	head := s.Around(0, 1<<10)
	if s.Size >= 32 && len(bytes.Trim(head, "\x00")) == 0 && s.zerosFrom() == 0 {
		return s.ZeroEnd(), "get it again"
	}
	for _, f := range foreignMagic {
		if f.at <= len(head) && strings.HasPrefix(string(head[f.at:]), f.magic) {
			return f.what, f.advice
		}
	}
	return foreignText(head)
}

// foreignText recognises kinds of text by their first kilobyte.
func foreignText(head []byte) (what, advice string) {
	text := bytes.TrimPrefix(head, []byte("\xef\xbb\xbf"))
	if len(text) == 0 || !isText(text) {
		return "", ""
	}
	lower := strings.ToLower(string(bytes.TrimLeft(text, " \t\r\n")))
	again := "whoever sent it sent an error page instead: get it again, and look at it in a text editor"
	switch {
	case strings.HasPrefix(lower, "version https://git-lfs.github.com/spec/"):
		return "it is a Git LFS pointer, not the file itself", "run git lfs pull in its repository"
	case strings.HasPrefix(lower, "<!doctype html"), strings.HasPrefix(lower, "<html"), strings.HasPrefix(lower, "<head"), strings.HasPrefix(lower, "<body"):
		return "it is an HTML page", again
	case strings.HasPrefix(lower, "<?xml"), strings.HasPrefix(lower, "<error"):
		return "it is an XML document", again
	}
	if what, advice := encodedText(text); what != "" {
		return what, advice
	}
	switch {
	case looksLikeJSON(text):
		return "it looks like JSON", "flatc and fbinspect encode make a FlatBuffer of it, given a schema; if it was downloaded it may be an error message"
	case looksLikeSchema(lower):
		return "it looks like a FlatBuffers schema in text form (.fbs), not a FlatBuffer", "give it with --schema, beside the file that holds the data"
	}
	if len(head) < 16 {
		return "", "" // a short FlatBuffer could be all printable
	}
	return "it is plain text", "it may be an error message: look at it in a text editor"
}

// isText reports whether b is UTF-8, but for a character cut off at its end, without
// control characters but white space.
func isText(b []byte) bool {
	for len(b) > 0 {
		r, n := utf8.DecodeRune(b)
		if r == utf8.RuneError && n <= 1 {
			return len(b) < utf8.UTFMax && !utf8.FullRune(b)
		}
		if r < ' ' && r != '\t' && r != '\n' && r != '\r' && r != '\f' || r == 0x7f {
			return false
		}
		b = b[n:]
	}
	return true
}

// looksLikeJSON reports whether text is the start of a JSON object or array.
func looksLikeJSON(text []byte) bool {
	text = bytes.TrimLeft(text, " \t\r\n")
	if len(text) == 0 || text[0] != '{' && text[0] != '[' {
		return false
	}
	dec := json.NewDecoder(bytes.NewReader(text))
	tokens := 0
	for {
		if _, err := dec.Token(); err != nil {
			return tokens >= 2
		}
		tokens++
	}
}

func looksLikeSchema(lower string) bool {
	for _, line := range strings.Split(lower, "\n") {
		line = strings.TrimSpace(line)
		for _, word := range []string{"namespace ", "table ", "struct ", "root_type ", "include \"", "enum "} {
			if strings.HasPrefix(line, word) && strings.ContainsAny(line, ";{") {
				return true
			}
		}
	}
	return false
}
