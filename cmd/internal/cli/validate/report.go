package validate

import (
	"cmp"
	"fmt"
	"strings"

	"agentsim/cachemodel"
	"agentsim/cmd/internal/loading"
	"agentsim/cmd/internal/ui"
	"agentsim/metrics/report"
	"agentsim/sim/recording"
	"agentsim/sim/recording/judge"
)

// printed is what a validation says; brief leaves all but the first two tables and
// the notes to machines.
func (v *validation) printed(brief bool) *report.Document {
	d := &report.Document{}
	d.Say("%s\n", v.heading())
	d.Main("repositories")
	for i, t := range []struct {
		title string
		table *report.Sheet
	}{
		{"errors over all requests, first ones of threads and visibility lag included: tokens as a share of those read, money as a share of what the prompts cost (abs: added up without sign)", v.everything()},
		{"predictions, over requests that follow another one (off: sum of absolute errors as a share of the tokens read)", v.summary()},
		{"what followed what (read against what the predecessor left: exact, more, a little less, all but the last write, the static prefix, nothing)", v.transitions()},
		{"why less or more was read, and what the model's remaining error is made of", v.causes()},
		{"first requests of threads: a static prefix, warm from elsewhere or not", v.firsts()},
		{"the server's own diagnosis of misses against ours, inferred without it", v.agreement()},
		{"an API without billed writes or promised TTLs: observed, not predicted (Codex)", v.bestEffort()},
	} {
		if t.table.Len() == 0 || brief && i > 1 {
			d.Table(t.table.Hidden())
			continue
		}
		d.Say("%s", t.title)
		d.Table(t.table)
		d.Say("")
	}
	d.Table(v.leftOut())
	d.Table(v.forks())
	d.Field("best_effort_sessions", report.Count(v.observed.Sessions))
	d.Field("best_effort_requests", report.Count(v.observed.Requests))
	d.Field("multiples_of_128", report.Count(v.observed.Rounded))
	v.notes(d)
	d.Field("met", report.Bool(v.met()))
	return d
}

func (v *validation) heading() string {
	var requests, sessions int64
	for i := range v.report.Repos {
		requests += v.report.Repos[i].Requests
		sessions += v.report.Repos[i].Sessions
	}
	out := fmt.Sprintf("%s of %s in %s judged", ui.Things(requests, "request"), ui.Things(sessions, "session"), ui.Things(int64(len(v.report.Repos)), "repository"))
	for _, u := range v.report.Unplayable {
		out += fmt.Sprintf("; %s of %s left out: %s", ui.Things(u.Requests, "request"), ui.Things(u.Sessions, "session"), u.Why)
	}
	return out
}

// repository is the column of names of repositories.
func repository[R any](of func(R) *judge.Repo) report.Column[R] {
	return report.Column[R]{Name: "repository", Head: "REPOSITORY", Of: func(r R) report.Value { return named(of(r).Name) }}
}

func named(repository string) report.Value {
	return report.Text(repository).As(cmp.Or(repository, "(unnamed)"))
}

func itself(r judge.Repo) *judge.Repo { return &r }

// prediction is what one predictor makes of all requests of a repository; of all
// of them where repo is nil.
type prediction struct {
	repo *judge.Repo
	*judge.All
	by   judge.Predictor
	loss bool // with what is expected to be lost
}

// repository is whose requests they are.
func (p prediction) repository() report.Value {
	if p.repo == nil {
		return report.Text("(all)")
	}
	return named(p.repo.Name)
}

// off is how far the predictor is off.
func (p prediction) off() *judge.Errors { return &p.Off[p.by] }

// money is how far a bill is off, signed.
func (p prediction) money() int64 {
	if p.loss {
		return p.off().Money.Signed + p.Loss
	}
	return p.off().Money.Signed
}

// predictor is whose prediction it is.
func (p prediction) predictor() string {
	if p.loss {
		return "with expected loss"
	}
	return p.by.String()
}

