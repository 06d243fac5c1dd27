package container

import (
	"sync"

	"github.com/fbverify/go/fbverify"
	"github.com/fbverify/go/schema/formats"
)

// The root types of the parts.
const (
	rootReflection   = "reflection.Schema"
	rootPostscript   = "Postscript"
	rootDType        = "DType"
	rootLayout       = "Layout"
	rootStatistics   = "FileStatistics"
	rootVortexFooter = "Footer"
	rootArray        = "Array"
	rootMessage      = "org.apache.arrow.flatbuf.Message"
	rootFooter       = "org.apache.arrow.flatbuf.Footer"
	rootCTable       = "arrow.ipc.feather.fbs.CTable"
	rootModel        = "tflite.Model"
	rootHeader       = "FlatGeobuf.Header"
	rootFeature      = "FlatGeobuf.Feature"
)

// knownTypes are the types of the parts by their roots, each compiled when it is
// first asked for.
var knownTypes = map[string]func() *fbverify.Type{
	rootReflection:   compile("reflection/reflection", rootReflection),
	rootPostscript:   compile("vortex/footer", rootPostscript),
	rootDType:        compile("vortex/dtype", rootDType),
	rootLayout:       compile("vortex/layout", rootLayout),
	rootStatistics:   compile("vortex/footer", rootStatistics),
	rootVortexFooter: compile("vortex/footer", rootVortexFooter),
	rootArray:        compile("vortex/array", rootArray),
	rootMessage:      compile("arrow/Message", rootMessage),
	rootFooter:       compile("arrow/File", rootFooter),
	rootCTable:       compile("arrow/feather", rootCTable),
	rootModel:        compile("tflite/tflite", rootModel),
	rootHeader:       compile("flatgeobuf/header", rootHeader),
	rootFeature:      compile("flatgeobuf/feature", rootFeature),
}

func compile(name, root string) func() *fbverify.Type {
	return sync.OnceValue(func() *fbverify.Type {
		s, err := formats.Load(name)
		if err != nil {
			panic(err) // the schemas come with this module, and a test compiles each
		}
		return fbverify.MustCompile(s, root)
	})
}
