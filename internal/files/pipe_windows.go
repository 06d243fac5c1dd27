package files

import (
	"errors"
	"syscall"
)

// noData is ERROR_NO_DATA: the pipe is being closed.
const noData = syscall.Errno(232)

// IsBrokenPipe reports whether nobody reads what is written: no fault of ours, and
// nothing to tell anybody.
func IsBrokenPipe(err error) bool {
	return errors.Is(err, syscall.ERROR_BROKEN_PIPE) || errors.Is(err, noData)
}
