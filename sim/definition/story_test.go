package definition_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"agentsim/sim/agent"
	"agentsim/sim/definition"
	"agentsim/sim/gate"
	"agentsim/sim/workspace"

	"github.com/cockroachdb/datadriven"
	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
	"pgregory.net/rapid"
)

// TestStories runs the stories of testdata.
//
//	parse name=… [bom] [crlf] [latin1] [mode|hooks]   one Markdown definition
//	load [list=(…)] [gate=…]                            several sources: -- from[/plugin] path --
//
// A source's name is plugin/NAME, user, project, flag or policy.
func TestStories(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal("no stories", err)
	}
	for _, f := range files {
		t.Run(strings.TrimSuffix(filepath.Base(f), ".txt"), func(t *testing.T) {
			datadriven.RunTest(t, f, func(t *testing.T, d *datadriven.TestData) string {
				switch d.Cmd {
				case "parse":
					return parse(t, d)
				case "load":
					return load(t, d)
				}
				t.Fatalf("%s: unknown command", d.Pos)
				return ""
			})
		})
	}
}

func parse(t *testing.T, d *datadriven.TestData) string {
	var name string
	d.ScanArgs(t, "name", &name)
	text := d.Input + "\n"
	if d.HasArg("crlf") {
		text = strings.ReplaceAll(text, "\n", "\r\n")
	}
	if d.HasArg("bom") {
		text = "\ufeff" + text
	}
	if d.HasArg("latin1") {
		text = strings.ReplaceAll(text, "é", "\xe9")
	}
	def, problems := definition.Parse(agent.FromProject, name, text)
	out := ""
	if def != nil {
		out = show(t, def)
	}
	return out + tell(problems)
}

// show prints the fields that are set.
func show(t *testing.T, d *agent.Definition) string {
	var b strings.Builder
	field := func(name string, v any, set bool) {
		if set {
			fmt.Fprintf(&b, "%s: %v\n", name, v)
		}
	}
	prompt, err := d.SystemPrompt(&gate.Set{})
	if err != nil {
		t.Fatal(err)
	}
	field("type", d.Type, true)
	field("description", fmt.Sprintf("%q", d.Description), true)
	field("source", d.Source, d.Source != agent.FromProject)
	field("plugin", d.Plugin, d.Plugin != "")
	field("place", d.Place, true)
	field("model", d.Model, d.Model != "")
	field("tools", fmt.Sprintf("%q", d.Tools), d.Tools != nil)
	field("disallowed", fmt.Sprintf("%q", d.Disallowed), d.Disallowed != nil)
	field("mode", d.Mode, d.Mode != "")
	field("max turns", d.MaxTurns, d.MaxTurns != 0)
	field("background", d.Background, d.Background)
	field("omits CLAUDE.md", d.OmitClaude, d.OmitClaude)
	field("initial prompt", fmt.Sprintf("%q", d.InitialPrompt), d.InitialPrompt != "")
	field("skills", fmt.Sprintf("%q", d.Skills), d.Skills != nil)
	field("memory", d.Memory, d.Memory != "")
	for _, h := range d.Hooks {
		field("hook", fmt.Sprintf("%s %q %q", h.Event, h.Matcher, h.Command), true)
	}
	field("effort", d.Effort, d.Effort != "")
	if d.CacheTTL != nil {
		field("lifetime", *d.CacheTTL, true)
	}
	field("isolation", d.Isolation, d.Isolation != "")
	field("servers", fmt.Sprintf("%q", d.Servers), d.Servers != nil)
	field("inline", fmt.Sprintf("%q", d.Inline), d.Inline != nil)
	field("required", fmt.Sprintf("%q", d.Required), d.Required != nil)
	field("color", d.Color, d.Color != "")
	for _, r := range d.Unserved("", false) {
		field("refused", r, true)
	}
	field("prompt", fmt.Sprintf("%q", prompt), true)
	return b.String()
}

func tell(problems []*definition.Problem) string {
	var b strings.Builder
	for _, p := range problems {
		b.WriteString(p.Error() + "\n")
	}
	return b.String()
}

