// Package info is the work of fbinspect info: what a file is, as a person would say it. Format,
// writer, schema with its types, rows, batches, codecs, the bytes of each column, indexes and
// metadata; tensors and operators of a model; extent and layers of a map.
//
// It reads metadata through the readers of the formats, which verify it first. Of a file whose
// metadata is not sound it tells what its parts tell, and why there is no more.
package info

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sort"

	"github.com/fbverify/go/cmd/fbinspect/internal/input"
	"github.com/fbverify/go/cmd/fbinspect/internal/ui"
	"github.com/fbverify/go/fbverify"
	"github.com/fbverify/go/fbverify/container"
)

// Info is what a file is. Its JSON form is stable; what a format has not is left out. Sizes are
// bytes.
type Info struct {
	File    string `json:"file"`
	Format  string `json:"format"`
	What    string `json:"what"` // the format in words
	Size    int64  `json:"size"`
	Version string `json:"version,omitempty"` // of the format, as the file says
	Writer  string `json:"writer,omitempty"`  // where the file names it

	Rows    *int64 `json:"rows,omitempty"`    // or features
	Batches *int64 `json:"batches,omitempty"` // record batches of Arrow
	Parts   int64  `json:"parts"`             // FlatBuffers

	Columns  []Column `json:"columns,omitempty"`
	Codecs   []string `json:"codecs,omitempty"`   // compression and encodings
	Indexes  []string `json:"indexes,omitempty"`  // dictionaries, statistics, search trees
	Metadata []Pair   `json:"metadata,omitempty"` // what the writer noted

	Map       *Map       `json:"map,omitempty"`
	Subgraphs []Subgraph `json:"subgraphs,omitempty"`
	Types     []Type     `json:"types,omitempty"` // of a schema, or of a FlatBuffer of a schema that was named

	Sound  bool     `json:"sound"`            // all the metadata was read; data is not looked at
	Faults []string `json:"faults,omitempty"` // why it was not, the first few
	Notes  []string `json:"notes,omitempty"`  // what is odd
}

// Column is a column of a table, or a field of one.
type Column struct {
	Name      string   `json:"name"`
	Type      string   `json:"type"`
	Nullable  bool     `json:"nullable"`
	Bytes     int64    `json:"bytes"` // of the values in the file, those of Columns included
	Nulls     *int64   `json:"nulls,omitempty"`
	Encodings []string `json:"encodings,omitempty"`
	Metadata  []Pair   `json:"metadata,omitempty"`
	Columns   []Column `json:"columns,omitempty"`
}

// Pair is an entry of metadata.
type Pair struct {
	Key   string `json:"key"`
	Value string `json:"value"`
}

// Map is what a file of features says of them.
type Map struct {
	Layer         string    `json:"layer"`
	Title         string    `json:"title,omitempty"`
	Description   string    `json:"description,omitempty"`
	Geometry      string    `json:"geometry"`
	Dimensions    string    `json:"dimensions"`       // XY, XYZ, XYZM
	CRS           string    `json:"crs,omitempty"`    // reference system
	Extent        []float64 `json:"extent,omitempty"` // west, south, east, north, in the units of the CRS
	GeometryBytes int64     `json:"geometry_bytes"`   // in all features
	Counted       bool      `json:"counted"`          // the features, since the header does not say how many
}

// Subgraph is one of a model.
type Subgraph struct {
	Name      string     `json:"name"`
	Inputs    []Tensor   `json:"inputs"`
	Outputs   []Tensor   `json:"outputs"`
	Tensors   int        `json:"tensors"`
	Constants []Tensor   `json:"constants,omitempty"` // tensors with weights, the largest first
	Operators []Operator `json:"operators,omitempty"` // by name, the most frequent first
}

// Tensor is one of a model.
type Tensor struct {
	Name  string `json:"name"`
	Type  string `json:"type"`            // float32[1,3]
	Bytes int64  `json:"bytes,omitempty"` // of its weights
}

