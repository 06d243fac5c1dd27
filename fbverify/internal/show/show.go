// Package show is where the views' String and MarshalJSON meet package dynamic, which
// prints them. Package dynamic stands above fbverify, and a program that prints no view
// need not carry it: it registers itself here, and fbverify asks whether it did.
package show

import (
	"errors"

	"github.com/fbverify/go/fbverify/fbread"
	"github.com/fbverify/go/schema"
)

// Table appends a table as JSON to dst. A limit above 0 cuts the text after so many
// bytes and is for people to read; 0 is for programs.
var Table func(dst []byte, s *schema.Schema, o *schema.Object, t fbread.Table, limit int) ([]byte, error)

// Union appends a union's value as JSON, as Table does a table.
var Union func(dst []byte, s *schema.Schema, union string, kind int64, v fbread.UnionValue, limit int) ([]byte, error)

// ErrNotLinked says that nobody registered.
var ErrNotLinked = errors.New("fbverify: what prints views is not part of this program: import _ \"github.com/fbverify/go/fbverify/dynamic\"")

// TextLimit is the number of bytes of a text for people.
const TextLimit = 4096
