package outside

import (
	"context"
	"encoding/json"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bufbuild/protocompile"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/dynamicpb"
)

// message reads a field of a decoded message by its name.
type message struct{ protoreflect.Message }

func (m message) field(name string) protoreflect.FieldDescriptor {
	return m.Descriptor().Fields().ByName(protoreflect.Name(name))
}
func (m message) has(name string) bool       { return m.Has(m.field(name)) }
func (m message) sub(name string) message    { return message{m.Get(m.field(name)).Message()} }
func (m message) uint(name string) uint64    { return m.Get(m.field(name)).Uint() }
func (m message) text(name string) string    { return m.Get(m.field(name)).String() }
func (m message) float(name string) float64  { return m.Get(m.field(name)).Float() }
func (m message) number(name string) float64 { return float64(m.Get(m.field(name)).Int()) }
func (m message) enum(name string) string {
	f := m.field(name)
	return string(f.Enum().Values().ByNumber(m.Get(f).Enum()).Name())
}
func (m message) list(name string) (out []protoreflect.Value) {
	l := m.Get(m.field(name)).List()
	for i := range l.Len() {
		out = append(out, l.Get(i))
	}
	return out
}

// decode reads a trace, and refuses what the messages do not have.
func decode(t *testing.T, name string) []message {
	t.Helper()
	files, err := (&protocompile.Compiler{Resolver: &protocompile.SourceResolver{}}).Compile(context.Background(), "perfetto.proto")
	if err != nil {
		t.Fatal(err)
	}
	text := bytesOf(t, name)
	root := message{dynamicpb.NewMessage(files[0].Messages().ByName("Trace"))}
	if err := proto.Unmarshal(text, root.Interface()); err != nil {
		t.Fatal(err)
	}
	var walk func(m message)
	walk = func(m message) {
		if len(m.GetUnknown()) > 0 {
			t.Fatalf("%s has fields that are not Perfetto's: %v", m.Descriptor().Name(), m.GetUnknown())
		}
		m.Range(func(f protoreflect.FieldDescriptor, v protoreflect.Value) bool {
			switch {
			case f.Message() == nil:
			case f.IsList():
				for _, x := range m.list(string(f.Name())) {
					walk(message{x.Message()})
				}
			default:
				walk(message{v.Message()})
			}
			return true
		})
	}
	walk(root)
	var out []message
	for _, p := range root.list("packet") {
		out = append(out, message{p.Message()})
	}
	return out
}

// TestPerfetto writes runs as a trace and reads that by Perfetto's messages.
func TestPerfetto(t *testing.T) {
	agentsim, dir := program(t), t.TempDir()
	run := func(args ...string) []byte {
		cmd := exec.Command(agentsim, args...)
		cmd.Dir = dir
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("%v: %v\n%s", args, err, out)
		}
		return out
	}
	for _, scenario := range []string{"nested", "coordinator", "fan-out", "stream-failures"} {
		run("run", scenario, "--db", "a.db")
	}
	var list []struct {
		ID   string `json:"run"`
		Cost int64  `json:"cost_picodollars"`
	}
	var about struct {
		Runs json.RawMessage `json:"runs"`
	}
	text := run("inspect", "--db", "a.db", "-o", "json")
	if json.Unmarshal(text, &about) != nil || json.Unmarshal(about.Runs, &list) != nil || len(list) < 4 {
		t.Fatalf("%s", text)
	}
	all := []string{"export", "--db", "a.db", "--format", "perfetto", "--output", "all"}
	for _, r := range list {
		t.Run("EXPT-01 a trace has each agent, call and tool of a run, its bill, and arrows with two ends", func(t *testing.T) {
			run("export", r.ID, "--db", "a.db", "--format", "perfetto", "--output", "one")
			files, err := filepath.Glob(filepath.Join(dir, "one", "*.pftrace"))
			if err != nil || len(files) != 1 {
				t.Fatal(files, err)
			}
			check(t, decode(t, files[0]), run("inspect", r.ID, "--db", "a.db", "-o", "json"), r.Cost)
			os.RemoveAll(filepath.Join(dir, "one"))
		})
		all = append(all, r.ID)
	}
	t.Run("EXPT-01 several runs are processes of one trace, and equal runs give equal bytes", func(t *testing.T) {
		run(all...)
		files, err := filepath.Glob(filepath.Join(dir, "all", "*.pftrace"))
		if err != nil || len(files) != 1 {
			t.Fatal(files, err)
		}
		pids, first := map[int64]bool{}, bytesOf(t, files[0])
		for _, p := range decode(t, files[0]) {
			if d := p.sub("track_descriptor"); d.has("process") {
				pids[int64(d.sub("process").number("pid"))] = true
			}
		}
		if len(pids) != len(list) {
			t.Errorf("%d processes, want %d", len(pids), len(list))
		}
		os.RemoveAll(filepath.Join(dir, "all"))
		run(all...)
		if string(first) != string(bytesOf(t, files[0])) {
			t.Error("another trace of the same runs")
		}
	})
}

