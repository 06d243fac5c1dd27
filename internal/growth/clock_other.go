//go:build !unix

package growth

import "time"

var start = time.Now()

// processorTime is the time since the start, where a process cannot ask for what it used.
func processorTime() time.Duration { return time.Since(start) }
