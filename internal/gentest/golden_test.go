package gentest

import (
	"testing"

	"github.com/fbverify/go/internal/gentest/golden"
)

func TestGoldensAreWhatFbgenWrites(t *testing.T) { golden.Check(t, "doc.go") }
