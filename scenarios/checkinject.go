package scenarios

import (
	"agentsim/scenarios/document"
	"maps"
	"slices"
	"strings"
)

// verdicts are what the classifier of hand-offs may say.
var verdicts = []string{"flagged", "clean", "error"}

// injections holds injected instructions against the files they are said to stand
// in, and the classifier's script against them (CON-15).
func (c *checker) injections() {
	seen := map[string]int{}
	for i := range c.s.Injections {
		if c.Errs.Full() {
			return
		}
		x, path := &c.s.Injections[i], "injections["+itoa(i)+"]"
		c.injectionWords(path, x)
		if j, dup := seen[x.Name]; dup {
			c.bad(path+".name", "", "injection %q is given twice, first on line %d", x.Name, c.Where("injections["+itoa(j)+"]").Line)
		} else {
			seen[x.Name] = i
		}
		c.injectionPlace(path, x)
	}
	c.handoffs(slices.Sorted(maps.Keys(seen)))
}

func (c *checker) injectionWords(path string, x *Injection) {
	if x.Name == "" || strings.ContainsAny(x.Name, " \t\n[],:") {
		c.bad(path+".name", "such as readme-note", "bad name %q of an injection", x.Name)
	}
	switch {
	case x.Text == "":
		c.bad(path, "text: what it says there", "injection %q says nothing", x.Name)
	case strings.ContainsAny(x.Text, "\n\r"):
		c.bad(path+".text", "put it on one line", "the text of injection %q has a line break: it stands on one line of its file", x.Name)
	case strings.Contains(x.Text, "[["):
		c.bad(path+".text", "leave [[ out", "the text of injection %q looks like a mark", x.Name)
	}
	if strings.ContainsAny(x.Runs, "\n\r") {
		c.bad(path+".runs", "join commands by ; or &&", "the command of injection %q has a line break", x.Name)
	}
}

// injectionPlace is factPlace for an injection.
func (c *checker) injectionPlace(path string, x *Injection) {
	what := "injection " + document.Quoted(x.Name)
	if x.File == "" {
		c.bad(path, "file: and line: say where it stands", "%s stands nowhere", what)
		return
	}
	c.planted(path, x.File, x.Line, what, what, what+" stands on line "+itoa(x.Line))
}

// handoffs checks the classifier's script. The first line about a taint decides,
// so a second one would never be read.
func (c *checker) handoffs(names []string) {
	first := map[string]int{}
	for i, v := range c.s.Classifier {
		if c.Errs.Full() {
			return
		}
		path := "classifier[" + itoa(i) + "]"
		if j, dup := first[v.Taint]; dup {
			c.bad(path+".taint", "", "taint %q is judged twice, first on line %d", v.Taint, c.Where("classifier["+itoa(j)+"]").Line)
			continue
		}
		first[v.Taint] = i
		switch {
		case v.Taint == "":
			c.bad(path, "taint: the name of an injection", "a verdict about nothing")
		case !slices.Contains(names, v.Taint) && withoutVerdicts(c.s) == "":
			c.bad(path+".taint", document.DidYouMeanOr(v.Taint, names), "there is no injection %q", v.Taint)
		}
		if v.Verdict == "" {
			c.bad(path, document.OneOf(verdicts), "the verdict on %q is missing", v.Taint)
		}
		c.oneOf(path+".verdict", "verdict", v.Verdict, verdicts...)
		if strings.ContainsAny(v.Why, "\n\r") {
			c.bad(path+".why", "put it on one line", "the reason has a line break")
		}
	}
}

const classifierGate = "TRANSCRIPT_CLASSIFIER"