// everything is the table of errors over all requests, of the model and of
// predictors that know nothing of a cache.
func (v *validation) everything() *report.Sheet {
	var all judge.All
	var rows []prediction
	add := func(r *judge.Repo, a *judge.All) {
		for k := range judge.Predictors {
			rows = append(rows, prediction{repo: r, All: a, by: k})
			if k == judge.ByModel {
				rows = append(rows, prediction{repo: r, All: a, by: k, loss: true})
			}
		}
	}
	for i := range v.report.Repos {
		r := &v.report.Repos[i]
		all.Plus(&r.All)
		add(r, &r.All)
	}
	if len(v.report.Repos) > 1 {
		add(nil, &all)
	}
	type col = report.Column[prediction]
	first := func(p prediction) bool { return p.by == judge.ByModel && !p.loss }
	return report.TableOf("predictors", rows,
		col{Name: "repository", Of: func(p prediction) report.Value { return p.repository().If(p.repo != nil) }},
		col{Head: "REPOSITORY", Of: func(p prediction) report.Value { return p.repository().OrBlank(first(p)) }},
		col{Name: "predicted_by", Head: "PREDICTED BY", Of: func(p prediction) report.Value { return report.Text(p.predictor()) }},
		col{Name: "requests", Head: " REQUESTS", Drop: 4, Of: func(p prediction) report.Value { return report.Count(p.N).OrBlank(first(p)) }},
		col{Name: "predicted_exactly", Head: " EXACT", Drop: 3, Of: func(p prediction) report.Value { return of(report.Count(p.Exact), p.Exact, p.N).OrBlank(first(p)) }},
		col{Name: "visibility_lag", Head: " LAG", Drop: 5, Of: func(p prediction) report.Value { return report.Count(p.Lag).OrBlank(first(p)) }},
		col{Name: "tokens_read", Of: func(p prediction) report.Value { return report.Tokens(p.Read).OrBlank(first(p)) }},
		col{Name: "prompts_cost", Unit: report.USD, Of: func(p prediction) report.Value { return money(p.Bill).OrBlank(first(p)) }},
		col{Name: "expected_loss", Unit: report.USD, Of: func(p prediction) report.Value { return money(p.Loss).OrBlank(first(p)) }},
		col{Name: "tokens_off", Head: " TOKENS ABS", Drop: 2, Of: func(p prediction) report.Value {
			return of(report.Tokens(p.off().Tokens.Abs), p.off().Tokens.Abs, p.Read).OrBlank(!p.loss)
		}},
		col{Name: "tokens_off_signed", Head: " SIGNED", Drop: 2, Of: func(p prediction) report.Value {
			return signedOf(report.Tokens(p.off().Tokens.Signed), p.off().Tokens.Signed, p.Read).OrBlank(!p.loss)
		}},
		col{Name: "off", Head: " MONEY ABS", Unit: report.USD, Of: func(p prediction) report.Value {
			return of(money(p.off().Money.Abs), p.off().Money.Abs/nano, p.Bill/nano).OrBlank(!p.loss)
		}},
		col{Name: "off_signed", Head: " SIGNED", Unit: report.USD, Of: func(p prediction) report.Value { return signedOf(money(p.money()), p.money()/nano, p.Bill/nano) }},
		col{Name: "kept", Of: func(p prediction) report.Value { return report.Count(p.Kept.N).OrBlank(first(p)) }},
		col{Name: "kept_told", Head: " KEPT TOLD", Drop: 1, Of: func(p prediction) report.Value { return told(&p.Kept, p.by).OrBlank(!p.loss) }},
		col{Name: "gone", Of: func(p prediction) report.Value { return report.Count(p.Gone.N).OrBlank(first(p)) }},
		col{Name: "gone_told", Head: " GONE TOLD", Drop: 1, Of: func(p prediction) report.Value { return told(&p.Gone, p.by).OrBlank(!p.loss) }})
}

func money(n int64) report.Value { return report.Dollars(cachemodel.Picodollars(n)) }

// of is a figure that people see as its share of another one; signedOf with its sign.
func of(v report.Value, n, all int64) report.Value {
	return v.As(report.Share(n, all).Fine().String())
}

func signedOf(v report.Value, n, all int64) report.Value {
	return v.As(report.Share(n, all).Fine().Signed().String())
}

// told is for how many of the deciding requests a predictor foretold the side.
func told(s *judge.Side, k judge.Predictor) report.Value {
	if s.N == 0 {
		return report.Count(s.Right[k]).As("–")
	}
	return report.Count(s.Right[k]).As(fmt.Sprintf("%d/%d", s.Right[k], s.N))
}

