package crossover

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"agentsim/cachemodel"
	"agentsim/cmd/internal/ui"
	"agentsim/metrics"
	"agentsim/metrics/report"
	"agentsim/sim/crossover"
	"agentsim/sim/vtime"
)

// axis is a number of a query: its flag takes one value, or several, which are
// the rows then.
type axis struct {
	name  string
	unit  metrics.Unit
	label string // of its axis on a plot, with its unit; "" where its flag takes one value only
	usual string // the list where it is varied and its flag is not given
	help  string
	of    func(*crossover.Query) *int64
}

var axes = []axis{
	{"turns", metrics.Count, "turns of each child, T", "1,2,4,6,8,10,12,16,20,24",
		"`calls` that each child makes, T", func(q *crossover.Query) *int64 { return &q.Turns }},
	{"prefix", metrics.Tokens, "the parent's prefix P, thousands of tokens", "20k..160k:20k",
		"`tokens` of the parent's prompt at the spawn, P", func(q *crossover.Query) *int64 { return &q.Prefix }},
	{"know", metrics.Tokens, "what a child must know, S+R, thousands of tokens", "10k..70k:10k",
		"`tokens` that a child must know, S+R", func(q *crossover.Query) *int64 { return &q.Know }},
	{"siblings", metrics.Count, "children of one answer", "1,2,3,5,8,9,10,12",
		"`children` of one answer", func(q *crossover.Query) *int64 { return &q.Siblings }},
	{"stagger", metrics.Nanoseconds, "how long siblings wait at most, seconds", "0s,1s,2s,3s,5s,10s",
		"`time` that siblings wait at most for the first one's response to begin", func(q *crossover.Query) *int64 { return (*int64)(&q.Stagger) }},
	{"own", metrics.Tokens, "", "",
		"`tokens` of --know that are the child's own system prompt and tools, S", func(q *crossover.Query) *int64 { return &q.Own }},
	{"reading", metrics.Count, "", "", "`turns` over which R arrives", func(q *crossover.Query) *int64 { return &q.Reading }},
	{"task", metrics.Tokens, "", "",
		"`tokens` of what a child is told to do", func(q *crossover.Query) *int64 { return &q.Task }},
	{"growth", metrics.Tokens, "", "", "`tokens` that each turn adds", func(q *crossover.Query) *int64 { return &q.Growth }},
	{"answer", metrics.Tokens, "", "", "`tokens` of output of each call", func(q *crossover.Query) *int64 { return &q.Output }},
}

// models is the axis that is no number.
var models = axis{name: "model", label: "model"}

// usage is what the flag's help says.
func (a *axis) usage() string {
	q := crossover.Default()
	if a.name == "turns" {
		return a.help
	}
	return fmt.Sprintf("%s (default %s)", a.help, a.show(*a.of(&q)))
}

// show is a value as its flag takes it.
func (a *axis) show(n int64) string {
	if a.unit == metrics.Nanoseconds {
		return vtime.Duration(n).String()
	}
	return strconv.FormatInt(n, 10)
}

// place is one value on an axis.
type place struct {
	label string
	x     float64 // on a plot
	set   func(*crossover.Query)
}

// place is where a value stands.
func (a *axis) place(n int64) place {
	p := place{a.show(n), float64(n), func(q *crossover.Query) { *a.of(q) = n }}
	switch a.unit {
	case metrics.Tokens:
		p.label, p.x = report.Quantity(n), float64(n)/1000
	case metrics.Nanoseconds:
		p.x = float64(n) / float64(vtime.Second)
	}
	return p
}

// varied names the axes that --vary takes.
func varied() (out []string) {
	for i := range axes {
		if axes[i].usual != "" {
			out = append(out, axes[i].name)
		}
	}
	return append(out, models.name)
}

// maxPlaces bounds a list: each place is some ten runs.
const maxPlaces = 500

// read reads 1,2,4 or 1..24 or 10k..60k:10k, in any mixture.
func (a *axis) read(list string) (out []place, err error) {
	if a.of == nil {
		return modelsOf(list), nil
	}
	for part := range strings.SplitSeq(list, ",") {
		ends, step, stepped := strings.Cut(strings.TrimSpace(part), ":")
		from, to, ranged := strings.Cut(ends, "..")
		if stepped && !ranged {
			return nil, fmt.Errorf("%q has a step but no range: write from..to:step, such as 10k..70k:10k", part)
		}
		var n [3]int64 // from, to, step
		for i, text := range [3]string{from, to, step} {
			if text = strings.TrimSpace(text); i == 0 || i == 1 && ranged || i == 2 && stepped {
				if n[i], err = a.number(text); err != nil {
					return nil, err
				}
			}
		}
		if !ranged {
			n[1] = n[0]
		}
		if !stepped {
			n[2] = 1
		}
		if n[2] < 1 || n[1] < n[0] {
			return nil, fmt.Errorf("%q goes nowhere: write from..to:step with from ≤ to and a step of at least 1", part)
		}
		if more := (n[1]-n[0])/n[2] + 1; int64(len(out))+more > maxPlaces {
			return nil, fmt.Errorf("%d values are too many: at most %d", int64(len(out))+more, maxPlaces)
		}
		for v := n[0]; v <= n[1]; v += n[2] {
			out = append(out, a.place(v))
		}
	}
	return out, nil
}

