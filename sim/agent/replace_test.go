package agent_test

import (
	"strings"
	"testing"
)

func TestReplacements(t *testing.T) {
	t.Run("LOOP-11 the preview of an error is an error still", testErrorReplaced)
}

// testErrorReplaced has a call refused with a text that is over the size.
func testErrorReplaced(t *testing.T) {
	s := one(t, `{"description":"d","prompt":"p","subagent_type":"nobody"}`, func(s *story) { s.cfg.Over, s.cfg.Preview = 50, 10 })
	b := s.block("main", 2, -1).Block
	if len(s.eventsOf("replace")) != 1 || !strings.Contains(b.Content.Raw(), "replaced by this preview") {
		t.Fatalf("nothing was replaced: %q", b.Content.Raw())
	}
	if !b.IsError || !strings.Contains(s.flat("main", 2), `bytes replaced by this preview]","is_error":true}`) {
		t.Error("the preview is no error")
	}
}
