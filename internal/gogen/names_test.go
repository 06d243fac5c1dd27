package gogen

import "testing"

func TestNamesFollowGoConventions(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"encoding", "Encoding"},
		{"row_count", "RowCount"},
		{"rowCount", "RowCount"},
		{"RowCount", "RowCount"},
		{"row_id", "RowID"},
		{"rowId", "RowID"},
		{"id", "ID"},
		{"Id", "ID"},
		{"ID", "ID"},
		{"ids", "Ids"},
		{"identity", "Identity"},
		{"Identity", "Identity"},
		{"valid", "Valid"},
		{"base_url", "BaseURL"},
		{"Utf8", "UTF8"},
		{"LargeUtf8", "LargeUTF8"},
		{"Utf8View", "UTF8View"},
		{"LSHProjectionOptions", "LSHProjectionOptions"},
		{"Conv2DOptions", "Conv2DOptions"},
		{"DEPTHWISE_CONV_2D", "DepthwiseConv2D"},
		{"FLOAT32", "Float32"},
		{"NONE", "None"},
		{"RELU_N1_TO_1", "ReluN1To1"},
		{"version_1_2", "Version1_2"},
		{"version12", "Version12"},
		{"a1b", "A1b"},
		{"_private", "Private"},
		{"trailing_", "Trailing"},
		{"double__under", "DoubleUnder"},
		{"_", "X"},
		{"__", "X"},
		{"_1", "X1"},
		{"type", "Type"},
		{"B", "B"},
	} {
		if got := goName(c.in); got != c.want {
			t.Errorf("goName(%q) = %q, want %q", c.in, got, c.want)
		}
	}
}

func TestParametersAreNoKeywordsAndHideNothing(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"Encoding", "encoding"},
		{"RowCount", "rowCount"},
		{"ID", "id"},
		{"IDName", "idName"},
		{"UTF8View", "utf8View"},
		{"Type", "typeValue"},
		{"Range", "rangeValue"},
		{"Len", "lenValue"},
		{"B", "bValue"},
		{"X", "x"},
	} {
		if got := paramName(c.in); got != c.want {
			t.Errorf("paramName(%q) = %q, want %q", c.in, got, c.want)
		}
	}
}

func TestATakenNameGetsTheNextWordThenANumber(t *testing.T) {
	s := scope{}
	for i, want := range []string{"Size", "SizeField", "SizeField2", "SizeField3"} {
		if got := s.take("Size", "SizeField"); got != want {
			t.Errorf("take %d = %q, want %q", i, got, want)
		}
	}
	s.take("A1")
	if got := s.take("A1"); got != "A1_2" {
		t.Errorf("after A1 came %q, want A1_2", got)
	}
}

func TestFlatcsNamesOfFields(t *testing.T) {
	for name, want := range map[string]string{
		"bodyLength": "BodyLength", "row_id": "RowId", "aB_cD": "ABCD", "HTTPPort": "HTTPPort", "abc_": "Abc_", "a__b": "A_b", "a_1": "A1", "type_": "Type_", "_x": "X_X", "_": "X_",
	} {
		if got := flatcCamel(name); got != want {
			t.Errorf("%s: got %s, want %s", name, got, want)
		}
	}
}
