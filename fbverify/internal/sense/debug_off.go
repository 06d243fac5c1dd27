//go:build !fbdebug

package sense

// debug says that what a glance accepts is walked all the same.
const debug = false
