package agent

import (
	"strings"
	"testing"
)

func TestVerdict(t *testing.T) {
	t.Run("VER-01 a verification ends with one verdict: FAIL with output and steps, PARTIAL with what the environment lacks", func(t *testing.T) {
		for _, c := range []struct{ text, why string }{
			{"The tests pass.\n\nVERDICT: PASS", ""},
			{"VERDICT: PASS \n\n", ""},
			{"Output:\nboom\n\nSteps:\n1. Run it.\n\nVERDICT: FAIL", ""},
			{"```\nboom\n```\n1) Run it.\nVERDICT: FAIL", ""},
			{"There is no test framework here.\nVERDICT: PARTIAL", ""},
			{"curl is not available.\nVERDICT: PARTIAL", ""},
			{"The server does not start.\nVERDICT: PARTIAL", ""},
			{"", "does not end with one"},
			{"It looks right.", "does not end with one"},
			{"VERDICT: PASS\nbut look again", "does not end with one"},
			{"VERDICT:PASS", "does not end with one"},
			{"**VERDICT: PASS**", "does not end with one"},
			{"VERDICT: FAIL\nVERDICT: PASS", "gives two"},
			{"It breaks.\nVERDICT: FAIL", "without the output"},
			{"Output:\nboom\nVERDICT: FAIL", "without the steps"},
			{"I am not sure.\nVERDICT: PARTIAL", "nothing of the environment"},
			{"VERDICT: UNSURE", "not UNSURE"},
		} {
			if got := unverified(c.text); c.why == "" && got != "" || !strings.Contains(got, c.why) {
				t.Errorf("%q: %q, want %q", c.text, got, c.why)
			}
		}
	})
	t.Run("VER-01 it is asked of the built-in type alone", func(t *testing.T) {
		if own := (&Definition{Type: TypeVerification, Source: FromProject}); own.verifies() || (*Definition)(nil).verifies() || !verification().verifies() {
			t.Error("asked of others, or not of verification")
		}
	})
}
