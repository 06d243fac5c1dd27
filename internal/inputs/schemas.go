package inputs

import (
	"embed"
	"io/fs"
	"sync"

	"github.com/fbverify/go/schema"
	"github.com/fbverify/go/schema/fbs"
)

// The schemas of what is made up here: bench.fbs of what is read and decoded, varied.fbs of
// shapes that are verified, hostile.fbs of buffers that are made to cost much.
//
//go:embed *.fbs
var schemas embed.FS

// HostileSchema returns the schema hostile.fbs. It is shared and must not be changed.
var HostileSchema = sync.OnceValues(func() (*schema.Schema, error) { return fbs.ParseFS(schemas, "hostile.fbs") })

// Schemas returns the schemas' text: bench.fbs, varied.fbs and hostile.fbs.
func Schemas() fs.FS { return schemas }
