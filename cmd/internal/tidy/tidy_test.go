package tidy

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
)

// rules in the order in which they are told.
var rules = []struct {
	name  string
	check func(*tree) []finding
}{
	{"rooms import one way, as the table says", roomImports},
	{"packages of others stay in their rooms", foreignImports},
	{"KRN-02 no goroutine, lock, channel or select inside the simulated world", bans},
	{"goroutines are started in one room", oneCrew},
	{"KRN-02 what may suspend takes the process first and returns an error", suspending},
	{"KRN-05 floats begin in metrics", noFloats},
	{"KRN-01 no map order reaches an event", mapOrder},
	{"what is outside is opened in hostdir alone", outside},
	{"a machine of 32 bits can build it", narrow},
	{"LOOP-01 one function calls the model", oneLoop},
	{"CON-20 only the agent layer records", recording},
	{"files and functions stay small", sizes},
	{"types have few methods, promoted ones included", methods},
	{"packages and exported names are explained", comments},
}

// TestTree holds every rule against the tree as it stands.
func TestTree(t *testing.T) {
	root := moduleRoot(t)
	tr, err := readTree(root)
	if err != nil {
		t.Fatal(err)
	}
	if err := tr.check(root); err != nil {
		t.Fatal(err)
	}
	used := make([]bool, len(exceptions))
	for _, r := range rules {
		t.Run(r.name, func(t *testing.T) {
			for _, f := range r.check(tr) {
				if !excepted(f, used) {
					t.Error(f)
				}
			}
		})
	}
	t.Run("what no program calls is meant, and is in the list with its reason", func(t *testing.T) { checkUnreached(t, tr.unreachedFuncs()) })
	for _, room := range slices.Sorted(maps.Keys(parseRooms(rooms))) {
		if !slices.ContainsFunc(tr.files, func(f *file) bool { return f.room() == room }) {
			t.Errorf("the table of rooms lists %s, which is not there; take it out", room)
		}
	}
	for i, e := range exceptions {
		if !used[i] || e.reason == "" {
			t.Errorf("exception %q for %s: not needed any more, or without a reason; take it out", e.rule, e.path)
		}
	}
}

func excepted(f finding, used []bool) bool {
	for i, e := range exceptions {
		if e.rule == f.rule && e.path == f.path {
			used[i] = true
			return true
		}
	}
	return false
}

// TestRules holds the rules against small trees that break them.
func TestRules(t *testing.T) {
	root := moduleRoot(t)
	datadriven.Walk(t, "testdata", func(t *testing.T, name string) {
		datadriven.RunTest(t, name, func(t *testing.T, d *datadriven.TestData) string {
			return runStory(t, root, d.Input)
		})
	})
}

func runStory(t *testing.T, root, input string) string {
	t.Helper()
	tr := newTree()
	for _, part := range strings.Split("\n"+input, "\n-- ")[1:] {
		name, source, _ := strings.Cut(part, " --\n")
		if err := tr.add(name, []byte(strings.TrimSuffix(source, "\n")+"\n")); err != nil {
			t.Fatal(err)
		}
	}
	if err := tr.check(root); err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, r := range rules {
		for _, f := range r.check(tr) {
			out = append(out, fmt.Sprintln(f))
		}
	}
	for _, f := range tr.unreachedFuncs() {
		out = append(out, "no program calls "+f+"\n")
	}
	return strings.Join(out, "")
}
