package input

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/fbverify/go/fbverify/container"
)

// encodedText recognises text that stands for bytes: base64, hexadecimal digits, a dump of
// them, and arrays of C and its relatives. It decodes the start, to say what is in there.
// Text that decodes to nothing known is called so only where nothing else looks like it.
func encodedText(head []byte) (what, advice string) {
	text := string(bytes.TrimPrefix(head, []byte("\xef\xbb\xbf")))
	if b, sure := dumped(text); b != nil {
		if of := recognised(b); of != "" || sure {
			return "it is a hex dump" + of, "xxd -r FILE > BINARY turns it back, if xxd made it"
		}
	}
	if b := array(text); b != nil {
		return "it is source code: an array of bytes" + recognised(b), "get the file that it was made of, or turn the numbers back into bytes (of 0x1c, 0x00, …: grep -o '0x..' FILE | cut -c3- | xxd -r -p > BINARY)"
	}
	if b := digits(text); b != nil {
		if of := recognised(b); of != "" {
			return "it is text in hexadecimal digits" + of, "xxd -r -p FILE > BINARY turns it back"
		}
	}
	if b, sure := base64Text(text); b != nil {
		if of := recognised(b); of != "" || sure {
			return "it is text in base64" + of, "base64 -d FILE > BINARY turns it back"
		}
	}
	return "", ""
}

// recognised says what the start of a file is, in words to put behind what it was found in;
// "" where it is nothing known.
func recognised(b []byte) string {
	if d, err := container.Detect(bytes.NewReader(b), int64(len(b))); err == nil && d.Confidence == container.Certain {
		return fmt.Sprintf(" that holds a file of the format %s", d.Format)
	}
	for _, f := range foreignMagic {
		if f.at <= len(b) && strings.HasPrefix(string(b[f.at:]), f.magic) {
			return fmt.Sprintf(" of which, turned back, %s", strings.Replace(f.what, "it is", "one has", 1))
		}
	}
	if d, err := container.Detect(bytes.NewReader(b), int64(len(b))); err == nil && d.Confidence >= container.Likely {
		return " that seems to hold a FlatBuffer"
	}
	return ""
}

var (
	dataURL = regexp.MustCompile(`^data:[^,]{0,100};base64,`)
	dumpRow = regexp.MustCompile(`^[0-9a-fA-F]{6,16}:? +((?:[0-9a-fA-F]{2} {0,2})+)`)
	byteRow = regexp.MustCompile(`[{\[(]\s*((?:0[xX][0-9a-fA-F]{1,2}|[0-9]{1,3})\s*,\s*){7,}`)
	aByte   = regexp.MustCompile(`0[xX][0-9a-fA-F]{1,2}|[0-9]{1,3}`)
)

// base64Text decodes the start of text in base64 of either alphabet. Sure says that little
// else looks like it: it is long and has lines of one length, or ends in padding.
func base64Text(text string) (b []byte, sure bool) {
	url := dataURL.FindString(text)
	lines := strings.Fields(text[len(url):])
	all := strings.Join(lines, "")
	padded := strings.HasSuffix(all, "=")
	all = strings.NewReplacer("-", "+", "_", "/").Replace(strings.TrimRight(all, "="))
	b, err := base64.RawStdEncoding.DecodeString(all[:len(all)/4*4])
	if err != nil || len(b) < 12 {
		return nil, false
	}
	even := len(lines) > 2
	for _, l := range lines[:max(len(lines)-1, 0)] {
		even = even && len(l) == len(lines[0]) && len(l) >= 60
	}
	return b, url != "" || even || padded && len(lines) == 1 && len(all) > 64
}

// digits decodes the start of text that is hexadecimal digits and white space.
func digits(text string) []byte {
	all := strings.Join(strings.Fields(text), "")
	b, err := hex.DecodeString(all[:len(all)/2*2])
	if err != nil || len(b) < 8 {
		return nil
	}
	return b
}

// dumped decodes the first rows of a hex dump, as xxd, hexdump -C and this program print them.
func dumped(text string) (b []byte, sure bool) {
	rows := strings.Split(text, "\n")
	for _, row := range rows[:max(len(rows)-1, 1)] {
		m := dumpRow.FindStringSubmatch(row)
		if m == nil {
			break
		}
		of, err := hex.DecodeString(strings.ReplaceAll(m[1], " ", ""))
		if err != nil {
			break
		}
		b = append(b, of...)
	}
	return b, len(b) > 32
}

// array decodes the start of an array of bytes in source code.
func array(text string) []byte {
	var b []byte
	for _, n := range aByte.FindAllString(byteRow.FindString(text), -1) {
		v, err := strconv.ParseUint(n, 0, 8)
		if err != nil {
			if v, err = strconv.ParseUint(n, 10, 8); err != nil { // 007
				return nil
			}
		}
		b = append(b, byte(v))
	}
	return b
}
