package whatif

import (
	"fmt"
	"strings"

	"agentsim/cmd/internal/ui"
	"agentsim/metrics/report"
	"agentsim/sim/recording"
	"agentsim/sim/recording/whatif"
)

// answer says the recorded bill, the model's reproduction of it, and then the
// answer.
func answer(d *report.Document, o *options, a *whatif.Answer) {
	bills(d, a)
	d.Title("\nwhat if " + o.asked())
	kinds(d, a)
	d.Say("")
	saving(d, a, o.q.KeepAlive > 0)
	gaps(d, a)
	d.Label("assumed", a.Assumed...)
	d.Label("unverified", a.Options...)
	d.Field("assumed", report.List(a.Assumed))
	d.Field("unverified_assumptions", report.List(a.Options))
}

// named is a bill of one thing: the recording, the model of it, or a kind of
// thread.
type named struct {
	name, whose string
	whatif.Bill
	was whatif.Bill // what it is compared with; none without requests
}

// billColumns are the tokens and the cost of a bill.
func billColumns() []report.Column[named] {
	type col = report.Column[named]
	return []col{
		{Name: "threads", Of: func(b named) report.Value { return report.Count(b.Threads) }},
		{Name: "requests", Head: " REQUESTS", Of: func(b named) report.Value { return report.Count(b.Requests) }},
		{Name: "tokens_read", Head: " CACHE READ", Drop: 2, Of: func(b named) report.Value { return report.Tokens(b.Usage.Read) }},
		{Name: "tokens_write_5m", Head: " WRITE 5M", Drop: 4, Of: func(b named) report.Value { return report.Tokens(b.Usage.Write5m) }},
		{Name: "tokens_write_1h", Head: " WRITE 1H", Drop: 3, Of: func(b named) report.Value { return report.Tokens(b.Usage.Write1h) }},
		{Name: "tokens_input", Head: " UNCACHED", Drop: 6, Of: func(b named) report.Value { return report.Tokens(b.Usage.Input) }},
		{Name: "tokens_output", Head: " OUTPUT", Drop: 5, Of: func(b named) report.Value { return report.Tokens(b.Usage.Output) }},
		{Name: "cost", Head: " COST", Unit: report.USD, Of: func(b named) report.Value { return report.Dollars(b.Cost) }},
	}
}

// bills says what was billed beside what the model makes of it.
func bills(d *report.Document, a *whatif.Answer) {
	type col = report.Column[named]
	recorded := a.Recorded.Total()
	rows := []named{{name: "recorded", Bill: recorded}, {name: "model", Bill: a.Model.Total(), was: recorded}, {name: "model alone", Bill: a.Alone.Total(), was: recorded}}
	columns := append([]col{{Name: "bill", Head: "BILL", Of: func(b named) report.Value { return report.Text(b.name) }}}, billColumns()...)
	d.Table(report.TableOf("bills", rows, append(columns, col{Name: "off", Head: " OFF THE RECORDED BILL", Drop: 1, Of: func(b named) report.Value {
		return report.Share(int64(b.Cost-b.was.Cost), int64(b.was.Cost)).Fine().Signed().OrBlank(b.name != "recorded")
	}})...))
	d.Say("")
	d.Label("model", `uses what the log shows about the server (listed below); "model alone" uses only prompt sizes and times`)
	d.Label("reproduced", reproduction(a))
	d.Field("reproduced_within_1_percent", report.Bool(a.Reproduced()))
	d.Field("reproduced_with_hindsight", report.Bool(a.ReproducedWith()))
	d.Field("taken_over", report.List(a.Taken))
}

// reproduction says how near the model comes to the recorded bill, and with what
// hindsight.
func reproduction(a *whatif.Answer) string {
	recorded := a.Recorded.Total().Cost
	off := func(b *whatif.Bills) string {
		d := b.Total().Cost - recorded
		return report.Percent(int64(max(d, -d)), int64(recorded))
	}
	taken := ""
	if len(a.Taken) > 0 {
		taken = "; taken over from the log: " + strings.Join(a.Taken, ", ")
	}
	switch {
	case a.Reproduced():
		return "the recorded bill within 1 %, from prompt sizes and times alone"
	case a.ReproducedWith():
		return fmt.Sprintf("the recorded bill within 1 %% only with hindsight, off by %s without%s", off(&a.Alone), taken)
	}
	return fmt.Sprintf("NOT within 1 %%: off by %s of the recorded bill, by %s without hindsight; doubt every saving below by as much%s", off(&a.Model), off(&a.Alone), taken)
}

