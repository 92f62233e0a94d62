package agent

import (
	"regexp"
	"strings"

	"agentsim/sim/llm"
)

// What stands before a verdict: the output that shows a defect, the steps that lead to
// it, and what of the environment did not let the agent check.
var (
	verdictLine  = regexp.MustCompile(`(?m)^VERDICT:`)
	shownOutput  = regexp.MustCompile("(?mi)^(output:|\\$ |```)")
	reproduced   = regexp.MustCompile(`(?mi)^(steps:|[ \t]*[0-9]+[.)] )`)
	notCheckable = regexp.MustCompile(`(?i)no test framework|not available|unavailable|(will|does|did) not start|cannot start`)
)

const errUnverified = "no verdict: "

// unverified is why the last text of a verification is no verdict (VER-01); "" where it
// is one.
func unverified(text string) string {
	text = strings.TrimRight(text, " \t\n")
	i := strings.LastIndexByte(text, '\n') + 1
	before, last := text[:i], text[i:]
	switch verdict, is := strings.CutPrefix(last, "VERDICT: "); {
	case !is:
		return errUnverified + "the report does not end with one"
	case verdictLine.MatchString(before):
		return errUnverified + "the report gives two"
	case verdict == "PASS":
	case verdict == "FAIL" && !shownOutput.MatchString(before):
		return errUnverified + "FAIL without the output that shows it"
	case verdict == "FAIL" && !reproduced.MatchString(before):
		return errUnverified + "FAIL without the steps that lead to it"
	case verdict == "PARTIAL" && !notCheckable.MatchString(before):
		return errUnverified + "PARTIAL, and nothing of the environment is why"
	case verdict != "FAIL" && verdict != "PARTIAL":
		return errUnverified + "it is PASS, FAIL or PARTIAL, not " + verdict
	}
	return ""
}

// verifies reports whether the agent is of the built-in type that ends with a verdict.
func (d *Definition) verifies() bool {
	return d != nil && d.Type == TypeVerification && d.BuiltIn()
}

// lastText is the text of the last message that has any.
func lastText(a *Agent) string {
	var out []string
	if a.said != nil {
		for i := range a.said.Blocks {
			if b := &a.said.Blocks[i]; b.Kind == llm.Text {
				out = append(out, b.Content.Raw())
			}
		}
	}
	return strings.Join(out, "\n")
}
