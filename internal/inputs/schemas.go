package inputs

import (
	"embed"
	"sync"

	"github.com/fbverify/go/schema"
	"github.com/fbverify/go/schema/fbs"
)

// The schemas of what is made up here: bench.fbs of the shapes that are measured, hostile.fbs
// of buffers that are made to cost much.
//
//go:embed *.fbs
var schemas embed.FS

// HostileSchema returns the schema hostile.fbs. It is shared and must not be changed.
var HostileSchema = sync.OnceValues(func() (*schema.Schema, error) { return fbs.ParseFS(schemas, "hostile.fbs") })