// nano is how many picodollars a printed share of a bill is rounded to: ratios of
// whole bills in picodollars do not fit.
const nano = 1000

// summary is the table of how well the model predicts each repository.
func (v *validation) summary() *report.Sheet {
	type col = report.Column[judge.Repo]
	columns := []col{
		repository(itself),
		{Name: "sessions", Of: func(r judge.Repo) report.Value { return report.Count(r.Sessions) }},
		{Name: "requests", Of: func(r judge.Repo) report.Value { return report.Count(r.Requests) }},
		{Head: " REQUESTS", Of: func(r judge.Repo) report.Value { c := r.Followers(); return report.Count(c.N) }},
		{Name: "steps", Head: " STEPS", Drop: 4, Of: func(r judge.Repo) report.Value { n, _, _ := r.Steps(); return report.Count(n) }},
		{Name: "steps_exact", Head: " EXACT", Of: func(r judge.Repo) report.Value { n, exact, _ := r.Steps(); return of(report.Count(exact), exact, n) }},
		{Name: "visibility_lag", Head: " LAG", Drop: 3, Of: func(r judge.Repo) report.Value { _, _, lag := r.Steps(); return report.Count(lag) }},
		{Head: " CACHE READ", Drop: 2, Of: func(r judge.Repo) report.Value { c := r.Followers(); return report.Count(c.Read) }},
		{Head: " TOTAL OFF", Of: func(r judge.Repo) report.Value {
			c := r.Followers()
			return report.Share(c.Off.Signed, c.Read).Fine().Signed()
		}},
		{Head: " MODEL OFF", Drop: 1, Of: func(r judge.Repo) report.Value {
			c := r.Followers()
			return report.Text(report.Percent3(c.Off.Abs, c.Read))
		}},
		{Head: " NAIVE OFF", Drop: 1, Of: func(r judge.Repo) report.Value {
			c := r.Followers()
			return report.Text(report.Percent3(c.Naive.Abs, c.Read))
		}},
		{Head: "TARGETS", Of: func(r judge.Repo) report.Value { return report.Text(targets(&r)) }},
		{Name: "resets", Of: func(r judge.Repo) report.Value { return report.Count(r.Resets) }},
		{Name: "resets_after_5m", Of: func(r judge.Repo) report.Value { return report.Count(r.Late) }},
		{Name: "tokens_prompt", Of: func(r judge.Repo) report.Value { return report.Tokens(r.Usage.Prompt()) }},
		{Name: "tokens_read", Of: func(r judge.Repo) report.Value { return report.Tokens(r.Usage.Read) }},
	}
	return report.TableOf("repositories", v.report.Repos, append(columns, reads("followers_", func(r judge.Repo) judge.Cell { return r.Followers() })...)...)
}

// reads are a set of requests for machines, their names behind another one.
func reads[R any](in string, of func(R) judge.Cell) []report.Column[R] {
	column := func(name string, value func(judge.Cell) int64) report.Column[R] {
		return report.Column[R]{Name: in + name, Of: func(r R) report.Value { return report.Tokens(value(of(r))) }}
	}
	columns := []report.Column[R]{
		column("requests", func(c judge.Cell) int64 { return c.N }),
		column("predicted_exactly", func(c judge.Cell) int64 { return c.Predicted }),
		column("tokens_read", func(c judge.Cell) int64 { return c.Read }),
		column("tokens_off", func(c judge.Cell) int64 { return c.Off.Abs }),
		column("tokens_off_signed", func(c judge.Cell) int64 { return c.Off.Signed }),
		column("tokens_naive_off", func(c judge.Cell) int64 { return c.Naive.Abs }),
		column("tokens_naive_off_signed", func(c judge.Cell) int64 { return c.Naive.Signed }),
	}
	return append(columns, report.Column[R]{Name: in + "classes", Of: func(r R) report.Value {
		classes := map[string]int64{}
		for k, n := range of(r).Class {
			if n > 0 {
				classes[recording.Class(k).String()] = n
			}
		}
		return report.Nested(classes)
	}})
}

// firstOf are the first requests of a repository's threads.
func firstOf(r judge.Repo) judge.Cell {
	c := r.Cells[judge.First][0]
	c.Plus(&r.Cells[judge.First][1])
	return c
}

