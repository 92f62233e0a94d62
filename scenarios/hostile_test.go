package scenarios

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
)

// monstrous are scenarios that ask for more than anybody has, each with what it is
// told.
func monstrous() map[string][2]string {
	work := baseWork + "work: [{id: a, kind: answer}]\n"
	project := func(s string) string {
		return strings.Replace(work, "project:\n  files: {a.go: \"package a\\nvar X = 1\\n\"}", "project: {"+s+"}", 1)
	}
	each := func(n int, format string) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, format, i)
		}
		return b.String()
	}
	return map[string][2]string{
		"a gigabyte in an answer":   {strings.Replace(baseScript, "{text: hello}", "{text: {bytes: 1_000_000_000}}", 1), "more than 67108864 bytes in one piece"},
		"a gigabyte thought":        {strings.Replace(baseScript, "{text: hello}", "{thinking: {tokens: 250_000_000}, text: x}", 1), "more than 10000000 tokens in one piece"},
		"a gigabyte from the user":  {strings.Replace(baseScript, "user: hello", "user: hello, then: [{message: {bytes: 1_000_000_000}}]", 1), "more than 67108864 bytes in one piece"},
		"a gigabyte edited in":      {strings.Replace(work, "kind: answer", "kind: implement, edits: [{file: a.go, tokens: 250_000_000}]", 1), "more than 10000000 tokens in one piece"},
		"a gigabyte in pieces":      {project("files: {" + each(100, "f%d: {bytes: 60_000_000},") + "}"), "generates more than 268435456 bytes"},
		"a gigabyte now and then":   {work + "model: {report_tokens: {lognormal: {median: 1, sigma: 5, max: 1_000_000_000_000_000}}}\n", "more than 10000000 tokens in one piece"},
		"a billion agents at once":  {work + "model: {spawns_per_turn: 1_000_000_000}\n", "model.spawns_per_turn is from 1 to"},
		"a billion agents by limit": {work + "lab:\n  limits: {processes: 1_000_000_000_000}\n", "limits.processes is out of range"},
		"a scope of 10⁶ names":      {work + "agents: {scope: [" + each(1_000_000, "n%d,") + "]}\n", "larger than 1024 KiB"},
		"a scope of 90,000 names":   {work + "agents: {scope: [" + each(90_000, "n%d,") + "]}\n", "more than 20000 entries"},
		"a scope of 19,000 names":   {work + "agents: {scope: [" + each(19_000, "n%d,") + "]}\n", "which is no work item"},
		"tests without end":         {project(`files: {a.go: x}, tests: [` + each(5_000, `{command: t%d, files: "**/**/**/*"},`) + "]"), "no item runs"},
		"a glob of 2²⁴ paths":       {project(`files: {a.go: x}, tests: [{command: t, files: "` + strings.Repeat("{a,b}", 24) + `"}]`), "matches no file"},
		"a test of ten years":       {project(`files: {a.go: x}, tests: [{command: t, files: "*", takes: 87600h}]`), "longer than the Bash tool"},
		"injections without end":    {work + "lab: {injections: [" + each(9_000, "{name: x%d, file: a.go, line: 1_000_000_000, text: y},") + "]}\n", "a.go"},
		"rates beyond time":         {strings.Replace(work, "20250929}", "20250929, rate_limits: {input: {most: 1_000_000_000_000_000, refill: 87600h}}}", 1), "to fill up"},
		"a coordinator's billions":  {work + "agents:\n  coordinator: {corrections: 1_000_000_000_000, scratchpad: .nan, silence: 900000h}\n", "coordinator.corrections is out of range"},
		"verdicts without end":      {work + "lab: {classifier: [" + strings.Repeat("{taint: x, verdict: flagged},", 9_000) + "]}\n", "judged twice"},
		"a distribution of NaN":     {work + "model: {report_tokens: {exponential: {mean: .inf, max: .nan}}}\n", "a whole number"},
		"a gamma of 10⁹ draws":      {work + "model: {report_tokens: {gamma: {shape: 1_000_000_000, scale: 1, max: 9}}}\n", "shape cannot be"},
		"quantiles without end":     {work + "agents: {tools: {read: {empirical: \"" + each(60_000, "0.%06d,1s ") + "\"}}}\n", "from 2 to 1000 quantiles"},
		"a wait beyond time":        {work + "agents:\n  tools: {read: {lognormal: {median: 900_000h, sigma: 1, max: 1s}}}\n", "not a duration"},
		"a wait out of range":       {work + "agents:\n  tools: {read: {uniform: [0s, 87601h]}}\n", "out of range"},
		"variants in a circle":      {work + "variants: {a: {variants: {b: {}}}, b: {extends: a}}\n", "unknown key"},
		"work in a circle":          {baseWork + "work: [{id: a, kind: answer, after: [b]}, {id: b, kind: answer, after: [a]}]\n", "the work is cyclic"},
		"a file from elsewhere":     {work + "agents:\n  tools: {read: {empirical: {file: ../../etc/passwd}}}\n", "leaves the scenario's directory"},
		"an injection elsewhere":    {work + "model: {obeys: true}\nlab:\n  injections: [{name: x, file: ../../etc/passwd, line: 1, text: y}]\n", "../../etc/passwd"},
		"a test of other files":     {project(`files: {a.go: x}, tests: [{command: t, files: "../../**"}]`), "matches no file"},
	}
}

func TestMonstrous(t *testing.T) {
	t.Run("SCN-08 what asks for more than anybody has is told so with a place, and reading it takes memory by the size of the text", func(t *testing.T) {
		if testing.Short() {
			t.Skip("reads megabytes")
		}
		for name, c := range monstrous() { // order: each text by itself
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_, err := Parse("hostile.yaml", []byte(c[0]))
			runtime.ReadMemStats(&after)
			if err == nil || !strings.Contains(err.Error(), c[1]) {
				t.Errorf("%s: want %q, got %.600v", name, c[1], err)
				continue
			}
			checkErrors(t, []byte(c[0]), err)
			if used, most := after.TotalAlloc-before.TotalAlloc, 32<<20+2_000*uint64(len(c[0])); used > most {
				t.Errorf("%s: %d bytes of memory for %d of text", name, used, len(c[0]))
			}
		}
	})
}
