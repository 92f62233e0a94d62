package audit_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"agentsim/scenarios"
	"agentsim/sim"
	"agentsim/sim/audit"
	"agentsim/sim/llm"
	"agentsim/sim/rng"
	"agentsim/sim/transcript"
)

// keeper keeps copies of a run's events.
type keeper struct{ events []transcript.Event }

func (k *keeper) Emit(e *transcript.Event) {
	c := *e
	c.Body = cloned(reflect.ValueOf(e.Body)).Interface().(transcript.Body)
	k.events = append(k.events, c)
}

// cloned copies what a pointer points to, with its slices and what it holds by a
// pointer, but for nodes, blocks and payloads, which nobody changes.
func cloned(p reflect.Value) reflect.Value {
	out := reflect.New(p.Elem().Type())
	out.Elem().Set(p.Elem())
	for i := range out.Elem().NumField() {
		f := out.Elem().Field(i)
		switch {
		case !f.CanSet():
		case f.Kind() == reflect.Slice && !f.IsNil():
			s := reflect.MakeSlice(f.Type(), f.Len(), f.Len())
			reflect.Copy(s, f)
			f.Set(s)
		case f.Kind() == reflect.Pointer && !f.IsNil() && (f.Type() == reflect.TypeFor[*llm.Response]() || f.Type() == reflect.TypeFor[*llm.APIError]()):
			f.Set(cloned(f))
		}
	}
	return out
}

// fields are the fields of a body that can be changed, those of structures in it
// included.
func fields(v reflect.Value, out []reflect.Value) []reflect.Value {
	for i := range v.NumField() {
		f := v.Field(i)
		switch f.Kind() {
		case reflect.Struct:
			out = fields(f, out)
		case reflect.Pointer:
			if f.IsNil() || f.Type() != reflect.TypeFor[*llm.Response]() && f.Type() != reflect.TypeFor[*llm.APIError]() {
				if f.Type() != reflect.TypeFor[*llm.Node]() {
					continue
				}
			} else {
				out = fields(f.Elem(), out)
				continue
			}
			fallthrough
		default:
			if f.CanSet() {
				out = append(out, f)
			}
		}
	}
	return out
}

// spoil puts another value into a field.
func spoil(f reflect.Value, draw rng.Key) {
	switch f.Kind() {
	case reflect.Bool:
		f.SetBool(!f.Bool())
	case reflect.Int, reflect.Int32, reflect.Int64:
		f.SetInt(f.Int() + []int64{1, -1, 1000, -1_000_000_000_000 >> 20}[draw.Between(0, 3)])
	case reflect.Uint64, reflect.Uint8:
		f.SetUint(f.Uint() + 1)
	case reflect.String:
		f.SetString([]string{"", "another", f.String() + "x", "completed", "killed", "failed", "deny", "allow", "ask", "plan", "worker", "no-op", "root", "linked"}[draw.Between(0, 13)])
	case reflect.Slice:
		if f.Len() > 0 {
			f.Set(f.Slice(0, f.Len()-1))
		}
	case reflect.Array, reflect.Struct:
		f.SetZero()
	case reflect.Pointer:
		if n, ok := f.Interface().(*llm.Node); ok && n != nil && n.Parent != nil && !n.IsBorder() {
			f.Set(reflect.ValueOf(n.Parent))
		}
	}
}

// garbled changes one of the last blocks of a request's messages.
func garbled(head *llm.Node, draw rng.Key) func(n *llm.Node) *llm.Block {
	at := head.Pos - int32(draw.Between(0, 3))
	return func(n *llm.Node) *llm.Block {
		if n.Pos != at {
			return n.Block
		}
		b, raw := *n.Block, n.Block.Content.Raw()
		switch draw.At(1).Between(0, 5) {
		case 0:
			return nil
		case 1:
			b.IsError = !b.IsError
		case 2:
			b.Content = llm.NewText(llm.Prose, raw[:len(raw)/2])
		case 3:
			b.Content = llm.NewText(llm.Prose, "<task-notification>"+raw)
		case 4:
			b.Content = llm.NewText(llm.Prose, strings.Replace(raw, "completed", "killed", 1)+" ")
		case 5:
			b.Content = llm.NewText(llm.Prose, "Fork is not available inside a forked worker.")
		}
		return &b
	}
}

// sites are the reports in the source of the auditor, by file and function, the
// lines on which they are made.
func sites(t *testing.T) map[string][]int {
	t.Helper()
	names, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	out := map[string][]int{}
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		set := token.NewFileSet()
		f, err := parser.ParseFile(set, name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range f.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || fn.Name.Name == "same" {
				continue
			}
			ast.Inspect(fn, func(n ast.Node) bool {
				if s, ok := n.(*ast.SelectorExpr); ok && (s.Sel.Name == "report" || s.Sel.Name == "same") {
					if x, ok := s.X.(*ast.Ident); ok && x.Name == "u" {
						key := name + " " + fn.Name.Name
						out[key] = append(out[key], set.Position(n.Pos()).Line)
					}
				}
				return true
			})
		}
	}
	return out
}

