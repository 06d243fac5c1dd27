//go:build !fbdebug

package machine

const debug = false
