package lint

import (
	"slices"
	"strconv"
	"strings"

	"agentsim/sim/llm"
	"agentsim/sim/mark"
)

// lazy looks for prompts that hand the understanding on. What a prompt asks for
// itself is no such thing: a fresh worker that is to find something out and then
// to recommend something on that ground understands it. A fork has the findings.
func (j *judge) lazy() {
	j.prompts(func(o *order) {
		if !o.again && !j.fresh(o) {
			return
		}
		for _, at := range lazyWords().FindAllStringIndex(o.prompt, -1) {
			if j.leavesToWorker(o, at) {
				j.found(j.place(o.call, o.block), j.name(o.to), "the worker is told to go by findings that the prompt does not state",
					excerptAt(o.prompt, at[0], at[1]))
				return
			}
		}
	})
}

// leavesToWorker tells an order to act on findings from one to give an account
// of those that the same prompt asks for.
func (j *judge) leavesToWorker(o *order, at []int) bool {
	if strings.ContainsAny(o.prompt[max(0, at[0]-1):at[0]], "\"'`“‘") {
		return false // quoted: somebody speaks of the phrase
	}
	from, to := sentence(o.prompt, at[0], at[1])
	before, after := plain(o.prompt[from:at[0]]), plain(o.prompt[at[1]:to])
	switch {
	case reportWords().MatchString(before):
		return o.again
	case actWords().MatchString(before):
		return true
	case firstReport().MatchString(after):
		return o.again
	}
	return actWords().MatchString(after) || !toldWords().MatchString(before)
}

// selfContained looks for prompts that lack what their workers need: by the items
// that they give out, else by words. Nobody says what else a simulated worker
// needs, but for findings that its prompt goes by.
func (j *judge) selfContained() {
	j.prompts(func(o *order) {
		if len(o.items) > 0 {
			j.lacking(o)
		} else if j.fresh(o) && (j.run.Work == nil || lazyWords().MatchString(o.prompt)) && !pathWords().MatchString(o.prompt) && j.needsFiles(o) {
			j.found(j.place(o.call, o.block), j.name(o.to), "the prompt names no path, no line and no file", excerpt(o.prompt))
		}
	})
}

// fileTools work on the project.
var fileTools = append([]string{"Glob", "Edit", "MultiEdit", "NotebookEdit", "LS", "list_files", "edit_file"}, lookingTools...)

// needsFiles reports whether an order is about files: its worker used a tool on
// them, or the record does not tell.
func (j *judge) needsFiles(o *order) bool {
	calls := j.work(o)
	return len(calls) == 0 || slices.ContainsFunc(calls, func(c *Call) bool {
		return slices.ContainsFunc(c.Tools, func(u ToolUse) bool { return slices.Contains(fileTools, u.Name) })
	})
}

// lacking goes by knowledge: a fact that an item needs stands neither in what
// its worker was told nor in a file that it can look into.
func (j *judge) lacking(o *order) {
	if o.to >= 0 && j.run.Agents[o.to].Structure == "fork" {
		return
	}
	var missing []string
	for _, it := range o.items {
		for _, need := range it.Needs {
			if !j.has(o, need) && (j.missed(o, it, need) || !j.canFind(o, need)) && !slices.Contains(missing, need) {
				missing = append(missing, need)
			}
		}
	}
	if len(missing) > 0 {
		j.found(j.place(o.call, o.block), j.name(o.to), "neither told nor to be found: "+strings.Join(missing, ", "), excerpt(o.prompt))
	}
}

// has reports whether a worker knows a fact when it begins: it stands in the
// prompt, or in what its conversation held before.
func (j *judge) has(o *order, need string) bool {
	found := false
	scan := func(text string) {
		j.run.Work.Marks.Scan(text, func(m mark.Mark) {
			found = found || m.Verb == mark.Fact && m.Args[0] == need || m.Verb == mark.File && "file:"+m.Args[0] == need
		})
	}
	scan(o.prompt)
	for i := range j.run.Calls {
		c := &j.run.Calls[i]
		if c.Agent != o.to {
			continue
		}
		for k := range c.Said {
			scan(c.Said[k].Text)
		}
		if found || c.From >= o.span.From {
			break // the first request that holds the prompt
		}
	}
	return found
}

// missed reports whether the worker itself said that it lacked what the item
// needs: it looked, and did not find it.
func (j *judge) missed(o *order, it *Item, need string) (lacked bool) {
	for _, c := range j.work(o) {
		for i := range c.Answer {
			j.run.Work.Marks.Scan(c.Answer[i].Text, func(m mark.Mark) {
				lacked = lacked || m.Verb == mark.Failed && m.Args[0] == it.ID && slices.Contains(strings.Split(m.Args[1], ","), need)
			})
		}
	}
	return lacked
}

// lookingTools let a worker find what stands in files.
var lookingTools = []string{"Read", "Grep", "Bash", "read_file", "grep_search", "run_shell"}

