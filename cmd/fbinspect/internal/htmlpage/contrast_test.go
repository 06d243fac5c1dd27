package htmlpage

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// TestColoursHaveContrast holds the colours of text to 4.5:1 (WCAG 2, AA) on each background on
// which they stand, in the light and the dark palette; and bytes that nothing leads to do not
// have the colour of faults.
func TestColoursHaveContrast(t *testing.T) {
	palettes := regexp.MustCompile(`\{[^{}]*--back:[^{}]*\}`).FindAllString(style, -1)
	if len(palettes) != 2 {
		t.Fatalf("%d palettes", len(palettes))
	}
	for i, p := range palettes {
		colour := map[string]string{}
		for _, m := range regexp.MustCompile(`--([a-z-]+): (#[0-9a-f]{6});`).FindAllStringSubmatch(p, -1) {
			colour[m[1]] = m[2]
		}
		for name, c := range colour {
			grounds := []string{"back", "panel", "select"}
			switch {
			case name == "text" || name == "dim" || name == "bad":
				grounds = append(grounds, "bad-back")
			case name == "accent" || name == "good" || strings.HasPrefix(name, "c-"):
			default:
				continue // no colour of text
			}
			for _, ground := range grounds {
				if r := contrast(c, colour[ground]); r < 4.5 {
					t.Errorf("palette %d: %s on %s: %.2f:1", i, name, ground, r)
				}
			}
		}
		if contrast(colour["bad"], colour["back"]) < 4.5 || colour["c-gap"] == colour["bad"] {
			t.Errorf("palette %d: faults, or unreached bytes that look like them", i)
		}
	}
}

// contrast is the ratio of WCAG 2.
func contrast(a, b string) float64 {
	x, y := luminance(a), luminance(b)
	return (math.Max(x, y) + 0.05) / (math.Min(x, y) + 0.05)
}

func luminance(c string) (l float64) {
	for i, weight := range []float64{0.2126, 0.7152, 0.0722} {
		n, err := strconv.ParseUint(c[1+2*i:3+2*i], 16, 8)
		if err != nil {
			panic(fmt.Sprint(c, err))
		}
		v := float64(n) / 255
		if v <= 0.04045 {
			v /= 12.92
		} else {
			v = math.Pow((v+0.055)/1.055, 2.4)
		}
		l += weight * v
	}
	return l
}
