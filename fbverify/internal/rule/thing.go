package rule

// Thing is what a fault's bytes are, or what an offset at fault is for.
type Thing uint8

// The things.
const (
	ThingNone Thing = iota
	ThingBuffer
	ThingSizePrefix
	ThingIdentifier
	ThingOffset
	ThingVTableOffset
	ThingVTable
	ThingTable
	ThingField
	ThingVector
	ThingString
	ThingStruct
	ThingUnionType
	ThingUnionValue

	NumThings
)
