package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"agentsim/cachemodel"
	"agentsim/metrics"
	"agentsim/sim/llm"
)

// Row is one variant's run.
type Row struct {
	Variant string
	Run     *metrics.Run
	// Units are what the run takes of a plan that counts in Unit, "" for none.
	Units int64
	Unit  string
}

func variantName(r Row) string {
	if r.Variant == "" {
		return "(only)"
	}
	return r.Variant
}

// wakeUps prints how often and at how many tokens of prefix on average an agent
// was woken, as 8 × 31.0 k.
func wakeUps(t *metrics.Tally) string {
	if t.WakeUps == 0 {
		return "0"
	}
	return fmt.Sprintf("%d × %s", t.WakeUps, Quantity(round(t.WakeUpTokens, t.WakeUps)))
}

// WakeUps says of each variant what its wake-ups cost, where that is at least one per
// cent of a bill that is known.
func WakeUps(rows []Row) (out []Remark) {
	for _, r := range rows {
		t := &r.Run.Total
		if t.WakeUps == 0 || len(r.Run.Unpriced()) > 0 || t.WakeUpCost < t.Cost/100 || t.WakeUpCost < visible {
			continue
		}
		noun := "re-invocations"
		if t.WakeUps == 1 {
			noun = "re-invocation"
		}
		out = append(out, Remark{fmt.Sprintf("%s paid %s for the prompts of %d %s at %s tokens of prefix on average, %s of its bill", variantName(r),
			Money(t.WakeUpCost), t.WakeUps, noun, Quantity(round(t.WakeUpTokens, t.WakeUps)), Percent(int64(t.WakeUpCost), int64(t.Cost))), int64(t.WakeUpCost)})
	}
	return out
}

func done(o metrics.Outcomes) string {
	if o.Total == 0 {
		return "–"
	}
	return fmt.Sprintf("%d/%d", o.Done, o.Total)
}

// cost is the run's bill, or a question mark while a price is unknown.
func cost(r *metrics.Run) Value {
	if len(r.Unpriced()) > 0 {
		return None().As("?")
	}
	return Dollars(r.Total.Cost)
}

// lostFor is what a variant's calls missed for one reason.
type lostFor struct {
	variant, reason string
	metrics.Missed
}

// Misses says one line for each reason that made a call miss; nothing when none
// did.
func Misses(rows []Row) *Sheet {
	var list []lostFor
	for _, r := range rows {
		for i, m := range r.Run.Total.Misses {
			if m.Calls > 0 {
				list = append(list, lostFor{variantName(r), llm.MissReason(i).String(), m})
			}
		}
	}
	return TableOf("", list,
		Column[lostFor]{Name: "variant", Head: "VARIANT", Of: func(m lostFor) Value { return Text(m.variant) }},
		Column[lostFor]{Name: "reason", Head: "MISS REASON", Of: func(m lostFor) Value { return Text(m.reason) }},
		Column[lostFor]{Name: "calls", Head: " CALLS", Of: func(m lostFor) Value { return Count(m.Calls) }},
		Column[lostFor]{Name: "tokens", Head: " TOKENS WRITTEN AGAIN", Of: func(m lostFor) Value { return Tokens(m.Lost) }})
}

// Why says in a line for each further variant that did the same work what makes
// its bill differ from the cheapest one's, largest part first. Variants that had work
// of another size are compared among themselves. A difference of
// less than a hundredth of the cheapest bill is left out, an equal bill is told.
// Where no variant did all of its work that is said instead.
// Nothing is said of one variant alone or while a bill is not known.
func Why(rows []Row) []string {
	if len(rows) > 1 && !slices.ContainsFunc(rows, func(r Row) bool { return didAll(r.Run) || len(r.Run.Unpriced()) > 0 }) {
		return []string{"no bills are compared: no variant did all of the work"}
	}
	var out []string
	for _, group := range bySize(rows) {
		best := cheapest(group)
		if best < 0 {
			continue
		}
		for i, r := range group {
			if i != best && sameWork(r.Run, group[best].Run) && tells(r.Run.Total.Cost, group[best].Run.Total.Cost) {
				out = append(out, difference(r, group[best]))
			}
		}
		out = append(out, decided(group, best)...)
	}
	return out
}

