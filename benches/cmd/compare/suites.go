package main

import (
	"fmt"
	"slices"
	"strings"
)

// suites are the benchmarks that pull requests compare in parallel jobs, each
// of them on a machine of its own. Hostile buffers above 256 KiB are left out:
// one run of them takes longer than a comparison may.
var suites = []struct {
	name      string
	functions []string // without "Benchmark"
	bench     string   // the pattern that selects them, if it is not all of them
}{
	{name: "Root", functions: []string{"Root", "BufferLengths", "Strings", "Parallel"}},
	{name: "Read", functions: []string{"Read"}},
	{name: "Decode", functions: []string{"Decode", "Stream"}},
	{name: "Real", functions: []string{"VerifyReal", "Hostile"},
		bench: "^BenchmarkVerifyReal$|^BenchmarkHostile$/^kind=/^size=(1024|16384|262144)$"},
}

// suiteOf returns the suite of a benchmark; one that is in no suite is its own.
func suiteOf(benchmark string) string {
	function, _, _ := strings.Cut(benchmark, "/")
	for _, s := range suites {
		if slices.Contains(s.functions, function) {
			return s.name
		}
	}
	return function
}

// suitePattern returns the pattern for -test.bench that selects a suite.
func suitePattern(name string) (string, error) {
	var names []string
	for _, s := range suites {
		if s.name != name {
			names = append(names, s.name)
			continue
		}
		if s.bench != "" {
			return s.bench, nil
		}
		return "^Benchmark(" + strings.Join(s.functions, "|") + ")$", nil
	}
	return "", fmt.Errorf("--suite %q is none of %s", name, strings.Join(names, ", "))
}
