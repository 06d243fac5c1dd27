package container

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/fbverify/go/internal/oracle"
	"github.com/fbverify/go/internal/seeds"
)

// TestSeedsOfOpen: a small file of each format, made by hand, and some whose
// positions lie.
func TestSeedsOfOpen(t *testing.T) {
	flat := emptyTable()
	fgb := slices.Concat([]byte("fgb\x03fgb\x00"), fgbHeader(2, 0), withPrefix(flat), withPrefix(flat))
	indexed := slices.Concat([]byte("fgb\x03fgb\x00"), fgbHeader(2, 16), make([]byte, 3*40), withPrefix(flat), withPrefix(flat))
	arrow := twoBatches()
	stream := slices.Concat(arrow.schema, arrow.first, arrow.second, arrow.end)
	cut := twoBatches()
	negative := int32(-1)
	cut.footerLength = &negative
	vortex, past, zipped := twoArrays(), twoArrays(), twoArrays()
	past.segments[0].offset = 1<<64 - 1
	zipped.layoutZip = true
	feather := slices.Concat([]byte("FEA1"), make([]byte, 4), flat)
	feather = append(binary.LittleEndian.AppendUint32(feather, uint32(len(flat))), "FEA1"...)
	long := append(binary.LittleEndian.AppendUint64(nil, uint64(len(flat))), flat...)
	bfbs, err := os.ReadFile(filepath.Join(oracle.RepoRoot(), "schema", "bfbs", "testdata", "fuzz", "FuzzLoad", "enums"))
	if err != nil {
		t.Fatal(err)
	}
	schema, err := seeds.Bytes(bfbs)
	if err != nil {
		t.Fatal(err)
	}
	set := seeds.Set{
		"nothing":                     {[]byte{}, uint8(Unknown)},
		"flatbuffer":                  {flat, uint8(Raw)},
		"size-prefixed":               {withPrefix(flat), uint8(SizePrefixed)},
		"size-prefix-too-long":        {withPrefix(flat)[:8], uint8(SizePrefixed)},
		"long-size-prefix":            {long, uint8(LongSizePrefixed)},
		"long-stream":                 {slices.Concat(long, long), uint8(LongStream)},
		"stream":                      {slices.Concat(withPrefix(flat), withPrefix(flat)), uint8(Stream)},
		"stream-of-nothing":           {make([]byte, 12), uint8(Stream)},
		"vortex":                      {vortex.bytes(), uint8(Unknown)},
		"vortex-segment-past-the-end": {past.bytes(), uint8(Unknown)},
		"vortex-layout-compressed":    {zipped.bytes(), uint8(Unknown)},
		"arrow":                       {arrow.bytes(), uint8(Unknown)},
		"arrow-footer-negative":       {cut.bytes(), uint8(Unknown)},
		"arrow-stream":                {stream, uint8(Unknown)},
		"arrow-stream-without-an-end": {stream[:len(stream)-20], uint8(ArrowStream)},
		"arrow-message":               {arrow.first, uint8(ArrowStream)},
		"feather":                     {feather, uint8(Unknown)},
		"tflite":                      {append(slices.Clone(modelFlat([]place64{{0, 0}, {120, 4}})), make([]byte, 64)...), uint8(Unknown)},
		"tflite-weights-past-the-end": {modelFlat([]place64{{1 << 40, 1 << 30}}), uint8(TFLite)},
		"flatgeobuf":                  {fgb, uint8(Unknown)},
		"flatgeobuf-with-an-index":    {indexed, uint8(Unknown)},
		"flatgeobuf-largest-count":    {slices.Concat([]byte("fgb\x03fgb\x00"), fgbHeader(1<<64-1, 2), withPrefix(flat)), uint8(Unknown)},
		"bfbs":                        {schema, uint8(Unknown)},
		"arrow-read-as-vortex":        {arrow.bytes(), uint8(Vortex)},
		"foreign":                     {[]byte("\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03"), uint8(Unknown)},
	}
	// What is named like a format and nothing else has FlatBuffers of it, and no fault.
	for name, format := range map[string]Format{
		"flatbuffer": Raw, "size-prefixed": SizePrefixed, "stream": Stream, "long-size-prefix": LongSizePrefixed, "long-stream": LongStream, "vortex": Vortex, "arrow": ArrowFile, "arrow-stream": ArrowStream,
		"feather": Feather, "tflite": TFLite, "flatgeobuf": FlatGeobuf, "flatgeobuf-with-an-index": FlatGeobuf, "bfbs": BFBS,
	} {
		f := mustOpen(t, set[name][0].([]byte), &Options{Format: Format(set[name][1].(uint8))})
		parts, faults := list(f)
		if f.Format() != format || len(parts) == 0 || len(faults) > 0 {
			t.Errorf("%s: %d parts, format %s, %v", name, len(parts), f.Format(), faults)
		}
	}
	seeds.Check(t, "FuzzOpen", set)
}
