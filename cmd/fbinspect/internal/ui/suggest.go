package ui

import "github.com/fbverify/go/internal/suggest"

// DidYouMean returns a clause to put behind an error, "" where nothing is near.
func DidYouMean(name string, known []string) string { return suggest.DidYouMean(name, known) }
