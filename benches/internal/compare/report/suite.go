package report

import (
	"math"
	"slices"
)

// The verdicts about a suite.
const (
	Improvement = "improvement"
	Regression  = "regression"
	NoSignal    = "no clear signal"
	TooNoisy    = "too noisy to say"
	TooLittle   = "too little time to say" // fewer rounds than it takes to tell anything
	NothingBoth = "nothing to compare"     // no benchmark exists on both sides
	NoResult    = "no result"              // its run failed
)

// A Suite is a verdict about benchmarks that belong together.
type Suite struct {
	Name    string `json:"name"`
	Verdict string `json:"verdict"`

	// Confidence is, for a regression or improvement that the clocks show, one
	// minus the probability that chance alone shows anything so clear among all
	// benchmarks compared; for no clear signal and too noisy to say it is the
	// share of benchmarks that rule out a change of the threshold. It is absent
	// for what only instruction counts show, which know no chance.
	Confidence *float64 `json:"confidence"`

	GeometricMean float64 `json:"geometric_mean"` // of the median ratios, 0 where there is none
	Up            int     `json:"up"`             // separably slower
	Down          int     `json:"down"`           // separably faster
	CalledOut     int     `json:"called_out"`
	Compared      int     `json:"compared"`  // on both sides
	RuledOut      int     `json:"ruled_out"` // that changed by less than the threshold for sure
	New           int     `json:"new"`
	Gone          int     `json:"gone"`
}

// newSuite draws up the verdict about the rows of one suite. Compared is the
// number of benchmarks that chance had a try at.
func newSuite(name string, rows []Row, compared int) Suite {
	s := Suite{Name: name}
	logs, measured, slower, faster := 0.0, 0, 0, 0
	clearest := math.Inf(1)
	for _, row := range rows {
		if row.Suite != name {
			continue
		}
		switch row.Status {
		case "new":
			s.New++
			continue
		case "gone":
			s.Gone++
			continue
		}
		s.Compared++
		if row.median > 0 {
			logs += math.Log(row.median)
			measured++
		}
		if row.Separable && *row.Ratio > 1 {
			s.Up++
		} else if row.Separable {
			s.Down++
		}
		if row.RuledOut {
			s.RuledOut++
		}
		if row.CalledOut {
			s.CalledOut++
			if row.Change == Regression {
				slower++
			} else {
				faster++
			}
			if row.By == "clocks" {
				clearest = min(clearest, row.P)
			}
		}
	}
	if measured > 0 {
		s.GeometricMean = math.Exp(logs / float64(measured))
	}
	switch {
	case s.Compared == 0:
		s.Verdict = NothingBoth
		return s
	case slower > 0:
		s.Verdict = Regression
	case faster > 0:
		s.Verdict = Improvement
	case 2*s.RuledOut >= s.Compared:
		s.Verdict = NoSignal
	default:
		s.Verdict = TooNoisy
	}
	confidence := float64(s.RuledOut) / float64(s.Compared)
	if slower+faster > 0 {
		if math.IsInf(clearest, 1) {
			return s
		}
		confidence = max(0, 1-clearest*float64(compared))
	}
	s.Confidence = &confidence
	return s
}

// Merge puts reports of parallel runs together. Suites that are expected and in
// none of the reports are in the result as such.
func Merge(reports []*Report, expected []string) *Report {
	all := &Report{}
	for _, r := range reports {
		all.Suites = append(all.Suites, r.Suites...)
		all.Benchmarks = append(all.Benchmarks, r.Benchmarks...)
		all.Runs = append(all.Runs, r.Runs...)
	}
	for _, name := range expected {
		if !slices.ContainsFunc(all.Suites, func(s Suite) bool { return s.Name == name }) {
			all.Suites = append(all.Suites, Suite{Name: name, Verdict: NoResult})
		}
	}
	if len(expected) > 0 {
		place := func(s Suite) int { return (slices.Index(expected, s.Name) + len(expected) + 1) % (len(expected) + 1) }
		slices.SortStableFunc(all.Suites, func(a, b Suite) int { return place(a) - place(b) })
	}
	all.sort()
	return all
}