func load(t *testing.T, d *datadriven.TestData) string {
	gates := gate.Default()
	listed := agent.BuiltIns(&gates)
	set := definition.Load(sources(t, d.Input), listed, &gates)
	var b strings.Builder
	for _, x := range set.Definitions {
		fmt.Fprintf(&b, "in force: %s (%s)\n", x.Type, x.Source)
	}
	for _, r := range set.Rows {
		fmt.Fprintf(&b, "%s %s %s: %s", r.Type, r.Source, r.Place, r.Outcome)
		if r.By != "" {
			b.WriteString(" by " + r.By)
		}
		b.WriteByte('\n')
	}
	return b.String() + tell(set.Problems)
}

var wire = map[string]agent.Source{"plugin": agent.FromPlugin, "user": agent.FromUser, "project": agent.FromProject,
	"flag": agent.FromFlag, "policy": agent.FromPolicy}

// sources gathers files of an archive by their source, in the order in which the
// sources are first named.
func sources(t *testing.T, archive string) (out []definition.Source) {
	at := map[string]int{}
	for _, f := range txtar.Parse([]byte(archive + "\n")).Files {
		from, path, ok := strings.Cut(f.Name, " ")
		kind, plugin, _ := strings.Cut(from, "/")
		if !ok || wire[kind] == "" {
			t.Fatalf("file %q: write its source and its path", f.Name)
		}
		i, known := at[from]
		if !known {
			i = len(out)
			at[from] = i
			out = append(out, definition.Source{From: wire[kind], Plugin: plugin, Files: map[string]string{}})
			out[i].Root = map[string]string{"plugin": plugin, "user": "~", "policy": "/etc"}[kind]
		}
		if kind == "flag" {
			out[i].JSON = string(f.Data)
		} else {
			out[i].Files[path] = string(f.Data)
		}
	}
	return out
}

const reviewer = "---\nname: reviewer\ndescription: Reviews.\ntools: Read, Grep\n---\nYou review.\n"

func TestConformance(t *testing.T) {
	t.Run("DEF-01 built-in, custom and plugin definitions are one type, and each gives its prompt the same way", func(t *testing.T) {
		gates := gate.Default()
		var all []*agent.Definition
		for _, d := range agent.EveryBuiltIn(&gates) {
			if d.Type != agent.TypeFork { // which has none of its own
				all = append(all, d)
			}
		}
		for _, from := range []agent.Source{agent.FromUser, agent.FromProject, agent.FromPolicy, agent.FromPlugin} {
			d, problems := definition.Parse(from, "reviewer.md", reviewer)
			if d == nil || len(problems) > 0 || d.Source != from || d.BuiltIn() {
				t.Fatalf("%s: %+v, %v", from, d, problems)
			}
			if text, err := d.SystemPrompt(&gates); err != nil || text != "You review.\n" {
				t.Errorf("%s: prompt %q, %v: it is the Markdown body", from, text, err)
			}
			all = append(all, d)
		}
		for _, d := range all {
			if text, err := d.SystemPrompt(&gates); err != nil || text == "" || d.Description == "" || d.BuiltIn() != (d.Place == "") {
				t.Errorf("%s of %s: %q, %v", d.Type, d.Source, text, err)
			}
		}
	})
	t.Run("DEF-01 a built-in prompt follows the gates of the moment, a custom one is the text of its file", func(t *testing.T) {
		with, without := gate.Default(), gate.Default()
		with.Scratch = true
		gates := gate.Default()
		for _, d := range agent.EveryBuiltIn(&gates) {
			if d.Type == agent.TypeWorker && d.Prompt(&with) == d.Prompt(&without) {
				t.Error("the worker is told of a scratch directory whether there is one or not")
			}
		}
		d, _ := definition.Parse(agent.FromUser, "reviewer.md", reviewer)
		if d.Prompt(&with) != d.Prompt(&without) {
			t.Error("a file's prompt changed")
		}
	})
	t.Run("DEF-05 a project's snapshot and a directory give the same definitions", func(t *testing.T) {
		files := map[string]string{".claude/agents/reviewer.md": reviewer, ".claude/agents/deep/lost.md": reviewer, "README.md": "hello\n",
			".claude/settings.json": `{"agents": {"scribe": {"description": "Writes.", "prompt": "You write."}}}`}
		snap, err := workspace.NewSnapshot(files)
		if err != nil {
			t.Fatal(err)
		}
		disk := fstest.MapFS{}
		for p, c := range files {
			disk[p] = &fstest.MapFile{Data: []byte(c)}
		}
		read, problems := definition.Read(disk)
		if len(problems) > 0 {
			t.Fatal(problems)
		}
		if _, ok := read["README.md"]; !ok || len(read) != 3 {
			t.Errorf("read %d files: definitions directly in a directory are read too, deeper ones are not", len(read))
		}
		gates := gate.Default()
		for _, s := range []definition.Source{definition.Project(snap), {From: agent.FromProject, Files: read}} {
			var names []string
			for _, d := range definition.Load([]definition.Source{s}, agent.BuiltIns(&gates), &gates).Definitions {
				names = append(names, d.Type+" "+d.Place)
			}
			want := []string{"general-purpose ", "Explore ", "reviewer .claude/agents/reviewer.md:2", "scribe .claude/settings.json:1"}
			if diff := cmp.Diff(want, names); diff != "" {
				t.Error(diff)
			}
		}
	})
}

