package rule

// Kind says which rule a buffer breaks.
type Kind uint8

// The kinds, in the order in which DESIGN.md lists the checks.
const (
	OK Kind = iota
	TooShort
	TooLarge
	SizePrefix
	Trailing
	Identifier
	OutOfBounds
	Misaligned
	BadOffset
	BadVTable
	BadTableSize
	NotTerminated
	InvalidUTF8
	EmbeddedNUL
	MissingRequired
	UnionValueMissing
	UnionValueUnexpected
	UnionTagUnknown
	UnionVectors
	BadBool
	UnknownEnum
	Unsorted
	Index
	Key
	Value
	Length
	NotSet
	Extent
	Order
	Duplicate
	Unsatisfied
	Unstated
	DepthLimit
	TableLimit
	SizeLimit
	Overlap
	Options
	Internal

	NumKinds
)
