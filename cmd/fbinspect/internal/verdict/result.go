package verdict

import "github.com/fbverify/go/fbverify/container"

// Result is the verdict on one file. Its JSON form is stable.
type Result struct {
	File   string `json:"file"`
	Format string `json:"format"` // a name that --format takes, "unknown" where there is none
	Valid  bool   `json:"valid"`

	// Verdict is "sound", "deviating" where the file is valid although it breaks the letter of
	// its format, or "damaged"; "" where there is none.
	Verdict string `json:"verdict,omitempty"`

	// Parts are the FlatBuffers of the file. A text report needs the faulty ones only,
	// so the sound ones are here only if [Checker.KeepParts] asks for them.
	Parts []Part `json:"parts"`

	// Errors are the faults of the file around its FlatBuffers.
	Errors []Fault `json:"errors,omitempty"`

	// Error says why there is no verdict: a file that cannot be read, a type that
	// nobody named.
	Error string `json:"error,omitempty"`

	// Deviations are what breaks the letter of the format, and is read all the same.
	Deviations []Note `json:"deviations,omitempty"`

	// Notes are what is odd about a file, or was not looked at, and no fault of it.
	Notes []Note `json:"notes,omitempty"`

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

	// Deviates and Noted are how many deviations there are, and notes about parts and what
	// is between them, also those that are not listed.
	Deviates int `json:"-"`
	Noted    int `json:"-"`

	// Kinds counts the faults by kind.
	Kinds map[string]int `json:"-"`

	untyped bool // only the user can know the type
}

// Part is the verdict on one FlatBuffer of a file.
type Part struct {
	Name    string  `json:"name"`
	Type    string  `json:"type"`
	Offset  int64   `json:"offset"` // in the file
	Length  int64   `json:"length"`
	Valid   bool    `json:"valid"`
	Verdict string  `json:"verdict"` // "sound", "deviating" or "damaged"
	Tables  int     `json:"tables"`  // met on a walk; of a faulty part up to its first fault
	Errors  []Fault `json:"errors"`

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

	Around  string `json:"part,omitempty"` // the piece of framing, of a fault of the file; "" = the file
	Part    string `json:"-"`
	Hint    string `json:"-"`
	Width   int    `json:"-"` // number of bytes at fault from Offset on; 0 = none in particular
	Excerpt []byte `json:"-"` // bytes of the file around Offset
	Start   int64  `json:"-"` // where in the file Excerpt is from
}

// Note is one thing that deviates, or is odd.
type Note struct {
	Kind    string `json:"kind,omitempty"`
	Part    string `json:"part,omitempty"` // the FlatBuffer or the piece of framing; "" = the file
	Path    string `json:"path,omitempty"`
	Offset  *int64 `json:"offset,omitempty"` // in the file, in bytes
	Message string `json:"message"`
	Readers string `json:"readers,omitempty"` // that open such a file
}

// settle says what the findings come to.
func (r *Result) settle() {
	r.Valid = r.Judged() && r.Faults == 0
	switch {
	case !r.Judged():
	case r.Faults > 0:
		r.Verdict = container.Damaged.String()
	case r.Deviates > 0:
		r.Verdict = container.Deviating.String()
	default:
		r.Verdict = container.Sound.String()
	}
}

// Judged reports whether there is a verdict.
func (r *Result) Judged() bool { return r.Error == "" && r.Skipped == "" }
