package record

import "fmt"

// Figure prints a ratio with three digits.
func Figure(x float64) string {
	switch {
	case x < 0.1:
		return fmt.Sprintf("%.4f", x)
	case x < 10:
		return fmt.Sprintf("%.3f", x)
	default:
		return fmt.Sprintf("%.1f", x)
	}
}

// Duration prints nanoseconds with three digits and a unit.
func Duration(ns float64) string {
	for _, unit := range []string{"ns", "us", "ms"} {
		if ns < 999.5 {
			return fmt.Sprintf("%.3g %s", ns, unit)
		}
		ns /= 1000
	}
	return fmt.Sprintf("%.3g s", ns)
}
