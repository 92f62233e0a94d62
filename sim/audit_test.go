package sim_test

import (
	"testing"

	"agentsim/scenarios"
	"agentsim/sim"
)

func TestAudit(t *testing.T) {
	t.Run("MET-03 no run of the library breaks an invariant", func(t *testing.T) {
		var made int64
		for _, r := range libraryResults(t) {
			made += r.res.Audit.Made
			if err := r.res.Audit.Err(); err != nil {
				t.Errorf("%s: %v", r.name, err)
			}
		}
		t.Log(made)
	})
	t.Run("CRD-01 SUB-06 SUB-07 no run of any structure breaks an invariant on a client's layout", func(t *testing.T) {
		for _, entry := range []string{"fork-vs-subagent", "coordinator", "stopped-and-resumed", "custom-agents", "minimal-vs-full"} {
			f, err := scenarios.Open(entry)
			if err != nil {
				t.Fatal(err)
			}
			for _, variant := range f.VariantNames() {
				sc, err := f.Effective(variant, []string{"project.client=claude-code@2.1.330"})
				if err != nil {
					t.Fatal(err)
				}
				spec, err := sim.NewSpec(sc, variant)
				if err != nil {
					t.Fatal(err)
				}
				res, err := sim.Run(spec, sim.Options{})
				if err != nil {
					t.Fatal(err)
				}
				if err := res.Audit.Err(); err != nil {
					t.Errorf("%s/%s: %v", entry, variant, err)
				}
			}
		}
	})
	t.Run("SUB-08 what a client says of skills to a child alone did not come from its parent, though that has listed the same files", func(t *testing.T) {
		f, err := scenarios.Parse("skills.yaml", []byte(`agentsim: 1
name: skills
provider: {model: claude-sonnet-5-5}
project:
  client: claude-code@2.1.330
  files: {internal/orders/validation_of_orders.go: "package orders\n"}
  parts: [{kind: skills, name: verify, text: "verify: Use it after a change of internal/orders/validation_of_orders.go."}]
script:
  main: {user: Have it looked at., tools: [Agent, Glob]}
  answers:
    - {agent: main, turns: [{glob: "**/*.go"}, {spawn: {subagent: [one], prompt: Look.}}, {say: Done.}]}
    - {agent: main/2.1, turns: [{say: Fine.}]}
`))
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
		if err := res.Audit.Err(); err != nil {
			t.Error(err)
		}
	})
}
