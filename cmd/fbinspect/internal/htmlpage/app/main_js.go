// Command app is what fbinspect html --app builds for WebAssembly: it makes the page of a file
// that was dropped on the one in which it runs. It reads no file and opens no connection: what it
// works on is handed to it.
package main

import (
	"bytes"
	"context"
	"fmt"
	"runtime/debug"
	"strconv"
	"strings"
	"syscall/js"
	"testing/fstest"

	"github.com/fbverify/go/cmd/fbinspect/internal/annotate"
	"github.com/fbverify/go/cmd/fbinspect/internal/htmlpage"
	"github.com/fbverify/go/cmd/fbinspect/internal/input"
	"github.com/fbverify/go/fbverify/dynamic"
	"github.com/fbverify/go/schema"
	"github.com/fbverify/go/schema/bfbs"
	"github.com/fbverify/go/schema/fbs"
)

func main() {
	// The page of a file is most of what there is: garbage would take as much again.
	debug.SetGCPercent(50)
	js.Global().Set("makePage", js.FuncOf(func(_ js.Value, args []js.Value) any {
		page, o, err := makePage(args[0])
		if err != nil {
			return map[string]any{"error": err.Error()}
		}
		b := js.Global().Get("Uint8Array").New(len(page))
		js.CopyBytesToJS(b, page)
		return map[string]any{"page": b, "faults": o.Faults, "left": o.LeftOut}
	}))
	select {}
}

// makePage makes the page of {name, bytes, schemas: [{name, bytes}], root, show}.
func makePage(task js.Value) ([]byte, htmlpage.Outcome, error) {
	var s *schema.Schema
	root := task.Get("root").String()
	schemas := task.Get("schemas")
	if schemas.Length() > 0 {
		var err error
		if s, err = parse(schemas); err != nil {
			return nil, htmlpage.Outcome{}, fmt.Errorf("the schema: %w", err)
		}
	} else if root != "" {
		var err error
		if s, err = input.KnownSchemaWith(root); err != nil {
			return nil, htmlpage.Outcome{}, err
		}
	}
	types, err := input.TypesOf(s, root)
	if err != nil {
		return nil, htmlpage.Outcome{}, err
	}
	opts := htmlpage.Options{DataLimit: htmlpage.DataLimit}
	if show := strings.TrimSpace(task.Get("show").String()); show != "" {
		if at, err := strconv.ParseInt(show, 0, 64); err == nil {
			opts.At = []int64{at}
		} else if opts.Path, err = dynamic.ParsePath(show); err != nil {
			return nil, htmlpage.Outcome{}, fmt.Errorf("%s is neither an offset nor a path: %w", show, err)
		}
	}
	src := input.FromBytes(task.Get("name").String(), bytesOf(task.Get("bytes")))
	var b bytes.Buffer
	o, err := htmlpage.Write(context.Background(), &b, &annotate.Annotator{Types: types}, src, opts)
	return b.Bytes(), o, err
}

// parse reads the schemas: one in binary form, or texts, of which the first is the one that no
// other includes, as far as can be told by their names.
func parse(list js.Value) (*schema.Schema, error) {
	files := fstest.MapFS{}
	var names []string
	for i := range list.Length() {
		name, b := list.Index(i).Get("name").String(), bytesOf(list.Index(i).Get("bytes"))
		if len(b) >= 8 && string(b[4:8]) == "BFBS" {
			return bfbs.Load(b)
		}
		files[name] = &fstest.MapFile{Data: b}
		names = append(names, name)
	}
	main := names[0]
	for _, name := range names {
		included := false
		for other, f := range files {
			included = included || other != name && strings.Contains(string(f.Data), `"`+name+`"`)
		}
		if !included {
			main = name
			break
		}
	}
	return fbs.ParseFS(files, main)
}

func bytesOf(v js.Value) []byte {
	b := make([]byte, v.Get("length").Int())
	js.CopyBytesToGo(b, v)
	return b
}