// kinds says the model's bill as recorded and under the question, by kind of
// thread.
func kinds(d *report.Document, a *whatif.Answer) {
	var rows []named
	add := func(name string, was, is whatif.Bill) {
		rows = append(rows, named{name: fmt.Sprintf("%d %s", was.Threads, name), whose: "model", Bill: was}, named{whose: "what if", Bill: is, was: was})
	}
	n := 0
	for k := range a.Model {
		if a.Model[k].Requests > 0 {
			n++
			add(recording.ThreadKind(k).String(), a.Model[k], a.If[k])
		}
	}
	if n > 1 {
		add("in all", a.Model.Total(), a.If.Total())
	}
	type col = report.Column[named]
	columns := append([]col{
		{Head: "THREADS", Of: func(b named) report.Value { return report.Text(b.name) }},
		{Head: "BILL", Of: func(b named) report.Value { return report.Text(b.whose) }},
	}, billColumns()...)
	saved := func(b named) int64 { return int64(b.was.Cost - b.Cost) }
	d.Table(report.TableOf("", rows, append(columns,
		col{Head: " SAVED", Of: func(b named) report.Value { return report.Dollars(b.was.Cost - b.Cost).OrBlank(b.whose == "what if") }},
		col{Head: " OF THE MODEL'S COST", Drop: 1, Of: func(b named) report.Value {
			return report.Share(saved(b), int64(b.was.Cost)).Fine().OrBlank(b.whose == "what if")
		}})...))
	d.Table(kindTable(a).Hidden())
	d.Main("by_kind")
}

// ofKind are the bills of one kind of thread.
type ofKind struct {
	kind                 string
	recorded, model, now whatif.Bill
}

// kindTable is the same for machines.
func kindTable(a *whatif.Answer) *report.Sheet {
	var rows []ofKind
	for k := range a.Model {
		if a.Model[k].Requests > 0 {
			rows = append(rows, ofKind{recording.ThreadKind(k).String(), a.Recorded[k], a.Model[k], a.If[k]})
		}
	}
	type col = report.Column[ofKind]
	columns := []col{{Name: "kind", Of: func(k ofKind) report.Value { return report.Text(k.kind) }}}
	for _, part := range []struct {
		name string
		of   func(ofKind) whatif.Bill
	}{
		{"recorded_", func(k ofKind) whatif.Bill { return k.recorded }},
		{"model_", func(k ofKind) whatif.Bill { return k.model }},
		{"what_if_", func(k ofKind) whatif.Bill { return k.now }},
	} {
		for _, c := range billColumns() {
			columns = append(columns, col{Name: part.name + c.Name, Unit: c.Unit, Of: func(k ofKind) report.Value { return c.Of(named{Bill: part.of(k)}) }})
		}
	}
	return report.TableOf("by_kind", rows, append(columns, col{Name: "saved", Unit: report.USD, Of: func(k ofKind) report.Value { return report.Dollars(k.model.Cost - k.now.Cost) }})...)
}

// saving says what the question saves, model against model.
func saving(d *report.Document, a *whatif.Answer, keepAlive bool) {
	was := a.Model.Total().Cost
	d.Field("saved", report.Dollars(a.Saved()))
	d.Field("saved_of", report.Dollars(was))
	word := "saved"
	saved := a.Saved()
	if saved < 0 {
		word, saved = "costs more", -saved
	}
	d.Label(word, fmt.Sprintf("%s, %s of the model's %s for the session as recorded (model compared with model, not with the recorded bill)",
		report.Money(saved), report.Percent2(int64(saved), int64(was)), report.Money(was)))
	if a.Low != 0 || a.High != 0 {
		d.Label("band", fmt.Sprintf("%s to %s saved: recorded user turns within an hour read 89 to 95 %% of what was left to them, the model's nearly all",
			report.Money(a.Low), report.Money(a.High)))
		d.Field("saved_low", report.Dollars(a.Low))
		d.Field("saved_high", report.Dollars(a.High))
	}
	if b := a.Refreshes.Total(); b.Requests > 0 {
		d.Label("refreshes", fmt.Sprintf("%s added by the question, %s", ui.Plural(int(b.Requests), "request"), report.Money(b.Cost)))
		d.Field("refreshes", report.Count(b.Requests))
		d.Field("refreshes_cost", report.Dollars(b.Cost))
	} else if keepAlive {
		d.Label("refreshes", "none: no conversation was idle for long enough to need one")
	}
	d.Field("changed_threads", report.Count(a.Changed))
	if a.Held > 0 {
		d.Label("held", fmt.Sprintf("%s, the longest for %s", ui.Plural(a.Held, "sibling"), report.Time(a.Longest)))
		d.Field("held_siblings", report.Count(a.Held))
		d.Field("held_longest", report.Duration(a.Longest))
	} else if a.Changed > 0 {
		d.Label("changed", ui.Plural(a.Changed, "thread"))
	}
	left(d, a)
}

