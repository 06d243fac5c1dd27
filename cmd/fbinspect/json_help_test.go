package main

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/fbverify/go/cmd/fbinspect/internal/annotate"
	"github.com/fbverify/go/cmd/fbinspect/internal/conform"
	"github.com/fbverify/go/cmd/fbinspect/internal/info"
	"github.com/fbverify/go/cmd/fbinspect/internal/schemas"
	"github.com/fbverify/go/cmd/fbinspect/internal/stats"
	"github.com/fbverify/go/cmd/fbinspect/internal/verdict"
)

// TestTheKeysOfJSONAreInTheHelp, each of them, in the order in which they are printed, in the
// paragraph of the verb that prints them; and the help names no other.
func TestTheKeysOfJSONAreInTheHelp(t *testing.T) {
	paragraphs := map[string]string{}
	for _, p := range strings.Split(jsonHelp, "\n\n") {
		head, body, _ := strings.Cut(p, ":\n")
		paragraphs[strings.FieldsFunc(head, func(r rune) bool { return r == ',' })[0]] = body
	}
	for verb, values := range map[string][]any{
		"verify":      {verdict.Result{}, verdict.Part{}, verdict.Fault{}, verdict.Note{}},
		"info":        {info.Info{}, info.Column{}, info.Pair{}, info.Map{}, info.Subgraph{}, info.Tensor{}, info.Operator{}, info.Type{}},
		"annotate":    {annotate.Row{}, annotate.Note{}},
		"stats":       {stats.Report{}, stats.Share{}, stats.Type{}, stats.VTables{}, stats.Thing{}, stats.Repeated{}, stats.Saving{}},
		"diff":        {jsonChange{}},
		"conform":     {jsonDifference{}, conform.Difference{}},
		"schema find": {schemas.Candidate{}},
		"version":     {version{}},
	} {
		body, ok := paragraphs[verb]
		if verb == "version" {
			body = strings.TrimPrefix(jsonHelp[strings.LastIndex(jsonHelp, "\n\n"):], "\n\nversion:\n")
		} else if !ok {
			t.Errorf("%s is not there: %v", verb, paragraphs)
			continue
		}
		var keys []string
		for _, v := range values {
			typ := reflect.TypeOf(v)
			for i := range typ.NumField() {
				if key, _, _ := strings.Cut(typ.Field(i).Tag.Get("json"), ","); key != "" && key != "-" {
					keys = append(keys, key)
				}
			}
		}
		named := names(body)
		for _, key := range keys {
			if !slices.Contains(named, key) {
				t.Errorf("%s: the help does not name %s", verb, key)
			}
		}
		for _, name := range named {
			if !slices.Contains(keys, name) {
				t.Errorf("%s: the help names %s, and no line has it", verb, name)
			}
		}
	}
}

// names are the keys in a paragraph: words between commas, what is in brackets aside.
func names(body string) []string {
	var plain strings.Builder
	depth := 0
	for _, r := range body {
		switch r {
		case '(':
			depth++
		case ')':
			depth--
		default:
			if depth == 0 {
				plain.WriteRune(r)
			}
		}
	}
	return strings.FieldsFunc(strings.ReplaceAll(plain.String(), " and ", ", "), func(r rune) bool { return strings.ContainsRune(" ,:\n", r) })
}
