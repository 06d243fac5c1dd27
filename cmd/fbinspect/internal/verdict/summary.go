package verdict

import (
	"fmt"
	"io"
	"sort"
	"strings"

	"github.com/fbverify/go/cmd/fbinspect/internal/ui"
)

// Summary adds up results.
type Summary struct {
	Files, Valid, Invalid, Failed, Skipped int64

	Deviating                    int64 // of the valid ones
	Parts, Tables, Bytes, Faults int64
	Kinds                        map[string]int
}

// Add adds a result.
func (s *Summary) Add(r *Result) {
	s.Files++
	switch {
	case r.Skipped != "":
		s.Skipped++
	case r.Error != "":
		s.Failed++
	case r.Valid:
		s.Valid++
		if r.Deviates > 0 {
			s.Deviating++
		}
	default:
		s.Invalid++
	}
	s.Parts += int64(r.Total)
	s.Tables += r.Tables
	s.Bytes += r.Size
	s.Faults += int64(r.Faults)
	for kind, n := range r.Kinds {
		if s.Kinds == nil {
			s.Kinds = map[string]int{}
		}
		s.Kinds[kind] += n
	}
}

// ExitCode is 0 when all is well, 1 when something is invalid, 2 when something could
// not be judged.
func (s *Summary) ExitCode() int {
	switch {
	case s.Failed > 0:
		return 2
	case s.Invalid > 0:
		return 1
	}
	return 0
}

// Write writes the summary in a few lines.
func (s *Summary) Write(w io.Writer, style ui.Style) {
	words := []string{style.Good(ui.Thousands(s.Valid) + " valid")}
	if s.Deviating > 0 {
		words[0] += " (" + style.Warn(ui.Thousands(s.Deviating)+" deviating") + ")"
	}
	if s.Invalid > 0 {
		words = append(words, style.Bad(ui.Thousands(s.Invalid)+" invalid"))
	}
	if s.Failed > 0 {
		words = append(words, style.Warn(ui.Thousands(s.Failed)+" not judged"))
	}
	if s.Skipped > 0 {
		words = append(words, style.Dim(ui.Thousands(s.Skipped)+" passed over (of no known kind)"))
	}
	fmt.Fprintf(w, "%s: %s\n", style.Bold(ui.Count(s.Files, "file")), strings.Join(words, ", "))
	fmt.Fprintf(w, "  %s, %s, %s read\n", ui.Count(s.Parts, "FlatBuffer"), ui.Count(s.Tables, "table"), ui.Bytes(s.Bytes))
	if s.Faults == 0 {
		return
	}
	kinds := make([]string, 0, len(s.Kinds))
	for kind := range s.Kinds {
		kinds = append(kinds, kind)
	}
	sort.Slice(kinds, func(i, j int) bool {
		if s.Kinds[kinds[i]] != s.Kinds[kinds[j]] {
			return s.Kinds[kinds[i]] > s.Kinds[kinds[j]]
		}
		return kinds[i] < kinds[j]
	})
	for i, kind := range kinds {
		kinds[i] = fmt.Sprintf("%s %s", kind, ui.Thousands(int64(s.Kinds[kind])))
	}
	fmt.Fprintf(w, "  %s: %s\n", ui.Count(s.Faults, "fault"), strings.Join(kinds, ", "))
}