// TestLaws feeds the readers with what nobody would write.
func TestLaws(t *testing.T) {
	t.Run("DEF-04 whatever a file holds, it loads or has a located error, and never both", func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) {
			text := strings.Join(rapid.SliceOfN(rapid.SampledFrom([]string{"---", "---\n", "name: a\n", "description: b\n", "\n", ": ", "[", "{", "]", "}", "- ", "  ",
				"tools: ", "*", "&a ", "!x ", "|\n", ">-\n", "'", `"`, "\t", "Read,", "\xff", "é", "\ufeff", "\r\n", "hooks:", " PreToolUse:", "maxTurns: ", "0", "9999999999999999999999",
				"# ", "%", "?", "<<: ", "null", "true", "x: y: z\n", "…"}), 0, 40).Draw(t, "parts"), "")
			if rapid.Bool().Draw(t, "opened") {
				text = "---\nname: a\ndescription: b\n" + text
			}
			d, problems := definition.Parse(agent.FromUser, "x.md", text)
			lines, errors := strings.Count(text, "\n")+1, 0
			for _, p := range problems {
				if !p.Warning {
					errors++
				}
				if p.Line < 1 || p.Line > lines || p.Col < 1 || p.File != "x.md" || strings.ContainsAny(p.Msg, "\n\t") {
					t.Fatalf("odd place or message: %q", p.Error())
				}
			}
			if (d == nil) != (errors > 0) {
				t.Fatalf("%d errors, definition %v", errors, d)
			}
		})
	})
	t.Run("DEF-04 whatever a settings file holds, reading it ends with located errors or none", func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) {
			text := strings.Join(rapid.SliceOfN(rapid.SampledFrom([]string{"{", "}", "[", "]", `"agents"`, ":", ",", `"a"`, `"description"`, `"prompt"`, `"x"`, "1", "1.5", "true",
				"null", " ", "\n", "\t", "é", "\xff", `"\ud800"`, "//"}), 0, 30).Draw(t, "parts"), "")
			gates := gate.Default()
			set := definition.Load([]definition.Source{{From: agent.FromUser, Files: map[string]string{".claude/settings.json": text}}}, nil, &gates)
			for _, p := range set.Problems {
				if p.Line < 1 || p.Line > strings.Count(text, "\n")+1 || p.Col < 1 {
					t.Fatalf("odd place: %q", p.Error())
				}
			}
		})
	})
	t.Run("DEF-04 deep nesting and many keys are refused before they cost anything", func(t *testing.T) {
		for name, text := range map[string]string{
			"brackets": "---\nname: a\ndescription: b\nx: " + strings.Repeat("[", 60_000) + "\n---\n",
			"dashes":   "---\nname: a\ndescription: b\nx:\n" + strings.Repeat("- ", 30_000) + "\n---\n",
			"keys":     "---\nname: a\ndescription: b\nx: {" + strings.Repeat("a: 1, ", 20_000) + "}\n---\n",
			"size":     "---\nname: a\ndescription: b\n---\n" + strings.Repeat("x", 300_000),
		} {
			if d, problems := definition.Parse(agent.FromUser, "x.md", text); d != nil || len(problems) == 0 {
				t.Errorf("%s: %v, %d problems", name, d, len(problems))
			}
		}
	})
}
