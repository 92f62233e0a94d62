package cli

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"

	"agentsim/cmd/internal/cli/cachereplay"
	"agentsim/cmd/internal/cli/dbcheck"
	"agentsim/cmd/internal/cli/definitions"
	"agentsim/cmd/internal/cli/diff"
	"agentsim/cmd/internal/cli/export"
	"agentsim/cmd/internal/cli/lint"
	"agentsim/cmd/internal/cli/profile"
	"agentsim/cmd/internal/cli/project"
	reportpage "agentsim/cmd/internal/cli/report"
	"agentsim/cmd/internal/cli/runs"
	"agentsim/cmd/internal/cli/session"
	"agentsim/cmd/internal/cli/sweep"
	"agentsim/cmd/internal/cli/validate"
	"agentsim/cmd/internal/cli/worker"
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

// seldom are commands that few need. They are hidden on the first page, and lab has them
// too, since a command has one parent.
func seldom(s *ui.Env) []*cobra.Command {
	return []*cobra.Command{sweep.NewEstimate(s), project.New(s), runs.New(s), profile.New(s), session.New(s), export.New(s), reportpage.NewServe(s), newVersion(s), worker.New(s)}
}

// newLab holds what few need: studies of the mechanism and care of the database.
func newLab(s *ui.Env) *cobra.Command {
	lab := ui.NewGroup("lab", "what few need: judge the cache model, lint hand-offs, diff runs, check databases",
		append(seldom(s), validate.New(s), lint.New(s), diff.New(s), cachereplay.New(s), definitions.New(s), dbcheck.New(s))...)
	lab.Hidden = true // the first page names it in its text, and lists twelve that are used more
	lab.Long = `Studies of the mechanism, and care of the database of runs. estimate, export, profile, project, runs, serve,
session, version and worker are the same without lab; agentsim completion prints a shell's completion.`
	lab.Example = "  agentsim lab validate testdata/validation/sample.jsonl.gz\n  agentsim lab lint 9c1e"
	return lab
}

// wrapHelp breaks what help says to the terminal's width, between words alone.
func wrapHelp(s *ui.Env, root *cobra.Command) {
	root.SetUsageTemplate(strings.ReplaceAll(root.UsageTemplate(), ".FlagUsages", fmt.Sprintf(".FlagUsagesWrapped %d", s.Width)))
	help, st := root.HelpFunc(), report.Style{Width: s.Width}
	root.SetHelpFunc(func(cmd *cobra.Command, args []string) {
		var text bytes.Buffer
		root.SetOut(&text)
		defer root.SetOut(s.Stdout)
		cmd.Long = reflow(cmd.Long, st)
		help(cmd, args)
		for line := range strings.Lines(text.String()) {
			s.Printf("%s\n", strings.Join(hanging(strings.TrimSuffix(line, "\n"), st), "\n"))
		}
	})
}

// quoted is a word of a command that holds blanks.
var quoted = regexp.MustCompile(`'[^']*'`)

// hanging breaks a line that is too wide: it goes on below the beginning of its
// second column, and a command behind a backslash, so that it can be pasted.
func hanging(line string, st report.Style) []string {
	const blank = "\uE000" // in a quoted word
	if st.Width == 0 || utf8.RuneCountInString(line) <= st.Width {
		return []string{line}
	}
	body := strings.TrimLeft(line, " ")
	at, more, end := len(line)-len(body), 0, ""
	if _, second, found := strings.Cut(body, "  "); strings.HasPrefix(body, "agentsim ") {
		more, end = len("    "), ` \`
		body = quoted.ReplaceAllStringFunc(body, func(word string) string { return strings.ReplaceAll(word, " ", blank) })
	} else if found {
		body = strings.TrimLeft(second, " ")
		at = len(line) - len(body)
	}
	lines := st.Lines(body, at+more+len(end))
	for i, text := range lines {
		head := line[:at]
		if i > 0 {
			head = strings.Repeat(" ", at+more)
		}
		if i == len(lines)-1 {
			end = ""
		}
		lines[i] = head + strings.ReplaceAll(text, blank, " ") + end
	}
	return lines
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
