package cli

import (
	"fmt"
	"strconv"
	"strings"

	"agentsim/cachemodel"
	"agentsim/cmd/internal/rundb"
	"agentsim/cmd/internal/ui"
	"agentsim/metrics/report"
	"agentsim/sim/recording"
	"agentsim/sim/recording/whatif"
	"agentsim/sim/transcript/sqlite"
)

// printAnswer prints the recorded bill, the model's reproduction of it, and then
// the answer.
func printAnswer(s *ui.Env, o *whatifOptions, a *whatif.Answer) error {
	if err := printReproduction(s, a); err != nil {
		return err
	}
	s.Printf("\n%s\n", s.Style().Bold("what if "+o.asked()))
	if err := printBills(s, a); err != nil {
		return err
	}
	s.Printf("\n")
	printSaving(s, a, o.q.KeepAlive > 0)
	if len(a.Gaps) > 0 {
		s.Printf("\n")
		if err := printGaps(s, a); err != nil {
			return err
		}
		s.Printf("\n")
	}
	s.Lines("assumed", a.Assumed)
	for i, opt := range a.Options {
		s.Label([...]string{"undocumented", ""}[min(i, 1)], opt)
	}
	return nil
}

// usageCells are the tokens and the cost of a bill.
func usageCells(b whatif.Bill) []string {
	u := b.Usage
	return []string{strconv.FormatInt(b.Requests, 10), report.Quantity(u.Read), report.Quantity(u.Write5m), report.Quantity(u.Write1h),
		report.Quantity(u.Input), report.Quantity(u.Output), report.Money(b.Cost)}
}

