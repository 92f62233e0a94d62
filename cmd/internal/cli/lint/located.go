package lint

import (
	"io"
	"path"
	"path/filepath"
	"strings"

	"agentsim/cmd/internal/hostdir"
	"agentsim/cmd/internal/ui"
	"agentsim/metrics/sarif"
	"agentsim/scenarios"
	"agentsim/sim/lint"
)

// writeSARIF writes the findings for code hosts, where --sarif asks for it. In the file
// of the scenario each is at the line that has its text, or else where the variant is.
func (o *options) writeSARIF(found *lint.Report, variant string) error {
	if o.sarif == "" {
		return nil
	}
	var rules []sarif.Rule
	level := map[string]string{}
	for _, r := range lint.Rules() {
		rules = append(rules, sarif.Rule{ID: r.ID, About: r.What})
		level[r.ID] = sarif.Warning
		if r.Serious {
			level[r.ID] = sarif.Error
		}
	}
	text, first := []string(nil), 0
	if o.in != "" {
		src, err := hostdir.Text(o.in, scenarios.MaxOnDirectory)
		if err != nil {
			return ui.Unusable("--in", o.in, err)
		}
		f, err := scenarios.Parse(o.in, src, scenarios.ForeignProject)
		if err != nil {
			return ui.Fail(ui.Usage, err)
		}
		text, first = strings.Split(string(src), "\n"), scenarios.LineOf(f, variant)
	}
	var out []sarif.Finding
	for i := range found.Findings {
		f := &found.Findings[i]
		x := sarif.Finding{Rule: f.Rule, Level: level[f.Rule], Text: placeText(f.Place) + withText(f.With) + ": " + f.What, Logical: placeText(f.Place)}
		if f.Excerpt != "" {
			x.Text += "\n" + f.Excerpt
		}
		if text != nil {
			x.File, x.First = path.Clean(filepath.ToSlash(o.in)), lineOf(text, f.Excerpt, first)
		}
		out = append(out, x)
	}
	return ui.WriteReport("--sarif", o.sarif, func(w io.Writer) error { return sarif.Write(w, "agentsim", rules, out) })
}

// lineOf is the line, from 1, that has the beginning of an excerpt, otherwise if none has.
func lineOf(text []string, excerpt string, otherwise int) int {
	begin, _, _ := strings.Cut(strings.TrimPrefix(excerpt, "…"), "…")
	if begin = strings.TrimSpace(begin); len(begin) > 40 {
		begin = strings.ToValidUTF8(begin[:40], "")
	}
	for i, line := range text {
		if begin != "" && strings.Contains(line, begin) {
			return i + 1
		}
	}
	return otherwise
}