func targets(r *judge.Repo) string {
	var missed []string
	if !stepsMet(r) {
		missed = append(missed, "steps under 99 %")
	}
	if !totalMet(r) {
		missed = append(missed, "total off by over 1 %")
	}
	if !r.All.Tells(judge.ByModel) {
		missed = append(missed, "kept or gone under 80 %")
	}
	if !better(r) {
		missed = append(missed, "no better than naive")
	}
	if missed == nil {
		return "met"
	}
	return strings.Join(missed, ", ")
}

// followed are the requests of one transition.
type followed struct {
	repo *judge.Repo
	judge.Cell
	by     judge.Transition
	within bool // the lifetime
}

func (v *validation) transitions() *report.Sheet {
	var rows []followed
	for i := range v.report.Repos {
		r := &v.report.Repos[i]
		for tr := range judge.First {
			for _, within := range []int{1, 0} {
				if c := r.Cells[tr][within]; c.N > 0 {
					rows = append(rows, followed{r, c, tr, within == 1})
				}
			}
		}
	}
	type col = report.Column[followed]
	class := func(head string, k recording.Class) col {
		return col{Head: head, Drop: 2, Of: func(f followed) report.Value { return report.Count(f.Class[k]) }}
	}
	return report.TableOf("transitions", rows, append([]col{
		repository(func(f followed) *judge.Repo { return f.repo }),
		{Name: "transition", Head: "TRANSITION", Of: func(f followed) report.Value { return report.Text(f.by.String()) }},
		{Name: "within_ttl", Head: "IN TTL", Of: func(f followed) report.Value { return report.Bool(f.within) }},
		{Head: " N", Drop: 1, Of: func(f followed) report.Value { return report.Count(f.N) }},
		class(" EXACT", recording.Exact), class(" OVER", recording.Over), class(" NEAR", recording.ShortNear),
		class(" LAG", recording.Visibility), class(" STATIC", recording.StaticPrefix), class(" ZERO", recording.Zero),
		{Head: " RIGHT", Of: func(f followed) report.Value { return report.Share(f.Predicted, f.N).Fine() }},
		{Head: " OFF", Drop: 1, Of: func(f followed) report.Value { return report.Count(f.Off.Abs) }},
		{Head: " NAIVE OFF", Drop: 1, Of: func(f followed) report.Value { return report.Count(f.Naive.Abs) }},
	}, reads("", func(f followed) judge.Cell { return f.Cell })...)...)
}

// missed are the requests of one cause.
type missed struct {
	repo  *judge.Repo
	cause recording.Cause
	lost  int64 // by every cause
}

func (v *validation) causes() *report.Sheet {
	var rows []missed
	for i := range v.report.Repos {
		r := &v.report.Repos[i]
		var lost int64
		for _, n := range r.Lost {
			lost += n
		}
		for k := range judge.Causes {
			if r.Missed[k] > 0 && (recording.Cause(k) != recording.NoCause || r.Residue[k] != 0) {
				rows = append(rows, missed{r, recording.Cause(k), lost})
			}
		}
	}
	type col = report.Column[missed]
	return report.TableOf("causes", rows,
		repository(func(m missed) *judge.Repo { return m.repo }),
		col{Name: "cause", Head: "CAUSE", Of: func(m missed) report.Value {
			return report.Text(m.cause.String()).As(cmp.Or(recording.Reason(m.cause.String()), "(read as expected)"))
		}},
		col{Name: "requests", Head: " REQUESTS", Drop: 1, Of: func(m missed) report.Value { return report.Count(m.repo.Missed[m.cause]) }},
		col{Name: "tokens_lost", Head: " LOST", Of: func(m missed) report.Value { return report.Count(m.repo.Lost[m.cause]) }},
		col{Head: " SHARE OF LOST", Drop: 3, Of: func(m missed) report.Value { return report.Share(m.repo.Lost[m.cause], m.lost) }},
		col{Name: "tokens_off", Head: " MODEL OFF", Of: func(m missed) report.Value { return report.Count(m.repo.Residue[m.cause]) }},
		col{Head: " SHARE OF READ", Drop: 2, Of: func(m missed) report.Value {
			c := m.repo.Followers()
			return report.Text(report.Percent3(m.repo.Residue[m.cause], c.Read))
		}})
}

