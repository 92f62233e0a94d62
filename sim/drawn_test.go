package sim_test

import (
	"strings"
	"testing"

	"agentsim/sim/vtime"
)

func TestDrawnTimes(t *testing.T) {
	t.Run("LLM-06 tools and answers take drawn times, each use its own, within the bounds", drawnUses)
	t.Run("LLM-06 CON-16 KRN-04 an added agent moves no drawn time of another", drawnUnmoved)
}

// waits is a lead that reads twice at once, asks the user, and starts agents; %0
// are agents more.
const waits = `
agentsim: 1
name: waits
provider: {model: claude-sonnet-4-6, latency: {queue: {lognormal: {median: 1s, sigma: 0.7, min: 100ms, max: 30s}}, jitter: {exponential: {mean: 300ms, max: 4s}}}}
agents: {tools: {read: {uniform: [10ms, 400ms]}}}
project: {files: {a.go: "one\n", b.go: "two\n"}}
lab: {permissions: {ask: ["Bash(cp:*)"], answers: [{reply: allow, after: {gamma: {shape: 2, scale: 3s, min: 1s, max: 1m}}}]}}
script:
 main: {user: Hello., tools: [Agent, Bash, Read]}
 answers:
  - agent: main
    turns:
      - {tools: [{name: Read, input: {file_path: a.go}}, {name: Read, input: {file_path: b.go}}]}
      - {tools: [{name: Bash, input: {command: cp a.go c.go}}, {name: Bash, input: {command: cp a.go d.go}}]}
      - {tools: [{name: Agent, input: {description: d, prompt: p}}%0]}
      - {tools: [{name: Read, input: {file_path: a.go}}]}
      - {text: Done.}
  - agent: main/*
    turns:
      - {tools: [{name: Read, input: {file_path: a.go}}]}
      - {text: Done.}
`

// drawnIn are the drawn times of a run: how long each use of Read and Bash took, by
// agent, call and index, and how long the first child's calls took to begin.
func drawnIn(t *testing.T, more string) map[string]vtime.Duration {
	t.Helper()
	out := map[string]vtime.Duration{}
	for _, line := range linesOf(t, specOf(t, strings.Replace(waits, "%0", more, 1), "")) {
		f := strings.Fields(line)
		switch {
		case len(f) < 6:
		case f[4] == "tool_result" && !strings.Contains(line, "name=Agent"):
			out[strings.Join([]string{f[3], f[5], f[6]}, " ")] = after(t, line, "took")
		case f[4] == "response" && f[3] == "1":
			out["response "+f[5]] = after(t, line, "began") - after(t, line, "started")
		}
	}
	return out
}

// after is the time behind a word of a line.
func after(t *testing.T, line, word string) vtime.Duration {
	t.Helper()
	_, rest, _ := strings.Cut(line, " "+word+"=")
	text, _, _ := strings.Cut(rest, " ")
	d, err := vtime.ParseDuration(text)
	if err != nil {
		t.Fatalf("%s in %s: %v", word, line, err)
	}
	return d
}

func drawnUses(t *testing.T) {
	seen := map[vtime.Duration]bool{}
	all := drawnIn(t, "")
	if len(all) != 8 {
		t.Fatalf("%d drawn times: %v", len(all), all)
	}
	for what, d := range all { // order: each time by itself
		lo, hi := 10*vtime.Millisecond, 400*vtime.Millisecond
		switch {
		case strings.HasPrefix(what, "0 call=1 "): // Bash, behind the user's answer
			lo, hi = vtime.Second, 62*vtime.Second
		case strings.HasPrefix(what, "response "):
			lo, hi = 100*vtime.Millisecond, 35*vtime.Second
		}
		if d < lo || d > hi || seen[d] {
			t.Errorf("%s took %s, of %s to %s; drawn before: %v", what, d, lo, hi, seen[d])
		}
		seen[d] = true
	}
}

func drawnUnmoved(t *testing.T) {
	one, two := drawnIn(t, ""), drawnIn(t, ", {name: Agent, input: {description: d, prompt: p}}")
	if len(two) <= len(one) {
		t.Fatalf("%d times, with another agent %d", len(one), len(two))
	}
	for what, d := range one { // order: each time by itself
		if two[what] != d {
			t.Errorf("%s took %s, with another agent %s", what, d, two[what])
		}
	}
}
