package hostdir

import (
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// ownDir holds what this program keeps beside a project.
const ownDir = ".agentsim/"

// own reports whether a file is this program's and no part of the project: one that
// the caller names, a scenario, a database, or a result that was saved.
func (r *reader) own(rel, content string) bool {
	target := filepath.Join(r.root, filepath.FromSlash(rel))
	if strings.HasPrefix(rel, ownDir) || slices.Contains(r.limits.Own, target) {
		return true
	}
	for _, beside := range []string{"-wal", "-shm", "-journal"} {
		if name, ok := strings.CutSuffix(target, beside); ok && slices.Contains(r.limits.Own, name) {
			return true
		}
	}
	switch {
	case strings.HasPrefix(content, "SQLite format 3\x00"):
		return true
	case path.Ext(rel) == ".yaml" || path.Ext(rel) == ".yml":
		return scenarioText.MatchString(content)
	}
	return savedText.MatchString(content[:min(len(content), sniffed)])
}

// How texts of this program begin: a scenario behind its comments; what it saves.
var (
	scenarioText = regexp.MustCompile(`\A(?:[ \t]*(?:#[^\n]*)?\n)*agentsim:[ \t]`)
	savedText    = regexp.MustCompile(`\A(?:` + strings.Join([]string{
		`\S+   (?:seed \d+|[\d,]+ places?) · `, `bench   [\d,]+ scenarios? · `, `check   .* · .* agent types?\n`, // tables
		`\{\s*"scenario": "[^"]*",\s*"(?:project|variants|axes)": `, `\{\s*"(?:baseline|agentsim_baseline|agentsim_check)": ?`, // JSON, and baselines
		`\{"variant":"[^"]*","run":"[0-9a-f]{16}",`, `variant,run,seed,`, `\| VARIANT \| AGENTS \| `,
		`<\?xml[^\n]*\n<testsuites name="agentsim `, `0 0\.000000000s 0 - run_start scenario=`, // JUnit, events
		`\{\s*"\$schema": "[^"]*sarif[^"]*",\s*"runs": \[\s*\{\s*"tool": \{\s*"driver": \{\s*"name": "agentsim`,
	}, "|") + `)`)
)
