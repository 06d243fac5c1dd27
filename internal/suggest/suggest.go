// Package suggest finds the names that a mistyped one may stand for.
package suggest

import (
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strconv"
	"strings"
)

// Nearest returns the known names that a mistyped one may stand for, the nearest
// first, at most three.
func Nearest(name string, known []string) []string {
	return nearest(name, known, func(name string) string { return name[strings.LastIndexByte(name, '.')+1:] })
}

// nearest is Nearest, where the last word of a name does for all of it.
func nearest(name string, known []string, word func(string) string) []string {
	type candidate struct {
		name string
		far  int
	}
	var found []candidate
	lower := strings.ToLower(name)
	for _, k := range known {
		full := strings.ToLower(k)
		last := word(full)
		far := min(distance(lower, full), distance(word(lower), last)+boolInt(last != full))
		if limit := 1 + min(len(word(lower)), len(last))/3; far <= limit {
			found = append(found, candidate{k, far})
		}
	}
	sort.SliceStable(found, func(i, j int) bool { return found[i].far < found[j].far })
	var names []string
	for _, c := range found[:min(len(found), 3)] {
		names = append(names, c.name)
	}
	return names
}

// DidYouMean returns a clause to put behind an error, "" where nothing is near.
func DidYouMean(name string, known []string) string {
	return didYouMean(Nearest(name, known))
}

func didYouMean(near []string) string {
	if len(near) == 0 {
		return ""
	}
	return "; did you mean " + strings.Join(near, " or ") + "?"
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

// distance counts the bytes to add, remove, change or swap with their neighbour to get
// from a to b. Long names are never near.
func distance(a, b string) int {
	const longest = 100
	if len(a) > longest || len(b) > longest {
		return longest
	}
	var before, last, row [longest + 1]int
	for j := range len(b) + 1 {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+boolInt(a[i-1] != b[j-1]))
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(b)]
}

// File returns a clause on the file of a folder that a mistyped path may stand for, "" where
// nothing is near. Names with the extension of the path are looked at, or with one of those
// given; all, where none has it.
func File(path string, extensions ...string) string {
	dir, base := filepath.Split(path)
	folder, err := os.Open(filepath.Clean(dir + "."))
	if err != nil {
		return ""
	}
	defer folder.Close()
	const most = 4096
	entries, _ := folder.ReadDir(most)
	var names, others []string
	extensions = append(extensions, filepath.Ext(base))
	for _, e := range entries {
		switch {
		case !e.Type().IsRegular():
		case slices.Contains(extensions, filepath.Ext(e.Name())):
			names = append(names, e.Name())
		default:
			others = append(others, e.Name())
		}
	}
	if len(names) == 0 {
		names = others // the extension may be what was mistyped
	}
	slices.Sort(names)
	near := nearest(base, names, func(name string) string { return strings.TrimSuffix(name, filepath.Ext(name)) })
	if len(base) <= 2 {
		near = nil
	}
	for i := range near {
		if near[i] = dir + near[i]; strconv.Quote(near[i]) != `"`+near[i]+`"` {
			near[i] = strconv.Quote(near[i])
		}
	}
	return didYouMean(near)
}
