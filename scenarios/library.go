package scenarios

import (
	"embed"
	_ "embed"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"agentsim/scenarios/document"
	"agentsim/sim/memo"
)

// The library is data: scenario files and the projects they act in.
//
//go:embed library
var library embed.FS

// Entry is a scenario of the library.
type Entry struct {
	Name   string
	Why    string
	LookAt []string
}

// Library lists the scenarios that ship in the binary, by name. Of each it reads only
// what it is about.
func Library() ([]Entry, error) {
	var out []Entry
	for _, name := range Names() {
		text, err := library.ReadFile("library/" + name + ".yaml")
		if err != nil {
			return nil, err
		}
		var errs document.Problems
		about := About{}
		src := document.NewSource(name+".yaml", string(text))
		root, bad := limits.Parse(src, aboutOf(string(text)))
		if bad != nil {
			return nil, bad
		}
		if n := root.Get("about"); n != nil {
			about.Decode(document.NewDecoder(lang, &errs, src.At(1, 1)), n, document.Place{Path: "about", Ctx: "about"})
		}
		if err := errs.Err(); err != nil {
			return nil, err
		}
		out = append(out, Entry{name, about.Why, about.LookAt})
	}
	return out, nil
}

// aboutOf is the key about of a scenario's text, with its value.
func aboutOf(text string) string {
	_, text, _ = strings.Cut("\n"+text, "\nabout:")
	lines := strings.SplitAfter(text, "\n")
	end := slices.IndexFunc(lines[1:], func(line string) bool { return line != "\n" && !strings.HasPrefix(line, " ") })
	if end < 0 {
		end = len(lines) - 1
	}
	return "about:" + strings.Join(lines[:end+1], "")
}

// Names lists the library's scenarios without reading them.
func Names() []string { return shipped("library", ".yaml") }

// shipped are the names of the files of a directory that end so.
func shipped(dir, suffix string) (out []string) {
	files, err := library.ReadDir(dir)
	if err != nil {
		panic("scenarios: " + err.Error()) // it is part of the program
	}
	for _, e := range files {
		if name, ok := strings.CutSuffix(e.Name(), suffix); ok {
			out = append(out, name)
		}
	}
	return out
}

// Open parses a scenario of the library; for an unknown name the error names
// the nearest one. Files of the machine are the command line's to read.
func Open(name string, opts ...Option) (*File, error) {
	src, err := library.ReadFile("library/" + name + ".yaml")
	if err != nil {
		return nil, fmt.Errorf("no scenario %q in the library: %s", name, document.DidYouMeanOr(name, Names()))
	}
	return Parse(name+".yaml", src, append([]Option{Beside(readLibrary)}, opts...)...)
}

func readLibrary(file string) ([]byte, error) { return library.ReadFile("library/" + file) }

// EmbeddedProject returns the files of a project of the library by path.
func EmbeddedProject(name string) (map[string]string, error) {
	files, ok := projects()[name]
	if !ok {
		return nil, fmt.Errorf("no embedded project %q: %s", name, document.DidYouMeanOr(name, EmbeddedProjects()))
	}
	return maps.Clone(files), nil
}

// projects are the files of each project of the library, which are looked at often
// before a run.
var projects = memo.Once(func() map[string]map[string]string {
	out := map[string]map[string]string{}
	for _, name := range EmbeddedProjects() {
		src, _ := library.ReadFile(path.Join("library/projects", name+".txtar")) // it is listed
		out[name] = archived(string(src))
	}
	return out
})

// archived is the files of a txtar archive by path: behind each line `-- PATH --` a
// file, up to the next.
func archived(text string) map[string]string {
	out, name, from := map[string]string{}, "", 0
	for at := 0; ; {
		next := strings.Index(text[at:], "\n-- ")
		if next < 0 {
			out[name] = text[from:]
			delete(out, "") // what stands in front of the first
			return out
		}
		at += next + 1
		line, _, _ := strings.Cut(text[at:], "\n")
		if after, ok := strings.CutSuffix(line, " --"); ok {
			out[name] = text[from:at]
			name, from = strings.TrimPrefix(after, "-- "), at+len(line)+1
			at = from - 1
		}
	}
}

// EmbeddedProjects lists the projects of the library by name.
func EmbeddedProjects() []string { return shipped("library/projects", ".txtar") }

// schemaFile is made, by a test, of the types that the decoder reads.
//
//go:embed scenario.schema.json
var schemaFile []byte

// JSONSchema is the JSON Schema (draft 2020-12) of a scenario file, by which
// editors complete and check (SCN-03). It never refuses what Parse takes; what
// needs the whole file to see, such as references, only Parse finds.
func JSONSchema() []byte { return append([]byte(nil), schemaFile...) }

