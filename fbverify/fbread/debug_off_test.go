//go:build !fbdebug

package fbread_test

// fbreadDebug is whether preconditions are checked.
const fbreadDebug = false
