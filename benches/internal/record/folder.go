package record

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// maxLine bounds a line of a record, in bytes.
const maxLine = 1 << 20

// A Section is what one file of records holds.
type Section struct {
	Name  string
	About About
	Rows  []Row
	Parts []Part
	Index []Index
}

// A Folder is all records of a folder.
type Folder struct {
	Sections []*Section // in order of their names
}

// Open reads the files *.jsonl of a folder. Each starts with an object {"about":
// ...}; the other lines are rows,
// parts, or ways of an index.
func Open(dir string) (*Folder, error) {
	names, err := filepath.Glob(filepath.Join(dir, "*.jsonl"))
	if err != nil {
		return nil, err
	}
	if len(names) == 0 {
		return nil, fmt.Errorf("no records in %s: %w", dir, fs.ErrNotExist)
	}
	slices.Sort(names)
	var f Folder
	for _, name := range names {
		s, err := read(name)
		if err != nil {
			return nil, err
		}
		f.Sections = append(f.Sections, s)
	}
	return &f, nil
}

func read(name string) (*Section, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	s := &Section{Name: strings.TrimSuffix(filepath.Base(name), ".jsonl")}
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, maxLine)
	n := 0
	for lines.Scan() {
		n++
		if err := s.add(lines.Bytes(), n == 1); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", name, n, err)
		}
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("%s:%d: %w", name, n+1, err)
	}
	if n == 0 {
		return nil, fmt.Errorf("%s is empty", name)
	}
	return s, nil
}

func (s *Section) add(line []byte, first bool) error {
	var kind struct {
		About json.RawMessage `json:"about"`
		Work  string          `json:"work"`
		Part  string          `json:"part"`
		Index string          `json:"index"`
	}
	if err := json.Unmarshal(line, &kind); err != nil {
		return err
	}
	switch {
	case first != (kind.About != nil):
		return errors.New("records start with one object that says what they are about, {\"about\": ...}")
	case kind.About != nil:
		return json.Unmarshal(kind.About, &s.About)
	case kind.Work != "":
		var r Row
		if err := json.Unmarshal(line, &r); err != nil {
			return err
		}
		if r.Separable != (r.Ratio != nil) || !(r.OursNS >= 0) || !(r.PeerNS >= 0) {
			return errors.New("the row contradicts itself")
		}
		s.Rows = append(s.Rows, r)
	case kind.Part != "":
		var p Part
		if err := json.Unmarshal(line, &p); err != nil {
			return err
		}
		s.Parts = append(s.Parts, p)
	case kind.Index != "":
		var i Index
		if err := json.Unmarshal(line, &i); err != nil {
			return err
		}
		s.Index = append(s.Index, i)
	default:
		return errors.New("neither a row, nor a part, nor an index")
	}
	return nil
}

// Row returns the comparison of a work with a peer, nil if there is none.
func (f *Folder) Row(work, peer string) *Row {
	for _, s := range f.Sections {
		for i := range s.Rows {
			if r := &s.Rows[i]; r.Work == work && (peer == "" || r.Peer == peer) {
				return r
			}
		}
	}
	return nil
}

// RowOf returns the comparison of a work's leg with a peer, nil if there is none.
func (f *Folder) RowOf(work, ours, peer string) *Row {
	for _, s := range f.Sections {
		for i := range s.Rows {
			if r := &s.Rows[i]; r.Work == work && r.Ours == ours && r.Peer == peer {
				return r
			}
		}
	}
	return nil
}

// Rows returns the rows of all works whose names start so, in their order.
func (f *Folder) Rows(prefix string) []Row {
	var rows []Row
	for _, s := range f.Sections {
		for _, r := range s.Rows {
			if strings.HasPrefix(r.Work, prefix) {
				rows = append(rows, r)
			}
		}
	}
	return rows
}

// Part returns a part of a way of decoding, nil if there is none.
func (f *Folder) Part(via, part string) *Part {
	for _, s := range f.Sections {
		for i := range s.Parts {
			if p := &s.Parts[i]; p.Via == via && p.Part == part {
				return p
			}
		}
	}
	return nil
}

// MostRounds is how many rounds the section's longest comparison had.
func (s *Section) MostRounds() int {
	most := 0
	for _, r := range s.Rows {
		most = max(most, r.Rounds)
	}
	for _, p := range s.Parts {
		most = max(most, p.Rounds)
	}
	for _, i := range s.Index {
		most = max(most, i.Rounds)
	}
	return most
}
