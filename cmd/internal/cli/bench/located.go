package bench

import (
	"path"
	"path/filepath"
	"slices"
	"strings"

	"agentsim/cmd/internal/ui"
	"agentsim/metrics/baseline"
	"agentsim/metrics/sarif"
	"agentsim/scenarios"
)

// rules are the kinds of findings.
var rules = []sarif.Rule{
	{ID: "regression", About: "A variant's figures became worse than the baseline's"},
	{ID: "changed", About: "A variant's figures are not the baseline's"},
	{ID: "no-data", About: "A threshold names a figure that the run or the baseline does not have"},
	{ID: "no-baseline", About: "The baseline has nothing to compare a variant with"},
	{ID: "expectation", About: "An expectation of a scenario does not hold"},
	{ID: "invariant", About: "An invariant is broken: a bug of agentsim"},
}

// located are the findings, each at what did it: an expectation at its line, a variant at
// the files of the project that changed or else where its scenario names it.
func (b *bench) located() (out []sarif.Finding) {
	for i := range b.report.Variants {
		v := &b.report.Variants[i]
		if v.Verdict == baseline.Pass {
			continue
		}
		x := sarif.Finding{Rule: strings.ReplaceAll(v.Verdict.String(), " ", "-"), Level: sarif.Error, Logical: v.Name()}
		x.Text = strings.Join(slices.Concat([]string{v.Name() + ": " + brief(v)}, lines(v, false), b.because(v)), "\n")
		if v.Verdict == baseline.Changed && !b.o.strict {
			x.Level = sarif.Note
		}
		out = append(out, b.places(v, x)...)
	}
	for _, m := range b.missed {
		out = append(out, sarif.Finding{Rule: "expectation", Level: sarif.Error, Text: m.text, File: b.set.path(m.of), First: m.line, Logical: m.of.Name})
	}
	if b.broken != nil {
		out = append(out, sarif.Finding{Rule: "invariant", Level: sarif.Error, Text: b.broken.Error(), Logical: ui.FirstLine(b.broken.Error())})
	}
	return out
}

// places is a variant's finding at each place that did it.
func (b *bench) places(v *baseline.Variant, x sarif.Finding) (out []sarif.Finding) {
	at := slices.IndexFunc(b.set.files, func(f *scenarios.File) bool { return f.Name == v.Scenario })
	if at < 0 { // the baseline alone has it
		x.File = filepath.ToSlash(b.o.baseline)
		return []sarif.Finding{x}
	}
	f := b.set.files[at]
	if on := b.set.on[f]; on != nil && on.Directory() != "" && v.Cause != nil {
		for _, name := range v.Cause.Files {
			x.File = path.Join(filepath.ToSlash(on.Directory()), name)
			out = append(out, x)
		}
	}
	if x.File = b.set.path(f); len(out) == 0 || v.Cause.Scenario && x.File != "" {
		if x.File != "" {
			x.First = scenarios.LineOf(f, v.Variant)
		}
		out = append(out, x)
	}
	return out
}

// path is where a scenario lies, "" of one of this program's.
func (x *selection) path(f *scenarios.File) string {
	if x.shipped(f.Name) {
		return ""
	}
	return path.Clean(filepath.ToSlash(f.Path))
}
