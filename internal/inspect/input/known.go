package input

import (
	"fmt"

	"github.com/fbverify/go/internal/inspect/ui"
	"github.com/fbverify/go/schema"
)

// KnownSchemaWith returns the embedded schema that has the table root.
func KnownSchemaWith(root string) (*schema.Schema, error) {
	return nil, fmt.Errorf("--root %s: no known schema has such a table: give its schema with --schema", ui.Name(root))
}