// canFind reports whether a worker can look up what it was not told: it stands
// in a file, and the worker has a tool that shows files. So does a place that the
// prompt names.
func (j *judge) canFind(o *order, need string) bool {
	if o.to >= 0 && j.run.Agents[o.to].Tools != nil && !slices.ContainsFunc(lookingTools, func(t string) bool {
		return slices.Contains(j.run.Agents[o.to].Tools, t)
	}) {
		return false
	}
	for _, kind := range []string{"file:", "gist:"} {
		if strings.HasPrefix(need, kind) {
			return true
		}
	}
	at := false
	j.run.Work.Marks.Scan(o.prompt, func(m mark.Mark) { at = at || m.Verb == mark.At && m.Args[0] == need })
	return at || slices.ContainsFunc(j.run.Work.Facts, func(f Fact) bool { return f.Name == need && f.File != "" })
}

// purpose looks for prompts that do not say what their result is for. A message
// to a worker that is there goes on with a purpose that it knows.
func (j *judge) purpose() {
	j.prompts(func(o *order) {
		if !o.again && !purposeWords().MatchString(o.prompt) {
			j.found(j.place(o.call, o.block), j.name(o.to), "nothing says what the result is for", excerpt(o.prompt))
		}
	})
}

// model looks for calls that set the worker's model.
func (j *judge) model() {
	for _, o := range j.orders {
		if o.block == nil || o.block.Kind != llm.ToolUse.String() {
			j.notJudged(j.place(o.call, o.block), "the tool use that spawned the worker is not in the record")
			continue
		}
		j.sum.Judged++
		if o.model != "" {
			j.found(j.place(o.call, o.block), j.name(o.to), "model "+o.model+" is set", excerpt(o.about))
		}
	}
}

// Limits of a trivial question.
const (
	trivialBytes = 200
	trivialUses  = 1
)

// trivial looks for short questions that took their worker one look at most.
func (j *judge) trivial() {
	j.prompts(func(o *order) {
		uses, known := j.uses(o)
		if o.again || !known || uses > trivialUses {
			return
		}
		text := strings.TrimSpace(plain(o.prompt))
		if len(text) <= trivialBytes && (strings.HasSuffix(text, "?") || askWords().MatchString(text)) {
			j.found(j.place(o.call, o.block), j.name(o.to), "a short question, and its worker used "+count(uses, "tool"), excerpt(text))
		}
	})
}

// uses is how many tools the worker of an order used for it; known is false when
// nothing of the worker is on record.
func (j *judge) uses(o *order) (n int, known bool) {
	for _, c := range j.work(o) {
		n, known = n+len(c.Tools), true
	}
	return n, known
}

// work are the calls that a worker made for an order.
func (j *judge) work(o *order) (out []*Call) {
	for i := range j.run.Calls {
		c := &j.run.Calls[i]
		if o.to >= 0 && c.Agent == o.to && c.From >= o.span.From && c.From <= o.span.To {
			out = append(out, c)
		}
	}
	return out
}

// prints looks for workers that were asked for a file's content and nothing else, or
// for it among other things and gave it back.
func (j *judge) prints() {
	for _, o := range j.orders {
		switch calls := j.work(o); {
		case o.unknown:
			j.notJudged(j.place(o.call, o.block), noPrompt)
		case justPrint().MatchString(plain(o.prompt)):
			j.sum.Judged++
			j.found(j.place(o.call, o.block), j.name(o.to), "the prompt asks for a file's content and nothing else", excerpt(o.prompt))
		case !printWords().MatchString(o.prompt):
			j.sum.Judged++
		case len(calls) == 0 || !answered(calls):
			j.notJudged(j.place(o.call, o.block), "the prompt asks for content, and what the worker answered is not in the record")
		default:
			j.sum.Judged++
			if percent, ok := copied(calls); ok && percent >= copiedPercent {
				at := printWords().FindStringIndex(o.prompt)
				j.found(j.place(o.call, o.block), j.name(o.to), strconv.Itoa(percent)+" % of the answer's lines stand in files that its worker read",
					excerptAt(o.prompt, at[0], at[1]))
			}
		}
	}
}

func answered(calls []*Call) bool {
	last := calls[len(calls)-1]
	return slices.ContainsFunc(last.Answer, func(b Block) bool { return b.is(llm.Text) })
}

// When an answer is mostly a file.
const (
	copiedPercent = 50
	lineBytes     = 8 // shorter lines stand in any file
	copiedLines   = 3 // an answer of fewer lines is no printed file
)

// copied is which share of the lines of the last answer stands in results of the
// worker's tools.
func copied(calls []*Call) (percent int, ok bool) {
	seen := map[string]bool{}
	for _, c := range calls {
		for i := range c.Said {
			if c.Said[i].is(llm.ToolResult) {
				for line := range strings.SplitSeq(c.Said[i].Text, "\n") {
					seen[bare(line)] = true
				}
			}
		}
	}
	lines, same := 0, 0
	for _, b := range calls[len(calls)-1].Answer {
		if !b.is(llm.Text) {
			continue
		}
		for line := range strings.SplitSeq(b.Text, "\n") {
			if line = bare(line); len(line) >= lineBytes {
				lines++
				if seen[line] {
					same++
				}
			}
		}
	}
	return same * 100 / max(lines, 1), lines >= copiedLines
}

// bare is a line without indentation and the number that a Read puts in front.
func bare(line string) string {
	line = strings.TrimSpace(line)
	if number, rest, ok := strings.Cut(line, "→"); ok && strings.Trim(number, " 0123456789") == "" {
		line = rest
	} else if number, rest, ok := strings.Cut(line, "\t"); ok && strings.Trim(number, " 0123456789") == "" {
		line = rest
	}
	return strings.TrimSpace(line)
}
