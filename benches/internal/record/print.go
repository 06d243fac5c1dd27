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

// Size prints a number of bytes with three digits and a unit of 1000.
func Size(bytes int) string { return size(bytes, 1000, "B", "KB", "MB", "GB") }

// BinarySize prints a number of bytes with three digits and a unit of 1024.
func BinarySize(bytes int) string { return size(bytes, 1024, "B", "KiB", "MiB", "GiB") }

func size(bytes int, step float64, units ...string) string {
	x := float64(bytes)
	for i, unit := range units {
		if x < 999.5 || i == len(units)-1 {
			return fmt.Sprintf("%.3g %s", x, unit)
		}
		x /= step
	}
	return ""
}
