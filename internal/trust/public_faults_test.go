package trust_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/fbverify/go/fbverify"
	"github.com/fbverify/go/fbverify/dynamic"
	"github.com/fbverify/go/schema/formats"
)

// TestPublicFaultsAreRefused builds small what crashed readers of others behind a verifier that
// said yes, or behind none. Each has the right shape, and is refused for what it says.
func TestPublicFaultsAreRefused(t *testing.T) {
	const message = "org.apache.arrow.flatbuf.Message"
	field := func(of string) string {
		return `{version: "V5", header_type: "Schema", header: {fields: [{name: "a", ` + of + `}]}}`
	}
	model := func(operator string) string {
		return `{version: 3, operator_codes: [{}], buffers: [{}], subgraphs: [{tensors: [{shape: [1], name: "t"}], ` +
			`inputs: [0], outputs: [0], operators: [` + operator + `]}]}`
	}
	for _, c := range []struct {
		name, format, root string
		good, bad          string
		kind               fbverify.Kind
		path, says         string
	}{
		{"an output with the index -1 (CVE-2020-15211)", "tflite/tflite", "tflite.Model", model(`{inputs: [0], outputs: [0]}`), model(`{inputs: [0], outputs: [-1]}`),
			fbverify.ErrIndex, "Model.subgraphs[0].operators[0].outputs[0]", "-1"},
		{"an operator code that there is not", "tflite/tflite", "tflite.Model", model(`{opcode_index: 0}`), model(`{opcode_index: 1}`),
			fbverify.ErrIndex, "Model.subgraphs[0].operators[0].opcode_index", "Model.operator_codes comes to 1"},
		{"a custom operator without a name", "tflite/tflite", "tflite.Model", model(``), strings.Replace(model(``), "[{}], buffers", `[{builtin_code: "CUSTOM"}], buffers`, 1),
			fbverify.ErrNotSet, "Model.operator_codes[0].custom_code", ""},
		{"a field of type NONE", "arrow/Message", message, field(`type_type: "Bool", type: {}, children: []`), field(`type_type: "NONE"`),
			fbverify.ErrNotSet, "Message.header.fields[0].type", "the type of the union is NONE"},
		{"a footer without a schema", "arrow/File", "org.apache.arrow.flatbuf.Footer", `{version: "V5", schema: {fields: []}}`, `{version: "V5"}`,
			fbverify.ErrNotSet, "Footer.schema", ""},
		{"a FixedSizeList of negative size", "arrow/Message", message,
			field(`type_type: "FixedSizeList", type: {listSize: 2}, children: [{name: "b", type_type: "Bool", type: {}}]`),
			field(`type_type: "FixedSizeList", type: {listSize: -2}, children: [{name: "b", type_type: "Bool", type: {}}]`),
			fbverify.ErrValue, "Message.header.fields[0].type.listSize", "-2"},
		{"a buffer past the body", "arrow/Message", message,
			`{version: "V5", bodyLength: 64, header_type: "RecordBatch", header: {length: 1, nodes: [{length: 1, null_count: 0}], buffers: [{offset: 56, length: 8}]}}`,
			`{version: "V5", bodyLength: 64, header_type: "RecordBatch", header: {length: 1, nodes: [{length: 1, null_count: 0}], buffers: [{offset: 57, length: 8}]}}`,
			fbverify.ErrExtent, "Message.header.buffers[0].offset", "Message.bodyLength"},
		{"a list without a child", "arrow/Message", message,
			field(`type_type: "List", type: {}, children: [{name: "b", type_type: "Bool", type: {}}]`), field(`type_type: "List", type: {}, children: []`),
			fbverify.ErrLength, "Message.header.fields[0].children", ""},
		{"a map whose entries have one field", "arrow/Message", message,
			field(`type_type: "Map", type: {}, children: [{name: "e", type_type: "Struct_", type: {}, children: [{name: "k", type_type: "Bool", type: {}}, {name: "v", type_type: "Bool", type: {}}]}]`),
			field(`type_type: "Map", type: {}, children: [{name: "e", type_type: "Struct_", type: {}, children: [{name: "k", type_type: "Bool", type: {}}]}]`),
			fbverify.ErrLength, "Message.header.fields[0].children", "children[0].children"},
		{"run ends that are no integers", "arrow/Message", message,
			field(`type_type: "RunEndEncoded", type: {}, children: [{name: "r", type_type: "Int", type: {bitWidth: 32}}, {name: "v", type_type: "Bool", type: {}}]`),
			field(`type_type: "RunEndEncoded", type: {}, children: [{name: "r", type_type: "Bool", type: {}}, {name: "v", type_type: "Bool", type: {}}]`),
			fbverify.ErrLength, "Message.header.fields[0].children", "children[0].type_type"},
		{"more nulls than values", "arrow/Message", message,
			`{version: "V5", header_type: "RecordBatch", header: {length: 1, nodes: [{length: 1, null_count: 1}]}}`,
			`{version: "V5", header_type: "RecordBatch", header: {length: 1, nodes: [{length: 1, null_count: 2}]}}`,
			fbverify.ErrValue, "Message.header.nodes[0].null_count", "2"},
		{"a decimal of 39 digits in 128 bits", "arrow/Message", message,
			field(`type_type: "Decimal", type: {precision: 38}`), field(`type_type: "Decimal", type: {precision: 39}`),
			fbverify.ErrValue, "Message.header.fields[0].type.precision", "39"},
		{"an index with nodes of one entry", "flatgeobuf/header", "FlatGeobuf.Header", `{index_node_size: 2}`, `{index_node_size: 1}`,
			fbverify.ErrValue, "Header.index_node_size", "1"},
		{"a struct with more names than types", "vortex/dtype", "DType",
			`{type_type: "Struct_", type: {names: ["a"], dtypes: [{type_type: "Bool", type: {}}]}}`, `{type_type: "Struct_", type: {names: ["a", "b"], dtypes: [{type_type: "Bool", type: {}}]}}`,
			fbverify.ErrLength, "DType.type.dtypes", ""},
	} {
		s, err := formats.Load(c.format)
		if err != nil {
			t.Fatal(err)
		}
		typ, err := fbverify.Compile(s, c.root)
		if err != nil {
			t.Fatal(err)
		}
		for _, text := range []string{c.good, c.bad} {
			buf, err := dynamic.EncodeJSON(typ, []byte(text), nil)
			if err != nil {
				t.Fatalf("%s: %v", c.name, err)
			}
			if err := typ.Verify(buf, &fbverify.Options{SkipConstraints: true}); err != nil {
				t.Fatalf("%s: the shape is wrong: %v", c.name, err)
			}
			err = typ.Verify(buf, nil)
			if text == c.good {
				if err != nil {
					t.Errorf("%s: without it: %v", c.name, err)
				}
				continue
			}
			var e *fbverify.Error
			if !errors.As(err, &e) || e.Kind != c.kind || e.Path != c.path || !strings.Contains(e.Error(), c.says) {
				t.Errorf("%s: %v", c.name, err)
				continue
			}
			t.Logf("%s: %v", c.name, err)
		}
	}
}
