package words

import (
	"fmt"
	"strings"
)

// DidYouMean returns `, did you mean "x"?` for the known name nearest to an
// unknown one, and "" when none is near.
func DidYouMean(name string, known []string) string {
	// A comparison takes the product of both lengths.
	const longest, most = 60, 2000
	if len(name) > longest || len(known) > most {
		return ""
	}
	best, distance := "", 1+len(name)/3
	for _, k := range known {
		if len(k) > longest || k == name {
			continue
		}
		d := editDistance(strings.ToLower(name), strings.ToLower(k))
		if d < distance || d == distance && best != "" && k < best {
			best, distance = k, d
		}
	}
	if best == "" {
		return ""
	}
	return fmt.Sprintf(", did you mean %s?", Quote(best))
}

// editDistance counts the letters to insert, delete, change or swap with their
// neighbour to get from a to b.
func editDistance(a, b string) int {
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(b)]
}