// number reads one value in the axis's unit.
func (a *axis) number(text string) (int64, error) {
	v, err := metrics.ParseValue(text)
	switch time := v.Unit == metrics.Nanoseconds; {
	case a.unit == metrics.Nanoseconds && (err != nil || !time):
		return 0, fmt.Errorf("%q is no duration: write 500ms, 5s or 1m", text)
	case a.unit != metrics.Nanoseconds && (err != nil || v.Unit != metrics.Count || v.Num < 0):
		return 0, fmt.Errorf("%q is no number: write 80000, 80_000, 80k or 1M", text)
	}
	return v.Num, nil
}

// modelsOf reads model ids, dated or not; all is every model that can be billed.
func modelsOf(list string) (out []place) {
	ids := strings.Split(list, ",")
	if list == "all" {
		ids = slices.DeleteFunc(cachemodel.Models(), func(id string) bool { _, err := cachemodel.LookupBillable(id); return err != nil })
	}
	for i, id := range ids {
		id = strings.TrimSpace(id)
		if p, err := cachemodel.Lookup(id); err == nil {
			id = p.Pinned()
		}
		out = append(out, place{strings.TrimPrefix(id, "claude-"), float64(i), func(q *crossover.Query) { q.Model = id }})
	}
	return out
}

// comparison reads the flags: which axis is varied over which places, and the
// queries of the rows.
func (o *options) comparison() (*comparison, []crossover.Query, error) {
	c, base := &comparison{}, crossover.Default()
	if o.setting != "" {
		setting, err := crossover.SettingNamed(o.setting)
		if err != nil {
			return nil, nil, ui.Failf(ui.Usage, "--%w", err)
		}
		c.setting, base = &setting, setting.Query
	}
	base.Cold, base.Fourth, base.Ideal = o.cold, o.fourth, o.ideal
	one, err := o.lists(c)
	if err != nil {
		return nil, nil, err
	}
	for _, p := range one {
		p.set(&base)
	}
	if c.axis.name == "stagger" && base.Siblings == 1 && !o.given("siblings") {
		base.Siblings = usualSiblings
	}
	if (base.Stagger > 0 || c.axis.name == "stagger") && base.Siblings == 1 && c.axis.name != "siblings" {
		return nil, nil, ui.Failf(ui.Usage, "--stagger: one child has no siblings to wait for: give --siblings 5")
	}
	var queries []crossover.Query
	for _, p := range c.places {
		q := base
		p.set(&q)
		if !o.given("own") {
			q.Own = min(q.Own, q.Know)
		}
		if err := checked(&q); err != nil {
			return nil, nil, err
		}
		queries = append(queries, q)
	}
	return c, queries, nil
}

// usualSiblings is how many children there are where their stagger is varied and
// nobody said how many.
const usualSiblings = 5

// lists reads the flags of all axes into the rows' axis, which is what --vary
// names, else the one flag that holds several values, else turns, and into what
// all rows share.
func (o *options) lists(c *comparison) (shared []place, err error) {
	c.axis = &axes[0]
	several := ""
	of := map[string][]place{}
	for _, a := range append(slices.Clone(axes), models) {
		if !o.given(a.name) {
			continue
		}
		if of[a.name], err = a.read(*o.texts[a.name]); err != nil {
			return nil, ui.Failf(ui.Usage, "--%s: %w", a.name, err)
		}
		if len(of[a.name]) < 2 {
			continue
		}
		if !slices.Contains(varied(), a.name) {
			return nil, ui.Failf(ui.Usage, "--%s: give one value: the rows are one of %s", a.name, strings.Join(varied(), ", "))
		}
		if several != "" {
			return nil, ui.Failf(ui.Usage, "--%s and --%s both hold several values: the rows are one of them", several, a.name)
		}
		several, c.axis = a.name, &a
	}
	if o.vary != "" {
		switch {
		case !slices.Contains(varied(), o.vary):
			return nil, ui.Failf(ui.Usage, "--vary %s: write one of %s", o.vary, strings.Join(varied(), ", "))
		case several != "" && several != o.vary:
			return nil, ui.Failf(ui.Usage, "--vary %s, yet --%s holds several values: give it one", o.vary, several)
		}
		c.axis = &models
		if i := slices.IndexFunc(axes, func(a axis) bool { return a.name == o.vary }); i >= 0 {
			c.axis = &axes[i]
		}
	}
	for _, a := range append(slices.Clone(axes), models) {
		if a.name != c.axis.name {
			shared = append(shared, of[a.name]...)
		}
	}
	if c.places = of[c.axis.name]; c.places != nil {
		return shared, nil
	}
	if c.setting != nil && c.axis.name == "turns" {
		for _, n := range c.setting.Turns {
			c.places = append(c.places, c.axis.place(n))
		}
		return shared, nil
	}
	c.places, err = c.axis.read(cmp.Or(c.axis.usual, "all"))
	return shared, err
}

// checked tells a value that cannot stand by its flag.
func checked(q *crossover.Query) error {
	var bad *crossover.Error
	if !errors.As(q.Check(), &bad) {
		return nil
	}
	flag := bad.Field
	if flag == "output" {
		flag = "answer"
	}
	return ui.Failf(ui.Usage, "--%s: %s", flag, bad.What)
}
