package families

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/fbverify/go/benches/internal/realfiles"
	"github.com/fbverify/go/fbverify"
)

// realBytes is the fewest bytes of a FlatBuffer that is a row of real: what is
// smaller says what a call costs, and there are thousands of it.
const realBytes = 300

var numbers = regexp.MustCompile(`\[\d+\]`)

// Real returns every FlatBuffer of at least 300 bytes of every real file at hand.
// Those of one file that have one size and differ in their number only, such as
// the batches of an Arrow file, are one row, and are verified in turn. What several
// files hold byte for byte, such as a stream and a file of one table, is there once.
func Real(root string) ([]Row, error) {
	files, err := realfiles.Find(root)
	if err != nil {
		return nil, err
	}
	var rows []Row
	seen := map[string]bool{}
	for _, f := range files {
		alike := map[string]*Input{}
		first := map[string]int{} // row of the first of those that are alike
		for _, p := range f.Parts {
			in, err := realInput(p)
			if err != nil {
				return nil, fmt.Errorf("%s: %s: %w", f.Name, p.Name, err)
			}
			size := len(in.Buffers[0])
			same := p.Root + "\x00" + string(in.Buffers[0])
			if size < realBytes || seen[same] {
				continue
			}
			seen[same] = true
			prefix := "real/" + f.Name + "/"
			key := fmt.Sprintf("%s/%d/%v", numbers.ReplaceAllString(p.Name, "[*]"), size, in.Framing)
			if other := alike[key]; other != nil {
				other.Buffers = append(other.Buffers, in.Buffers...)
				rows[first[key]].Name = fmt.Sprintf("%s%s-%d", prefix, part(numbers.ReplaceAllString(p.Name, "[*]")), size)
				continue
			}
			alike[key], first[key] = in, len(rows)
			rows = append(rows, Row{Name: prefix + part(p.Name), Root: p.Root, Make: func() (*Input, error) { return in, nil }})
		}
	}
	return rows, nil
}

// part is a part's name as the last word of a row's.
func part(name string) string { return strings.ReplaceAll(name, "/", "-") }

// realInput leaves a size prefix away where the alignment counts from after it, as
// it does for peers: all verify the same bytes then.
func realInput(p realfiles.Part) (*Input, error) {
	in := &Input{Buffers: [][]byte{p.Bytes}, Type: p.Type, Framing: p.Framing()}
	if prefix := in.Framing.Prefix(); prefix > 0 && p.Type.Verify(p.Bytes[prefix:], nil) == nil {
		in.Buffers[0], in.Framing = p.Bytes[prefix:], fbverify.Unframed
	}
	return in, in.Verify(in.Buffers[0], nil)
}
