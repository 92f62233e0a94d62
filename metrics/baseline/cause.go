package baseline

import (
	"fmt"
	"slices"
	"strings"
)

// Cause is where the differences of a variant can come from.
type Cause struct {
	Spec     bool     // the scenario or its project is another
	Scenario bool     // the scenario is; told apart where both sides ran on a directory
	Files    []string // of the directory that are others; told likewise
	On, Was  bool     // this run, and the baseline's, tells the files of its directory
	Tool     int      // the baseline's semantics, where they are not the program's
	Prices   []string // which prices of models that both used are others, such as claude-sonnet-5-5 read $0.20 → $0.10
}

// because gathers the causes over the seeds that differ.
func because(before, after []*Run, was, is int) *Cause {
	c := &Cause{}
	if was != is {
		c.Tool = was
	}
	for i, b := range before {
		a := after[i]
		if b.Spec != a.Spec {
			c.Spec = true
			c.project(b.Project, a.Project)
		}
		for _, p := range b.Prices {
			if text := p.OtherThan(a.Prices); text != "" && !slices.Contains(c.Prices, text) {
				c.Prices = append(c.Prices, text)
			}
		}
	}
	return c
}

// project says which files differ. Which files there are may decide what the scenario
// comes to, so that it is another only where they are the same ones.
func (c *Cause) project(was, is *Project) {
	c.On, c.Was = c.On || is != nil, c.Was || was != nil
	if was == nil || is == nil {
		return
	}
	same := len(was.Files) == len(is.Files)
	for name, sum := range is.Files { // order: sorted below
		before, there := was.Files[name]
		same = same && there
		if before != sum && !slices.Contains(c.Files, name) {
			c.Files = append(c.Files, name)
		}
	}
	for name := range was.Files { // order: sorted below
		if _, there := is.Files[name]; !there && !slices.Contains(c.Files, name) {
			c.Files = append(c.Files, name)
		}
	}
	slices.Sort(c.Files)
	c.Scenario = c.Scenario || same && was.Scenario != is.Scenario
}

// OtherThan says how a model's price differs from that in a list; "" where it is
// the same or the model is not in it.
func (p Price) OtherThan(list []Price) string {
	i := slices.IndexFunc(list, func(q Price) bool { return q.Model == p.Model })
	if i < 0 || slices.Equal(p.Rates, list[i].Rates) {
		return ""
	}
	var parts []string
	for _, rate := range list[i].Rates {
		key, now, _ := strings.Cut(rate, "=")
		if before := rateOf(p.Rates, key); before != now {
			parts = append(parts, fmt.Sprintf("%s %s → %s", key, before, now))
		}
	}
	for _, rate := range p.Rates {
		if key, before, _ := strings.Cut(rate, "="); rateOf(list[i].Rates, key) == "none" {
			parts = append(parts, fmt.Sprintf("%s %s → none", key, before))
		}
	}
	return p.Model + " " + strings.Join(parts, ", ")
}

func rateOf(rates []string, key string) string {
	for _, r := range rates {
		if v, ok := strings.CutPrefix(r, key+"="); ok {
			return v
		}
	}
	return "none"
}
