// Package ui is what the verbs of fbinspect share towards a person: colour that
// is used on a terminal only, numbers and names that are easy to read and safe to
// print, bytes with the faulty ones marked, suggestions for what was mistyped, and
// output files that are either whole or not there.
package ui
