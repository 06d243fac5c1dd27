//go:build fbdebug

package machine

const debug = true
