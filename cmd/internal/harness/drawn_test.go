package harness

import (
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"

	"agentsim/scenarios"
	"agentsim/sim"
	"agentsim/sim/transcript"
)

// figuresOf are a run's figures and how much it draws.
func figuresOf(t *testing.T, spec *sim.Spec) (map[string]int64, *sim.Result) {
	t.Helper()
	fold := newFold(spec, nil)
	res, err := sim.Run(spec, sim.Options{Sinks: []transcript.Sink{fold}, NoAudit: true})
	if err != nil {
		return nil, &sim.Result{Draws: -1} // the scenario waits for what takes time
	}
	out := map[string]int64{}
	for _, m := range Stored(fold.Run()) {
		out[m.Scope+" "+m.Name] = m.Value
	}
	return out, res
}

// undrawn runs what of the library draws nothing, once the latency is none, with
// several seeds.
func undrawn(t *testing.T) {
	n := 0
	for _, name := range scenarios.Names() {
		file, err := scenarios.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range file.VariantNames() {
			m := &Maker{File: file, Sets: []string{"provider.latency.profile=instant"}}
			specs, err := m.Specs([]string{v})
			if err != nil {
				continue // its latency is its own
			}
			want, res := figuresOf(t, specs[0])
			if res.Draws != 0 {
				continue
			}
			n++
			seeds := sim.NewTemplate(specs[0])
			for _, seed := range []uint64{0, 1 << 63} {
				spec, err := seeds.Spec(seed)
				if err != nil {
					t.Fatal(err)
				}
				got, again := figuresOf(t, spec)
				if again.Outcome != res.Outcome || again.Draws != 0 || again.Digest == res.Digest {
					t.Errorf("%s/%s, seed %d: %s, %d draws", name, v, seed, again.Outcome, again.Draws)
				}
				for k, x := range want {
					if got[k] != x {
						t.Errorf("%s/%s, seed %d: %s is %d, with its own seed %d", name, v, seed, k, got[k], x)
					}
				}
			}
		}
	}
	if n < 4 {
		t.Errorf("only %d variants draw nothing", n)
	}
}

// sameSession holds what a template's runs are audited by against what each makes
// by itself.
func sameSession(t *testing.T) {
	n := 0
	for _, name := range scenarios.Names() {
		file, err := scenarios.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		specs, err := (&Maker{File: file}).Specs(file.VariantNames())
		if err != nil {
			t.Fatal(err)
		}
		for _, first := range specs {
			spec, err := sim.NewTemplate(first).Spec(7)
			if err != nil {
				t.Fatal(err)
			}
			own := &sim.Spec{Scenario: spec.Scenario, Variant: spec.Variant, Policy: spec.Policy, Project: spec.Project}
			got, want := sim.AuditOptions(spec), sim.AuditOptions(own)
			everything, noFunctions := cmp.Exporter(func(reflect.Type) bool { return true }),
				cmp.FilterPath(func(p cmp.Path) bool { return p.Last().Type().Kind() == reflect.Func }, cmp.Ignore())
			if d := cmp.Diff(want, got, everything, noFunctions); d != "" {
				t.Errorf("%s/%s:\n%s", name, spec.Variant, d)
			}
			for typ, x := range want.Session.Types {
				if x.Prompt != nil && x.Prompt() != got.Session.Types[typ].Prompt() {
					t.Errorf("%s/%s: the prompt of %s is another", name, spec.Variant, typ)
				}
				n++
			}
		}
	}
	if n < 100 {
		t.Errorf("only %d types", n)
	}
}

// sameRuns holds runs of a template, of which others ran before, against what a spec
// of its own comes to.
func sameRuns(t *testing.T) {
	n := 0
	for _, name := range scenarios.Names() {
		file, err := scenarios.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		variants := file.VariantNames()
		specs, err := (&Maker{File: file}).Specs(variants[len(variants)-1:])
		if err != nil {
			t.Fatal(err)
		}
		seeds := sim.NewTemplate(specs[0])
		for _, seed := range []uint64{8, 7} {
			spec, err := seeds.Spec(seed)
			if err != nil {
				t.Fatal(err)
			}
			_, got := figuresOf(t, spec)
			_, own := figuresOf(t, &sim.Spec{Scenario: spec.Scenario, Variant: spec.Variant, Policy: spec.Policy, Project: spec.Project})
			if got.Digest != own.Digest {
				t.Errorf("%s/%s, seed %d: digest %q, by itself %q", name, spec.Variant, seed, got.Digest, own.Digest)
			}
			if own.Digest != "" {
				n++
			}
		}
	}
	if n < 60 {
		t.Errorf("only %d runs ended", n)
	}
}

func TestDrawn(t *testing.T) {
	t.Run("SPD-06 a run is the one that its spec alone makes, whatever ran before it, in the whole library", sameRuns)
	t.Run("SPD-06 with another seed a run is audited by what it would make itself, in the whole library", sameSession)
	t.Run("SPD-06 another seed changes no figure of a run that draws nothing, in the whole library", undrawn)
}
