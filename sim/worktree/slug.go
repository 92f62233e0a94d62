package worktree

import (
	"fmt"
	"strconv"
	"strings"
)

// Dir is where worktrees are in the project.
const Dir = ".claude/worktrees"

// maxSlug is how long a slug may be, in bytes.
const maxSlug = 64

// CheckSlug says whether a slug can name a worktree: at most 64 letters, digits, dots,
// slashes, hyphens and underscores, in segments none of which is empty or made of dots,
// and which end as names of branches may.
func CheckSlug(slug string) error {
	if slug == "" || len(slug) > maxSlug {
		return fmt.Errorf("worktree %q: a slug has from 1 to %d characters, this one has %d", slug, maxSlug, len(slug))
	}
	for _, r := range slug {
		if (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && !strings.ContainsRune("./-_", r) {
			return fmt.Errorf("worktree %q: %q cannot be in a slug: use letters, digits, '.', '/', '-' and '_'", slug, r)
		}
	}
	for part := range strings.SplitSeq(slug, "/") {
		switch {
		case part == "":
			return fmt.Errorf("worktree %q: a slug is no absolute path and has no empty segment: leave the '/' out", slug)
		case part == "." || strings.Contains(part, ".."):
			return fmt.Errorf("worktree %q: a slug does not leave its directory: leave %q out", slug, part)
		case strings.HasSuffix(part, ".") || strings.HasSuffix(part, ".lock"):
			return fmt.Errorf("worktree %q: git has no branches whose names end like %q: choose another end", slug, part)
		}
	}
	return nil
}

// flat is a slug as one name, so that no worktree lies in another. No other slug has it.
func flat(slug string) string { return strings.ReplaceAll(slug, "/", "+") }

// Path is where the worktree of a slug is, relative to the project.
func Path(slug string) string { return Dir + "/" + flat(slug) }

// Branch is the branch of a slug's worktree.
func Branch(slug string) string { return "worktree-" + flat(slug) }

// agentPrefix and idLength make the slug of an agent.
const (
	agentPrefix = "agent-"
	idLength    = 8
)

// AgentSlug is the slug of an agent with an id: of those that are not taken the first.
func AgentSlug(id string, taken func(slug string) bool) string {
	slug := agentPrefix + id[:min(idLength, len(id))]
	if !taken(slug) {
		return slug
	}
	for n := 2; ; n++ {
		if s := slug + "-" + strconv.Itoa(n); !taken(s) {
			return s
		}
	}
}
