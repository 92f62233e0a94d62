package lint

import (
	"encoding/json"
	"slices"
	"strings"

	"agentsim/sim/llm"
)

// checks hands out the verifications whose worker is on record.
func (j *judge) checks(each func(o *order, calls []*Call)) {
	for _, o := range j.orders {
		if o.unknown {
			j.notJudged(j.place(o.call, o.block), noPrompt)
			continue
		}
		if o.role != verifying {
			continue
		}
		calls := j.work(o)
		if len(calls) == 0 || !slices.ContainsFunc(calls, func(c *Call) bool { return told(c.Answer) }) {
			j.notJudged(j.place(o.call, o.block), "what the worker did is not in the record")
			continue
		}
		j.sum.Judged++
		each(o, calls)
	}
}

// redirected is where a command's output goes: another file than one to try things in.
var redirected = pattern(`(?:[^>&0-9=-]|^)>>?\s*([^\s;&|<>()]+)|\btee (?:-a )?([^\s;&|<>()-]\S*)`)

// overwrote is a file outside /tmp into which a verifier's commands wrote (VER-02), ""
// for none.
func overwrote(calls []*Call) string {
	for _, command := range commands(calls) {
		for _, m := range redirected().FindAllStringSubmatch(command, -1) {
			if to := strings.Trim(m[1]+m[2], `"'`); !strings.HasPrefix(to, "/tmp/") && !strings.HasPrefix(to, "/dev/") {
				return to
			}
		}
	}
	return ""
}

// verifierWrote looks for verifiers that changed the files before they were asked
// to verify them, or meanwhile by commands.
func (j *judge) verifierWrote() {
	j.checks(func(o *order, calls []*Call) {
		if to := overwrote(calls); to != "" && j.run.Agents[o.to].Type == verifierType {
			j.found(j.place(o.call, o.block), j.name(o.to), j.name(o.to)+" verifies, and a command of it writes "+to, excerpt(o.prompt))
			return
		}
		files := j.files(o)
		for i := range j.writes {
			w := &j.writes[i]
			if w.agent == o.to && !w.tried && w.at < o.span.From && (len(files) == 0 || slices.Contains(files, w.path)) {
				j.found(j.place(o.call, o.block), j.name(o.to), j.name(o.to)+" wrote "+w.path+" at "+clock(w.at)+
					" and verifies it from "+clock(o.span.From), excerpt(o.prompt))
				return
			}
		}
	})
}

// commands are what calls ran by a shell. A command that was refused did not run.
func commands(calls []*Call) (out []string) {
	refused := map[string]bool{}
	for _, c := range calls {
		for i := range c.Said {
			if b := &c.Said[i]; b.is(llm.ToolResult) && b.IsError && refusal().MatchString(b.Text) {
				refused[b.ToolUse] = true
			}
		}
	}
	for _, c := range calls {
		for i := range c.Answer {
			b := &c.Answer[i]
			if !b.is(llm.ToolUse) || b.Name != "Bash" && b.Name != "run_shell" || refused[b.ToolUse] {
				continue
			}
			var in struct{ Command string }
			if json.Unmarshal([]byte(b.Text), &in) == nil {
				out = append(out, in.Command)
			}
		}
	}
	return out
}

// runsNothing looks for verifications that read and run nothing.
func (j *judge) runsNothing() {
	j.checks(func(o *order, calls []*Call) {
		if len(commands(calls)) == 0 {
			j.found(j.place(o.call, o.block), j.name(o.to), j.name(o.to)+" verifies without running a command", excerpt(o.prompt))
		}
	})
}

// skipsTests looks for verifications that run something but not the tests: those
// of the project where they are known; else the worker says so itself, or was
// asked for tests and ran none.
func (j *judge) skipsTests() {
	j.checks(func(o *order, calls []*Call) {
		ran := commands(calls)
		if len(ran) == 0 {
			return // that is another finding
		}
		if w := j.run.Work; w != nil {
			if len(w.Tests) > 0 && !slices.ContainsFunc(ran, func(c string) bool {
				return slices.ContainsFunc(w.Tests, func(t string) bool { return strings.Contains(c, t) })
			}) {
				j.found(j.place(o.call, o.block), j.name(o.to), "none of the project's tests was run", excerpt(strings.Join(ran, "; ")))
			}
			return
		}
		if c, b, at := said(calls, skippedTest()); b != nil {
			j.found(j.place(c, b), "", "the verification says that tests were left out", excerptAt(b.Text, at[0], at[1]))
			return
		}
		if strings.Contains(strings.ToLower(o.prompt), "test") && !slices.ContainsFunc(ran, testRun().MatchString) {
			j.found(j.place(o.call, o.block), j.name(o.to), "tests were asked for and none was run", excerpt(strings.Join(ran, "; ")))
		}
	})
}

// probe are the words of what tries to break something: at once, at the bounds, twice,
// or on what is gone.
var probe = pattern(`(?i)\b(concurren|parallel|race|boundar|overflow|empty|idempoten|twice|again|orphan|deleted)`)

// noProbe looks for agents of the built-in type that verifies whose commands and texts
// show no adversarial probe (VER-03).
func (j *judge) noProbe() {
	j.checks(func(o *order, calls []*Call) {
		if j.run.Agents[o.to].Type != verifierType || len(commands(calls)) == 0 {
			return // what runs nothing is another finding
		}
		if _, b, _ := said(calls, probe()); b == nil && !slices.ContainsFunc(commands(calls), probe().MatchString) {
			j.found(j.place(o.call, o.block), j.name(o.to), j.name(o.to)+" verifies without an adversarial probe: nothing at once, at the bounds, twice or on what is gone", excerpt(o.prompt))
		}
	})
}

// wavesOff looks for type errors that a verification calls somebody else's
// without looking whether they are.
func (j *judge) wavesOff() {
	j.checks(func(o *order, calls []*Call) {
		if slices.ContainsFunc(commands(calls), lookedInto().MatchString) {
			return
		}
		for _, c := range calls {
			for i := range c.Answer {
				b := &c.Answer[i]
				if !b.is(llm.Text) {
					continue
				}
				for _, at := range typeError().FindAllStringIndex(b.Text, -1) {
					if wavedOff().MatchString(sentenceAround(b.Text, at[0], at[1])) {
						j.found(j.place(c, b), "", "type errors are put aside without a look at where they come from", excerptAt(b.Text, at[0], at[1]))
						return
					}
				}
			}
		}
	})
}

// said finds words in what calls answered.
func said(calls []*Call, words interface{ FindStringIndex(string) []int }) (*Call, *Block, []int) {
	for _, c := range calls {
		for i := range c.Answer {
			if b := &c.Answer[i]; b.is(llm.Text) {
				if at := words.FindStringIndex(b.Text); at != nil {
					return c, b, at
				}
			}
		}
	}
	return nil, nil, nil
}
