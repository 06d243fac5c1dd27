package htmlpage_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/dom"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"github.com/fbverify/go/cmd/fbinspect/internal/htmlpage"
	"github.com/fbverify/go/fbverify"
	"github.com/fbverify/go/fbverify/dynamic"
	"github.com/fbverify/go/internal/oracle"
	"github.com/fbverify/go/schema/fbs"
	"github.com/fbverify/go/schema/formats"
)

// app builds the page that opens what is dropped on it; on demand, for it compiles the program
// for another machine.
func app(t *testing.T) string {
	t.Helper()
	if os.Getenv("FBVERIFY_SLOW") == "" {
		t.Skip("FBVERIFY_SLOW is not set: building the program for WebAssembly takes a minute")
	}
	wasm, script, err := htmlpage.BuildApp(t.Context(), "(devel)")
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := htmlpage.WriteApp(&b, wasm, script); err != nil {
		t.Fatal(err)
	}
	t.Logf("the page has %d bytes, its program %d", b.Len(), len(wasm))
	if b.Len() > 12e6 {
		t.Errorf("the page has %d bytes", b.Len())
	}
	file := filepath.Join(t.TempDir(), "app.html")
	if err := os.WriteFile(file, b.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	return "file://" + file
}

// TestTheAppSaysWhatItIsBuiltWith, where that is missing: the toolchain, or a source.
func TestTheAppSaysWhatItIsBuiltWith(t *testing.T) {
	t.Chdir(t.TempDir())
	_, _, err := htmlpage.BuildApp(t.Context(), "v0.0.0-20261201000000-000000000000+dirty")
	if err == nil || !strings.Contains(err.Error(), "run it inside a checkout of the module") {
		t.Errorf("outside a checkout: %v", err)
	}
	t.Setenv("PATH", "")
	_, _, err = htmlpage.BuildApp(t.Context(), "v1.0.0")
	if err == nil || !strings.Contains(err.Error(), "there is no go on this machine's PATH") {
		t.Errorf("without a toolchain: %v", err)
	}
}

// drop gives files to the page, as a person who picks them does.
func drop(files ...string) chromedp.Action {
	return chromedp.ActionFunc(func(ctx context.Context) error {
		var o *runtime.RemoteObject
		if err := chromedp.Evaluate(`for (const m of ["dropped", "shown"]) performance.clearMarks(m); $("open")`, &o).Do(ctx); err != nil {
			return err
		}
		return dom.SetFileInputFiles(files).WithObjectID(o.ObjectID).Do(ctx)
	})
}

// outcome is what became of what was dropped.
type outcome struct {
	Said, Page string
	Took       float64 // milliseconds
}

const readOutcome = `({
	Said: $("said").textContent,
	Page: frame ? frame.srcdoc.slice(0, 20000).replace(/<style>.*<\/style>/s, "") : "",
	Took: (performance.getEntriesByName("shown")[0]?.startTime ?? 0) - (performance.getEntriesByName("dropped")[0]?.startTime ?? 0),
})`

const finished = `performance.getEntriesByName("shown").length || $("said").classList.contains("bad")`

// TestTheAppOpensWhatIsDropped on it: large files, containers, a FlatBuffer with its schema, and
// hostile ones, with no request to anywhere.
func TestTheAppOpensWhatIsDropped(t *testing.T) {
	address := app(t)
	ctx := browser(t)
	var c console
	c.listen(ctx)
	var requests []string
	chromedp.ListenTarget(ctx, func(ev any) {
		if e, ok := ev.(*network.EventRequestWillBeSent); ok && !strings.HasPrefix(e.Request.URL, "file:") && !strings.HasPrefix(e.Request.URL, "blob:") {
			requests = append(requests, e.Request.URL)
		}
	})
	var ready float64
	if err := chromedp.Run(ctx, network.Enable(), chromedp.Navigate(address), until(`performance.getEntriesByName("ready").length`),
		chromedp.Evaluate(`performance.getEntriesByName("ready")[0].startTime`, &ready)); err != nil {
		t.Fatal(err)
	}
	t.Logf("the program is ready after %.0f ms", ready)
	script := checker(t)
	axe(t, ctx, script, "before anything is dropped")
	try := func(files ...string) (o outcome) {
		t.Helper()
		if err := chromedp.Run(ctx, drop(files...), until(finished), chromedp.Evaluate(readOutcome, &o)); err != nil {
			t.Fatal(files, err)
		}
		return o
	}
	dir := t.TempDir()
	write := func(name string, b []byte) string {
		t.Helper()
		name = filepath.Join(dir, name)
		if err := os.WriteFile(name, b, 0o644); err != nil {
			t.Fatal(err)
		}
		return name
	}

	for name, b := range map[string][]byte{"large.arrows": largeArrow(t, 20<<20), "small-batches.arrows": smallBatches(t, 20<<20), "large.tflite": largeModel(t, 20<<20)} {
		o := try(write(name, b))
		t.Logf("%s, %d bytes: usable after %.0f ms", name, len(b), o.Took)
		if o.Page == "" || !strings.Contains(o.Page, `class="good">sound`) || !strings.Contains(o.Page, "What this file is") {
			t.Errorf("%s: %+v", name, o)
		}
		// Thousands of messages of a few kB are thousands of maps: they may take longer.
		if o.Took > 3000 && name != "small-batches.arrows" || o.Took > 15000 {
			t.Errorf("%s: usable after %.0f ms", name, o.Took)
		}
	}
	for _, name := range []string{"arrow/lz4.arrow", "tflite/conv.tflite", "damaged/layout-damaged.vortex"} {
		o := try(testdata(filepath.FromSlash(name)))
		if want := map[bool]string{true: `class="bad">2 faults`, false: `class="good">sound`}[strings.HasPrefix(name, "damaged")]; !strings.Contains(o.Page, want) {
			t.Errorf("%s: %+v", name, o)
		}
	}
	// A FlatBuffer of one's own: without a schema, with one beside it, and with one kept.
	text := []byte("table T { words:[string]; } root_type T;")
	s := write("own.fbs", text)
	typ := compiled(t, text)
	b, err := dynamic.EncodeJSON(typ, []byte(`{"words":["</script><script>top.owned = owned = 1</script><img src=x onerror='top.owned = 1'>","plain"]}`), nil)
	if err != nil {
		t.Fatal(err)
	}
	own := write("own.bin", b)
	if o := try(own); o.Page != "" && strings.Contains(o.Page, "sound") {
		t.Errorf("without a schema: %+v", o)
	}
	if o := try(own, s); !strings.Contains(o.Page, `class="good">sound`) {
		t.Errorf("with its schema: %+v", o)
	}
	var owned bool
	if err := chromedp.Run(ctx, painted(), chromedp.Evaluate(`"owned" in window || document.images.length > 0`, &owned)); err != nil || owned {
		t.Errorf("text of the file became markup: %v", err)
	}
	// Dropped, and not picked; and a file that is stopped leaves the program ready for the next.
	var o outcome
	const dropped = `(() => {
		for (const m of ["dropped", "shown"]) performance.clearMarks(m);
		const d = new DataTransfer();
		d.items.add(new File([new Uint8Array(%s)], "own.bin"));
		document.dispatchEvent(new DragEvent("drop", { dataTransfer: d, bubbles: true, cancelable: true }));
	})()`
	bytesOf := strings.ReplaceAll(fmt.Sprint(b), " ", ",")
	if err := chromedp.Run(ctx, chromedp.Evaluate(fmt.Sprintf(dropped, bytesOf), nil), chromedp.Evaluate(`$("stop").click(); $("said").textContent`, &o.Said)); err != nil || o.Said != "Stopped." {
		t.Errorf("stopped: %q, %v", o.Said, err)
	}
	if err := chromedp.Run(ctx, chromedp.Evaluate(fmt.Sprintf(dropped, bytesOf), nil), until(finished), chromedp.Evaluate(readOutcome, &o)); err != nil || !strings.Contains(o.Page, `class="good">sound`) {
		t.Errorf("dropped: %+v, %v", o, err)
	}
	// Names of files are text too, as is what is wrong with a schema.
	if o := try(own, write("<img src=x onerror=owned=1>.fbs", []byte("table <script>"))); !strings.Contains(o.Said, "the schema") {
		t.Errorf("with a schema that is none: %+v", o)
	}
	if err := chromedp.Run(ctx, chromedp.Evaluate(`$("forget").click(); "owned" in window || document.images.length > 0`, &owned)); err != nil || owned {
		t.Errorf("text of the file became markup: %v", err)
	}
	// Cases of growth: each ends, and the program opens a sound file afterwards.
	hostile, _ := filepath.Glob(filepath.Join(oracle.RepoRoot(), "..", "shared", "cases", "cost", "*"))
	tried := 0
	for _, name := range hostile {
		files := []string{name}
		switch schema := strings.TrimRight(strings.TrimSuffix(name, ".bin"), "-12") + ".fbs"; {
		case strings.HasSuffix(name, ".fbs"):
			files = []string{own, name}
		case !strings.HasSuffix(name, ".bin"):
			continue
		default:
			for _, s := range []string{schema, strings.TrimSuffix(name, ".bin") + ".fbs"} {
				if _, err := os.Stat(s); err == nil {
					files = []string{name, s}
				}
			}
		}
		o := try(files...)
		t.Logf("%s: %.0f ms %.100s", filepath.Base(name), o.Took, o.Said)
		tried++
		if err := chromedp.Run(ctx, chromedp.Evaluate(`if (schemas.length) { schemas = []; }`, nil)); err != nil {
			t.Fatal(err)
		}
	}
	if tried == 0 {
		t.Log("the cases of growth are not here")
	}
	if o := try(testdata("tflite", "conv.tflite")); !strings.Contains(o.Page, `class="good">sound`) {
		t.Errorf("after all: %+v", o)
	}
	axe(t, ctx, script, "with a file")
	shot(t, ctx, "app")
	if len(requests) > 0 {
		t.Errorf("the page asked for %q", requests)
	}
	c.check(t, "with the program")
}

func compiled(t *testing.T, text []byte) *fbverify.Type {
	t.Helper()
	s, err := fbs.Parse("own.fbs", text)
	if err != nil {
		t.Fatal(err)
	}
	return fbverify.MustCompile(s, "")
}

// smallBatches is a stream of size bytes of the batch of testdata's file, repeated.
func smallBatches(t *testing.T, size int) []byte {
	t.Helper()
	b, err := os.ReadFile(testdata("arrow", "lz4.arrow"))
	if err != nil {
		t.Fatal(err)
	}
	// The stream is what lies between the magic and the footer: schema, batch, end.
	footer := len(b) - 10 - int(binary.LittleEndian.Uint32(b[len(b)-10:]))
	stream := b[8:footer]
	schema := 8 + int(binary.LittleEndian.Uint32(stream[4:]))
	batch, end := stream[schema:len(stream)-8], stream[len(stream)-8:]
	out := append([]byte{}, stream[:schema]...)
	for len(out) < size {
		out = append(out, batch...)
	}
	return append(out, end...)
}

// largeArrow is a stream of size bytes: a column of numbers in batches of 64 Ki rows.
func largeArrow(t *testing.T, size int) []byte {
	t.Helper()
	s, err := formats.Load("arrow/Message")
	if err != nil {
		t.Fatal(err)
	}
	typ := fbverify.MustCompile(s, "")
	var out []byte
	message := func(text string) {
		b, err := dynamic.EncodeJSON(typ, []byte(text), nil)
		if err != nil {
			t.Fatal(err)
		}
		for len(b)%8 != 0 {
			b = append(b, 0)
		}
		out = binary.LittleEndian.AppendUint32(append(out, 0xff, 0xff, 0xff, 0xff), uint32(len(b)))
		out = append(out, b...)
	}
	message(`{"version":"V5","header_type":"Schema","header":{"fields":[{"name":"n","type_type":"Int","type":{"bitWidth":64,"is_signed":true},"children":[]}]}}`)
	const rows = 64 << 10
	for len(out) < size {
		message(fmt.Sprintf(`{"version":"V5","header_type":"RecordBatch","header":{"length":%d,"nodes":[{"length":%[1]d,"null_count":0}],"buffers":[{"offset":0,"length":0},{"offset":0,"length":%[2]d}]},"bodyLength":%[2]d}`, rows, 8*rows))
		for i := range rows {
			out = binary.LittleEndian.AppendUint64(out, uint64(i))
		}
	}
	return append(out, 0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0)
}

// largeModel is a model whose buffers have size bytes.
func largeModel(t *testing.T, size int) []byte {
	t.Helper()
	var j strings.Builder
	j.WriteString(`{"version":3,"description":"large","operator_codes":[{"builtin_code":"ADD"}],"subgraphs":[{"tensors":[`)
	const buffers = 20
	for i := range buffers {
		fmt.Fprintf(&j, `%s{"shape":[%d],"type":"INT8","buffer":%d,"name":"t%d"}`, map[bool]string{true: ","}[i > 0], size/buffers, i+1, i)
	}
	j.WriteString(`],"inputs":[0],"outputs":[1],"operators":[{"inputs":[0,1],"outputs":[2]}]}],"buffers":[{}`)
	data := strings.TrimSuffix(strings.Repeat("7,", size/buffers), ",")
	for range buffers {
		j.WriteString(`,{"data":[` + data + `]}`)
	}
	j.WriteString(`]}`)
	s, err := formats.Load("tflite/tflite")
	if err != nil {
		t.Fatal(err)
	}
	b, err := dynamic.EncodeJSON(fbverify.MustCompile(s, ""), []byte(j.String()), nil)
	if err != nil {
		t.Fatal(err)
	}
	return b
}
