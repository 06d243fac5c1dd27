// Package sound lets the packages of this module say that a schema is sound without a check,
// because the bytes that it was read from were written here and cannot have changed: what
// generated code embeds. Everyone else has to check.
package sound

// Mark and Marked are set by package schema, whose *Schema they take. A mark holds for the
// schema that was marked and not for copies of it.
var (
	Mark   func(schema any)
	Marked func(schema any) bool
)
