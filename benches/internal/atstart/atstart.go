// Package atstart holds the time at which a program began to initialise its
// packages.
//
// Go initialises, of all packages whose imports are ready, the one with the first
// path in alphabetical order. This one imports time only, so it comes before every
// package of this library that does more than compute constants.
package atstart

import "time"

// Time is when this package was initialised.
var Time = time.Now()