// left says which threads the question does not change, and why.
func left(d *report.Document, a *whatif.Answer) {
	var why report.Findings
	for _, l := range a.Left {
		why.Add(l.Why, l.Thread, 0)
	}
	d.Label("left out", why.Lines(len(a.Left)+1)...)
	type col = report.Column[whatif.Left]
	d.Table(report.TableOf("left_threads", a.Left,
		col{Name: "thread", Of: func(l whatif.Left) report.Value { return report.Text(l.Thread) }},
		col{Name: "kind", Of: func(l whatif.Left) report.Value { return report.Text(l.Kind.String()) }},
		col{Name: "why", Of: func(l whatif.Left) report.Value { return report.Text(l.Why) }}))
}

// gaps says for which idle gaps refreshing paid.
func gaps(d *report.Document, a *whatif.Answer) {
	if len(a.Gaps) > 0 {
		d.Say("")
	}
	type col = report.Column[whatif.Gap]
	d.Table(report.TableOf("gaps", a.Gaps,
		col{Head: "IDLE FOR", Of: func(g whatif.Gap) report.Value { return report.Text(idle(g)) }},
		col{Name: "from", Unit: report.Seconds, Of: func(g whatif.Gap) report.Value { return report.Duration(g.From) }},
		col{Name: "up_to", Unit: report.Seconds, Of: func(g whatif.Gap) report.Value { return report.Duration(g.UpTo).If(g.UpTo != 0) }},
		col{Name: "gaps", Head: " GAPS", Of: func(g whatif.Gap) report.Value { return report.Count(g.N) }},
		col{Name: "refreshes", Head: " REFRESHES", Of: func(g whatif.Gap) report.Value { return report.Count(g.Refreshes) }},
		col{Name: "refreshes_cost", Head: " THEIR COST", Unit: report.USD, Of: func(g whatif.Gap) report.Value { return report.Dollars(g.Paid) }},
		col{Name: "saved", Head: " SAVED AFTER THEM", Unit: report.USD, Of: func(g whatif.Gap) report.Value { return report.Dollars(g.Saved) }},
		col{Name: "net", Head: " NET", Unit: report.USD, Of: func(g whatif.Gap) report.Value { return report.Dollars(g.Saved - g.Paid) }},
		col{Name: "pays", Head: "PAYS", Of: func(g whatif.Gap) report.Value { return report.Bool(g.Saved > g.Paid) }}))
	if len(a.Gaps) > 0 {
		d.Say("")
	}
}

// idle is how long a gap is.
func idle(g whatif.Gap) string {
	switch {
	case g.From == 0:
		return "up to " + report.Time(g.UpTo)
	case g.UpTo != 0:
		return report.Time(g.From) + " to " + report.Time(g.UpTo)
	}
	return "over " + report.Time(g.From)
}

// offers says which questions a recording answers and why it does not answer the
// others.
func offers(d *report.Document, list []whatif.Offer, command, at string) {
	type col = report.Column[whatif.Offer]
	last := ""
	d.Table(report.TableOf("questions", list,
		col{Name: "question", Head: "QUESTION", Of: func(o whatif.Offer) report.Value { return report.Text(o.Question) }},
		col{Name: "asks_what_if", Head: "ASKS WHAT IF", Drop: 1, Of: func(o whatif.Offer) report.Value { return report.Text(o.Means) }},
		col{Name: "can_be_answered", Of: func(o whatif.Offer) report.Value { return report.Bool(o.Why == "") }},
		col{Name: "why_not", Of: func(o whatif.Offer) report.Value { return report.Text(o.Why).If(o.Why != "") }},
		col{Head: "ANSWER", Of: func(o whatif.Offer) report.Value {
			same := o.Why == last
			last = o.Why
			switch {
			case o.Why == "":
				return report.Text("yes")
			case same:
				return report.Text("no: likewise")
			}
			return report.Text("no: " + o.Why)
		}}))
	for _, o := range list {
		if o.Why == "" {
			d.Say("")
			d.Label("ask", command+" "+o.Question+at)
			return
		}
	}
}
