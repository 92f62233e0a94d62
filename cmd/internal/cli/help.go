package cli

import (
	"fmt"
	"strings"

	"agentsim/cmd/internal/cli/cachereplay"
	"agentsim/cmd/internal/cli/dbcheck"
	"agentsim/cmd/internal/cli/definitions"
	"agentsim/cmd/internal/cli/diff"
	"agentsim/cmd/internal/cli/lint"
	"agentsim/cmd/internal/cli/sessions"
	"agentsim/cmd/internal/ui"
	"agentsim/metrics/report"

	"github.com/spf13/cobra"
)

// groups are the uses by which the first help page lists commands.
var groups = []struct{ id, title string }{
	{"run", "Run:"}, {"look", "Look:"}, {"gate", "Gate:"}, {"recordings", "Recordings:"}, {"more", "More:"},
}

// under adds commands to a use.
func under(root *cobra.Command, group string, commands ...*cobra.Command) {
	for _, c := range commands {
		c.GroupID = group
		root.AddCommand(c)
	}
}

// newLab holds what few need: studies of the mechanism and care of the database.
func newLab(s *ui.Env) *cobra.Command {
	lab := ui.NewGroup("lab", "what few need: judge the cache model, lint hand-offs, diff runs, check databases",
		sessions.NewValidate(s), lint.New(s), diff.New(s), cachereplay.New(s), definitions.New(s), dbcheck.New(s))
	lab.Long = "Studies of the mechanism, and care of the database of runs."
	lab.Example = "  agentsim lab validate testdata/validation/sample.jsonl.gz\n  agentsim lab lint 9c1e"
	return lab
}

// wrapHelp breaks what help says to the terminal's width.
func wrapHelp(s *ui.Env, root *cobra.Command) {
	root.SetUsageTemplate(strings.ReplaceAll(root.UsageTemplate(), ".FlagUsages", fmt.Sprintf(".FlagUsagesWrapped %d", s.Width)))
	help := root.HelpFunc()
	root.SetHelpFunc(func(cmd *cobra.Command, args []string) {
		cmd.Long = reflow(cmd.Long, s.Style())
		help(cmd, args)
	})
}

// reflow breaks the paragraphs of a text to a width; lines that are indented stay
// as they are.
func reflow(text string, st report.Style) string {
	if st.Width == 0 {
		return text
	}
	var out, paragraph []string
	flush := func() {
		if paragraph != nil {
			out = append(out, st.Lines(strings.Join(paragraph, " "), 0)...)
		}
		paragraph = nil
	}
	for _, line := range strings.Split(text, "\n") {
		if line == "" || strings.HasPrefix(line, " ") {
			flush()
			out = append(out, line)
			continue
		}
		paragraph = append(paragraph, line)
	}
	flush()
	return strings.Join(out, "\n")
}
