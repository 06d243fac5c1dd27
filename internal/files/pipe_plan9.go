package files

import (
	"errors"
	"syscall"
)

// IsBrokenPipe reports whether nobody reads what is written: no fault of ours, and
// nothing to tell anybody.
func IsBrokenPipe(err error) bool {
	// The errors of this system are texts. This is the one of pipe(3).
	return errors.Is(err, syscall.NewError("i/o on hungup channel"))
}
