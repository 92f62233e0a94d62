package cli

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"agentsim/cmd/internal/ui"
)

// historiesVar names a directory of bare repositories, OWNER+NAME each; where it
// is not set, the made history and the record are what is tested.
const historiesVar = "AGENTSIM_HISTORIES"

const historiesRecord = "2026-11-28-histories.txt"

func TestHistories(t *testing.T) {
	t.Run("REPO-06 check flags the commits of a made history that lengthen a head by over 2 % or reorder it, and no other", madeHistory)
	if os.Getenv(historiesVar) != "" {
		t.Run("REPO-06 on histories of others check flags what another reading of the client's rules flags, as the dated record says", recordedHistories)
	}
	t.Run("REPO-06 the record of histories holds ids and figures only, adds up, and each difference is explained", historiesAddUp)
}

// judgedCommit is a commit with what another reading says of it, and what check does.
type judgedCommit struct {
	commit, parent string
	was, is        int // characters of the head that grew most
	truth, check   string
}

// differs reports whether check is wrong, or the other reading.
func (j judgedCommit) differs() bool { return (j.truth == "-") != (j.check == "-") }

// history is a repository of which check judges commits.
type history struct {
	t   *testing.T
	git string // its directory
	dir string // where a commit's files are
}

// run runs git on the repository.
func (h *history) run(stdin []byte, args ...string) []byte {
	h.t.Helper()
	cmd := exec.Command("git", append([]string{"--git-dir", h.git, "--work-tree", h.dir}, args...)...)
	cmd.Dir, cmd.Stdin = h.dir, bytes.NewReader(stdin)
	cmd.Env = append(os.Environ(), "GIT_INDEX_FILE="+h.dir+".index", "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null", "LC_ALL=C",
		"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@b", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@b")
	out, err := cmd.Output()
	if err != nil {
		h.t.Fatalf("git %s: %v", strings.Join(args, " "), err)
	}
	return out
}

// checkOut makes the directory hold the files of a commit that a head can be made of.
func (h *history) checkOut(commit string) {
	h.t.Helper()
	if err := cmp.Or(os.RemoveAll(h.dir), os.MkdirAll(h.dir, 0o755)); err != nil {
		h.t.Fatal(err)
	}
	h.run(nil, "read-tree", commit)
	h.run(h.run(nil, "ls-files", "-z", "--", ":(glob)*.md", ":(glob)docs/**/*.md", ":(glob)**/CLAUDE.md", ":(glob)**/AGENTS.md", ":(glob).claude/**/*.md",
		":(glob).claude/*", ":(glob).claude/skills/*", ":(glob).agents/**/*.md", ".mcp.json"), "checkout-index", "-z", "--stdin")
}

var grewOr = regexp.MustCompile(`"verdict": "(grew over)?.*?(reordered: .*)?",\n`)

// check is what check says of a commit beside its parent.
func (h *history) check(commit, parent string) string {
	h.t.Helper()
	baseline := h.dir + ".json"
	h.checkOut(parent)
	if code, _, errs := try(nil, "check", h.dir, "--baseline", baseline, "--update"); code != ui.Pass {
		h.t.Fatalf("%s: exit code %d: %s", parent, code, errs)
	}
	h.checkOut(commit)
	code, out, errs := try(nil, "check", h.dir, "--baseline", baseline, "-o", "json")
	said := grewOr.FindStringSubmatch(out)
	verdict := "-"
	switch {
	case said == nil || code != ui.Pass && code != ui.Missed:
		h.t.Fatalf("%s: exit code %d: %s", commit, code, errs)
	case said[1] != "" && said[2] != "":
		verdict = "grew+reordered"
	case said[1] != "":
		verdict = "grew"
	case said[2] != "":
		verdict = "reordered"
	}
	// Neither is longer or in another order.
	other := strings.Contains(out, "on a model dearer by") || strings.Contains(out, "a part no longer loads: ") || strings.Contains(out, "new text is not loaded: ")
	if (verdict == "-") != (code == ui.Pass || other) {
		h.t.Fatalf("%s: exit code %d of %s", commit, code, verdict)
	}
	return verdict
}

// truth is what the script reads in the history; nil without Python.
func (h *history) truth() (out []judgedCommit) {
	h.t.Helper()
	python, err := exec.LookPath("python3")
	if err != nil {
		return nil
	}
	cmd := exec.Command(python, filepath.Join(validationDir, "heads.py"), h.git)
	cmd.Stderr = os.Stderr
	text, err := cmd.Output()
	if err != nil {
		h.t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		var j judgedCommit
		if _, err := fmt.Sscan(line, &j.commit, &j.parent, &j.was, &j.is, &j.truth); err != nil {
			h.t.Fatalf("%q: %v", line, err)
		}
		out = append(out, j)
	}
	return out
}

// recordedHistories judges the histories of AGENTSIM_HISTORIES and holds what comes out
// against the record.
func recordedHistories(t *testing.T) {
	from := os.Getenv(historiesVar)
	list, err := os.ReadDir(from)
	if err != nil {
		t.Fatal(err)
	}
	all := make([]judgedHistory, len(list))
	t.Run("repositories", func(t *testing.T) {
		for i, e := range list {
			t.Run(e.Name(), func(t *testing.T) {
				t.Parallel()
				all[i] = judge(t, filepath.Join(from, e.Name()))
				t.Log(all[i].row())
			})
		}
	})
	same(t, historiesRecord, historiesText(all))
}

// judge judges the commits of a repository.
func judge(t *testing.T, where string) judgedHistory {
	x := judgedHistory{name: strings.Replace(filepath.Base(where), "+", "/", 1)}
	where, err := filepath.EvalSymlinks(where)
	h := &history{t, where, filepath.Join(t.TempDir(), "files")}
	if err := cmp.Or(err, os.Mkdir(h.dir, 0o755)); err != nil {
		t.Fatal(err)
	}
	x.files = bytes.Count(h.run(nil, "ls-tree", "-r", "--name-only", "HEAD"), []byte("\n"))
	x.commits = h.truth()
	for i := range x.commits {
		j := &x.commits[i]
		if j.check = h.check(j.commit, j.parent); j.differs() {
			t.Logf("%+v", *j)
		}
	}
	return x
}

// judgedHistory is a repository's.
type judgedHistory struct {
	name    string
	files   int
	commits []judgedCommit
}

// row is what a repository comes to.
func (x judgedHistory) row() string {
	n := map[string]int{}
	for _, j := range x.commits {
		for word := range strings.SplitSeq(j.truth, "+") {
			n[word]++
		}
		if j.check != "-" {
			n["flagged"]++
		}
		if j.truth == "-" {
			n["any"]++
		}
		if j.differs() {
			n["wrong of "+strconv.FormatBool(j.check != "-")]++
		}
	}
	return fmt.Sprintf("%-32s %6d %8d %11d %10d %8d %13d %7d %11d\n", x.name, x.files, len(x.commits), n["grew"], n["reordered"], n["flagged"],
		n["wrong of true"], n["wrong of false"], n["any"])
}

// historiesText is the record: the table, whose last column has the false alarms of a
// rule that flags any change, then a line for each commit.
func historiesText(all []judgedHistory) string {
	var b strings.Builder
	fmt.Fprintf(&b, "$ %s=DIR go test ./cmd/internal/cli -run TestHistories -timeout 60m -rewrite-validation\n\n", historiesVar)
	fmt.Fprintf(&b, "%-32s %6s %8s %11s %10s %8s %13s %7s %11s\n", "REPOSITORY", "FILES", "COMMITS", "LENGTHENED", "REORDERED", "FLAGGED", "FALSE ALARMS", "MISSES", "ANY CHANGE")
	whole := judgedHistory{name: "(all)"}
	for _, x := range all {
		b.WriteString(x.row())
		whole.commits, whole.files = append(whole.commits, x.commits...), whole.files+x.files
	}
	b.WriteString(whole.row())
	for _, x := range all {
		fmt.Fprintf(&b, "\n%s\n", x.name)
		for _, j := range x.commits {
			mark := ""
			if j.differs() {
				mark = " differs"
			}
			fmt.Fprintf(&b, "%s %7d %7d %-14s %s%s\n", j.commit[:12], j.was, j.is, j.truth, j.check, mark)
		}
	}
	return b.String()
}

// historiesAddUp holds the record to what it promises.
func historiesAddUp(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(validationDir, historiesRecord))
	if err != nil {
		t.Fatal(err)
	}
	readme, err := os.ReadFile(filepath.Join(validationDir, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	head, rest, _ := strings.Cut(string(text), "(all)")
	var all []judgedHistory
	for block := range strings.SplitSeq(rest[strings.Index(rest, "\n\n")+2:], "\n\n") {
		lines := strings.Split(strings.TrimSpace(block), "\n")
		x := judgedHistory{name: lines[0]}
		row := regexp.MustCompile(`(?m)^` + regexp.QuoteMeta(x.name) + ` +(\d+) `).FindStringSubmatch(head)
		if row == nil {
			t.Fatalf("%s is not in the table", x.name)
		}
		x.files, _ = strconv.Atoi(row[1])
		for _, line := range lines[1:] {
			m := historyLine.FindStringSubmatch(line)
			if m == nil {
				t.Fatalf("%s: %q", x.name, line)
			}
			j := judgedCommit{commit: m[1], truth: m[4], check: m[5]}
			j.was, _ = strconv.Atoi(m[2])
			j.is, _ = strconv.Atoi(m[3])
			if grew := strings.HasPrefix(j.truth, "grew"); grew != (j.is*100 > j.was*102) {
				t.Errorf("%s: %d → %d characters, %s", j.commit, j.was, j.is, j.truth)
			}
			if j.differs() && !strings.Contains(string(readme), j.commit) {
				t.Errorf("%s: no line of README.md explains why check says %s", j.commit, j.check)
			}
			x.commits = append(x.commits, j)
		}
		all = append(all, x)
	}
	if got := historiesText(all); got != string(text) {
		t.Errorf("the table is not what the lines come to:\n%s", got[:min(len(got), 2000)])
	}
	commits, large := 0, false
	for _, x := range all {
		commits, large = commits+len(x.commits), large || x.files > 10_000
	}
	if len(all) < 5 || commits < 100 || !large {
		t.Errorf("%d repositories, %d commits, one of over 10,000 files: %v", len(all), commits, large)
	}
}

// historyLine is all that the record says of a commit.
var historyLine = regexp.MustCompile(`^([0-9a-f]{12}) +(\d+) +(\d+) (-|grew|reordered|grew\+reordered) +(-|grew|reordered|grew\+reordered)(?: differs)?$`)

// madeHistory judges a history with a commit for each kind of case that histories of
// others have, by check and by the script.
func madeHistory(t *testing.T) {
	long(t)
	h := &history{t, filepath.Join(t.TempDir(), "made"), filepath.Join(t.TempDir(), "files")}
	if err := os.Mkdir(h.dir, 0o755); err != nil {
		t.Fatal(err)
	}
	h.run(nil, "init", "-q", "--initial-branch", "main")
	want := map[string]madeCommit{}
	for _, c := range madeCommits() {
		h.put(c.files)
		h.run(nil, "add", "-A")
		args := []string{"commit", "-q", "--allow-empty", "-m", c.about}
		if c.merge {
			h.run(nil, "update-ref", "MERGE_HEAD", "HEAD~1")
		}
		h.run(nil, args...)
		want[strings.TrimSpace(string(h.run(nil, "rev-parse", "HEAD")))] = c
	}
	index := 0
	for line := range strings.Lines(string(h.run(nil, "log", "--reverse", "--first-parent", "--format=%H %P"))) {
		words := strings.Fields(line)
		c := want[words[0]]
		if index++; len(words) > 1 {
			if got := h.check(words[0], words[1]); got != c.verdict {
				t.Errorf("%s: check says %s, want %s", c.about, got, c.verdict)
			}
		}
	}
	truth := h.truth()
	if judged := len(truth); truth != nil && judged != index-1 {
		t.Errorf("the script judges %d commits of %d", judged, index-1)
	}
	for _, j := range truth {
		if c := want[j.commit]; j.truth != c.verdict {
			t.Errorf("%s: the script says %s (%d → %d), want %s", c.about, j.truth, j.was, j.is, c.verdict)
		}
	}
}

// put writes files; a text that begins with → is a link, an empty one removes the file.
func (h *history) put(files map[string]string) {
	h.t.Helper()
	for _, name := range slices.Sorted(maps.Keys(files)) {
		at, text := filepath.Join(h.dir, name), files[name]
		err := cmp.Or(os.RemoveAll(at), os.MkdirAll(filepath.Dir(at), 0o755))
		if to, link := strings.CutPrefix(text, "→"); link {
			err = cmp.Or(err, os.Symlink(to, at))
		} else if text != "" {
			err = cmp.Or(err, os.WriteFile(at, []byte(text), 0o644))
		}
		if err != nil {
			h.t.Fatal(err)
		}
	}
}

// madeCommit is a step of the made history: which files it changes, and what check has
// to say.
type madeCommit struct {
	about, verdict string
	files          map[string]string
	merge          bool // of the branch that its parent's parent is
}

// paragraph is some lines of prose that nothing else says.
func paragraph(name string, lines int) string {
	var b strings.Builder
	for i := range lines {
		fmt.Fprintf(&b, "- of %s, rule %d: what is to be done in this place is said here and nowhere else\n", name, i)
	}
	return b.String()
}

// percent is prose of which a text is a hundred over n times as long.
func percent(of string, n int) string {
	return paragraph("the rest", 10)[:len(of)*n/100] + "\n"
}

func madeCommits() []madeCommit {
	type files = map[string]string
	a, b, c := "# A\n"+paragraph("a", 20), "# B\n"+paragraph("b", 20), "# C\n"+paragraph("c", 20)
	skill := func(name, about string) string {
		return "---\nname: " + name + "\ndescription: " + about + "\n---\n" + paragraph(name, 30)
	}
	agent := func(tools string) string {
		return "---\nname: reviewer\ndescription: Reads a change again\ntools: " + tools + "\n---\n\n" + paragraph("reviewer", 10)
	}
	tiny := "---\nname: tiny\ndescription: Small\ntools: Read\n---\n\n" + paragraph("tiny", 50)
	about := "What somebody wants who has read all of it and does not know where to begin with the change"
	return []madeCommit{
		{about: "the first", files: files{"CLAUDE.md": a + b + c, ".claude/agents/reviewer.md": agent("Read"), ".claude/commands/ship.md": skill("ship", about),
			".claude/commands/test.md": skill("test", about+", tested"), ".claude/skills/plan/SKILL.md": skill("plan", about+", planned")}},
		{about: "a nested memory file", verdict: "-", files: files{"web/CLAUDE.md": a}},
		{about: "a plugin's skill, agent and commands", verdict: "-", files: files{"plugins/x/skills/y/SKILL.md": skill("y", about), "plugins/x/agents/z.md": agent("Read"), "skills/w/SKILL.md": skill("w", about)}},
		{about: "hooks and permissions", verdict: "-", files: files{".claude/settings.json": `{"permissions":{"allow":["Bash(go test:*)"]},"hooks":{}}`}},
		{about: "an agent on a dearer model", verdict: "-", files: files{".claude/agents/reviewer.md": strings.Replace(agent("Read"), "tools:", "model: opus\ntools:", 1)}},
		{about: "and on its own again", verdict: "-", files: files{".claude/agents/reviewer.md": agent("Read")}},
		{about: "a skill's body", verdict: "-", files: files{".claude/skills/plan/SKILL.md": skill("plan", about+", planned") + c}},
		{about: "one line more", verdict: "-", files: files{"CLAUDE.md": a + b + c + "One more line of it.\n"}},
		{about: "1 % more", verdict: "-", files: files{"CLAUDE.md": a + b + c + percent(a+b+c, 1)}},
		{about: "3 % more than that", verdict: "grew", files: files{"CLAUDE.md": a + b + c + percent(a+b+c, 4)}},
		{about: "five lines more", verdict: "grew", files: files{"CLAUDE.md": a + b + c + paragraph("d", 5)}},
		{about: "two sections change places", verdict: "reordered", files: files{"CLAUDE.md": b + a + c + paragraph("d", 5)}},
		{about: "fences and rules change places", verdict: "-", files: files{"CLAUDE.md": b + "---\n" + a + "```\n" + c + paragraph("d", 5)}},
		{about: "the same", verdict: "-", files: files{"CLAUDE.md": b + "```\n" + a + "---\n" + c + paragraph("d", 5)}},
		{about: "a comment, which is not sent", verdict: "-", files: files{"CLAUDE.md": "<!--\n" + paragraph("comment", 20) + "-->\n" + b + a + c + paragraph("d", 5)}},
		{about: "the file becomes a link to AGENTS.md", verdict: "-", files: files{"CLAUDE.md": "→AGENTS.md", "AGENTS.md": b + a + c + paragraph("d", 5)}},
		{about: "the link becomes an import", verdict: "-", files: files{"CLAUDE.md": "See @AGENTS.md\n"}},
		{about: "what is imported grows", verdict: "grew", files: files{"AGENTS.md": b + a + c + paragraph("d", 10)}},
		{about: "an import in a fence is none", verdict: "-", files: files{"docs/more.md": a + a, "CLAUDE.md": "See @AGENTS.md\n```\n@docs/more.md\n```\n"}},
		{about: "a section moves into a rule", verdict: "reordered", files: files{"AGENTS.md": a + c + paragraph("d", 10), ".claude/rules/b.md": b}},
		{about: "the rule is for some files alone", verdict: "-", files: files{".claude/rules/b.md": "---\npaths: \"web/**\"\n---\n" + b}},
		{about: "the rule is for all files again", verdict: "grew", files: files{".claude/rules/b.md": b}},
		{about: "a file that is not UTF-8", verdict: "-", files: files{".claude/rules/b.md": b + "\xff\xfe\n"}},
		{about: "it is UTF-8 again", verdict: "grew", files: files{".claude/rules/b.md": b}},
		{about: "commands become skills by links", verdict: "reordered", files: files{".claude/commands/ship.md": "", ".claude/commands/test.md": "",
			".agents/skills/ship/SKILL.md": skill("ship", about), ".agents/skills/a-test/SKILL.md": skill("test", about+", tested"),
			".claude/skills/ship": "→../../.agents/skills/ship", ".claude/skills/a-test": "→../../.agents/skills/a-test"}},
		{about: "a linked skill's description grows, for Explore by over 2 %", verdict: "grew", files: files{".agents/skills/ship/SKILL.md": skill("ship", about+", and has the time for it")}},
		{about: "a colon that YAML does not take", verdict: "-", files: files{".agents/skills/ship/SKILL.md": skill("ship", about+": and has the time for it")}},
		{about: "a definition's tools let the skills in", verdict: "grew", files: files{".claude/agents/reviewer.md": agent("Read, Skill")}},
		{about: "a definition is given the shell", verdict: "grew", files: files{".claude/agents/reviewer.md": agent("Read, Skill, Bash")}},
		{about: "its list of tools names nearly all", verdict: "grew", files: files{".claude/agents/reviewer.md": agent("Read, Grep, Glob, Edit, Write, Bash, WebFetch, WebSearch")}},
		{about: "and is taken away", verdict: "grew", files: files{".claude/agents/reviewer.md": strings.Replace(agent(""), "tools: \n", "", 1)}},
		{about: "and is there again", verdict: "-", files: files{".claude/agents/reviewer.md": agent("Read, Skill, Bash")}},
		{about: "an agent that is new", verdict: "-", files: files{".claude/agents/tiny.md": tiny}},
		{about: "an agent in a directory of its own, in the list of types", verdict: "grew", files: files{".claude/agents/web/checker.md": "---\nname: checker\ndescription: " + about + about + about + "\n---\n\nYou."}},
		{about: "a definition's file is renamed", verdict: "-", files: files{".claude/agents/tiny.md": "", ".claude/agents/zebra.md": tiny}},
		{about: "a server", verdict: "grew", files: files{".mcp.json": `{"mcpServers":{"tracker":{"command":"tracker"}}}`}},
		{about: "a server that the settings turn off", verdict: "-", files: files{".mcp.json": `{"mcpServers":{"tracker":{"command":"tracker"},"other":{"command":"other"}}}`,
			".claude/settings.json": `{"disabledMcpjsonServers":["other"]}`}},
		{about: "a merge that brings what grows", verdict: "grew", merge: true, files: files{"CLAUDE.md": "See @AGENTS.md\n" + paragraph("merge", 9)}},
		{about: "all is gone", verdict: "-", files: files{"CLAUDE.md": "", "AGENTS.md": "", ".claude": "", ".mcp.json": ""}},
		{about: "it is there again", verdict: "grew", files: files{"AGENTS.md": a}},
		{about: "two imports", verdict: "grew", files: files{"CLAUDE.md": "Rules: @docs/b.md @docs/c.md\n", "docs/b.md": b, "docs/c.md": c}},
		{about: "an import moves", verdict: "reordered", files: files{"CLAUDE.md": "Rules: @docs/c.md @docs/b.md\n"}},
		{about: "what is imported is renamed", verdict: "-", files: files{"CLAUDE.md": "Rules: @docs/c.md @docs/z.md\n", "docs/b.md": "", "docs/z.md": b}},
	}
}
