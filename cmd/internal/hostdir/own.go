package hostdir

import (
	"bytes"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// ownDir holds what this program keeps beside a project.
const ownDir = ".agentsim/"

// own reports whether a file, by its name below root, is this program's and no part of
// the project: one that the caller names, what this process prints into, a scenario, a
// database, a result that was saved. So is an empty file that git does not know: tee
// makes its file before anything is printed.
func (l Limits) own(root, rel string, info fs.FileInfo, content []byte, fresh bool) bool {
	target := filepath.Join(root, filepath.FromSlash(rel))
	if strings.Contains("/"+rel, "/"+ownDir) || slices.Contains(l.Own, target) || printedTo(info) {
		return true
	}
	for _, beside := range []string{"-wal", "-shm", "-journal"} {
		if name, ok := strings.CutSuffix(target, beside); ok && slices.Contains(l.Own, name) {
			return true
		}
	}
	switch {
	case len(content) == 0:
		return fresh && info.Size() == 0
	case path.Ext(rel) == ".yaml" || path.Ext(rel) == ".yml":
		return scenarioText.Match(content)
	}
	return saved(content[:min(len(content), sniffed)])
}

// ownIn is own of a file that git's status names.
func (l Limits) ownIn(in *Dir, top, rel string, fresh bool) bool {
	info, err := in.Lstat(rel)
	if err != nil {
		return false
	}
	text, _ := in.Read(rel, l.FileBytes) // what cannot be read is not this program's
	return l.own(top, rel, info, text, fresh)
}

// printedTo reports whether a file is where this process prints.
func printedTo(info fs.FileInfo) bool {
	return slices.ContainsFunc([]*os.File{os.Stdout, os.Stderr}, func(f *os.File) bool {
		to, err := f.Stat()
		return err == nil && os.SameFile(to, info)
	})
}

// saved reports whether a file begins as a result does: with a heading of this
// program's, or as JSON, CSV or Markdown with figures in picodollars, its own unit.
func saved(begin []byte) bool {
	return savedText().Match(begin) || machineText.Match(begin) && bytes.Contains(begin, []byte("picodollars"))
}

// How texts of this program begin: a scenario or a profile behind its comments; what it
// saves.
var (
	scenarioText = regexp.MustCompile(`\A(?:[ \t]*(?:#[^\n]*)?\n)*(?:agentsim:[ \t]|profile: \d+\nsources:\n)`)
	machineText  = regexp.MustCompile(`\A(?:\{\s*"|\| |[\w.]+,[\w.,]+\n)`)
	savedText    = beginning(
		// tables, as people see them and in Markdown
		`\S+   (?:seed \d+|[\d,]+ (?:place|grid point|variant|seed|session)s?) · `, `bench   [\d,]+ scenarios? · `, `check   .* · .* agent types?\n`,
		`run [0-9a-f]{8}(?:   | replayed: )`, `RUN +(?:SCENARIO|FORMAT) +`, `A  .*\nB  .*\n\nMETRIC `, `A  .*\n\nB  .*\n`, `crossover(?:    |: )fork against `,
		`first    .* · .*\n\n?second   .* · `, `sessions(?:     |: )[\d,]+ sessions? in `, `repository(?:   |: )[\d,]+ tok of its files `,
		`.*: (?:[\d,]+ runs? of [\d,]+ scenarios?|[\d,]+ agent types? and [\d,]+ parts?) written[,;] `,
		`NAME +(?:FROM +MODEL +TOOLS|WHY\n)`, `.*: ok, [\d,]+ variants?, [\d,]+ expectations?\n`, `SERVER +LINE +TOOLS`, `no \.mcp\.json names a server here\n`, `checked(?:      |: ).*, [\d,]+ runs?; `,
		`origin(?:       |: ).* sessions? of .*, measured on `, `[\d,]+ requests of [\d,]+ sessions in .* judged`, `agentsim .*\nsemantics \d+ · form `,
		// JSON, CSV and Markdown without money
		`\{\s*"scenario": ?"[^"]*",\s*"(?:project|variants|axes|seeds|variant|ok)": ?`, `\{"variant":"[^"]*","run":"[0-9a-f]{16}",`,
		`\{\s*"run": ?"[0-9a-f]{16,64}",\s*"`, `\{\s*"first": ?"[^"]*",\s*"second": ?"[^"]*",\s*"first_from":`,
		`\{\s*"agents": \[\s*\{\s*"name": "[^"]*",\s*"from": `, `\{"name":"[^"]*","(?:from":"[^"]*","state|why)":`, `\{\s*"scenarios": \[\s*\{\s*"(?:name|scenario)": `,
		`\{\s*"differences": \[`, `\{\s*"figures": \[\s*\{\s*"source": \d`, `\{"source":\d+,"role":`, `\{\s*"servers": \[[^{]*(?:\]\s*\}\n\z|\{\s*"server": )`,
		`\{"server":"[^"]*","line":`, `\{\s*"build": ?"[^"]*",\s*"semantics":`, `\{"repository":"[^"]*","sessions":\d`,
		`(?:scenario,variant,verdict|run,events,digest|rule,serious,agent|call,seq,lineage|first,second,first_from|name,(?:from,state|why)|run,(?:agent,said|table,row)|`+
			`phase,start_s,start_ns|source,role,family|server,line,tools|repository,sessions,requests|build,semantics,form|scenario,ok)[,\n]`,
		`\| (?:VARIANT \| (?:AGENTS|FIGURE)|AGENT \| TYPE \| FROM|CALL \| AGENT \| AT|TURNS \| FORK, (?:LAW|FORMULA)|RUN \| (?:SCENARIO|FORMAT)|run \| events|rule \| serious|first \| second|`+
			`NAME \| (?:FROM|WHY)|PHASE \| FROM|ROLE \| FAMILY|SERVER \| LINE|REPOSITORY \| REQUESTS|scenario \| ok|run \| (?:agent|table)|build \| semantics) \|`,
		`agentsim (?:bench|check): `,
		// baselines, JUnit, SARIF, Go benchmarks, pictures, events, databases
		`\{\s*"(?:baseline|agentsim_baseline|agentsim_check)": ?`, `<\?xml[^\n]*\n<testsuites name="agentsim `,
		`\{\s*"\$schema": "[^"]*sarif[^"]*",\s*"runs": \[\s*\{\s*"tool": \{\s*"driver": \{\s*"name": "agentsim`, `agentsim-semantics: \d+\nUnit `,
		`<!doctype html>\n(?:<[^\n]*>\n){1,3}<meta name="generator" content="agentsim">`, `<\?xml[^\n]*\n<!-- Generated by agentsim `, `(?s:.PNG\r\n.{1,40}tEXtSoftware\x00agentsim)`,
		`0 0\.000000000s 0 - run_start scenario=`, `SQLite format 3\x00`)
)

// beginning matches a text that begins in one of some ways, in Markdown as a heading, in
// a list or as code; it is compiled when it is first asked for.
func beginning(ways ...string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile("\\A\n?(?:## |- |```\n)?(?:" + strings.Join(ways, "|") + ")")
	})
}
