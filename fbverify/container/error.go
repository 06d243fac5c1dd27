package container

import (
	"fmt"
	"strings"
)

// Kind says what is wrong with the framing of a file. A Kind is itself an
// error, so that errors.Is(err, container.ErrTruncated) asks for it.
type Kind uint8

// The kinds of faults.
const (
	ErrUnknownFormat Kind = iota + 1 // the bytes are of no known format
	ErrTruncated                     // the file ends before something that was promised
	ErrMagic                         // the bytes that mark a format are not there
	ErrVersion                       // a version of the format that this package does not know
	ErrLength                        // a position or length leads outside the place it may lie in
	ErrOverlap                       // two parts claim the same bytes
	ErrMismatch                      // two places of the file contradict each other
	ErrReference                     // an index names no entry of the list it is for
	ErrEncoded                       // compressed or encrypted: cannot be looked into
	ErrUnreadable                    // a FlatBuffer that leads to others cannot be followed, or a reader's is not sound
	ErrTrailing                      // bytes after the end
	ErrLimit                         // more work than a file of this size can honestly ask for
	ErrRead                          // the file could not be read; Error.Err says why
	ErrMissing                       // something that the format asks for is not there, and nothing depends on it
	ErrNotLooked                     // something was not looked at, since a newer writer made it or nothing leads to it
	ErrRange                         // a number that no reader takes for what it says
	ErrRepeated                      // another file or stream starts inside the file
	numKinds
)

var kindNames = [numKinds]struct{ name, words string }{
	ErrUnknownFormat: {"unknown-format", "unknown format"},
	ErrTruncated:     {"truncated", "truncated"},
	ErrMagic:         {"magic", "wrong magic bytes"},
	ErrVersion:       {"version", "unknown version"},
	ErrLength:        {"length", "position or length does not fit"},
	ErrOverlap:       {"overlap", "overlap"},
	ErrMismatch:      {"mismatch", "contradiction"},
	ErrReference:     {"reference", "index out of range"},
	ErrEncoded:       {"encoded", "compressed or encrypted"},
	ErrUnreadable:    {"unreadable", "cannot be followed"},
	ErrTrailing:      {"trailing-bytes", "bytes after the end"},
	ErrLimit:         {"limit", "too much work"},
	ErrRead:          {"read", "cannot read"},
	ErrMissing:       {"missing", "missing"},
	ErrNotLooked:     {"not-looked-at", "not looked at"},
	ErrRange:         {"range", "number out of range"},
	ErrRepeated:      {"repeated", "another file inside"},
}

// Error returns the kind in a few words.
func (k Kind) Error() string {
	if k > 0 && k < numKinds {
		return "container: " + kindNames[k].words
	}
	return fmt.Sprintf("container: kind %d", uint8(k))
}

// Name returns the kind as one word with dashes, for machines to read. Names do
// not change between releases.
func (k Kind) Name() string {
	if k > 0 && k < numKinds {
		return kindNames[k].name
	}
	return fmt.Sprintf("kind-%d", uint8(k))
}

// Severity says what a finding means for a file.
type Severity uint8

// The severities.
const (
	// Fault: something is damaged, or what it leads to cannot be found.
	Fault Severity = iota

	// Deviation: the letter of the format is broken, and the readers that people use
	// open the file all the same. The package documentation lists the deviations of each
	// format. They are faults where [Options.Strict] is set.
	Deviation

	// Note: nothing is wrong that a reader would meet, but it is odd, or was not looked at.
	Note
)

var severityNames = [...]string{"fault", "deviation", "note"}

// String returns the severity in one word, such as "deviation".
func (s Severity) String() string {
	if int(s) < len(severityNames) {
		return severityNames[s]
	}
	return fmt.Sprintf("Severity(%d)", uint8(s))
}

// numberSize is the number of bytes of what is at fault, where the walk does not say
// better: a mark, or a number.
var numberSize = [numKinds]int{ErrMagic: 4, ErrVersion: 2, ErrLength: 4, ErrMismatch: 4, ErrReference: 4}

// Error is one finding about a file's framing: a fault, unless Severity says less.
type Error struct {
	Kind     Kind
	Severity Severity
	Format   Format
	Part     string // the part concerned, "footer"; "" for the file as a whole
	Path     string // the field of the part that is at fault, "segment_specs[3]"; "" where none is, or it is not known
	Offset   int64  // bytes from the start of the file

	// Size is the number of bytes at fault, from Offset on; 0 where none in particular
	// are.
	Size int

	// Mark is the format's mark that is not there, as its bytes: at Offset, or before it
	// where that is the end of the file. It is "" for other faults.
	Mark string

	// Detail says in a clause what is wrong. Found and Allowed are what stands
	// in the file and what could have stood there; they may be empty.
	Detail, Found, Allowed string

	// Readers names readers that open such a file, where Severity is Deviation or would be
	// but for Strict.
	Readers string

	// Newer says of a fault of kind ErrVersion that the file's version is above those that
	// are known, and not below them.
	Newer bool

	// Whole says of a file that lacks its end that all which stands before it is whole.
	Whole bool

	// Err is what reading the file returned, for ErrRead, and the [*fbverify.Error] of a
	// FlatBuffer that a reader refused, for ErrUnreadable: its offsets count from the start of the part.
	Err error
}

// Error returns all of it in one line, without the kind, which Detail tells.
func (e *Error) Error() string {
	var b strings.Builder
	if e.Format != Unknown {
		b.WriteString(e.Format.String())
		b.WriteString(": ")
	}
	if e.Kind != ErrUnknownFormat {
		if e.Part != "" {
			b.WriteString(e.Part)
			b.WriteByte(' ')
		}
		if e.Path != "" && e.Err == nil { // else Err tells it
			b.WriteString(e.Path)
			b.WriteByte(' ')
		}
		fmt.Fprintf(&b, "at offset %d: ", e.Offset)
	}
	b.WriteString(e.Detail)
	if e.Found != "" {
		b.WriteString(": found ")
		b.WriteString(e.Found)
		if e.Allowed != "" {
			b.WriteString(", allowed is ")
			b.WriteString(e.Allowed)
		}
	}
	if e.Err != nil {
		b.WriteString(": ")
		b.WriteString(e.Err.Error())
	}
	return b.String()
}

// Unwrap returns the kind, and the cause where there is one.
func (e *Error) Unwrap() []error {
	if e.Err != nil {
		return []error{e.Kind, e.Err}
	}
	return []error{e.Kind}
}
