package works

import "testing"

// TestSizesOfMessages holds what RESULTS.md says of the message's sizes; with -v it prints them.
func TestSizesOfMessages(t *testing.T) {
	m, err := newMessages()
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("FlatBuffers %d bytes, Protobuf %d, JSON %d", len(m.flat), len(m.proto), len(m.json))
	if len(m.flat) != 1536 || len(m.proto) != 738 || len(m.json) != 1295 {
		t.Error("RESULTS.md says 1,536 bytes, 738 and 1,295")
	}
}
