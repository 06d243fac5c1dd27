// Package trust holds the tests that show what verification promises: that what
// is accepted can be read, that what real writers produce is accepted, and what
// hostile input can cost. SECURITY.md says what each shows, and fuzz.sh runs the
// fuzz targets of all packages.
//
// The random tests take a number of seeds, so that the same test is a matter of
// seconds by default and of hours when asked:
//
//	go test ./internal/trust -seeds 100000
package trust
