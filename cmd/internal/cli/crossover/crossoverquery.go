package crossover

import (
	"strconv"

	"agentsim/cmd/internal/ui"
	"agentsim/sim/crossover"
)

// comparison reads the flags: which axis is varied over which places, and the
// query that all rows share.
func (o *crossoverOptions) comparison() (*comparison, crossover.Query, error) {
	c, q := &comparison{}, crossover.Default()
	own := q.Own
	if o.setting != "" {
		setting, err := crossover.SettingNamed(o.setting)
		if err != nil {
			return nil, q, ui.Failf(ui.Usage, "--%w", err)
		}
		c.setting, q, own = &setting, setting.Query, setting.Query.Own
	}
	lists, err := o.read()
	if err != nil {
		return nil, q, err
	}
	if c.axis, err = o.axis(lists); err != nil {
		return nil, q, err
	}
	if err := o.fixed(&q, lists, c.axis); err != nil {
		return nil, q, err
	}
	if q.Own = min(own, q.Know); o.own != "" {
		if q.Own, err = sizeOf("own", o.own); err != nil {
			return nil, q, err
		}
	}
	c.places, err = o.places(c, lists)
	if err == nil {
		err = o.staggers(&q, c.axis, lists)
	}
	return c, q, err
}

// read reads the lists of all axes whose flags were given.
func (o *crossoverOptions) read() (map[string][]place, error) {
	out := map[string][]place{}
	for i := range axes {
		a := &axes[i]
		if text := o.lists[a.name]; text != nil && o.given(a.name) {
			list, err := a.read(*text)
			if err != nil {
				return nil, ui.Failf(ui.Usage, "--%s: %w", a.name, err)
			}
			out[a.name] = list
		}
	}
	return out, nil
}

// axis is what is varied: what --vary names, else the one flag that holds
// several values, else turns.
func (o *crossoverOptions) axis(lists map[string][]place) (*axis, error) {
	varied, _ := axisNamed("turns")
	several := ""
	for i := range axes {
		if len(lists[axes[i].name]) < 2 {
			continue
		}
		if several != "" {
			return nil, ui.Failf(ui.Usage, "--%s and --%s both hold several values: the rows are one of them", several, axes[i].name)
		}
		several, varied = axes[i].name, &axes[i]
	}
	if o.vary == "" {
		return varied, nil
	}
	named, ok := axisNamed(o.vary)
	switch {
	case !ok:
		return nil, ui.Failf(ui.Usage, "--vary %s: write one of %s", o.vary, axisNames())
	case several != "" && several != o.vary:
		return nil, ui.Failf(ui.Usage, "--vary %s, yet --%s holds several values: give it one", o.vary, several)
	}
	return named, nil
}

// places are the axis's values: its flag's, the setting's, or the usual ones.
func (o *crossoverOptions) places(c *comparison, lists map[string][]place) ([]place, error) {
	if list := lists[c.axis.name]; list != nil {
		return list, nil
	}
	if c.setting != nil && c.axis.name == "turns" {
		var out []place
		for _, n := range c.setting.Turns {
			one, err := c.axis.read(strconv.FormatInt(n, 10))
			if err != nil {
				return nil, err
			}
			out = append(out, one...)
		}
		return out, nil
	}
	return c.axis.read(c.axis.usual)
}

// fixed sets what all rows share.
func (o *crossoverOptions) fixed(q *crossover.Query, lists map[string][]place, varied *axis) error {
	for i := range axes {
		if list := lists[axes[i].name]; len(list) == 1 && &axes[i] != varied {
			list[0].set(q)
		}
	}
	q.Cold, q.Fourth, q.Ideal = o.cold, o.fourth, o.ideal
	for _, f := range []struct {
		flag, text string
		to         *int64
	}{{"reading", o.reading, &q.Reading}, {"task", o.task, &q.Task}, {"growth", o.growth, &q.Growth}, {"answer", o.answer, &q.Output}} {
		if f.text == "" {
			continue
		}
		n, err := sizeOf(f.flag, f.text)
		if err != nil {
			return err
		}
		*f.to = n
	}
	return nil
}

func sizeOf(flag, text string) (int64, error) {
	n, err := tokensOf(text)
	if err != nil {
		return 0, ui.Failf(ui.Usage, "--%s: %w", flag, err)
	}
	return n, nil
}

// usualSiblings is how many children there are where their stagger is varied and
// nobody said how many.
const usualSiblings = 5

// staggers gives a varied stagger children to hold, and refuses one that holds
// nobody.
func (o *crossoverOptions) staggers(q *crossover.Query, varied *axis, lists map[string][]place) error {
	if varied.name == "stagger" && lists["siblings"] == nil && q.Siblings == 1 {
		q.Siblings = usualSiblings
	}
	if (q.Stagger > 0 || varied.name == "stagger") && q.Siblings == 1 && varied.name != "siblings" {
		return ui.Failf(ui.Usage, "--stagger: one child has no siblings to wait for: give --siblings 5")
	}
	return nil
}
