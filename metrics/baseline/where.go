package baseline

import (
	"agentsim/metrics/sharedprefix"
	"agentsim/sim/transcript"
)

// Where says in one sentence what begins with the first differing event: of the first
// request from there on with another prompt, its agent's if there is one, the block in
// which it parts from the baseline's. Where the event has the same content at another
// time or price, or no prompt is another, it says what of the event is.
func Where(was, is *Run, d *transcript.Difference) string { return parting(was, is, d).text(was, is) }

// Prompts says which requests of two runs Where compares, by their numbers among those
// with a prompt, from 0; ok is false where it compares none.
func Prompts(was, is *Run, d *transcript.Difference) (before, after int, ok bool) {
	p := parting(was, is, d)
	if p.b == nil {
		return 0, 0, false
	}
	return p.a.prompt, p.b.prompt, true
}

// parted is where two runs part: in which request, or else in what of an event.
type parted struct {
	a, b  *event // the requests; nil for none
	event string
	start bool // the event is an agent's start in both
}

func parting(was, is *Run, d *transcript.Difference) (p parted) {
	x, y := eventsOf(was.Lines), eventsOf(is.Lines)
	switch {
	case d.Want == "":
		return parted{event: "the run goes on where the baseline's had ended: " + y.list[d.Index].String()}
	case d.Got == "":
		return parted{event: "the run ends before: " + x.list[d.Index].String()}
	}
	a, b := x.list[d.Index], y.list[d.Index]
	for _, twins := range [][2]*event{{x.twins[b.key], b}, {a, y.twins[a.key]}} {
		if from, to := twins[0], twins[1]; from != nil && to != nil && from.moved(to) {
			return parted{event: to.String() + ": " + from.change(to)}
		}
	}
	p.event = b.String() + " in place of " + a.String()
	if a.key == b.key {
		p.event, p.start = b.String()+": "+a.change(b), b.kind == "agent_start"
	}
	if a.key != b.key || a.prompt < 0 || a.parts(b) {
		if p.a, p.b = firstParting(x, y, d.Index, b.who); p.b == nil {
			p.a, p.b = firstParting(x, y, d.Index, "")
		}
	}
	return p
}

// firstParting is the first request of an agent, "" for any, from an event on that
// parts from the same one of the other run; nil where none does.
func firstParting(x, y *events, from uint64, who string) (a, b *event) {
	for _, b := range y.list[from:] {
		if a := x.twins[b.key]; a != nil && a.parts(b) && (who == "" || who == b.who) {
			return a, b
		}
	}
	return nil, nil
}

func (p parted) text(was, is *Run) string {
	if p.b == nil {
		return p.event
	}
	if before, after := p.a.of("model"), p.b.of("model"); before != after {
		return p.b.String() + ": model " + before + " → " + after
	}
	switch text := sharedprefix.Parted(was.Outline, is.Outline, p.a.prompt, p.b.prompt); text {
	case "":
		return p.b.String() + ": another prompt"
	case sharedprefix.Settings:
		if p.start {
			return p.event
		}
		return p.b.String() + ": " + text
	default:
		return p.b.String() + ", " + text
	}
}