// bySize are the rows whose variants had as many items of work, in the order of the
// first of each.
func bySize(rows []Row) (groups [][]Row) {
	for _, r := range rows {
		same := func(g []Row) bool { return g[0].Run.Items.Total == r.Run.Items.Total }
		if i := slices.IndexFunc(groups, same); i >= 0 {
			groups[i] = append(groups[i], r)
		} else {
			groups = append(groups, []Row{r})
		}
	}
	return groups
}

// tells reports whether a bill is the cheapest one, or a hundredth of it away.
func tells(bill, best cachemodel.Picodollars) bool {
	return bill == best || abs(bill-best) >= best/100
}

// difference is one line: how much more r costs than the cheapest, and for what.
func difference(r, best Row) string {
	diff := r.Run.Total.Cost - best.Run.Total.Cost
	text := fmt.Sprintf("%s costs %s more than %s", variantName(r), Money(diff), variantName(best))
	if diff < visible {
		text = fmt.Sprintf("%s costs the same as %s", variantName(r), variantName(best))
	}
	if what := reasons(best, r); what != "" {
		text += ": " + what
	}
	return text + again(best.Run.Total, r.Run.Total)
}

// decided says which variant would be the cheapest had no call missed, where that is
// another one than is.
func decided(group []Row, best int) []string {
	first := best
	hits := func(i int) cachemodel.Picodollars {
		return group[i].Run.Total.Cost - group[i].Run.Total.AllMisses().Cost
	}
	for i, r := range group {
		if sameWork(r.Run, group[best].Run) && hits(i) < hits(first) {
			first = i
		}
	}
	if first == best {
		return nil
	}
	var reasons []string
	for i, m := range group[first].Run.Total.Misses {
		if m.Calls > 0 {
			reasons = append(reasons, llm.MissReason(i).String())
		}
	}
	own := ""
	if hits(best) < group[best].Run.Total.Cost {
		own = " without its own"
	}
	return []string{fmt.Sprintf("misses decide which is the cheapest: without its %s (%s) %s would cost %s, and %s%s %s", count(group[first].Run.Total.AllMisses().Calls, "miss", "misses"),
		strings.Join(reasons, ", "), variantName(group[first]), Money(hits(first)), variantName(group[best]), own, Money(hits(best)))}
}

// NearMisses says of each variant which calls read what had nearly expired, where writing
// that again would have cost at least one per cent of a bill that is known. What would
// change who is the cheapest weighs most.
func NearMisses(rows []Row) (out []Remark) {
	for _, r := range rows {
		n := r.Run.Narrow
		if n.Calls == 0 || len(r.Run.Unpriced()) > 0 || n.Cost < r.Run.Total.Cost/100 || n.Cost < visible {
			continue
		}
		weight, led := int64(n.Cost), overtaken(rows, r, n.Cost)
		if led != "" {
			weight = math.MaxInt64
		}
		out = append(out, Remark{fmt.Sprintf("%s had %s read the cache in the last tenth of a TTL, closest to expiry %s before %s were over (%s, call %d); too late, they would have cost %s more",
			variantName(r), count(n.Calls, "call", "calls"), Time(n.Left), Time(n.Life), n.Lineage, n.Number, Money(n.Cost)) + led, weight})
	}
	return out
}

// overtaken says who would be the cheapest of those that did as much if the cheapest one
// cost so much more; "" where that is nobody else.
func overtaken(rows []Row, best Row, more cachemodel.Picodollars) string {
	next := -1
	for i, r := range rows {
		switch {
		case r.Variant == best.Variant || !sameWork(r.Run, best.Run):
		case r.Run.Total.Cost < best.Run.Total.Cost:
			return ""
		case next < 0 || r.Run.Total.Cost < rows[next].Run.Total.Cost:
			next = i
		}
	}
	if next < 0 || rows[next].Run.Total.Cost >= best.Run.Total.Cost+more {
		return ""
	}
	return ", and " + variantName(rows[next]) + " would be the cheapest"
}