func bytesOf(t *testing.T, name string) []byte {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// check holds a trace against what inspect says of its run.
func check(t *testing.T, packets []message, inspected []byte, cost int64) {
	var want struct {
		Agents []struct {
			Lineage string `json:"lineage"`
			Calls   int    `json:"calls"`
			Read    int64  `json:"tokens_read"`
		} `json:"agents"`
	}
	if err := json.Unmarshal(inspected, &want); err != nil || len(want.Agents) == 0 {
		t.Fatalf("%v\n%s", err, inspected)
	}
	open, tracks := map[uint64]int{}, map[uint64]string{}
	begins, ends := map[uint64]uint64{}, map[uint64]uint64{}
	agents, calls := map[string]bool{}, map[string]int{}
	reads, bill, at := map[string]float64{}, 0.0, uint64(0)
	for _, p := range packets {
		if p.has("track_descriptor") {
			d := p.sub("track_descriptor")
			tracks[d.uint("uuid")] = d.text("name")
			continue
		}
		if p.uint("timestamp") < at {
			t.Errorf("an event at %d behind one at %d", p.uint("timestamp"), at)
		}
		at = p.uint("timestamp")
		e := p.sub("track_event")
		track := e.uint("track_uuid")
		for _, id := range e.list("flow_ids") {
			begins[id.Uint()] = at
		}
		for _, id := range e.list("terminating_flow_ids") {
			ends[id.Uint()] = at
		}
		switch e.enum("type") {
		case "TYPE_SLICE_BEGIN":
			open[track]++
			if name, is := strings.CutPrefix(e.text("name"), "agent "); is {
				agents[name] = true
			}
			lineage := strings.Fields(tracks[track])[0]
			if strings.HasPrefix(e.text("name"), "call ") && !strings.HasSuffix(e.text("name"), "failed") {
				calls[lineage]++
			}
			for _, n := range e.list("debug_annotations") {
				if n := (message{n.Message()}); n.text("name") == "cache_read_tokens" {
					reads[lineage] += n.number("int_value")
				}
			}
		case "TYPE_SLICE_END":
			if open[track]--; open[track] < 0 {
				t.Errorf("at %d a slice ends on %s that did not begin", at, tracks[track])
			}
		case "TYPE_COUNTER":
			if tracks[track] == "cost" {
				bill = e.float("double_counter_value")
			}
		}
	}
	for track, n := range open {
		if n != 0 {
			t.Errorf("%d slices of %s do not end", n, tracks[track])
		}
	}
	for id, from := range begins {
		if to, there := ends[id]; !there || to < from {
			t.Errorf("an arrow from %d has its end at %d, %v", from, to, there)
		}
	}
	if len(begins) != len(ends) || len(begins) == 0 {
		t.Errorf("%d arrows begin and %d end", len(begins), len(ends))
	}
	if math.Abs(bill-float64(cost)/1e12) > 1e-9 {
		t.Errorf("a bill of %g, want %g", bill, float64(cost)/1e12)
	}
	for _, a := range want.Agents {
		if !agents[a.Lineage] || calls[a.Lineage] != a.Calls || int64(reads[a.Lineage]) != a.Read {
			t.Errorf("%s: there %v, %d calls, %g tokens read, want %d and %d", a.Lineage, agents[a.Lineage], calls[a.Lineage], reads[a.Lineage], a.Calls, a.Read)
		}
	}
}
