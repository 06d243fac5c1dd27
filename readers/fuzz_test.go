package readers_test

import "testing"

// fuzz reads whatever it is given, in memory and in pieces, to its end or to a typed error.
func fuzz(f *testing.F, as format, small []byte) {
	for _, b := range real(f, as) {
		if len(b) < 16<<10 {
			f.Add(b)
		}
	}
	f.Add(small)
	f.Fuzz(func(t *testing.T, b []byte) { wholly(t, as, "input", b) })
}

func FuzzVortex(f *testing.F)      { fuzz(f, formats[0], vortexFile(2, 2)) }
func FuzzArrow(f *testing.F)       { fuzz(f, formats[1], arrowFile(2, 2)) }
func FuzzArrowStream(f *testing.F) { fuzz(f, formats[2], nil) }
func FuzzTFLite(f *testing.F)      { fuzz(f, formats[3], tfliteFile(3)) }
func FuzzFlatGeobuf(f *testing.F)  { fuzz(f, formats[4], flatGeobufFile(40)) }
