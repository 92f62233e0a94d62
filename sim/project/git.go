package project

import (
	"strings"
	"unicode/utf8"

	"agentsim/sim/client"
)

// Git is what git says of a directory.
type Git struct {
	Branch  string   // "" where none is checked out
	Main    string   // that changes are merged into; "" where none is known
	Status  []string // lines of the short status
	Commits []string // the newest, a short hash and a subject each
}

// git puts the snapshot together.
func (r *reader) git() {
	g := r.from.Git
	switch {
	case g == nil:
		r.aside("git: %s is in no repository", r.from.Name)
		return
	case r.Settings.NoGit || r.Settings.env("CLAUDE_CODE_DISABLE_GIT_INSTRUCTIONS"):
		r.aside("git: turned off by the settings")
		return
	}
	var b strings.Builder
	b.WriteString("The repository as it was when this conversation began. It is not brought up to date.\n")
	for _, l := range [...]struct{ name, is string }{{"Branch", g.Branch}, {"Main branch", g.Main}} {
		if l.is != "" {
			b.WriteString(l.name + ": " + l.is + "\n")
		}
	}
	b.WriteString("\nStatus:\n" + status(g.Status) + "\n\nRecent commits:\n" + strings.Join(g.Commits, "\n"))
	r.add(Part{Kind: client.Git, From: "git", Text: strings.ToValidUTF8(b.String(), "\ufffd")})
}

// status is git's status as the client cuts it.
func status(lines []string) string {
	if len(lines) == 0 {
		return "(clean)"
	}
	text := strings.Join(lines, "\n")
	if utf8.RuneCountInString(text) <= client.StatusCut {
		return text
	}
	return string([]rune(text)[:client.StatusCut]) + "\n(cut here: git status has the rest)"
}