// again says how much more r's misses paid for again than those of the cheapest, by the
// reason for which that is most of what r wrote more; "" for none.
func again(best, r metrics.Tally) string {
	for i, m := range r.Misses {
		calls, lost := m.Calls-best.Misses[i].Calls, m.Lost-best.Misses[i].Lost
		if more := r.Usage.Written() - best.Usage.Written(); calls > 0 && more > 0 && 2*lost > more {
			return fmt.Sprintf("; it writes %s tokens more, and misses made it pay for %s again (%s: %s more)", Quantity(more), Quantity(lost), llm.MissReason(i), count(calls, "call", "calls"))
		}
	}
	return ""
}

// reasons says what makes r's bill differ from the cheapest one's. Where they have
// other models, or pay other prices for them, the price of a token is first, and the parts are what other amounts come to at
// the dearer side's price.
func reasons(best, r Row) string {
	a, b := best.Run.Parts(), r.Run.Parts()
	ofA, pricesA := models(best.Run)
	ofB, pricesB := models(r.Run)
	which := fmt.Sprintf("%s; %s has %s", strings.Join(ofB, ", "), variantName(best), strings.Join(ofA, ", "))
	switch {
	case slices.Equal(ofA, ofB) && slices.Equal(pricesA, pricesB):
		return parts(a, b)
	case slices.Equal(ofA, ofB):
		which = fmt.Sprintf("%s at other prices than %s has", strings.Join(ofB, ", "), variantName(best))
	}
	var amounts metrics.Parts
	x, y := best.Run.Total.Usage, r.Run.Total.Usage
	amounts.Input = amount(a.Input, b.Input, x.Input, y.Input)
	amounts.Written = amount(a.Written, b.Written, x.Written(), y.Written())
	amounts.Read = amount(a.Read, b.Read, x.Read, y.Read)
	amounts.Output = amount(a.Output, b.Output, x.Output, y.Output)
	whole := b.Total() - a.Total()
	price := whole - amounts.Total()
	places, least := precision(whole)
	if abs(price) < least {
		return parts(a, b)
	}
	word := "dearer"
	if price < 0 {
		word = "cheaper"
	}
	text := fmt.Sprintf("its tokens are %s %s (%s)", word, signed(price, places), which)
	if more := largest(amounts, places, least); more != "" {
		text += ", " + more
	}
	return text
}

// models are the names of the models that a run paid for, and their prices, in the order
// of the names.
func models(r *metrics.Run) (names, prices []string) {
	for _, m := range r.Models { // by name
		if m.Cost.Total() != 0 {
			names, prices = append(names, m.Name), append(prices, m.Prices)
		}
	}
	return names, prices
}

// amount is what n tokens cost more than m, at the dearer price of the two sides.
func amount(a, b cachemodel.Picodollars, m, n int64) cachemodel.Picodollars {
	if m == 0 || n == 0 {
		return b - a
	}
	return cachemodel.Picodollars(math.Round(float64(n-m) * max(float64(a)/float64(m), float64(b)/float64(n))))
}

// cheapest is the run with the smallest bill among those that did all of their work,
// and the most of it; -1 when there is none and when bills cannot be compared.
func cheapest(rows []Row) int {
	best := -1
	for i, r := range rows {
		if len(r.Run.Unpriced()) > 0 || len(rows) < 2 {
			return -1
		}
		if didAll(r.Run) && (best < 0 || better(r.Run, rows[best].Run)) {
			best = i
		}
	}
	return best
}

// Cheapest names the row with the smallest bill among those that did all of their work,
// and the most of it; "" when there is none and when bills cannot be compared.
func Cheapest(rows []Row) string {
	if i := cheapest(rows); i >= 0 {
		return rows[i].Variant
	}
	return ""
}

// didAll reports whether a run finished with all of its items done.
func didAll(r *metrics.Run) bool { return r.Finished() && r.Items.Done == r.Items.Total }

