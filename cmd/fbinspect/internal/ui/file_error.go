package ui

// FileError is an error of a file, and begins with its name.
type FileError struct {
	Name string
	Err  error
}

// Error returns the name and the error below.
func (e *FileError) Error() string { return Name(e.Name) + ": " + e.Err.Error() }

// Unwrap returns the error below.
func (e *FileError) Unwrap() error { return e.Err }
