package container

import (
	"errors"
	"fmt"

	"github.com/fbverify/go/fbverify"
)

// Verdict says what became of a part, or of a file as the worst of its parts and of its
// framing.
type Verdict uint8

// The verdicts.
const (
	Sound     Verdict = iota
	Deviating         // against the letter, as the readers of the format let pass
	Damaged
)

var verdictNames = [...]string{"sound", "deviating", "damaged"}

// String returns the verdict in one word, such as "deviating".
func (v Verdict) String() string {
	if int(v) < len(verdictNames) {
		return verdictNames[v]
	}
	return fmt.Sprintf("Verdict(%d)", uint8(v))
}

// Verdict returns what a finding of that severity makes of a file.
func (s Severity) Verdict() Verdict {
	switch s {
	case Fault:
		return Damaged
	case Deviation:
		return Deviating
	}
	return Sound
}

// Judgement is all that is to be said of one part.
type Judgement struct {
	Verdict Verdict
	Counts  fbverify.Counts

	// Fault is the first of a damaged part; [Part.Explain] tells all.
	Fault *fbverify.Error

	// Deviations are what the readers of the format let pass, field by field as its schema
	// says.
	Deviations []*fbverify.Error

	// Unknown are the values that nobody looked at, since a newer writer made them.
	Unknown []fbverify.Unknown
}

// Judge is [Part.Verify], and says of what it accepts how it deviates and what was not looked
// at. With Strict or NoExceptions there are no deviations, but faults. The error is that of
// reading, or of the options.
func (p Part) Judge(opts *fbverify.Options) (Judgement, error) {
	t, b, err := p.open()
	if fault := (*fbverify.Error)(nil); errors.As(err, &fault) {
		return Judgement{Verdict: Damaged, Fault: fault}, nil // too large to be read
	}
	if err != nil {
		return Judgement{}, err
	}
	return Judge(t, b, p.Options(opts))
}

// Judge is [Part.Judge] for bytes and a type at hand.
func Judge(t *fbverify.Type, b []byte, opts *fbverify.Options) (j Judgement, err error) {
	j.Counts, err = t.Measure(b, opts)
	if fault := (*fbverify.Error)(nil); errors.As(err, &fault) && fault.Kind != fbverify.ErrOptions {
		j.Verdict, j.Fault = Damaged, fault
		return j, nil
	}
	if err != nil {
		return j, err
	}
	if j.Counts.Excepted {
		if j.Deviations = t.Deviations(b, opts); len(j.Deviations) > 0 {
			j.Verdict = Deviating
		}
	}
	if j.Counts.Unknown {
		j.Unknown = t.Unknown(b, opts)
	}
	return j, nil
}