// printReproduction prints what was billed beside what the model makes of it.
func printReproduction(s *ui.Env, a *whatif.Answer) error {
	recorded := a.Recorded.Total()
	t := report.NewTable("BILL", " REQUESTS", " READ", " WRITTEN 5M", " WRITTEN 1H", " PLAIN", " OUTPUT", " COST", " OFF THE RECORDED BILL")
	row := func(name string, b whatif.Bill) {
		off := ""
		if name != "recorded" {
			off = offBill(b.Cost-recorded.Cost, recorded.Cost)
		}
		t.Row(append(append([]string{name}, usageCells(b)...), off)...)
	}
	row("recorded", recorded)
	row("model", a.Model.Total())
	row("model alone", a.Alone.Total())
	if err := t.Write(s.Stdout, s.Style()); err != nil {
		return err
	}
	s.Printf("\n")
	s.Label("model", `uses what the log shows about the server (listed below); "model alone" uses only prompt sizes and times`)
	s.Label("reproduced", reproduction(a))
	return nil
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

// offBill prints a difference as a share of a bill.
func offBill(d, of cachemodel.Picodollars) string {
	if d > 0 {
		return "+" + report.Percent2(int64(d), int64(of))
	}
	return report.Percent2(int64(d), int64(of))
}

// printBills prints the model's bill as recorded and under the question, by kind
// of thread.
func printBills(s *ui.Env, a *whatif.Answer) error {
	t := report.NewTable("THREADS", "BILL", " REQUESTS", " READ", " WRITTEN 5M", " WRITTEN 1H", " PLAIN", " OUTPUT", " COST", " SAVED", " OF THE MODEL'S COST")
	row := func(name string, was, is whatif.Bill) {
		saved := was.Cost - is.Cost
		t.Row(append(append([]string{fmt.Sprintf("%d %s", was.Threads, name), "model"}, usageCells(was)...), "", "")...)
		t.Row(append(append([]string{"", "what if"}, usageCells(is)...), report.Money(saved), report.Percent2(int64(saved), int64(was.Cost)))...)
	}
	kinds := 0
	for k := range a.Model {
		if a.Model[k].Requests > 0 {
			kinds++
			row(recording.ThreadKind(k).String(), a.Model[k], a.If[k])
		}
	}
	if kinds > 1 {
		row("in all", a.Model.Total(), a.If.Total())
	}
	return t.Write(s.Stdout, s.Style())
}

func printSaving(s *ui.Env, a *whatif.Answer, keepAlive bool) {
	was := a.Model.Total().Cost
	word := "saved"
	saved := a.Saved()
	if saved < 0 {
		word, saved = "costs more", -saved
	}
	s.Label(word, fmt.Sprintf("%s, %s of the model's %s for the session as recorded (model compared with model, not with the recorded bill)",
		report.Money(saved), report.Percent2(int64(saved), int64(was)), report.Money(was)))
	if a.Low != 0 || a.High != 0 {
		s.Label("band", fmt.Sprintf("%s to %s saved: recorded user turns within an hour read 89 to 95 %% of what was left to them, the model's nearly all",
			report.Money(a.Low), report.Money(a.High)))
	}
	if b := a.Refreshes.Total(); b.Requests > 0 {
		s.Label("refreshes", fmt.Sprintf("%s added by the question, %s", ui.Plural(int(b.Requests), "request"), report.Money(b.Cost)))
	} else if keepAlive {
		s.Label("refreshes", "none: no conversation was idle for long enough to need one")
	}
	if a.Held > 0 {
		s.Label("held", fmt.Sprintf("%s, the longest for %s", ui.Plural(a.Held, "sibling"), report.Time(a.Longest)))
	} else if a.Changed > 0 {
		s.Label("changed", ui.Plural(a.Changed, "thread"))
	}
	name := "left"
	for i, l := range a.Left {
		if i > 0 && a.Left[i-1].Why == l.Why {
			continue
		}
		n := 0
		for j := i; j < len(a.Left) && a.Left[j].Why == l.Why; j++ {
			n++
		}
		who := l.Thread
		if n > 1 {
			who = fmt.Sprintf("%s and %d more", l.Thread, n-1)
		}
		s.Label(name, fmt.Sprintf("%s: %s", who, l.Why))
		name = ""
	}
}

// printGaps says for which idle gaps refreshing paid.
func printGaps(s *ui.Env, a *whatif.Answer) error {
	t := report.NewTable("IDLE FOR", " GAPS", " REFRESHES", " THEIR COST", " SAVED BEHIND THEM", " NET", "PAYS")
	for _, g := range a.Gaps {
		name := "over " + report.Time(g.From)
		switch {
		case g.From == 0:
			name = "up to " + report.Time(g.UpTo)
		case g.UpTo != 0:
			name = report.Time(g.From) + " to " + report.Time(g.UpTo)
		}
		pays := "no"
		if g.Saved > g.Paid {
			pays = "yes"
		}
		t.Row(name, strconv.FormatInt(g.N, 10), strconv.FormatInt(g.Refreshes, 10), report.Money(g.Paid), report.Money(g.Saved), report.Money(g.Saved-g.Paid), pays)
	}
	return t.Write(s.Stdout, s.Style())
}

// whatifOffers lists the questions that a recording answers and why it does not
// answer the others.
func whatifOffers(s *ui.Env, db *sqlite.DB, info sqlite.RunInfo, session *recording.Session, o *whatifOptions, opt whatif.Options) error {
	offers := whatif.Offers(session, opt)
	if o.output != "table" {
		return s.Emit(o.output, offersDocument(info, offers))
	}
	if err := rundb.Heading(s, db, info); err != nil {
		return err
	}
	t := report.NewTable("QUESTION", "ASKS WHAT IF", "ANSWER")
	first, last := "", ""
	for _, of := range offers {
		answer := "yes"
		switch {
		case of.Why != "" && of.Why == last:
			answer = "no: likewise"
		case of.Why != "":
			answer = "no: " + of.Why
		case first == "":
			first = of.Question
		}
		last = of.Why
		t.Row(of.Question, of.Means, answer)
	}
	if err := t.Write(s.Stdout, s.Style()); err != nil {
		return err
	}
	if first != "" {
		s.Printf("\n")
		s.Label("ask", "agentsim whatif "+ui.Short(info.ID)+" "+first+rundb.At(s, o.db))
	}
	return nil
}

// whatifForkKey says what Codex's forks lost.
func whatifForkKey(s *ui.Env, db *sqlite.DB, info sqlite.RunInfo, session *recording.Session, o *whatifOptions) error {
	k, err := whatif.AskForkKey(session)
	if err != nil {
		return refused(info, err)
	}
	if o.output != "table" {
		return s.Emit(o.output, forkKeyDocument(info, k))
	}
	if err := rundb.Heading(s, db, info); err != nil {
		return err
	}
	s.Printf("%s\n", s.Style().Bold("what if --codex-fork-key"))
	t := report.NewTable("FORK", " FIRST PROMPT", " READ", " SHARED WITH ITS PARENT", " WOULD HAVE READ MORE", " OF THE PROMPT")
	for _, f := range k.Forks {
		shared := ui.Count(f.Prefix)
		if !f.ParentKnown {
			shared = "at most " + shared
		}
		t.Row(f.Thread, ui.Count(f.Prompt), ui.Count(f.Read), shared, ui.Count(f.Lost()), report.Percent(f.Lost(), f.Prompt))
	}
	if err := t.Write(s.Stdout, s.Style()); err != nil {
		return err
	}
	s.Printf("\n")
	s.Label("saved", fmt.Sprintf("%s tokens read instead of sent anew, %s of the %s tokens that the session's requests did not read",
		ui.Count(k.Lost()), report.Percent(k.Lost(), k.Plain), ui.Count(k.Plain)))
	s.Lines("assumed", k.Assumed)
	return nil
}