func (v *validation) firsts() *report.Sheet {
	var rows []judge.Repo
	for i := range v.report.Repos {
		if r := v.report.Repos[i]; firstOf(r).N > 0 {
			rows = append(rows, r)
		}
	}
	type col = report.Column[judge.Repo]
	return report.TableOf("first_requests", rows, append([]col{
		repository(itself),
		{Head: " THREADS", Of: func(r judge.Repo) report.Value { return report.Count(firstOf(r).N) }},
		{Head: " CACHE READ", Of: func(r judge.Repo) report.Value { return report.Count(firstOf(r).Read) }},
		{Head: " SHARE OF READ", Drop: 3, Of: func(r judge.Repo) report.Value { return report.Share(firstOf(r).Read, r.Usage.Read).Fine() }},
		{Head: " EXACT", Of: func(r judge.Repo) report.Value { c := firstOf(r); return report.Share(c.Predicted, c.N) }},
		{Head: " OFF", Of: func(r judge.Repo) report.Value { return report.Count(firstOf(r).Off.Abs) }},
		{Head: " NAIVE OFF", Drop: 2, Of: func(r judge.Repo) report.Value { return report.Count(firstOf(r).Naive.Abs) }},
		{Head: " PREFIX KNOWN", Drop: 1, Of: func(r judge.Repo) report.Value { return report.Count(r.Known.N) }},
		{Head: " KNOWN EXACT", Drop: 1, Of: func(r judge.Repo) report.Value { return report.Share(r.Known.Predicted, r.Known.N) }},
		{Head: " KNOWN OFF", Drop: 1, Of: func(r judge.Repo) report.Value { return report.Count(r.Known.Off.Abs) }},
	}, append(reads("", firstOf), reads("prefix_known_", func(r judge.Repo) judge.Cell { return r.Known })...)...)...)
}

func (v *validation) agreement() *report.Sheet {
	type col = report.Column[judge.Agreement]
	return report.TableOf("server_diagnosis", v.report.Agreement,
		col{Name: "server", Head: "SERVER SAYS", Of: func(a judge.Agreement) report.Value { return report.Text(a.Server) }},
		col{Name: "inferred", Head: "WE INFER", Of: func(a judge.Agreement) report.Value {
			return report.Text(a.Ours.String()).As(cmp.Or(recording.Reason(a.Ours.String()), "no miss"))
		}},
		col{Name: "requests", Head: " REQUESTS", Drop: 1, Of: func(a judge.Agreement) report.Value { return report.Count(a.N) }},
		col{Name: "server_tokens", Head: " TOKENS IT NAMES", Drop: 2, Of: func(a judge.Agreement) report.Value { return report.Count(a.Missed) }},
		col{Name: "tokens_lost", Head: " TOKENS LOST", Drop: 2, Of: func(a judge.Agreement) report.Value { return report.Count(a.Lost) }},
		col{Name: "agree", Head: "AGREE", Of: func(a judge.Agreement) report.Value { return report.Text(agrees(a)) }})
}

// agrees says whether a diagnosis of the server and ours are one. A message that
// was not found is what an expired entry looks like; unavailable is no miss.
func agrees(a judge.Agreement) string {
	want := map[string][]recording.Cause{
		"tools_changed": {recording.ToolsCause}, "system_changed": {recording.SystemCause},
		"messages_changed": {recording.HistoryCause, recording.CompactCause, recording.ThinkingCause},
		"model_changed":    {recording.ModelCause}, "unavailable": {recording.NoCause, recording.HiddenCause},
		"previous_message_not_found": {recording.ExpiredCause, recording.HourCause, recording.CompactCause, recording.HistoryCause},
	}
	for _, c := range want[a.Server] {
		if c == a.Ours {
			return "yes"
		}
	}
	if a.Ours == recording.NoiseCause {
		return "no: usage alone does not show it"
	}
	return "no"
}

// band is how much of their prompts the steps after a gap read.
type band struct {
	gap judge.Band
	judge.Steps
}