// spoilt replays a run's events to an auditor with one of them spoilt. An auditor
// may end on what no run can bring.
func spoilt(opt audit.Options, events []transcript.Event, at int, how rng.Key) {
	defer func() { _ = recover() }()
	a := audit.New(opt)
	for i := range events {
		e := events[i]
		if i != at {
			a.Emit(&e)
			continue
		}
		switch how.Between(0, 9) {
		case 0:
		case 1:
			a.Emit(&e)
			a.Emit(&e)
		case 2:
			e.Agent = int32(how.At(1).Between(0, 5))
			a.Emit(&e)
		default:
			if req, ok := e.Body.(*transcript.Request); ok && how.At(4).Between(0, 3) > 0 {
				r := *req
				r.Head = rebuilt(r.Head, garbled(r.Head, how.At(5)))
				e.Body = &r
				a.Emit(&e)
				continue
			}
			e.Body = cloned(reflect.ValueOf(e.Body)).Interface().(transcript.Body)
			if list := fields(reflect.ValueOf(e.Body).Elem(), nil); len(list) > 0 {
				spoil(list[how.At(2).Between(0, int64(len(list)-1))], how.At(3))
			}
			a.Emit(&e)
		}
	}
}

// spoiltSpecs are the auditor's scenarios and those of the library that are small cases.
func spoiltSpecs(t *testing.T) (out []*sim.Spec) {
	t.Helper()
	names, err := filepath.Glob("testdata/*.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		if name = strings.TrimSuffix(filepath.Base(name), ".yaml"); !slices.Contains(lastSpecs, name) {
			out = append(out, specOf(t, name))
		}
	}
	for _, name := range []string{"held-back", "agent-servers", "mcp-servers"} {
		f, err := scenarios.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range f.VariantNames() {
			sc, err := f.Effective(v, nil)
			if err != nil {
				t.Fatal(err)
			}
			spec, err := sim.NewSpec(sc, v)
			if err != nil {
				t.Fatal(err)
			}
			out = append(out, spec)
		}
	}
	for _, name := range lastSpecs {
		out = append(out, specOf(t, name))
	}
	return out
}

// lastSpecs are behind those of the library, whose places decide how they are spoilt.
var lastSpecs = []string{"wrong-writes", "wrong-moments"}

// notMade stands in the list behind a report that no test here makes, and in front of why;
// mutants do.
const notMade = " not made"

// spoilings is how many times an event is spoilt.
const spoilings = 6

func TestReports(t *testing.T) {
	if testing.Short() {
		t.Skip("spoils many runs")
	}
	t.Run("AUD-05 every report of a failed check is there and made in a test, but for those of which the list says that none does", func(t *testing.T) {
		made := map[string]map[int]bool{}
		audit.OnReport(func(file string, line int) {
			if made[file] == nil {
				made[file] = map[int]bool{}
			}
			made[file][line] = true
		})
		defer audit.OnReport(nil)
		for _, c := range surgeries {
			operate(t, c.scenario, c.cut)
		}
		for _, c := range conductSurgeriesOf() {
			operate(t, c.scenario, c.cut)
		}
		for _, c := range crewSurgeries {
			operate(t, c.scenario, c.cut)
		}
		for n, spec := range spoiltSpecs(t) {
			k := &keeper{}
			if _, err := sim.Run(spec, sim.Options{NoAudit: true, Sinks: []transcript.Sink{k}}); err != nil {
				t.Fatal(err)
			}
			options := sim.AuditOptions(spec)
			for i := range k.events {
				for j := range spoilings {
					spoilt(options, k.events, i, rng.Key{}.Sub("spoilt").At(uint64(n)).At(uint64(i)).At(uint64(j)))
				}
			}
		}
		var all []string
		for key, lines := range sites(t) {
			file, _, _ := strings.Cut(key, " ")
			for i, line := range lines {
				site := key + " " + strconv.Itoa(i)
				if !made[file][line] {
					site += notMade
				}
				all = append(all, site)
			}
		}
		slices.Sort(all)
		const list = "testdata/reports.txt"
		want, err := os.ReadFile(list)
		if err != nil {
			t.Fatal(err)
		}
		listed := strings.Split(strings.TrimSpace(string(want)), "\n")
		var known []string
		for _, line := range listed {
			site, why, quiet := strings.Cut(line, notMade)
			known = append(known, site)
			if quiet && !strings.HasPrefix(why, ": ") {
				t.Errorf("%s: say in %s why no test here makes it", site, list)
			}
			if !slices.Contains(all, site) && !slices.Contains(all, site+notMade) {
				t.Errorf("%s: there is no such report any more", site)
			}
			if quiet && slices.Contains(all, site) {
				t.Errorf("%s: a test here makes it now: take the words%s away", site, notMade)
			}
			if !quiet && slices.Contains(all, site+notMade) {
				t.Errorf("%s: nothing here breaks this check any more: write a surgery that does", site)
			}
		}
		for _, site := range all {
			if bare := strings.TrimSuffix(site, notMade); !slices.Contains(known, bare) {
				t.Errorf("a new report, to be listed in %s: %s", list, site)
			}
		}
	})
}
