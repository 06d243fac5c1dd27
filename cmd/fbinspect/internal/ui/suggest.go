package ui

import (
	"sort"
	"strings"
)

// Nearest returns the known names that a mistyped one may stand for, the nearest
// first, at most three.
func Nearest(name string, known []string) []string {
	type candidate struct {
		name string
		far  int
	}
	var found []candidate
	lower := strings.ToLower(name)
	for _, k := range known {
		full := strings.ToLower(k)
		last := full[strings.LastIndexByte(full, '.')+1:]
		far := min(distance(lower, full), distance(lower[strings.LastIndexByte(lower, '.')+1:], last)+boolInt(last != full))
		if limit := 1 + min(len(name), len(k))/3; far <= limit {
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
	near := Nearest(name, known)
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
