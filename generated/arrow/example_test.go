package arrow_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/fbverify/go/fbverify"
	"github.com/fbverify/go/generated/arrow"
)

// limits are those of Arrow's own reader: deep nesting is honest here.
var limits = fbverify.Options{MaxDepth: 128}

// Reader knows the schema of an Arrow IPC file and where its record batches are.
// The footer is verified when the file is opened, a message when it is asked for.
type Reader struct {
	r      io.ReaderAt
	footer fbverify.Verified[arrow.Footer]
	end    int64 // of what blocks may lie in
}

// Open reads the end of an Arrow IPC file.
func Open(r io.ReaderAt, size int64) (*Reader, error) {
	const tail = 10 // length of the footer, magic
	if size < 2*tail {
		return nil, io.ErrUnexpectedEOF
	}
	end := make([]byte, tail)
	if _, err := r.ReadAt(end, size-tail); err != nil {
		return nil, err
	}
	if string(end[4:]) != "ARROW1" {
		return nil, errors.New("not an Arrow file")
	}
	n := int64(int32(binary.LittleEndian.Uint32(end)))
	if n < 0 || n > size-tail {
		return nil, fmt.Errorf("a footer of %d bytes in a file of %d", n, size)
	}
	buf := make([]byte, n)
	if _, err := r.ReadAt(buf, size-tail-n); err != nil {
		return nil, err
	}
	footer, err := fbverify.RootWithOptions[arrow.Footer](buf, &limits)
	if err != nil {
		return nil, fmt.Errorf("footer: %w", err)
	}
	return &Reader{r, footer, size - tail - n}, nil
}

// Message returns the metadata that a block of the footer leads to.
func (f *Reader) Message(b arrow.Block) (v fbverify.Verified[arrow.Message], err error) {
	if b.Offset < 0 || b.MetaDataLength < 8 || b.Offset > f.end-int64(b.MetaDataLength) {
		return v, fmt.Errorf("a block of %d bytes at %d lies outside the file", b.MetaDataLength, b.Offset)
	}
	buf := make([]byte, b.MetaDataLength)
	if _, err := f.r.ReadAt(buf, b.Offset); err != nil {
		return v, err
	}
	// 0xFFFFFFFF and the length; files from before 0.15 have the length alone.
	head := 4
	if binary.LittleEndian.Uint32(buf) == 0xFFFFFFFF {
		head = 8
	}
	return fbverify.RootWithOptions[arrow.Message](buf[head:], &limits)
}

// describe spells a field of the schema with its children.
func describe(f arrow.Field) string {
	kind := f.TypeType().String()
	switch t := f.Type(); t.Kind() {
	case arrow.TypeInt:
		x, _ := t.AsInt()
		sign := "uint"
		if x.IsSigned() {
			sign = "int"
		}
		kind = fmt.Sprint(sign, x.BitWidth())
	case arrow.TypeTimestamp:
		x, _ := t.AsTimestamp()
		kind = fmt.Sprintf("timestamp(%v, %q)", x.Unit(), x.Timezone())
	case arrow.TypeNone:
		kind = "nothing" // the union is optional, as all are
	}
	var children []string
	for c := range f.Children().Values() {
		children = append(children, describe(c))
	}
	if len(children) > 0 {
		kind += "<" + strings.Join(children, ", ") + ">"
	}
	if f.Dictionary().Present() {
		kind = fmt.Sprintf("dictionary %d of %s", f.Dictionary().ID(), kind)
	}
	if f.Nullable() {
		kind += "?"
	}
	return f.Name() + ": " + kind
}

func Example() {
	file, err := os.Open("../../testdata/arrow/nested.arrow")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		fmt.Println(err)
		return
	}
	f, err := Open(file, info.Size())
	if err != nil {
		fmt.Println(err)
		return
	}
	footer := f.footer.Root()
	fmt.Println(footer.Version(), footer.Schema().Endianness())
	for field := range footer.Schema().Fields().Values() {
		fmt.Println(" ", describe(field))
	}
	for i, b := range footer.RecordBatches() {
		m, err := f.Message(b)
		if err != nil {
			fmt.Println(err)
			return
		}
		batch, ok := m.Root().Header().AsRecordBatch()
		if !ok {
			fmt.Printf("block %d is a %v\n", i, m.Root().HeaderType())
			continue
		}
		fmt.Printf("batch %d: %d rows, %d nodes, %d buffers, body of %d bytes at %d\n", i, batch.Length(),
			len(batch.Nodes()), len(batch.Buffers()), m.Root().BodyLength(), b.Offset+int64(b.MetaDataLength))
	}
	// Output:
	// V5 Little
	//   list: List<item: int16?>?
	//   large: LargeList<item: Utf8?>?
	//   fixed: FixedSizeList<item: FloatingPoint?>?
	//   struct: Struct_<a: int32?, b: Struct_<c: Utf8?, d: List<item: Bool?>?>?>?
	//   map: Map<entries: Struct_<key: Utf8, value: int64?>>?
	//   union: Union<0: int64?, 1: Utf8?>?
	//   runs: RunEndEncoded<run_ends: int32, values: Utf8?>?
	// batch 0: 4 rows, 22 nodes, 43 buffers, body of 472 bytes at 2272
}