func (v *validation) bestEffort() *report.Sheet {
	var rows []band
	for b := range judge.Bands {
		if st := v.observed.Steps[b]; st.N > 0 {
			rows = append(rows, band{b, st})
		}
	}
	type col = report.Column[band]
	part := func(name, head string, of func(band) int64) col {
		return col{Name: name, Head: head, Of: func(b band) report.Value { return report.Count(of(b)).As(report.Share(of(b), b.N).String()) }}
	}
	return report.TableOf("best_effort", rows,
		col{Name: "gap", Head: "GAP", Of: func(b band) report.Value { return report.Text(b.gap.String()) }},
		col{Name: "steps", Head: " STEPS", Of: func(b band) report.Value { return report.Count(b.N) }},
		part("full", " WHOLE PROMPT READ", func(b band) int64 { return b.Full }),
		part("partial", " PART", func(b band) int64 { return b.Partial }),
		part("collapsed", " AT MOST 12 K", func(b band) int64 { return b.Collapsed }))
}

// leftOut are the sessions that were not judged, for machines.
func (v *validation) leftOut() *report.Sheet {
	type col = report.Column[judge.Unplayable]
	return report.TableOf("left_out", v.report.Unplayable,
		col{Name: "why", Of: func(u judge.Unplayable) report.Value { return report.Text(u.Why) }},
		col{Name: "sessions", Of: func(u judge.Unplayable) report.Value { return report.Count(u.Sessions) }},
		col{Name: "requests", Of: func(u judge.Unplayable) report.Value { return report.Count(u.Requests) }})
}

// forks are the first requests of forked threads, for machines.
func (v *validation) forks() *report.Sheet {
	type col = report.Column[judge.ForkStart]
	return report.TableOf("forks", v.observed.Forks,
		col{Name: "tokens_prompt", Of: func(f judge.ForkStart) report.Value { return report.Tokens(f.Prompt) }},
		col{Name: "tokens_read", Of: func(f judge.ForkStart) report.Value { return report.Tokens(f.Read) }})
}

// notes are the lines below the tables.
func (v *validation) notes(d *report.Document) {
	var prompt, read, resets, late int64
	for i := range v.report.Repos {
		r := &v.report.Repos[i]
		prompt += r.Usage.Prompt()
		read += r.Usage.Read
		resets += r.Resets
		late += r.Late
	}
	if prompt > 0 {
		d.Label("bands", fmt.Sprintf("%s of all prompt tokens were read (Anthropic's cost guide: agent loops 81–90 %%; Claude Code 92–96 %%) · %s of the resets came after a gap over 5 minutes (about 77 %%)",
			report.Percent(read, prompt), report.Percent(late, resets)))
	}
	if o := v.observed; o.Requests > 0 {
		d.Label("codex", fmt.Sprintf("%s of %s read a multiple of 128 tokens · %s", ui.Count(o.Rounded), ui.Things(o.Requests, "request"), forkStarts(o.Forks)))
	}
	if len(v.report.Repos) == 0 {
		d.Label("judged", "nothing: no target was compared with anything")
	} else {
		d.Label("targets", "99 % of the steps exact, visibility lag aside · the total within 1 % · kept and gone told for 80 % each, which reading everything and swapped TTLs miss")
		d.Label("expected", fmt.Sprintf("loss: what prompts cost beyond the model's word, by transition, at the rates of the other half of a repository's sessions (%d and %d of all)",
			v.report.Sessions[0], v.report.Sessions[1]))
		d.Label("assumed", "a request of the client's own after each answer before a user turn · positions: a block for each line of an answer, one for what follows · the static prefix as earlier threads of the same version, model and type read it, kept warm by others where most lookups so far found it so")
		d.Label("unverified", strings.Join(v.report.Options, " · "))
	}
	d.Field("unverified_assumptions", report.List(v.report.Options))
	loading.TellSkipped(d, v.skipped)
}

// forkStarts says what forked threads read first.
func forkStarts(forks []judge.ForkStart) string {
	if len(forks) == 0 {
		return "no forked thread"
	}
	least, most, lost := forks[0].Read, forks[0].Read, int64(0)
	for _, f := range forks {
		least, most = min(least, f.Read), max(most, f.Read)
		lost += f.Prompt - f.Read
	}
	read := ui.Count(least)
	if most != least {
		read += " to " + ui.Count(most)
	}
	return fmt.Sprintf("%s read %s tokens first and sent %s anew", ui.Things(int64(len(forks)), "forked thread"), read, ui.Count(lost))
}
