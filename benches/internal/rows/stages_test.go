package rows

import (
	"bytes"
	"testing"

	"github.com/fbverify/go/internal/inputs"
)

func TestAllStagesSeeTheSameRows(t *testing.T) {
	const count = 2000 // several chunks
	stages, err := Stages(inputs.Rows(count))
	if err != nil {
		t.Fatal(err)
	}
	if len(stages) != 12 {
		t.Errorf("%d stages", len(stages))
	}
	for _, s := range stages {
		if got, err := s.Prove(); err != nil || got != inputs.RowsSum(count) {
			t.Errorf("%s %s: the sum is %#x, %v; want %#x", s.Via, s.Name, got, err, inputs.RowsSum(count))
		}
		if err := s.Run(); err != nil {
			t.Errorf("%s %s: %v", s.Via, s.Name, err)
		}
	}
}

// TestAStageThatVerifiesRefusesADamagedRow overwrites the root offset of the last
// row, which only moving the bytes does not notice.
func TestAStageThatVerifiesRefusesADamagedRow(t *testing.T) {
	stream := inputs.Rows(1000)
	stages, err := Stages(stream)
	if err != nil {
		t.Fatal(err)
	}
	last := bytes.LastIndex(stream, inputs.Rows(1000)[len(inputs.Rows(999)):])
	copy(stream[last+4:], []byte{0xff, 0xff, 0xff, 0x7f})
	for _, s := range stages {
		if err := s.Run(); (err == nil) != (s.Name == Moved) {
			t.Errorf("%s %s: %v", s.Via, s.Name, err)
		}
	}
}

func TestStagesNeedWholeMessages(t *testing.T) {
	stream := inputs.Rows(3)
	for _, cut := range []int{1, 3, len(stream) - 1} {
		if _, err := Stages(stream[:cut]); err == nil {
			t.Errorf("a stream of %d bytes has stages", cut)
		}
	}
}
