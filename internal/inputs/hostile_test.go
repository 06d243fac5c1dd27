package inputs

import "testing"

// TestHostileBuffersHaveTheSizesAskedFor allows more for nested buffers and
// the smallest size, where a few bytes more or less are a larger part.
func TestHostileBuffersHaveTheSizesAskedFor(t *testing.T) {
	for _, h := range Hostiles {
		for _, size := range HostileSizes {
			if testing.Short() && size > 1<<20 {
				continue
			}
			near(t, h.Name, len(h.Make(size)), size)
		}
	}
}
