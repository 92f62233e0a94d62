package metrics

import (
	"fmt"
	"testing"

	"agentsim/cachemodel"
	"agentsim/sim/llm"
	"agentsim/sim/transcript"
	"agentsim/sim/vtime"

	"pgregory.net/rapid"
)

// tree is a random run: who spawned whom, and every call's usage.
type tree struct {
	parents []int32
	calls   []struct {
		agent int32
		usage llm.Usage
		fails bool
	}
}

func drawTree(t *rapid.T) (tr tree) {
	n := rapid.IntRange(1, 8).Draw(t, "agents")
	for i := range n {
		tr.parents = append(tr.parents, int32(rapid.IntRange(-1, i-1).Draw(t, fmt.Sprintf("parent of %d", i))))
	}
	tokens := rapid.Int64Range(0, 6000)
	for i := range rapid.IntRange(0, 30).Draw(t, "calls") {
		tr.calls = append(tr.calls, struct {
			agent int32
			usage llm.Usage
			fails bool
		}{
			int32(rapid.IntRange(0, n-1).Draw(t, fmt.Sprintf("agent of call %d", i))),
			llm.Usage{Input: tokens.Draw(t, "input"), Write5m: tokens.Draw(t, "5m"), Write1h: tokens.Draw(t, "1h"),
				Read: tokens.Draw(t, "read"), Output: tokens.Draw(t, "output")},
			rapid.Bool().Draw(t, "fails"),
		})
	}
	return tr
}

// fold tells the run to a fold and returns it with the bill of each call.
func (tr *tree) fold() (*Run, []Call) {
	var bills []Call
	f := New(Options{Price: testPrice, OnCall: func(c *Call) { bills = append(bills, *c) }})
	at := vtime.Instant(0)
	emit := func(agent int32, b transcript.Body) {
		f.Emit(&transcript.Event{At: at, Agent: agent, Body: b})
		at++
	}
	types := []string{"main", "fork", "Explore"}
	for i, p := range tr.parents {
		emit(int32(i), &transcript.AgentStart{ID: llm.AgentID(i + 1), Lineage: fmt.Sprint(i), Parent: p, Type: types[i%3]})
	}
	for i, c := range tr.calls {
		emit(c.agent, &transcript.Request{Call: i, Model: "priced"})
		if c.fails {
			emit(c.agent, &transcript.APIError{Call: i, Model: "priced", Err: &llm.APIError{Usage: c.usage}})
		} else {
			emit(c.agent, &transcript.Response{Call: i, Model: "priced", Resp: &llm.Response{Usage: c.usage}})
		}
	}
	return f.Run(), bills
}

// below lists an agent and all its descendants, the slow way.
func (tr *tree) below(agent int32) map[int32]bool {
	in := map[int32]bool{agent: true}
	for i, p := range tr.parents {
		if in[p] {
			in[int32(i)] = true
		}
	}
	return in
}

func TestConformance(t *testing.T) {
	t.Run("MET-02 an agent's rolled-up usage is the sum of the calls of it and its descendants, each counted once", func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) {
			tr := drawTree(t)
			r, _ := tr.fold()
			for i := range tr.parents {
				var want llm.Usage
				in := tr.below(int32(i))
				for _, c := range tr.calls {
					if in[c.agent] {
						want = want.Plus(c.usage)
					}
				}
				if got := r.Agents[i].Rolled; got != want {
					t.Fatalf("agent %d rolled up %+v, its calls add up to %+v", i, got, want)
				}
			}
		})
	})
	t.Run("MET-02 the run's usage is that of its roots rolled up, of its types, and of its models", func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) {
			tr := drawTree(t)
			r, _ := tr.fold()
			var roots, types, models llm.Usage
			for _, a := range r.Agents {
				if a.Parent < 0 {
					roots = roots.Plus(a.Rolled)
				}
			}
			for _, ty := range r.Types {
				types = types.Plus(ty.Tally.Usage)
			}
			for _, m := range r.Models {
				models = models.Plus(m.Usage)
			}
			if w := r.Total.Usage; roots != w || types != w || models != w {
				t.Fatalf("run %+v, roots %+v, types %+v, models %+v", w, roots, types, models)
			}
		})
	})
	t.Run("CACHE-L6 the bills of all agents, of all calls and of all parts are the bill of the run, to the picodollar", checkBills)
	t.Run("MET-01 a call leaves nothing behind in memory", func(t *testing.T) {
		f := New(Options{Price: testPrice})
		f.Emit(&transcript.Event{Agent: 0, Body: &transcript.AgentStart{Lineage: "main", Parent: -1}})
		e := &transcript.Event{Agent: 0}
		req := &transcript.Request{Model: "priced"}
		resp := &transcript.Response{Model: "priced", Resp: &llm.Response{Usage: llm.Usage{Read: 10, Output: 1}}}
		call := func() {
			req.Call++
			e.Body = req
			f.Emit(e)
			e.Body = resp
			f.Emit(e)
		}
		call()
		if n := testing.AllocsPerRun(1000, call); n != 0 {
			t.Errorf("%v allocations a call, want none", n)
		}
	})
	t.Run("MET-01 every metric has a name of its own, a unit and a description", func(t *testing.T) {
		seen := map[string]bool{}
		for _, n := range Names() {
			if seen[n.Name] || n.What == "" || n.Unit == "" {
				t.Errorf("metric %+v is a duplicate or not described", n)
			}
			seen[n.Name] = true
		}
		if _, ok := Find("no such metric"); ok {
			t.Error("an unknown name was found")
		}
	})
}

func checkBills(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tr := drawTree(t)
		r, bills := tr.fold()
		var agents, calls, types, roots cachemodel.Picodollars
		for _, a := range r.Agents {
			agents += a.Tally.Cost
			if a.Parent < 0 {
				roots += a.RolledCost
			}
		}
		for _, c := range bills {
			calls += c.Cost
		}
		for _, ty := range r.Types {
			types += ty.Tally.Cost
		}
		var want cachemodel.Picodollars
		for _, c := range tr.calls {
			want += testProfile.Cost(c.usage)
		}
		if agents != want || calls != want || types != want || roots != want || r.Parts().Total() != want || r.Total.Cost != want {
			t.Fatalf("want %d; agents %d, calls %d, types %d, roots %d, parts %d, run %d", want, agents, calls, types, roots, r.Parts().Total(), r.Total.Cost)
		}
	})
}

func BenchmarkFold(b *testing.B) {
	f := New(Options{Price: testPrice})
	const agents = 1000
	for i := range int32(agents) {
		f.Emit(&transcript.Event{Agent: i, Body: &transcript.AgentStart{ID: llm.AgentID(i), Lineage: "x", Parent: -1}})
	}
	e := &transcript.Event{}
	req := &transcript.Request{Model: "priced"}
	resp := &transcript.Response{Model: "priced", Resp: &llm.Response{Usage: llm.Usage{Read: 10, Output: 1}}}
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		e.Agent = int32(i % agents)
		req.Call++
		e.Body = req
		f.Emit(e)
		e.Body = resp
		f.Emit(e)
	}
}
