package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/fbverify/go/benches/internal/compare/exe"
)

// suites are the benchmarks that pull requests compare in parallel jobs, each
// of them on a machine of its own. Hostile buffers above 256 KiB are left out:
// one run of them takes longer than a comparison may. Cold takes the working sets
// of -short, which are twice what caches of pull requests' machines hold.
var suites = []struct {
	name      string
	functions []string // without "Benchmark"
	bench     string   // the pattern that selects them, if it is not all of them
}{
	{name: "Root", functions: []string{"Root", "BufferLengths", "Strings", "Parallel"}},
	{name: "Real", functions: []string{"Real"}},
	{name: "Cold", functions: []string{"Cold", "Large"}},
	{name: "Varied", functions: []string{"Varied", "First"}},
	{name: "Read", functions: []string{"Read"}},
	{name: "Decode", functions: []string{"Decode", "Stream"}},
	{name: "Files", functions: []string{"VerifyReal", "Hostile"},
		bench: "^BenchmarkVerifyReal$|^BenchmarkHostile$/^kind=/^size=(1024|16384|262144)$"},
}

func suiteNames() (names []string) {
	for _, s := range suites {
		names = append(names, s.name)
	}
	return names
}

// unpinned are the functions whose benchmarks run on all processors: what several
// goroutines gain cannot be seen on one.
var unpinned = []string{"Parallel"}

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

// A side runs benchmarks of one test binary: pinned to processors but for those that
// need all of them.
type side struct{ exe.Binary }

// Run runs what a pattern selects. The session asks for benchmarks of one function at
// a time, once it knows which there are.
func (s side) Run(ctx context.Context, pattern, benchtime string, times int) ([]exe.Result, error) {
	binary := s.Binary
	if every(strings.Split(pattern, "|"), func(p string) bool {
		return slices.ContainsFunc(unpinned, func(f string) bool {
			return p == "^Benchmark"+f+"$" || strings.HasPrefix(p, "^Benchmark"+f+"$/")
		})
	}) {
		binary.CPUs = nil
	}
	return binary.Run(ctx, pattern, benchtime, times)
}

func every[T any](list []T, is func(T) bool) bool {
	return !slices.ContainsFunc(list, func(x T) bool { return !is(x) })
}
