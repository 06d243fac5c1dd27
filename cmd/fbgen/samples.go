package main

import (
	"fmt"

	"github.com/fbverify/go/fbverify/container"
	"github.com/fbverify/go/internal/files"
	"github.com/fbverify/go/internal/gogen"
)

// mostSample is the bytes that a sample may have.
const mostSample = 1 << 30

// readSamples reads the files whose vtables are to be counted. One of a format
// that says itself of which types its FlatBuffers are gives those of the types
// that the schemas have; any other is a buffer, or a stream, of the root type.
func readSamples(paths []string, root string, inputs []gogen.Input) ([]gogen.Sample, error) {
	var samples []gogen.Sample
	for _, path := range paths {
		b, err := files.Read(path, mostSample)
		if err != nil {
			return nil, usageError{fmt.Errorf("fbgen: -profile: %w", err)}
		}
		f, err := container.OpenBytes(b, nil)
		if err != nil || !f.Format().KnowsTypes() {
			samples = append(samples, gogen.Sample{Name: path, Root: root, Data: b})
			continue
		}
		parts, err := readParts(path, f, inputs)
		if err != nil {
			return nil, err
		}
		if len(parts) == 0 {
			// The bytes may look like a format and be none.
			parts = []gogen.Sample{{Name: path, Root: root, Data: b}}
		}
		samples = append(samples, parts...)
	}
	return samples, nil
}

// readParts returns the parts of a file that are of the schemas' types.
func readParts(path string, f *container.File, inputs []gogen.Input) ([]gogen.Sample, error) {
	var samples []gogen.Sample
	for part, err := range f.Parts() {
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		if !hasTable(inputs, part.Root) {
			continue
		}
		data, err := part.Bytes()
		if err != nil {
			return nil, usageError{fmt.Errorf("fbgen: -profile: %w", err)}
		}
		data, _, err = part.Framing.Message(data)
		if err != nil {
			return nil, fmt.Errorf("%s: %s: %w", path, part.Name, err)
		}
		data = data[part.Framing.Prefix():]
		samples = append(samples, gogen.Sample{Name: path + ": " + part.Name, Root: part.Root, Data: data})
	}
	return samples, nil
}

func hasTable(inputs []gogen.Input, name string) bool {
	for _, in := range inputs {
		for _, o := range in.Schema.Objects {
			if o.Name == name && !o.IsStruct {
				return true
			}
		}
	}
	return false
}
