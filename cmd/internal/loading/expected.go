package loading

import (
	"fmt"
	"slices"
	"strings"

	"agentsim/cmd/internal/ui"
	"agentsim/metrics/report"
	"agentsim/scenarios/expect"
)

// Judged says how many expectations hold, and in a line each which do not, those
// that most variants miss first.
func Judged(verdicts []expect.Result, foreign string) (lines []string) {
	if len(verdicts) == 0 {
		return nil
	}
	failed := slices.DeleteFunc(slices.Clone(verdicts), func(v expect.Result) bool { return v.Verdict == expect.Pass })
	for _, alike := range ui.Alike(failed, func(v expect.Result) string { return v.Expect.Text + v.Verdict.String() }) {
		lines = append(lines, missed(alike[0], len(alike)-1))
	}
	if len(failed) > 0 && foreign != "" {
		foreign = ", " + foreign + ": a miss is a finding here and no failure"
	} else {
		foreign = ""
	}
	return append([]string{fmt.Sprintf("%d of %d expectations hold%s", len(verdicts)-len(failed), len(verdicts), foreign)}, lines...)
}

// missed says what an expectation wanted and what there was, and in how many more
// variants it was not so.
func missed(v expect.Result, more int) string {
	where := ""
	if v.Variant != "" {
		where = " in " + v.Variant
	}
	if more > 0 {
		where += " and " + ui.Plural(more, "more variant")
	}
	if v.Verdict == expect.NoData {
		return fmt.Sprintf("no data%s: %s", where, v.Expect.Text)
	}
	figures := report.Figure(v.Left) + " against " + report.Figure(v.Right)
	if more > 0 {
		figures += " in " + v.Variant
	}
	return fmt.Sprintf("missed%s: %s (%s)", where, v.Expect.Text, figures)
}

// WhetherMissed marks the lines of expectations that do not hold.
func WhetherMissed(line string) report.Mark {
	if strings.HasPrefix(line, "missed") || strings.HasPrefix(line, "no data") {
		return report.Worse
	}
	return report.Unmarked
}
