package trusttest

import "testing"

// TestGuardsCannotBeRead: else the tests that stand on them show nothing.
func TestGuardsCannotBeRead(t *testing.T) {
	for what, read := range map[string]func(){
		"after":  func() { Peek(BeforeGuard(t, make([]byte, 9)), 9) },
		"before": func() { Peek(AfterGuard(t, make([]byte, 9)), -1) },
	} {
		if Faulted(read) == nil {
			t.Errorf("the byte %s the buffer was read", what)
		}
	}
}