// Section is a part of what the simulator does, by the word in front of its ids, and
// the scenarios of the library from which a reader learns it.
type Section struct {
	Word      string
	About     string
	Scenarios []string
	Without   string // why no scenario shows it; empty where one does
}

// sections are the parts in the order of the specification.
var sections = []Section{
	{Word: "GATE", About: "gates, and what flipping one changes", Scenarios: []string{"flipped-gate", "auto-background"}},
	{Word: "LOOP", About: "one loop for every agent: tools, breakpoints, retries, summaries, previews", Scenarios: []string{"hello", "compaction", "content-replacement", "preview-and-facts", "retry-storm"}},
	{Word: "DEF", About: "agent definitions", Scenarios: []string{"custom-agents"}},
	{Word: "SUB", About: "the Agent tool: waited for, in the background, nested, aborted", Scenarios: []string{"fan-out", "nested", "auto-background", "abort-tree"}},
	{Word: "FLT", About: "which tools an agent has", Scenarios: []string{"nested", "custom-agents"}},
	{Word: "ISO", About: "what a child shares with its parent", Scenarios: []string{"preview-and-facts", "content-replacement", "bubble-vs-denied"}},
	{Word: "FRK", About: "forks", Scenarios: []string{"fork-vs-subagent", "fork-after-compaction", "flipped-gate"}},
	{Word: "CRD", About: "a coordinator and its workers", Scenarios: []string{"coordinator", "continue-or-spawn", "recovery", "scratchpad", "two-writers", "lazy-delegation", "all-ways"}},
	{Word: "TSK", About: "tasks and notifications", Scenarios: []string{"stopped-and-resumed", "injection", "auto-background"}},
	{Word: "SWM", About: "teams of agents: mail, shared tasks, shutdown", Scenarios: []string{"team", "late-mail"}},
	{Word: "PRM", About: "permissions, prompts and who answers them", Scenarios: []string{"held-back", "permission-modes", "bubble-vs-denied"}},
	{Word: "PLN", About: "plan mode: what it costs to plan, and to be kept waiting", Scenarios: []string{"plan-mode"}},
	{Word: "WKT", About: "worktrees and remote agents: whether they pay", Scenarios: []string{"worktrees", "remote"}},
	{Word: "VER", About: "verification: the agent for it, and what a second look finds", Scenarios: []string{"verdicts", "second-look"}},
	{Word: "BTW", About: "side questions, and what clients ask on their own", Scenarios: []string{"side-question", "day-session"}},
	{Word: "MCP", About: "MCP servers: when they are there, and how their tools are in front of agents", Scenarios: []string{"mcp-servers", "tool-search", "agent-servers", "client-layouts"}},
	{Word: "LEAN", About: "agents without CLAUDE.md and git status", Scenarios: []string{"explore-at-scale"}},
	{Word: "BRG", About: "what a bridge changes for the session behind it", Scenarios: []string{"far-user"}},
	{Word: "MIN", About: "the minimal stack", Scenarios: []string{"minimal-vs-full"}},
	{Word: "CACHE-A", About: "Anthropic's cache: what is read, written and expires", Scenarios: []string{"cold-fan-out", "fan-out", "flipped-gate", "recorded-notebook", "day-session"}},
	{Word: "CACHE-B", About: "other providers' caches", Without: "a scenario's provider is Anthropic; the package cachemodel has the others and tests them by their rules"},
	{Word: "CACHE-C", About: "caches of self-hosted engines", Without: "agentsim lab cache replay serves recorded traces by them"},
	{Word: "CACHE-D", About: "prices", Scenarios: []string{"recorded-notebook", "minimal-vs-full", "custom-agents"}},
	{Word: "CACHE-X", About: "where the ranking of structures changes", Scenarios: []string{"fork-vs-subagent", "explore-or-fork", "all-ways"}},
	{Word: "TOK", About: "counting tokens", Scenarios: []string{"recorded-notebook"}},
	{Word: "KRN", About: "virtual time, order and limits", Scenarios: []string{"hello", "abort-tree"}},
	{Word: "LLM", About: "the mock model: how it works, errs, waits and fails", Scenarios: []string{"rate-limits", "stream-failures", "lazy-delegation", "retry-storm"}},
	{Word: "MET", About: "figures and findings", Scenarios: []string{"fork-vs-subagent", "all-ways", "two-writers"}},
}

// Sections lists the parts of the simulator, those without a scenario too.
func Sections() []Section { return append([]Section(nil), sections...) }

// SectionNamed is the section of that word; for an unknown one the error names the
// nearest.
func SectionNamed(word string) (Section, error) {
	var words []string
	for _, s := range sections {
		if s.Word == word {
			return s, nil
		}
		words = append(words, s.Word)
	}
	return Section{}, fmt.Errorf("no section %q: %s", word, document.DidYouMeanOr(word, words))
}
