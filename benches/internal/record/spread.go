package record

import (
	"fmt"
	"strings"

	"github.com/fbverify/go/internal/pair"
)

// A Spread says how the ratios of many works lie.
type Spread struct {
	Works              int
	Median, P90, Worst float64
	WorstWork          string
	Above              int // how many are above 1
}

// SpreadOf returns the spread of those rows whose works' names start with prefix,
// whose legs have these names. Rows that were judged from too few rounds are left out.
func SpreadOf(rows []Row, prefix, ours, peer string) Spread {
	var s Spread
	var ratios []float64
	for _, r := range rows {
		if !strings.HasPrefix(r.Work, prefix) || r.Ours != ours || r.Peer != peer || r.Middle <= 0 {
			continue
		}
		ratios = append(ratios, r.Middle)
		if r.Middle > s.Worst {
			s.Worst, s.WorstWork = r.Middle, r.Work
		}
		if r.Middle > 1 {
			s.Above++
		}
	}
	if s.Works = len(ratios); s.Works > 0 {
		s.Median, s.P90 = pair.Quantile(ratios, 0.5), pair.Quantile(ratios, 0.9)
	}
	return s
}

func (s Spread) String() string {
	if s.Works == 0 {
		return "nothing was measured"
	}
	return fmt.Sprintf("median %s, p90 %s, worst %s (%s); %d of %d above 1",
		Figure(s.Median), Figure(s.P90), Figure(s.Worst), s.WorstWork, s.Above, s.Works)
}
