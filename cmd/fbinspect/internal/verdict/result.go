package verdict

// Result is the verdict on one file. Its JSON form is stable.
type Result struct {
	File   string `json:"file"`
	Format string `json:"format"` // a name that --format takes, "unknown" where there is none
	Valid  bool   `json:"valid"`

	// Parts are the FlatBuffers of the file. A text report needs the faulty ones only,
	// so the sound ones are here only if [Checker.KeepParts] asks for them.
	Parts []Part `json:"parts"`

	// Errors are the faults of the file around its FlatBuffers.
	Errors []Fault `json:"errors,omitempty"`

	// Error says why there is no verdict: a file that cannot be read, a type that
	// nobody named.
	Error string `json:"error,omitempty"`

	// Notes are what is odd about a file and no fault of it.
	Notes []string `json:"notes,omitempty"`

	// Skipped says why a file found in a folder was passed over: it is of no known
	// kind. It is then neither valid nor invalid.
	Skipped string `json:"skipped,omitempty"`

	// Faults is how many there are, also those that are not listed; Total how many
	// FlatBuffers, Faulty how many of them have faults.
	Faults int   `json:"-"`
	Total  int   `json:"-"`
	Faulty int   `json:"-"`
	Tables int64 `json:"-"` // of the sound parts
	Size   int64 `json:"-"` // of the file, in bytes

	// Kinds counts the faults by kind.
	Kinds map[string]int `json:"-"`

	untyped bool // only the user can know the type
}

// Part is the verdict on one FlatBuffer of a file.
type Part struct {
	Name   string  `json:"name"`
	Type   string  `json:"type"`
	Offset int64   `json:"offset"` // in the file
	Length int64   `json:"length"`
	Valid  bool    `json:"valid"`
	Tables int     `json:"tables"` // met on a walk; of a faulty part up to its first fault
	Errors []Fault `json:"errors"`

	// NotShown is the number of faults that are not in Errors.
	NotShown int `json:"-"`
}

// Fault is one thing that is wrong.
type Fault struct {
	Kind    string `json:"kind"`
	Type    string `json:"type"`
	Path    string `json:"path"`
	Offset  int64  `json:"offset"` // in the file, in bytes
	Message string `json:"message"`

	Part    string `json:"-"`
	Hint    string `json:"-"`
	Width   int    `json:"-"` // number of bytes at fault from Offset on; 0 = none in particular
	Excerpt []byte `json:"-"` // bytes of the file around Offset
	Start   int64  `json:"-"` // where in the file Excerpt is from
}

// Judged reports whether there is a verdict.
func (r *Result) Judged() bool { return r.Error == "" && r.Skipped == "" }
