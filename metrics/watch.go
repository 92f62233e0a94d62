package metrics

import (
	"strconv"
	"strings"
)

// Watched is the figures of one call that somebody asked for.
type Watched struct {
	Name  string // as in Options.Watch
	Tally Tally
}

// watched is a call that is waited for.
type watched struct {
	Watched
	lineage string
	call    int // from 0; -1 matches none
}

func newWatched(name string) watched {
	lineage, number, _ := strings.Cut(name, "#")
	n, err := strconv.Atoi(number)
	if err != nil || n < 1 {
		n = 0
	}
	return watched{Watched{Name: name}, lineage, n - 1}
}

// note keeps the figures of a call that is watched; each attempt adds its own.
func (f *Fold) note(a *agent, c *Call) {
	for i := range f.watch {
		w := &f.watch[i]
		if w.call != c.Call || w.lineage != a.Lineage {
			continue
		}
		t := &w.Tally
		t.Requests++
		if c.Failed {
			t.Errors++
		} else {
			t.Calls++
		}
		t.Usage = t.Usage.Plus(c.Usage)
		t.Cost += c.Cost
		t.Uncached += c.Uncached
		t.Busy += c.Ended.Sub(c.Sent)
		if r := c.Miss.Reason; r != 0 {
			t.Misses[r].Calls++
			t.Misses[r].Lost += c.Miss.Lost
		}
	}
}
