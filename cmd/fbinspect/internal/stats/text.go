package stats

import (
	"fmt"
	"io"
	"strings"

	"github.com/fbverify/go/cmd/fbinspect/internal/ui"
)

// Write writes the report for a person. Of long lists the first few are shown, unless all
// are wanted.
func (r *Report) Write(w io.Writer, style ui.Style, all bool) {
	few := func(n int) int {
		if all {
			return n
		}
		return min(n, largest)
	}
	fmt.Fprintf(w, "%s: %s, %s bytes, %s\n", style.Bold(ui.Name(r.File)), r.Format, ui.Thousands(r.Size), ui.Count(int64(r.Parts), "FlatBuffer"))
	if r.Faulty > 0 || len(r.Faults) > 0 {
		faults, where := 0, ""
		for _, n := range r.Faults {
			faults += n
		}
		if r.Faulty > 0 {
			where = fmt.Sprintf(" (%s of %s not sound)", ui.Thousands(int64(r.Faulty)), ui.Count(int64(r.Parts), "FlatBuffer"))
		}
		fmt.Fprintf(w, "%s\n", style.Warn(fmt.Sprintf("%s%s: what is behind a fault is counted as a gap; fbinspect verify says more", ui.Count(int64(faults), "fault"), where)))
	}
	section(w, style, "What the bytes are for")
	r.table(w, r.Regions, r.Size, len(r.Regions))
	var inside int64
	for _, s := range r.Kinds {
		inside += s.Bytes
	}
	if len(r.Kinds) > 0 {
		section(w, style, "Within the FlatBuffers")
		r.table(w, r.Kinds, inside, len(r.Kinds))
		section(w, style, "By type: tables, with the strings and vectors of their fields")
		for i, t := range r.Types {
			if i == few(len(r.Types)) {
				fmt.Fprintf(w, "  … %s more (--all)\n", ui.Count(int64(len(r.Types)-i), "type"))
				break
			}
			fmt.Fprintf(w, "%s  %s, %s\n", share(t.Bytes, inside), style.Type(t.Name), ui.Count(int64(t.Count), "table"))
			for j, f := range t.Fields {
				if !all && j == 5 {
					fmt.Fprintf(w, "%29s… %s more\n", "", ui.Count(int64(len(t.Fields)-j), "field"))
					break
				}
				fmt.Fprintf(w, "  %s  %s\n", share(f.Bytes, inside), style.Field(f.Name))
			}
		}
		if r.Other > 0 {
			fmt.Fprintf(w, "%s  (roots, padding between objects, gaps)\n", share(r.Other, inside))
		}
	}
	if v := r.VTables; v.Count > 0 {
		section(w, style, "VTables")
		fmt.Fprintf(w, "  %s in %s, used by %s: %.1f each\n", ui.Count(int64(v.Count), "vtable"), ui.Count(v.Bytes, "byte"), ui.Count(int64(v.Tables), "table"), float64(v.Tables)/float64(v.Count))
		if v.Duplicates > 0 {
			fmt.Fprintf(w, "  %s equal to another of its buffer\n", ui.Count(int64(v.Duplicates), "vtable"))
		}
	}
	if len(r.Depths) > 0 {
		section(w, style, "Tables by depth")
		most := 1
		for _, n := range r.Depths {
			most = max(most, n)
		}
		for i, n := range r.Depths {
			if !all && i == 20 {
				fmt.Fprintf(w, "  … down to %d\n", len(r.Depths))
				break
			}
			fmt.Fprintf(w, "  %4d %9s %s\n", i+1, ui.Thousands(int64(n)), strings.Repeat("#", (n*40+most-1)/most))
		}
	}
	if len(r.Largest) > 0 {
		section(w, style, "The largest things")
		for _, t := range r.Largest {
			name := t.Path
			if name == "" {
				name = t.Part
			} else if r.Parts > 1 {
				name = t.Part + " " + name
			}
			fmt.Fprintf(w, "%s  %s  %s\n", share(t.Bytes, r.Size), style.Field(name), style.Dim(fmt.Sprintf("%s at %d", t.What, t.Offset)))
		}
	}
	if len(r.Repeated) > 0 {
		section(w, style, "Strings that stand in a buffer more than once")
		for _, s := range r.Repeated {
			fmt.Fprintf(w, "%12s  %s × %s\n", ui.Thousands(s.Bytes), ui.Thousands(int64(s.Count)), style.Text(ui.Text([]byte(s.Text), 60)))
		}
	}
	if r.Uncompared > 0 {
		fmt.Fprintf(w, "\n%s\n", style.Warn(fmt.Sprintf("%s not compared with others: of a FlatBuffer the first %s different ones are", ui.Count(int64(r.Uncompared), "string or vtable"), ui.Thousands(MostDistinct))))
	}
	if len(r.Savings) > 0 {
		section(w, style, "What could be smaller")
		for _, s := range r.Savings {
			fmt.Fprintf(w, "%s  %s\n", share(s.Bytes, r.Size), s.What)
		}
	}
}

func section(w io.Writer, style ui.Style, title string) {
	fmt.Fprintf(w, "\n%s\n", style.Bold(title))
}

func (r *Report) table(w io.Writer, list []Share, whole int64, n int) {
	for _, s := range list[:n] {
		fmt.Fprintf(w, "%s  %s  %s×\n", share(s.Bytes, whole), fmt.Sprintf("%-14s", s.Name), ui.Thousands(int64(s.Count)))
	}
}

// share is a size and what part of the whole it is.
func share(bytes, whole int64) string {
	percent := 0.0
	if whole > 0 {
		percent = 100 * float64(bytes) / float64(whole)
	}
	return fmt.Sprintf("%12s %5.1f%%", ui.Thousands(bytes), percent)
}