// Operator is what a graph computes with.
type Operator struct {
	Name  string `json:"name"`
	Count int    `json:"count"`
}

// Type is a type of a schema.
type Type struct {
	Kind   string `json:"kind"` // table, struct, enum, union, service
	Name   string `json:"name"`
	Fields int    `json:"fields"` // or values
	Root   bool   `json:"root,omitempty"`
}

// words name the formats.
var words = map[container.Format]string{
	container.Raw:              "FlatBuffer",
	container.SizePrefixed:     "FlatBuffer with a size prefix",
	container.Stream:           "stream of FlatBuffers with size prefixes",
	container.LongSizePrefixed: "FlatBuffer with a size prefix of eight bytes",
	container.LongStream:       "stream of FlatBuffers with size prefixes of eight bytes",
	container.Vortex:           "Vortex file",
	container.ArrowFile:        "Arrow IPC file",
	container.ArrowStream:      "Arrow IPC stream",
	container.Feather:          "Feather file, version 1",
	container.TFLite:           "TFLite model",
	container.FlatGeobuf:       "FlatGeobuf file",
	container.BFBS:             "binary FlatBuffers schema",
}

// Reporter tells what files are.
type Reporter struct {
	Types   *input.Types
	Format  container.Format
	Options fbverify.Options
}

// Of tells what a file is. The error is one of reading it, or says that it is of no known kind.
func (r *Reporter) Of(ctx context.Context, src *input.Source) (*Info, error) {
	f, err := src.OpenAs(r.Types, r.Format, &r.Options)
	if err != nil {
		return nil, err
	}
	i := &Info{File: src.Name, Format: f.Format().String(), What: words[f.Format()], Size: src.Size, Sound: true}
	for _, err := range f.Parts() {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		var fault *container.Error
		switch {
		case err == nil:
			i.Parts++
		case errors.As(err, &fault) && fault.Kind == container.ErrRead:
			return nil, err
		default:
			i.fault(err)
		}
	}
	of := map[container.Format]func(context.Context, *input.Source) error{
		container.Vortex: i.vortex, container.ArrowFile: i.arrowFile, container.ArrowStream: i.arrowStream,
		container.TFLite: i.tflite, container.FlatGeobuf: i.flatgeobuf,
		container.Feather: i.feather,
	}[f.Format()]
	if of == nil {
		of = func(ctx context.Context, _ *input.Source) error { return r.plain(ctx, i, f) }
	}
	if err := of(ctx, src); err != nil {
		var fault *container.Error
		if ctx.Err() != nil || errors.As(err, &fault) && fault.Kind == container.ErrRead || errors.Is(err, input.ErrNoSchema) {
			return nil, err
		}
		i.fault(err)
	}
	return i, nil
}

// mostFaults is how many faults are told.
const mostFaults = 5

// fault notes what could not be read.
func (i *Info) fault(err error) {
	i.Sound = false
	if len(i.Faults) < mostFaults && !slices.Contains(i.Faults, err.Error()) {
		i.Faults = append(i.Faults, err.Error())
	}
}

// count returns a pointer to a number that is known.
func count[T int | int64 | uint64](n T) *int64 {
	v := int64(n)
	return &v
}

// tally counts names, and lists them with the most frequent first.
type tally map[string]int

func (t tally) operators() []Operator {
	var list []Operator
	for name, n := range t {
		list = append(list, Operator{name, n})
	}
	sort.Slice(list, func(i, j int) bool {
		if list[i].Count != list[j].Count {
			return list[i].Count > list[j].Count
		}
		return list[i].Name < list[j].Name
	})
	return list
}

// names lists the names of a tally in order.
func (t tally) names() []string {
	var list []string
	for name := range t {
		list = append(list, name)
	}
	sort.Strings(list)
	return list
}

// some lists what there is of things that are counted: "2 dictionaries"; nothing for none.
func some(n int64, noun, about string) []string {
	if n == 0 {
		return nil
	}
	return []string{fmt.Sprintf("%s%s", ui.Count(n, noun), about)}
}