// better reports whether a did more than b, or as much for less.
func better(a, b *metrics.Run) bool {
	if a.Items.Done != b.Items.Done {
		return a.Items.Done > b.Items.Done
	}
	return a.Total.Cost < b.Total.Cost
}

// sameWork reports whether a run did the work of another one, which finished:
// as many of as many items or, without items, the conversations of the same
// roots.
func sameWork(a, b *metrics.Run) bool {
	if !a.Finished() || a.Items.Total != b.Items.Total || a.Items.Done != b.Items.Done {
		return false
	}
	return a.Items.Total > 0 || slices.Equal(roots(a), roots(b))
}

// roots lists the lineages of a run's roots, sorted.
func roots(r *metrics.Run) (names []string) {
	for i := range r.Agents {
		if a := &r.Agents[i]; a.Parent < 0 && a.Lineage != "" {
			names = append(names, a.Lineage)
		}
	}
	slices.Sort(names)
	return names
}

// visible is the smallest amount that Money does not print as nothing.
const visible = 50_000_000

// tenCents is the smallest amount that Money prints in whole cents.
const tenCents = 100_000_000_000

// parts prints how bill b differs from a by what was paid for, in one precision,
// that of the whole difference. What prints as nothing, or is less than a
// hundredth of the difference, is left out.
func parts(a, b metrics.Parts) string {
	places, least := precision(b.Total() - a.Total())
	return largest(metrics.Parts{Input: b.Input - a.Input, Written: b.Written - a.Written, Read: b.Read - a.Read, Output: b.Output - a.Output}, places, least)
}

// precision is in how many places the parts of a difference are printed, and the
// smallest that is.
func precision(whole cachemodel.Picodollars) (places int, least cachemodel.Picodollars) {
	places, least = 4, visible
	if whole = abs(whole); whole >= tenCents {
		places, least = 2, visible*100
	}
	return places, max(least, whole/100)
}

// largest prints parts of a difference, the largest first.
func largest(p metrics.Parts, places int, least cachemodel.Picodollars) string {
	deltas := []struct {
		what string
		d    cachemodel.Picodollars
	}{{"cache write", p.Written}, {"cache read", p.Read}, {"output", p.Output}, {"uncached input", p.Input}}
	text := ""
	for range deltas {
		at := 0
		for i := range deltas {
			if abs(deltas[i].d) > abs(deltas[at].d) {
				at = i
			}
		}
		if abs(deltas[at].d) < least {
			break
		}
		if text != "" {
			text += ", "
		}
		text += deltas[at].what + " " + signed(deltas[at].d, places)
		deltas[at].d = 0
	}
	return text
}

func abs(p cachemodel.Picodollars) cachemodel.Picodollars { return max(p, -p) }

func signed(p cachemodel.Picodollars, places int) string {
	if p > 0 {
		return "+" + dollars(p, places)
	}
	return dollars(p, places)
}

// Elsewhere says in a line what makes a variant's bill differ from what it comes to on
// another project: the parts of the bill, and how many calls of what size there are.
func Elsewhere(here, there Row) string {
	diff := here.Run.Total.Cost - there.Run.Total.Cost
	word := "more"
	if diff < 0 {
		word = "less"
	}
	text := fmt.Sprintf("%s costs %s %s here", variantName(here), Money(abs(diff)), word)
	if what := parts(there.Run.Parts(), here.Run.Parts()); what != "" {
		text += ": " + what
	}
	if a, b := done(here.Run.Items), done(there.Run.Items); a != b {
		text += fmt.Sprintf("; %s done here, %s there", a, b)
	}
	return text + fmt.Sprintf("; %s here, %s there", callsOf(here.Run), callsOf(there.Run))
}

// callsOf is how many calls a run made, and how large their prompts were on average.
func callsOf(r *metrics.Run) string {
	t := &r.Total
	return fmt.Sprintf("%s calls of %s tok", Quantity(t.Calls), Quantity(t.Usage.Prompt()/max(t.Calls, 1)))
}
