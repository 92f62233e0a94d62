package audit_test

import (
	"testing"

	"agentsim/scenarios"
	"agentsim/sim"
)

// ordinary are settings that are nobody's mistake.
var ordinary = map[string]string{
	"CACHE-L2 a fork whose parent ends at its limit of turns before the fork asks anything": `
script:
  main: {user: Review., max_turns: 1}
structure: fork
`,
	"CRD-04 a coordinator's workers without a tool that is denied as a whole": `
script:
  main: {user: Review.}
structure: coordinator
lab:
  permissions: {deny: [Bash, "Write(*)", "Edit(*.md)"]}
`,
}

func TestOrdinarySettings(t *testing.T) {
	for name, text := range ordinary {
		t.Run("MET-03 "+name+" breaks nothing", func(t *testing.T) {
			f, err := scenarios.Parse("ordinary.yaml", []byte("agentsim: 1\nname: ordinary\nprovider: {model: claude-sonnet-5-5}\nproject: {files: {a.go: {tokens: 2_000, class: code}}}\n"+
				"work: [{id: a, kind: research, reads: [a.go]}]\n"+text))
			if err != nil {
				t.Fatal(err)
			}
			sc, err := f.Effective("", nil)
			if err != nil {
				t.Fatal(err)
			}
			spec, err := sim.NewSpec(sc, "")
			if err != nil {
				t.Fatal(err)
			}
			res, err := sim.Run(spec, sim.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if err := res.Audit.Err(); err != nil || res.Audit.Made == 0 {
				t.Errorf("%v of %d checks", err, res.Audit.Made)
			}
		})
	}
}
