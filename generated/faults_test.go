package generated

import (
	"errors"
	"strings"
	"testing"

	"github.com/fbverify/go/fbverify"
	"github.com/fbverify/go/fbverify/dynamic"
	"github.com/fbverify/go/generated/arrow"
	"github.com/fbverify/go/generated/tflite"
)

// TestFaultsThatBecameKnownAreRefused: each rebuilt small, and refused with the sentence
// that says what is wrong.
func TestFaultsThatBecameKnownAreRefused(t *testing.T) {
	model, message, footer := tflite.Model{}.FlatBuffersType(), arrow.Message{}.FlatBuffersType(), arrow.Footer{}.FlatBuffersType()
	graph := func(operator string) string {
		return `{version: 3, buffers: [{}], operator_codes: [{}], subgraphs: [{tensors: [{}, {}], operators: [` + operator + `]}]}`
	}
	column := func(field string) string {
		return `{header_type: "Schema", header: {fields: [` + field + `]}}`
	}
	for _, c := range []struct {
		name string
		typ  *fbverify.Type
		json string
		kind fbverify.Kind
		path string
		says string
	}{
		{"a model", model, graph(`{inputs: [0, -1], outputs: [1]}`), 0, "", ""},
		{"-1 in an output, CVE-2020-15211", model, graph(`{inputs: [0], outputs: [-1]}`), fbverify.ErrIndex,
			"Model.subgraphs[0].operators[0].outputs[0]", "the index is -1, and SubGraph.tensors comes to 2: 0 to 1 are allowed"},
		{"an operator that is not listed", model, graph(`{opcode_index: 1}`), fbverify.ErrIndex,
			"Model.subgraphs[0].operators[0].opcode_index", "the index is 1"},
		{"a column", message, column(`{type_type: "Int", type: {bitWidth: 8}}`), 0, "", ""},
		{"a column of 128 bits, as Polars writes them", message, column(`{type_type: "Int", type: {bitWidth: 128}}`), 0, "", ""},
		{"a column of no type", message, column(`{name: "x"}`), fbverify.ErrNotSet, "Message.header.fields[0].type", "the type of the union is NONE"},
		{"a list of negative size", message, column(`{type_type: "FixedSizeList", type: {listSize: -1}, children: [{type_type: "Bool", type: {}}]}`),
			fbverify.ErrValue, "Message.header.fields[0].type.listSize", "the value is -1, and has to be >= 0"},
		{"a list of nothing", message, column(`{type_type: "List", type: {}}`), fbverify.ErrLength, "Message.header.fields[0].children", "has to be == 1"},
		{"a buffer", message, `{header_type: "RecordBatch", header: {buffers: [{offset: 0, length: 8}]}, bodyLength: 8}`, 0, "", ""},
		{"a buffer past the body", message, `{header_type: "RecordBatch", header: {buffers: [{offset: 8, length: 1}]}, bodyLength: 8}`,
			fbverify.ErrExtent, "Message.header.buffers[0].offset", "it reaches from 8 for 1 to 9, past the end of Message.bodyLength at 8"},
		{"a footer without a schema", footer, `{}`, fbverify.ErrNotSet, "Footer.schema", "has to be set"},
		{"metadata longer than the file", footer, `{schema: {fields: []}, recordBatches: [{offset: 8, metaDataLength: 100, bodyLength: 0}]}`,
			fbverify.ErrExtent, "Footer.recordBatches[0].offset", "to 108, past the end of the fact @file at 64"},
	} {
		buf, err := dynamic.EncodeJSON(c.typ, []byte(c.json), nil)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		err = c.typ.Verify(buf, &fbverify.Options{Facts: map[string]int64{"file": 64}})
		if c.kind == 0 {
			if err != nil {
				t.Errorf("%s: %v", c.name, err)
			}
			continue
		}
		var e *fbverify.Error
		if !errors.As(err, &e) || e.Kind != c.kind || e.Path != c.path || !strings.Contains(e.Detail, c.says) {
			t.Errorf("%s: %v", c.name, err)
		}
		if err := c.typ.Verify(buf, &fbverify.Options{SkipConstraints: true}); err != nil {
			t.Errorf("%s: the shape: %v", c.name, err)
		}
	}
}
