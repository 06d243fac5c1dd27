package container

import (
	"fmt"
	"strings"

	"github.com/fbverify/go/fbverify"
)

// Format is a way to lay out FlatBuffers in a file.
type Format uint8

// The formats.
const (
	Unknown          Format = iota
	Raw                     // one FlatBuffer and nothing else
	SizePrefixed            // one FlatBuffer with its length, a uint32, before it
	Stream                  // size-prefixed FlatBuffers, one right after the other
	LongSizePrefixed        // as SizePrefixed, the length being a uint64
	LongStream              // as Stream, the lengths being uint64s
	Vortex                  // a Vortex file: VTXF … VTXF
	ArrowFile               // an Arrow IPC file (Feather version 2 is the same): ARROW1 … ARROW1
	ArrowStream             // Arrow IPC messages one after the other, as a stream or alone
	Feather                 // a Feather file of version 1: FEA1 … FEA1
	TFLite                  // a TFLite model, with or without weights after the FlatBuffer
	FlatGeobuf              // a FlatGeobuf file: header, index, features
	BFBS                    // a binary FlatBuffers schema

	numFormats
)

var formatNames = [numFormats]string{
	Unknown:          "unknown",
	Raw:              "raw",
	SizePrefixed:     "size-prefixed",
	Stream:           "stream",
	LongSizePrefixed: "long-size-prefixed",
	LongStream:       "long-stream",
	Vortex:           "vortex",
	ArrowFile:        "arrow",
	ArrowStream:      "arrow-stream",
	Feather:          "feather",
	TFLite:           "tflite",
	FlatGeobuf:       "flatgeobuf",
	BFBS:             "bfbs",
}

// String returns the name that [ParseFormat] reads, such as "arrow-stream".
// Names do not change between releases.
func (f Format) String() string {
	if f < numFormats {
		return formatNames[f]
	}
	return fmt.Sprintf("Format(%d)", uint8(f))
}

// Formats returns all formats but Unknown.
func Formats() []Format {
	all := make([]Format, 0, numFormats-1)
	for f := Unknown + 1; f < numFormats; f++ {
		all = append(all, f)
	}
	return all
}

// ParseFormat returns the format of that name. "auto" and "" are Unknown: to be
// found out by [Detect].
func ParseFormat(name string) (Format, error) {
	if name == "" || name == "auto" {
		return Unknown, nil
	}
	for _, f := range Formats() {
		if formatNames[f] == name {
			return f, nil
		}
	}
	return Unknown, fmt.Errorf("container: no format %q: known are auto, %s", name, strings.Join(formatNames[1:], ", "))
}

// Several reports whether a file of the format may hold any number of FlatBuffers.
func (f Format) Several() bool {
	switch f {
	case Raw, SizePrefixed, LongSizePrefixed, BFBS, TFLite:
		return false
	}
	return true
}

// KnowsTypes reports whether the format itself says of which types its
// FlatBuffers are, so that no schema has to be given.
func (f Format) KnowsTypes() bool { return f >= Vortex && f < numFormats }

// Framing returns what stands before each FlatBuffer of a file of FlatBuffers alone:
// raw, size-prefixed or a stream. Parts of other formats say it themselves.
func (f Format) Framing() fbverify.Framing {
	switch f {
	case SizePrefixed, Stream:
		return fbverify.SizePrefixed
	case LongSizePrefixed, LongStream:
		return fbverify.LongSizePrefixed
	}
	return fbverify.Unframed
}
