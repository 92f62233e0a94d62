package run

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"agentsim/cmd/internal/ui"
	"agentsim/scenarios"
	"agentsim/sim"
	"agentsim/sim/transcript"
)

// seen is a transcript.Sink that keeps what a run's report says beside its figures:
// the latest word about each item of work, and the findings.
type seen struct {
	items    map[string]verdict
	causes   []cause
	lineages map[int32]string
}

// verdict is how an item ended.
type verdict struct {
	transcript.Item
	late bool            // it was found wrong after it was said to be done
	of   *scenarios.Item // in the scenario
}

// Emit takes one event in.
func (s *seen) Emit(e *transcript.Event) {
	switch b := e.Body.(type) {
	case *transcript.Item:
		was := s.items[b.Item]
		s.items[b.Item] = verdict{Item: *b, late: b.Outcome == transcript.Wrong && (was.Outcome == transcript.Done || was.Outcome == transcript.Rework || was.late)}
	case *transcript.AgentStart:
		s.lineages[e.Agent] = b.Lineage
	case *transcript.Finding:
		s.found(b, s.lineages[e.Agent])
	}
}

// left are the ids of the statements that a minimal stack leaves, as its findings of
// rule minimal name them.
func (s *seen) left() (ids []string) {
	for _, c := range s.causes {
		if about, _, _ := strings.Cut(c.Detail, ":"); c.Rule == "minimal" {
			ids = append(ids, about)
		}
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// verdicts are those on all items of a scenario; of those that nobody spoke of it is
// unsaid.
func (s *seen) verdicts(sc *scenarios.Scenario) (out []verdict) {
	for i := range sc.Work {
		v, spoken := s.items[sc.Work[i].ID]
		if v.of = &sc.Work[i]; !spoken {
			v.Item = transcript.Item{Item: v.of.ID, Outcome: unsaid}
		}
		out = append(out, v)
	}
	return out
}

// unsaid is the outcome of an item that nobody reported.
const unsaid = "unsaid"

// maxUndone is how many items, and of each how many things that were missing, a
// line names.
const maxUndone = 3

// maxAlike is how many variants a line names of which the same is true.
const maxAlike = 4

// undone says which items variants failed or that came out wrong, and for want of what,
// in a line for those of whom the same is true. Nothing is said of a variant without any.
func undone(done []executed) (out []string) {
	var order []string
	who := map[string][]string{}
	for _, x := range done {
		var said []string
		n := 0
		for i := range x.verdicts {
			text := x.verdicts[i].undone()
			if text == "" {
				continue
			}
			if n++; n <= maxUndone {
				said = append(said, text)
			}
		}
		if n > maxUndone {
			said = append(said, fmt.Sprintf("and %d more", n-maxUndone))
		}
		if n == 0 {
			continue
		}
		text := fmt.Sprintf(" left %d of %s undone: ", n, ui.Plural(int(x.Metrics.Items.Total), "item")) + strings.Join(said, ", ")
		if who[text] == nil {
			order = append(order, text)
		}
		who[text] = append(who[text], variantOf(x))
	}
	for _, text := range order {
		names := who[text]
		if n := len(names) - maxAlike; n > 0 {
			names = append(names[:maxAlike], fmt.Sprintf("%d more", n))
		}
		out = append(out, strings.Join(names, ", ")+text)
	}
	return out
}

// notRead says in a line for each variant which items were done by somebody who
// never had the content of all that the scenario says they read.
func notRead(done []executed) (out []string) {
	for _, x := range done {
		if text := x.notRead(); text != "" {
			out = append(out, variantOf(x)+": "+text+`, by whoever did the item (reads: [PATH] makes reading required)`)
		}
	}
	return append(out, onlyAnswered(done)...)
}

// onlyAnswered says which items ask for nothing but an answer, where nothing says
// that this is meant: a kind, what they come after, or facts that they yield.
func onlyAnswered(done []executed) []string {
	var items []string
	for _, x := range done {
		for i := range x.Spec.Scenario.Work {
			it := &x.Spec.Scenario.Work[i]
			if it.Kind != "answer" && len(it.Knows)+len(it.Reads)+len(it.FoundIn)+len(it.Edits)+len(it.Runs)+len(it.After)+len(it.Yields) == 0 && !slices.Contains(items, it.ID) {
				items = append(items, it.ID)
			}
		}
	}
	if len(items) == 0 {
		return nil
	}
	what := "work item " + items[0] + " reads, knows, edits and runs nothing: whoever does it only answers"
	if n := len(items) - 1; n > 0 {
		what += fmt.Sprintf(", and so with %d more", n)
	}
	return []string{what + `; add reads: [PATH], or kind: answer`}
}

// notAsked says how many messages of the user ask for none of the work, in the first
// variant that has such. Those that come at an instant, on an event or with an interrupt
// may be about work that goes on.
func notAsked(done []executed) []string {
	for _, x := range done {
		sc := x.Spec.Scenario
		if len(sc.Work) == 0 || sc.Main == nil {
			continue
		}
		messages, idle := 0, 0
		for i := range sc.Main.Then {
			t := &sc.Main.Then[i]
			if t.Message == nil || t.To != "" {
				continue
			}
			if messages++; len(t.Asks) == 0 && t.At == nil && t.On == nil && !t.Interrupt {
				idle++
			}
		}
		if idle > 0 {
			return []string{fmt.Sprintf("%d of %s after the first ask for no item of work, so that each is only answered; {message: …, asks: [%s]} has an item wait for its message", idle, ui.Plural(messages, "message"), sc.Work[0].ID)}
		}
	}
	return nil
}

// readBefore says in a line for each variant of which items whoever did them did not
// read all files, since they stood in the request already.
func readBefore(done []executed) (out []string) {
	for _, x := range done {
		var items []string
		files, all := 0, 0
		for _, b := range x.Result.Before {
			items, files, all = append(items, b.Item), files+b.Files, all+b.All
		}
		if len(items) > 0 {
			out = append(out, fmt.Sprintf("%s: %d of the %s of %s, in the request of whoever did the item already", variantOf(x), files,
				ui.Plural(all, "file"), inWorkOrder(items, x.Spec.Scenario)))
		}
	}
	return out
}

// notRead counts the files that a variant's items read and nobody read, and names
// the items; "" where there are none.
func (x *executed) notRead() string {
	var items []string
	unread, reads := 0, 0
	for i := range x.verdicts {
		if v := &x.verdicts[i]; len(v.Unread) > 0 {
			items, unread, reads = append(items, v.of.ID), unread+len(v.Unread), reads+v.Reads
		}
	}
	if len(items) == 0 {
		return ""
	}
	return fmt.Sprintf("%d of the %s of %s", unread, ui.Plural(reads, "file"), inWorkOrder(items, x.Spec.Scenario))
}

// unequal says that variants did not do equal work, and what each left unread of
// what their items read; nothing where all left the same.
func unequal(done []executed) []string {
	same, said := true, []string(nil)
	left := func(x *executed) map[string][]string {
		out := map[string][]string{}
		for _, v := range x.verdicts {
			if len(v.Unread) > 0 {
				out[v.of.ID] = v.Unread
			}
		}
		return out
	}
	for i := range done {
		same = same && maps.EqualFunc(left(&done[i]), left(&done[0]), slices.Equal)
		if text := done[i].notRead(); text != "" {
			said = append(said, variantOf(done[i])+" did not read "+text)
		}
	}
	if same {
		return nil
	}
	return []string{"the variants did not do equal work: " + strings.Join(said, "; ")}
}

// inWorkOrder names some items in the order of the scenario.
func inWorkOrder(items []string, sc *scenarios.Scenario) string {
	var names []string
	for i := range sc.Work {
		if slices.Contains(items, sc.Work[i].ID) {
			names = append(names, sc.Work[i].ID)
		}
	}
	if n := len(names) - maxUndone; n > 0 {
		return strings.Join(names[:maxUndone], ", ") + fmt.Sprintf(" and %d more", n)
	}
	return strings.Join(names, ", ")
}

// undone is what became of an item that was not done, "" for one that was.
func (v *verdict) undone() string {
	switch v.Outcome {
	case transcript.Wrong:
		if v.late && len(v.of.Pitfalls)+len(v.of.MisledBy) > 0 {
			return v.of.ID + " (wrong: what it changed has a defect)"
		}
		return v.of.ID + " (wrong: it goes by an old version of a file)"
	case unsaid:
		return v.of.ID + " (nobody reported it)"
	case transcript.Failed:
	default:
		return ""
	}
	var names []string
	for _, m := range v.Missing {
		if len(names) == maxUndone {
			names = append(names, "…")
			break
		}
		names = append(names, wanting(m, v.of))
	}
	if text := strings.Join(names, ", "); text != "" {
		return v.of.ID + " (" + text + ")"
	}
	return v.of.ID
}

// wanting is the name of something missing, as a report's mark has it, in words.
func wanting(name string, it *scenarios.Item) string {
	kind, rest, _ := strings.Cut(name, ":")
	switch {
	case name == "run":
		return "its command fails"
	case name == "barred":
		return "its command was not allowed to run"
	case name == "report":
		return "no report"
	case kind == "unread":
		return "did not read " + rest
	case kind == "unrun":
		words, why, _ := strings.Cut(rest, ": ")
		return strings.TrimSuffix("did not run `"+words+"`: "+why, ": ")
	case kind == "timeout":
		return "`" + rest + "` timed out"
	case kind == "item":
		return "waits for " + rest
	case kind == "defect":
		return "tests fail over " + rest
	case slices.Contains(it.MisledBy, name):
		return "misled by " + name
	case name == "":
		return ""
	}
	return "lacks " + strings.Replace(name, "gist:", "summary of ", 1)
}

// leaves says in a line for each group of variants of the minimal stack
// what they do otherwise than the full one.
func leaves(done []executed) (out []string) {
	var sets []string
	of := map[string][]string{}
	for _, x := range done {
		words := slices.Clone(x.leaves)
		for i, id := range words {
			words[i] = sim.Departure(id)
		}
		if set := strings.Join(words, "; "); set != "" {
			if of[set] == nil {
				sets = append(sets, set)
			}
			of[set] = append(of[set], variantOf(x))
		}
	}
	for _, set := range sets {
		out = append(out, strings.Join(of[set], ", ")+": "+set)
	}
	return out
}

// variantOf names a variant; a scenario without variants goes by its own name.
func variantOf(x executed) string {
	if x.Spec.Variant == "" {
		return x.Spec.Scenario.Name
	}
	return x.Spec.Variant
}
