package fbverify

import (
	"testing"

	"github.com/fbverify/go/fbverify/internal/rule"
)

// TestPublicNamesAreThoseOfTheRules: kinds, things and framings are declared here so that
// their documentation shows them, and are the numbers of package rule.
func TestPublicNamesAreThoseOfTheRules(t *testing.T) {
	kinds := map[rule.Kind]Kind{
		rule.TooShort: ErrTooShort, rule.TooLarge: ErrTooLarge, rule.SizePrefix: ErrSizePrefix, rule.Trailing: ErrTrailing,
		rule.Identifier: ErrIdentifier, rule.OutOfBounds: ErrOutOfBounds, rule.Misaligned: ErrMisaligned, rule.BadOffset: ErrBadOffset,
		rule.BadVTable: ErrBadVTable, rule.BadTableSize: ErrTableSize, rule.NotTerminated: ErrNotTerminated, rule.InvalidUTF8: ErrInvalidUTF8,
		rule.EmbeddedNUL: ErrEmbeddedNUL, rule.MissingRequired: ErrMissingRequired, rule.UnionValueMissing: ErrUnionValueMissing,
		rule.UnionValueUnexpected: ErrUnionValueUnexpected, rule.UnionTagUnknown: ErrUnionTagUnknown, rule.UnionVectors: ErrUnionVectors,
		rule.BadBool: ErrBadBool, rule.UnknownEnum: ErrUnknownEnum, rule.Unsorted: ErrUnsorted,
		rule.Index: ErrIndex, rule.Key: ErrKey, rule.Value: ErrValue, rule.Length: ErrLength, rule.NotSet: ErrNotSet, rule.Extent: ErrExtent,
		rule.Order: ErrOrder, rule.Duplicate: ErrDuplicate, rule.Unsatisfied: ErrUnsatisfied, rule.Unstated: ErrUnstated, rule.DepthLimit: ErrDepthLimit,
		rule.TableLimit: ErrTableLimit, rule.SizeLimit: ErrSizeLimit, rule.Overlap: ErrOverlap, rule.Options: ErrOptions, rule.Internal: ErrInternal,
	}
	for k := rule.OK + 1; k < rule.NumKinds; k++ {
		if public, ok := kinds[k]; !ok || Kind(k) != public {
			t.Errorf("kind %d is %v", k, public)
		}
	}
	things := map[rule.Thing]Thing{
		rule.ThingBuffer: ThingBuffer, rule.ThingSizePrefix: ThingSizePrefix, rule.ThingIdentifier: ThingIdentifier, rule.ThingOffset: ThingOffset,
		rule.ThingVTableOffset: ThingVTableOffset, rule.ThingVTable: ThingVTable, rule.ThingTable: ThingTable, rule.ThingField: ThingField,
		rule.ThingVector: ThingVector, rule.ThingString: ThingString, rule.ThingStruct: ThingStruct, rule.ThingUnionType: ThingUnionType,
		rule.ThingUnionValue: ThingUnionValue,
	}
	for k := rule.ThingNone + 1; k < rule.NumThings; k++ {
		if public, ok := things[k]; !ok || Thing(k) != public || public.String() == "" {
			t.Errorf("thing %d is %v", k, public)
		}
	}
	framings := map[rule.Framing]Framing{rule.Unframed: Unframed, rule.SizePrefixed: SizePrefixed, rule.LongSizePrefixed: LongSizePrefixed}
	for f := range rule.NumFramings {
		if public, ok := framings[f]; !ok || Framing(f) != public || public.Prefix() != 4*int(f) {
			t.Errorf("framing %d is %v", f, public)
		}
	}
}
