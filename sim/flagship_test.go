package sim_test

import (
	"slices"
	"strconv"
	"testing"

	"agentsim/scenarios"
	"agentsim/sim"
	"agentsim/sim/recording/profile"
	"agentsim/sim/transcript"
)

func TestFlagship(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the flagship over many seeds")
	}
	p, err := profile.Open(profile.Default)
	if err != nil {
		t.Fatal(err)
	}
	all := flagship(t, "subagent", 20)
	t.Run("WAN-01 what sub-agents and the lead of the flagship read has recorded sizes", func(t *testing.T) {
		for role, sizes := range map[string][]int{"sub-agent": all.reads(true), "main": all.reads(false)} {
			f, _ := p.Find(profile.Want{Role: role, Family: "claude", Figure: "Read.bytes"})
			slices.Sort(sizes)
			for at, within := range map[int]float64{50: 1.10, 90: 1.25} {
				got, want := float64(sizes[len(sizes)*at/100]), float64(f.Percentile(at))
				if got > want*within || want > got*within {
					t.Errorf("%s: P%d is %.0f characters, recorded %.0f", role, at, got, want)
				}
			}
		}
	})
	t.Run("WAN-04 sub-agents of the flagship use the recorded mix of tools, as many of them", func(t *testing.T) {
		share := map[string]int{}
		var each []int
		for _, a := range all.agents {
			if a.child {
				each = append(each, len(a.uses))
				for _, u := range a.uses {
					share[u.name]++
				}
			}
		}
		total := 0
		for _, n := range each {
			total += n
		}
		for _, name := range []string{"Read", "Bash", "Grep", "Glob", "Edit"} {
			f, _ := p.Find(profile.Want{Role: "sub-agent", Family: "claude", Figure: name + ".mix"})
			if got := int64(share[name] * 1000 / total); got > *f.Share+50 || got < *f.Share-50 {
				t.Errorf("%s is %d of 1,000 uses, recorded %d", name, got, *f.Share)
			}
		}
		f, _ := p.Find(profile.Want{Role: "sub-agent", Family: "claude", Figure: "tool_uses"})
		slices.Sort(each)
		for at, within := range map[int]float64{50: 1.10, 90: 1.25} {
			got, want := float64(each[len(each)*at/100]), float64(f.Percentile(at))
			if got > want*within || want > got*within {
				t.Errorf("P%d of tool uses is %.0f, recorded %.0f", at, got, want)
			}
		}
	})
	t.Run("WAN-04 whoever edits in the flagship builds or tests, and forks commit", func(t *testing.T) {
		for structure, least := range map[string]int{"inline": 1, "subagent": 1, "fork": 2} {
			edited := 0
			for _, a := range flagship(t, structure, 1).agents {
				last := -1
				for i, u := range a.uses {
					if u.name == "Edit" {
						last = i
					}
				}
				if last < 0 {
					continue
				}
				edited++
				after := 0
				for _, u := range a.uses[last:] {
					if u.name == "Bash" && u.cause == "" {
						after++
					}
				}
				if after < least {
					t.Errorf("%s: an agent ran %d commands after its last edit", structure, after)
				}
			}
			if edited == 0 {
				t.Errorf("%s: nobody edits", structure)
			}
		}
	})
}

// handed is what agents did with their tools.
type handed struct {
	ids    map[int32]*hand // of the run under way
	agents []*hand
}

type hand struct {
	child bool
	uses  []use
}

type use struct {
	name, cause string
	bytes       int
}

func (h *handed) Emit(e *transcript.Event) {
	switch b := e.Body.(type) {
	case *transcript.AgentStart:
		h.ids[e.Agent] = &hand{child: b.Parent >= 0}
		h.agents = append(h.agents, h.ids[e.Agent])
	case *transcript.ToolCall:
		h.ids[e.Agent].uses = append(h.ids[e.Agent].uses, use{name: b.Name, cause: b.Cause})
	case *transcript.ToolResult:
		h.read(h.ids[e.Agent], b)
	}
}

// read enters the size of a result of the agent's last calls, which have no other.
func (h *handed) read(a *hand, b *transcript.ToolResult) {
	for i := range a.uses {
		if u := &a.uses[i]; u.name == b.Name && u.bytes == 0 {
			u.bytes = b.Bytes
			return
		}
	}
}

// reads are the sizes of what sub-agents read, or the leads.
func (h *handed) reads(child bool) (out []int) {
	for _, a := range h.agents {
		for _, u := range a.uses {
			if a.child == child && u.name == "Read" {
				out = append(out, u.bytes)
			}
		}
	}
	return out
}

// flagship runs a structure of the flagship with so many seeds.
func flagship(t *testing.T, structure string, seeds int) *handed {
	t.Helper()
	f, err := scenarios.Open("fork-vs-subagent")
	if err != nil {
		t.Fatal(err)
	}
	h := &handed{}
	for seed := range seeds {
		sc, err := f.Effective(structure, []string{"seed=" + strconv.Itoa(seed+1)})
		if err != nil {
			t.Fatal(err)
		}
		spec, err := sim.NewSpec(sc, structure)
		if err != nil {
			t.Fatal(err)
		}
		h.ids = map[int32]*hand{}
		if _, err := sim.Run(spec, sim.Options{NoAudit: true, Sinks: []transcript.Sink{h}}); err != nil {
			t.Fatal(err)
		}
	}
	return h
}
