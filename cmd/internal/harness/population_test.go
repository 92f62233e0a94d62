package harness

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
	"syscall"
	"testing"
	"time"

	"agentsim/cmd/internal/ui"
	"agentsim/metrics"
	"agentsim/scenarios"
	"agentsim/sim"
	"agentsim/sim/transcript"
)

// crowd is a scenario whose sessions each ask three Explore agents, and share a cache.
const crowd = `agentsim: 1
name: crowd
provider: {model: claude-sonnet-5-5, aliases: {haiku: claude-haiku-5-5}, latency: {profile: LATENCY}}
project: {files: {a.go: "package a\n"}, claude_md: {tokens: 140}}
population: {sessions: 60, workspace: 5, shard: 10, audit: 3}
script:
  main: {user: Where?}
  answers:
    - {agent: main, turns: [{spawn: {Explore: [a, b, c], prompt: "Find {}."}}, {say: There.}]}
    - {agent: main/*, turns: [{grep: package}, {read: a.go}, {say: There.}]}
`

// opened is a population of a scenario's text.
func opened(t testing.TB, text string, sets ...string) *Population {
	t.Helper()
	file, err := scenarios.Parse("crowd.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	m := &Maker{File: file, Sets: sets}
	sc, err := m.Scenario("")
	if err != nil {
		t.Fatal(err)
	}
	p, err := NewPopulation(m, sc, "")
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// still is a harness under a clock that stays where it is.
func still(workers int) *Harness {
	h := New(&ui.Env{Now: func() time.Time { return time.Unix(0, 0) }}, "running", 1)
	h.Workers = workers
	return h
}

// population runs a population of the crowd, and gives it back with its totals as a text.
func population(t *testing.T, workers int, latency string, sets ...string) (*Population, string) {
	t.Helper()
	p, h := opened(t, strings.Replace(crowd, "LATENCY", latency, 1), sets...), still(workers)
	defer h.Close()
	if err := h.Population(p, true, func(shard int) string { return fmt.Sprint("--shard ", shard) }); err != nil {
		t.Fatal(err)
	}
	return p, fmt.Sprintf("%d %d %+v\n%+v\n%+v", p.Sessions, p.Totals.Started, p.Totals.Total, p.Totals.Types, p.Totals.Models)
}

const recorded = "opus-4-recorded"

func TestPopulation(t *testing.T) {
	t.Run("POP-02 totals are the sums of the runs that the shards are", func(t *testing.T) {
		p, _ := population(t, 1, recorded)
		h := still(1)
		defer h.Close()
		var cost, prompt, calls, explorers int64
		digests := sha256.New()
		err := h.Run(p.Shards(), func(i int) (*Job, error) {
			spec, err := p.Spec(i)
			return &Job{Spec: spec, Bare: true, Repeat: "x"}, err
		}, func(i int, r *Run) error {
			fmt.Fprintf(digests, "%s%s", binary.BigEndian.AppendUint64(nil, uint64(i)), r.Result.Digest)
			cost, prompt, calls = cost+int64(r.Metrics.Total.Cost), prompt+r.Metrics.Total.Usage.Prompt(), calls+r.Metrics.Total.Calls
			x, _ := r.Metrics.Type("Explore")
			explorers += x.Agents
			return nil
		})
		all := p.Totals
		if err != nil || int64(all.Total.Cost) != cost || all.Total.Usage.Prompt() != prompt || all.Total.Calls != calls || cost == 0 {
			t.Errorf("%v: %d %d %d, want %d %d %d", err, all.Total.Cost, all.Total.Usage.Prompt(), all.Total.Calls, cost, prompt, calls)
		}
		if want := hex.EncodeToString(digests.Sum(nil))[:32]; p.Digest() != want {
			t.Errorf("the digest is %s, and over numbers and digests of the runs in order %s", p.Digest(), want)
		}
		if calls != 60*(2+3*3) || explorers != 180 || all.Types[0].Agents != 180 || all.Started != 240 {
			t.Errorf("%d calls, %d and %d Explore agents of %d", calls, explorers, all.Types[0].Agents, all.Started)
		}
	})
	t.Run("POP-01 how sessions are cut into shards changes no call and nothing that is read from the cache, and who shares a workspace does", func(t *testing.T) {
		const late = "population.arrivals.every=7m" // longer than what is cached lives
		counted := func(sets ...string) string {
			p, _ := population(t, 1, "instant", sets...)
			out := fmt.Sprint(p.Sessions, p.Totals.Started)
			for _, x := range p.Totals.Types {
				out += fmt.Sprint(" ", x.Name, x.Agents, x.Tally.Calls, x.Tally.Usage.Read, x.Tally.Usage.Input)
			}
			return out
		}
		for _, arrivals := range []string{late, "population.arrivals.poisson=2m"} {
			for _, shard := range []string{"5", "20", "50"} {
				if got, want := counted(arrivals, "population.shard="+shard), counted(arrivals); got != want {
					t.Errorf("%s, shards of %s: %s, of 10: %s", arrivals, shard, got, want)
				}
			}
		}
		reads := func(sets ...string) int64 {
			q, _ := population(t, 1, "instant", sets...)
			return q.Totals.Total.Usage.Read
		}
		alone, apart, soon := reads("population.workspace=1"), reads(late), reads("population.arrivals.every=1m")
		if alone != apart || soon <= apart {
			t.Errorf("read from the cache: alone %d, 7 minutes apart %d, 1 minute apart %d", alone, apart, soon)
		}
	})
	t.Run("POP-04 bills are checked in all shards, and all else in those that a hash chooses", func(t *testing.T) {
		p, _ := population(t, 1, recorded)
		some, laws := p.Audited, p.Laws
		all, _ := population(t, 1, recorded, "population.audit=1")
		one, _ := population(t, 1, recorded, "population.audit=1_000_000")
		if some < 1 || some > 5 || all.Audited != 6 || one.Audited != 1 || all.Checks < 5*one.Checks {
			t.Errorf("%d, %d and %d of 6 shards are audited, %d checks in all, %d in one", some, all.Audited, one.Audited, all.Checks, one.Checks)
		}
		if laws < p.Totals.Total.Calls || all.Laws != laws || one.Laws != laws {
			t.Errorf("%d, %d and %d checks of bills of %d calls", laws, all.Laws, one.Laws, p.Totals.Total.Calls)
		}
		if p.Digest() != all.Digest() {
			t.Error("auditing more changes the digest")
		}
	})
	t.Run("POP-02 agents below the roots that were cut short are those of the runs that the shards are", cutShort)
	t.Run("POP-02 the first shard that did not finish is named, and the first that is to be looked at", firstOpen)
	t.Run("POP-03 what is held does not grow with the shards that are over", heldFlat)
}

// cutShort compares what a population says of agents that failed with what shards do.
func cutShort(t *testing.T) {
	p, _ := population(t, 1, recorded, "population.arrivals={poisson: 3m}", "provider.rate_limits={requests: {most: 8, refill: 1s}}", "population.limits=split")
	h := still(1)
	defer h.Close()
	failed, shards, first := int64(0), int64(0), -1
	err := h.Run(p.Shards(), func(i int) (*Job, error) {
		spec, err := p.Spec(i)
		return &Job{Spec: spec, Bare: true, Repeat: "x"}, err
	}, func(i int, r *Run) error {
		before := failed
		for _, a := range r.Metrics.Agents {
			if a.Parent >= 0 && a.Status == transcript.EndFailed {
				failed++
			}
		}
		if failed > before {
			if shards++; first < 0 {
				first = i
			}
		}
		return nil
	})
	if got := p.Totals.Run().CutShort(); err != nil || got != (metrics.CutShort{failed}) || p.Short != shards || p.Look != first || first < 1 {
		t.Errorf("%v: cut short are %v in %d shards, the first of them %d, and there failed %d in %d, the first of them %d", err, got, p.Short, p.Look, failed, shards, first)
	}
}

// firstOpen has agents cut short in shard 1 and ends shards 2 and 3 at a limit.
func firstOpen(t *testing.T) {
	p := opened(t, strings.Replace(crowd, "LATENCY", recorded, 1))
	for i := range p.Shards() {
		r := &Run{Result: &sim.Result{Outcome: sim.Completed}, Metrics: &metrics.Run{Types: []metrics.Type{{Name: "Explore"}}}, Spec: p.first}
		switch i {
		case 1:
			r.Metrics.Types[0].CutShort[0] = 7
		case 2, 3:
			r.Result.Outcome, r.Result.Detail = sim.Limited, "limit steps (3) reached"
		}
		if err := p.take(i, r); err != nil {
			t.Fatal(err)
		}
	}
	if p.Open != 2 || p.WhyAt != 2 || !strings.HasPrefix(p.Why, "shard 2 limit steps") || p.Short != 1 || p.Look != 1 {
		t.Errorf("%d are open, the first %d: %s; %d with agents cut short; the first of all is %d", p.Open, p.WhyAt, p.Why, p.Short, p.Look)
	}
}

// heldFlat compares what is in memory after so many shards with what is after five times
// as many. One goroutine takes them, since what another has in hand comes and goes.
func heldFlat(t *testing.T) {
	p, h := opened(t, strings.Replace(crowd, "LATENCY", recorded, 1), "population.sessions=2_000", "population.audit=1_000_000"), still(1)
	defer h.Close()
	var held [2]uint64
	for i := range p.Shards() {
		j, err := p.job(i, true)
		if err == nil {
			err = h.begin(j)
		}
		if err != nil {
			t.Fatal(err)
		}
		h.work(j)
		r, err := h.end(j)
		if err == nil {
			err = p.take(i, r)
		}
		if err != nil {
			t.Fatal(err)
		}
		if i+1 == p.Shards()/5 || i+1 == p.Shards() {
			var m runtime.MemStats
			runtime.GC()
			runtime.GC() // pools keep what they have for one more
			runtime.ReadMemStats(&m)
			held[(i+1)/p.Shards()] = m.HeapAlloc
		}
	}
	if p.Sessions != 2_000 || held[1] > held[0]+40<<10 { // a quarter of a KiB a shard
		t.Errorf("%d sessions: after %d shards %d KiB are held, after %d %d", p.Sessions, p.Shards()/5, held[0]>>10, p.Shards(), held[1]>>10)
	}
	runtime.KeepAlive(h)
}

// BenchmarkPopulation measures a sub-agent of the week, by the shards' size: processor
// time with its share of the session and of the shard, without the auditor, and what of
// the machine's memory the whole took.
func BenchmarkPopulation(b *testing.B) {
	defer debug.SetGCPercent(debug.SetGCPercent(400)) // as the command does
	text, err := os.ReadFile("../../../testdata/week/week.yaml")
	if err != nil {
		b.Fatal(err)
	}
	for _, shard := range []int{1, 10, 30, 50} {
		b.Run(fmt.Sprintf("shard=%d", shard), func(b *testing.B) {
			var agents int64
			var took time.Duration
			for range b.N {
				sets := []string{fmt.Sprint("population.shard=", shard), "population.sessions=100"}
				if shard == 1 {
					sets = append(sets, "population.workspace=1", "population.arrivals=null")
				}
				p, h := opened(b, string(text), sets...), still(1)
				before := processor()
				if err := h.Population(p, false, func(int) string { return "x" }); err != nil {
					b.Fatal(err)
				}
				took += processor() - before
				h.Close()
				agents += p.Totals.Started - p.Sessions
			}
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			b.ReportMetric(float64(took.Nanoseconds())/float64(agents), "ns/sub-agent")
			b.ReportMetric(float64(m.Sys)/(1<<20), "MiB")
			b.ReportMetric(0, "ns/op")
		})
	}
}

// BenchmarkMillion holds a million sub-agents of the week, in shards of 50 of which one of
// 50 is audited in full, against the bars on memory and on the time of the 34 million.
func BenchmarkMillion(b *testing.B) {
	defer debug.SetGCPercent(debug.SetGCPercent(400)) // as the command does
	text, err := os.ReadFile("../../../testdata/week/week.yaml")
	if err != nil {
		b.Fatal(err)
	}
	for range b.N {
		p, h := opened(b, string(text), "population.sessions=10_000"), still(runtime.GOMAXPROCS(0))
		from, began := processor(), time.Now()
		if err := h.Population(p, true, func(int) string { return "x" }); err != nil {
			b.Fatal(err)
		}
		spent, took := processor()-from, time.Since(began)
		h.Close()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		n := p.Totals.Started - p.Sessions
		b.Logf("%d sub-agents, %d of %d shards audited: %d MiB of the machine; bar 1024", n, p.Audited, p.Shards(), m.Sys>>20)
		b.Logf("%.1f s, %.1f µs of processor time each; 34 million of them: %.1f minutes; bar 10", took.Seconds(), float64(spent.Microseconds())/float64(n), took.Minutes()*34e6/float64(n))
		b.ReportMetric(float64(spent.Nanoseconds())/float64(n), "ns/sub-agent")
		b.ReportMetric(float64(m.Sys)/(1<<20), "MiB")
	}
	b.ReportMetric(0, "ns/op")
}

func TestSubAgentCost(t *testing.T) {
	t.Run("POP-06 a sub-agent of the week allocates at most 50 times and 11 KiB, its share of the session and its shard included", func(t *testing.T) {
		defer debug.SetGCPercent(debug.SetGCPercent(400)) // as the command does
		text, err := os.ReadFile("../../../testdata/week/week.yaml")
		if err != nil {
			t.Fatal(err)
		}
		taken := func(sessions int) (count, bytes uint64) {
			p, h := opened(t, string(text), fmt.Sprint("population.sessions=", sessions)), still(1)
			defer h.Close()
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			if err := h.Population(p, false, func(int) string { return "x" }); err != nil {
				t.Fatal(err)
			}
			runtime.ReadMemStats(&after)
			return after.Mallocs - before.Mallocs, after.TotalAlloc - before.TotalAlloc
		}
		taken(10) // what is made once
		count, bytes := taken(10)
		if count, bytes := count/1_000, bytes/1_000; count > 50 || bytes > 11<<10 {
			t.Errorf("%d allocations and %d bytes", count, bytes)
		}
	})
}

// processor is the processor time of this process.
func processor() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
