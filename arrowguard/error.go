package arrowguard

import (
	"errors"
	"fmt"

	"github.com/fbverify/go/fbverify"
)

// ErrInvalid is what every error about the bytes is: errors.Is(err, ErrInvalid) tells it from
// an error of the reader below.
var ErrInvalid = errors.New("invalid Arrow data")

// Error says what of a stream or file is at fault.
type Error struct {
	Part   string // "the footer", "record batch 3", "the schema"
	Offset int64  // of the part, in bytes from the start
	Field  string // the column, with what it is nested in, "a.item"; "" where it is none
	Detail string // what was found and what is allowed

	// Fault is the fault of the part's FlatBuffer; nil where that is sound and what it says
	// is not.
	Fault *fbverify.Error
}

// Error returns the part, its offset, the column and the detail in one line.
func (e *Error) Error() string {
	s := fmt.Sprintf("arrowguard: %s at offset %d", e.Part, e.Offset)
	if e.Field != "" {
		s += fmt.Sprintf(", column %q", e.Field)
	}
	if e.Fault != nil {
		return s + ": " + e.Fault.Error()
	}
	return s + ": " + e.Detail
}

// Unwrap returns ErrInvalid, and the fault of the FlatBuffer where there is one.
func (e *Error) Unwrap() []error {
	if e.Fault != nil {
		return []error{ErrInvalid, e.Fault}
	}
	return []error{ErrInvalid}
}
