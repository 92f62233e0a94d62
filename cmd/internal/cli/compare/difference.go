package compare

import (
	"agentsim/cmd/internal/ui"
	"agentsim/metrics/baseline"
	"agentsim/metrics/sharedprefix"
	"agentsim/metrics/sides"
	"agentsim/sim/llm"
	"agentsim/sim/transcript"
	"agentsim/sim/wire"
	"errors"
	"fmt"
)

// firstEvents finds where single runs of both sides differ, where what each did is
// kept.
func (c *comparing) firstEvents() error {
	for i := range c.Pairs {
		p := &c.Pairs[i]
		if len(p.A.Runs) != 1 || len(p.B.Runs) != 1 {
			continue
		}
		where, exact, err := c.parting(&p.A.Runs[0], &p.B.Runs[0])
		if err != nil {
			return err
		}
		if c.found.Add(where, p.A.Name(), 0); len(c.Pairs) == 1 {
			c.events = exact
		}
	}
	return nil
}

// where says it to people; of two runs of one database it adds how to see more.
func (c *comparing) where() []string {
	lines := c.found.Lines(len(c.Pairs))
	if c.more != "" && len(c.Pairs) == 1 {
		lines = append(lines, c.more)
	}
	return lines
}

// parting is where two runs part, in words and by their events.
func (c *comparing) parting(a, b *sides.Run) (where string, exact []string, err error) {
	if a.Digest == b.Digest {
		where = "the same in both, digest " + a.Digest
		return where, []string{where}, nil
	}
	was, err := c.a.kept(a)
	is, bad := c.b.kept(b)
	if err = errors.Join(err, bad); err != nil || was == nil || is == nil {
		return "", nil, err
	}
	d, err := transcript.Compare(was.Stored(), is.Stored())
	switch {
	case err != nil:
		return "", nil, err
	case d == nil:
		where = "the same in both but the first, which names the run"
		return where, []string{where}, nil
	}
	if n := baseline.Requests(is.Lines[:d.Index]) + 1; d.Field == "head" {
		if err := errors.Join(c.a.outline(a, was, n), c.b.outline(b, is, n)); err != nil {
			return "", nil, err
		}
		if c.a.db != nil && c.b.db != nil && c.a.db.Path() == c.b.db.Path() {
			c.more = ui.QuoteAll([]string{"agentsim", "lab", "diff", fmt.Sprintf("%s:%d", ui.Short(a.ID), n), fmt.Sprintf("%s:%d", ui.Short(b.ID), n), "--db", c.a.db.Path()})
		}
	}
	where = "first difference: " + baseline.Where(was, is, d)
	d.Index++ // the one left out
	return where, []string{fmt.Sprintf("first difference at event %d, field %s", d.Index, d.Field), "A  " + d.Want, "B  " + d.Got}, nil
}

// kept is what tells where a run differs: nil where it is not kept. A run's first
// event is left out: it says which run it is, so two variants always differ there.
func (x *comparedSide) kept(r *sides.Run) (*baseline.Run, error) {
	if x.db == nil || !x.full[r.ID] {
		return x.ran[r.ID], nil
	}
	out := &baseline.Run{}
	for line, err := range x.db.Events(r.ID) {
		if err != nil {
			return nil, err
		}
		out.Lines = append(out.Lines, baseline.Cut(line))
	}
	out.Lines = out.Lines[min(1, len(out.Lines)):]
	return out, nil
}

// outline finds out what stood in the n-th request that has a prompt, from 1, where
// that is recorded.
func (x *comparedSide) outline(r *sides.Run, into *baseline.Run, n int) error {
	if x.db == nil {
		return nil
	}
	call, err := x.db.Call(r.ID, int64(n))
	if err != nil {
		return err
	}
	body, err := x.db.RequestBytes(r.ID, call.Seq)
	if err != nil {
		return err
	}
	request, err := wire.Read(&llm.Builder{}, body, wire.Options{})
	if err != nil {
		return err
	}
	into.Outline = sharedprefix.OutlineOf(request.Head, call.Model, n)
	return nil
}
