package project

import (
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"

	"agentsim/sim/client"
	"agentsim/sim/definition"
)

// skill is what the listing says of one.
type skill struct{ name, about, from string }

// skills lists the names of all, and of descriptions what the budget allows: those of
// the last ones go first, since how often each is used is not known.
func (r *reader) skills() {
	var all []skill
	for _, p := range []place{r.project(), r.home()} {
		if p.fs == nil {
			continue
		}
		own, _ := fs.Glob(p.fs, ".claude/skills/*/SKILL.md") // the pattern is good
		for _, file := range own[:min(len(own), maxParts)] {
			all = r.skill(all, p, file, path.Base(path.Dir(file)))
		}
		for _, file := range files(p, ".claude/commands", ".md") {
			name := strings.TrimSuffix(strings.TrimPrefix(file, ".claude/commands/"), ".md")
			all = r.skill(all, p, file, strings.ReplaceAll(name, "/", ":"))
		}
	}
	row := r.Layout.Row(client.Skills)
	budget := row.FallbackBytes
	if share := r.Settings.skillShare(row.BudgetPermille); r.window > 0 && share > 0 {
		budget = int(r.window * share / 1_000 * charsPerToken)
	}
	dropped := 0
	for _, s := range all {
		about := cut(s.about, row.DescriptionBytes)
		if budget -= len(about); budget < 0 && about != "" {
			about, dropped = "", dropped+1
		}
		text := "- " + s.name
		if about != "" {
			text += ": " + about
		}
		r.add(Part{Kind: client.Skills, Name: s.name, From: s.from, Text: text})
	}
	if dropped > 0 {
		r.Assumed = append(r.Assumed, strconv.Itoa(dropped)+" of "+strconv.Itoa(len(all))+" skills are listed without a description, the last ones: the budget is used up")
	}
}

// charsPerToken is what the budget of the listing takes a token for.
const charsPerToken = 4

// skill adds the skill of a file, unless the model may not call it or one of that name
// is there.
func (r *reader) skill(all []skill, p place, file, name string) []skill {
	text, ok := r.text(p, file, maxMemory)
	if !ok {
		return all
	}
	yaml, body, line := front(text)
	n := fields(yaml)
	if yaml != "" && n == nil {
		var bad []*definition.Problem
		if n, bad = definition.Frontmatter(path.Join(p.name, file), text, yaml); n == nil {
			r.problem(p, file, 1, 1, text, "its frontmatter is no YAML: the skill is listed by its first words")
		} else {
			r.Problems = append(r.Problems, bad...)
		}
	}
	if field(n, "disable-model-invocation") == "true" {
		r.aside("skill %s (%s): the model does not see it", name, p.called(file))
		return all
	}
	if own := field(n, "name"); own != "" && path.Base(file) == "SKILL.md" {
		name = own
	}
	about := field(n, "description")
	if about == "" {
		about, _, _ = strings.Cut(strings.TrimSpace(body), "\n")
	}
	if slices.ContainsFunc(all, func(s skill) bool { return s.name == name }) {
		return all
	}
	if yaml != "" {
		line = 2
	}
	return append(all, skill{name, strings.Join(strings.Fields(about), " "), p.called(file) + ":" + strconv.Itoa(line)})
}

// cut is the front of a text of so many bytes, 0 for all of it.
func cut(s string, most int) string {
	if most <= 0 || len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "")
}
