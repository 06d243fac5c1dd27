//go:build !plan9 && !windows

package files

import (
	"errors"
	"syscall"
)

// IsBrokenPipe reports whether nobody reads what is written: no fault of ours, and
// nothing to tell anybody.
func IsBrokenPipe(err error) bool { return errors.Is(err, syscall.EPIPE) }
