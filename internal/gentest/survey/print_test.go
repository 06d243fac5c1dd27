package survey_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/fbverify/go/fbverify/fbread"
	"github.com/fbverify/go/internal/gentest/survey"
)

// TestWithoutDynamicViewsSayWhatIsMissing is in a package that does not import
// dynamic, and must stay so.
func TestWithoutDynamicViewsSayWhatIsMissing(t *testing.T) {
	v := fbread.Absent[survey.Survey]()
	if got := fmt.Sprint(v); got != `<cave.survey.Survey: import _ "github.com/fbverify/go/fbverify/dynamic" to see it>` {
		t.Errorf("got %s", got)
	}
	if text, err := json.Marshal(v); err == nil {
		t.Errorf("got %s", text)
	}
}
