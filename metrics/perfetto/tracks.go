package perfetto

import (
	"math"
	"strconv"

	"agentsim/metrics/page"
)

// tracks writes the run's process, and the tracks of its agents with all that happens on
// them. number tells the runs of a trace apart.
func (t *trace) tracks(n int) {
	r := t.run
	process := bytes(nil, trackProcess, text(number(nil, processID, uint64(n+1)), processName, r.Name))
	root := t.track(0, r.Name, n, process)
	bill := t.track(root, "cost", 0, bytes(nil, trackCounter, text(nil, counterUnitName, "USD")))
	own := make([]uint64, len(r.Agents))
	for i := range r.Agents {
		a := &r.Agents[i]
		name := a.Lineage
		if a.Type != "" && a.Type != a.Lineage {
			name += " " + a.Type
		}
		own[i] = t.track(root, name, 10*i+1, nil)
	}
	t.lives(own)
	written, ends := t.calls(own)
	for i := range r.Calls {
		if from := t.writer(i, written); from != nil {
			t.flow(*from, point{r.Calls[i].At, own[r.Calls[i].Agent]}, "cache entry")
		}
	}
	for i := range r.Agents {
		t.context(root, i)
		t.tools(own[i], i)
	}
	for _, m := range r.Mails {
		if m.From >= 0 {
			t.flow(point{m.Sent, own[m.From]}, point{m.At, own[m.To]}, m.Kind)
		}
	}
	t.cost(bill)
	for i := range r.Agents { // after what is inside of it
		t.emit(max(r.Agents[i].To, ends[i]), sliceEnd, own[i], nil)
	}
}

// point is a place on a track.
type point struct {
	at    int64
	track uint64
}

// flow draws an arrow between two instants.
func (t *trace) flow(from, to point, name string) {
	id := t.id()
	t.emit(from.at, instant, from.track, named(name, fixed(nil, eventFlow, id)))
	t.emit(to.at, instant, to.track, named(name, fixed(nil, eventEndFlow, id)))
}

// lives begins the slice of each agent, at the end of an arrow from who started it.
func (t *trace) lives(own []uint64) {
	for i := range t.run.Agents {
		a := &t.run.Agents[i]
		more := named("agent "+a.Lineage, said("type", a.Type), said("structure", a.Structure), said("model", a.Model), said("ended", a.Ended),
			count("calls", a.Calls), dollars("cost_usd", a.Cost))
		if a.Parent >= 0 {
			id := t.id()
			t.emit(a.From, instant, own[a.Parent], named("starts "+a.Lineage, fixed(nil, eventFlow, id)))
			more = append(more, fixed(nil, eventEndFlow, id)...)
		}
		t.emit(a.From, sliceBegin, own[i], more)
	}
}

// calls adds the calls of each agent with the waits between them, and says where
// each piece became the end of an entry of the cache, and until when each agent called.
func (t *trace) calls(own []uint64) (written map[int]point, busy []int64) {
	written, busy = map[int]point{}, make([]int64, len(own)) // until when
	for i := range t.run.Agents {
		busy[i] = t.run.Agents[i].From
	}
	for i := range t.run.Calls {
		c := &t.run.Calls[i]
		track := own[c.Agent]
		at := max(c.At, busy[c.Agent])
		if at > busy[c.Agent] && busy[c.Agent] > t.run.Agents[c.Agent].From {
			t.emit(busy[c.Agent], sliceBegin, track, named("between calls"))
			t.emit(at, sliceEnd, track, nil)
		}
		end := max(c.Ended, at)
		busy[c.Agent] = end
		t.emit(at, sliceBegin, track, t.call(c))
		if c.Began > at && c.Began < end {
			t.emit(c.Began, instant, track, named("first byte"))
		}
		t.emit(end, sliceEnd, track, nil)
		if at := t.piece(c, c.WriteTo); at >= 0 && c.Write5m+c.Write1h > 0 {
			if _, there := written[at]; !there {
				written[at] = point{c.Ended, track}
			}
		}
	}
	return written, busy
}

// call is the name of a call's slice and what is known of it.
func (t *trace) call(c *page.Call) []byte {
	name := "call " + strconv.FormatInt(c.N, 10)
	if c.Failed {
		name += " failed"
	}
	more := named(name, count("number_of_agent", int64(c.Call)), count("attempt", int64(c.Attempt)), count("cache_read_tokens", c.Read),
		count("cache_write_5m_tokens", c.Write5m), count("cache_write_1h_tokens", c.Write1h), count("uncached_input_tokens", c.Input),
		count("output_tokens", c.Output), count("prompt_bytes", c.Bytes), said("stop", c.Stop))
	if t.run.Billed {
		more = append(more, dollars("cost_usd", c.Cost)...)
	}
	if m := c.Miss; m != nil {
		more = append(more, said("miss", m.Reason)...)
		more = append(more, count("miss_lost_tokens", m.Lost)...)
		more = append(more, dollars("miss_cost_usd", m.Cost)...)
	}
	return more
}

// piece is the place in Run.Pieces of a call's prompt up to a position; -1 where that is
// not known.
func (t *trace) piece(c *page.Call, pos int32) int {
	at := c.Head
	for at >= 0 && t.run.Pieces[at].Pos > pos {
		at = t.run.Pieces[at].Parent
	}
	if pos <= 0 || at < 0 || t.run.Pieces[at].Pos != pos {
		return -1
	}
	return at
}

// writer is where the entry that a call read was written; nil where that is not known,
// or where the call wrote it itself.
func (t *trace) writer(i int, written map[int]point) *point {
	c := &t.run.Calls[i]
	at := t.piece(c, c.ReadTo)
	if c.Read == 0 || at < 0 {
		return nil
	}
	if from, there := written[at]; there && from.at <= c.At {
		return &from
	}
	return nil
}

// context is the counter of the tokens in an agent's prompts.
func (t *trace) context(root uint64, agent int) {
	track := uint64(0)
	for i := range t.run.Calls {
		c := &t.run.Calls[i]
		if c.Agent != agent {
			continue
		}
		if track == 0 {
			track = t.track(root, "prompt of "+t.run.Agents[agent].Lineage, 10*agent+2, bytes(nil, trackCounter, number(nil, counterUnit, unitCount)))
		}
		t.emit(c.At, counter, track, number(nil, eventCounter, uint64(c.Read+c.Write5m+c.Write1h+c.Input)))
	}
}

// cost is the counter of the run's bill.
func (t *trace) cost(track uint64) {
	if !t.run.Billed {
		return
	}
	sum := int64(0)
	for i := range t.run.Calls {
		c := &t.run.Calls[i]
		sum += c.Cost
		t.emit(c.Ended, counter, track, fixed(nil, eventDouble, math.Float64bits(float64(sum)/1e12)))
	}
}

// tools adds the tool uses of an agent, on as many tracks as run at a time.
func (t *trace) tools(parent uint64, agent int) {
	var free []int64 // until when each track is taken
	var tracks []uint64
	for i := range t.run.Tools {
		u := &t.run.Tools[i]
		if u.Agent != agent {
			continue
		}
		k := 0
		for k < len(free) && free[k] > u.At {
			k++
		}
		if k == len(free) {
			free, tracks = append(free, 0), append(tracks, t.track(parent, "tools", len(free), nil))
		}
		name := u.Name
		if u.Fail {
			name += " failed"
		}
		free[k] = max(u.Ended, u.At)
		t.emit(u.At, sliceBegin, tracks[k], named(name))
		t.emit(free[k], sliceEnd, tracks[k], nil)
	}
}
