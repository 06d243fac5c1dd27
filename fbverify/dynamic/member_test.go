package dynamic_test

import (
	"testing"

	"github.com/fbverify/go/fbverify"
	"github.com/fbverify/go/fbverify/dynamic"
	"github.com/fbverify/go/schema/fbs"
)

func TestATypeKnowsTheMembersOfItsUnion(t *testing.T) {
	s, err := fbs.Parse("x.fbs", []byte("table A {} struct B { x: int; } union U { A, b: B = 7, s: string } table T { u: U; n: int; } root_type T;"))
	if err != nil {
		t.Fatal(err)
	}
	o := dynamic.ObjectOf(fbverify.MustCompile(s, ""))
	u := o.Field("u").Type()
	for tag, want := range map[int64]string{1: "A", 7: "B", 8: "string"} {
		if m := u.Member(tag); m == nil || m.String() != want {
			t.Errorf("behind the tag %d is %v, want %s", tag, m, want)
		}
	}
	for _, tag := range []int64{-1, 0, 2, 9, 256, 1 << 40} {
		if m := u.Member(tag); m != nil {
			t.Errorf("behind the tag %d is %v", tag, m)
		}
	}
	if m := o.Field("n").Type().Member(1); m != nil {
		t.Errorf("a number has the member %v", m)
	}
}
