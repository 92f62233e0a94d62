package cli

import (
	"bufio"
	"encoding/csv"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"agentsim/cmd/internal/ui"
	"agentsim/metrics"

	"github.com/spf13/cobra"
)

var rewriteFields = flag.Bool("rewrite-fields", false, "write the names of what commands print for machines into docs/fields.md")

// fieldsPage lists the names, below a heading for each command line.
const fieldsPage = "../../../docs/fields.md"

// TestFields runs every command line of the page in the forms for machines.
func TestFields(t *testing.T) {
	long(t)
	text, err := os.ReadFile(fieldsPage)
	if err != nil {
		t.Fatal(err)
	}
	page, err := filepath.Abs(fieldsPage)
	if err != nil {
		t.Fatal(err)
	}
	place := examplePlace(t)
	greeting, err := os.ReadFile("../../../scenarios/library/hello.yaml")
	if err != nil {
		t.Fatal(err)
	}
	changed := filepath.Join(place, "changed.yaml")
	runExample(t, place, "agentsim bench hello --baseline hello.baseline --update")
	for i, text := range []string{string(greeting), strings.Replace(string(greeting), "1_400", "1_500", 1)} {
		if err := os.WriteFile(changed, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if i == 0 {
			runExample(t, place, "agentsim bench changed.yaml --baseline changed.baseline --update")
		}
	}
	runs := map[string]string{"RUN": exampleRun(t, place, false)}
	t.Chdir(place)
	head, _, _ := strings.Cut(string(text), "\n## ")
	want := head + "\n"
	var shown []string
	answers := map[string]func(form string, width int) string{}
	for line := range strings.Lines(string(text)) {
		words, ok := strings.CutPrefix(strings.TrimSpace(line), "## `agentsim ")
		if !ok {
			continue
		}
		words = strings.TrimSuffix(words, "`")
		shown = append(shown, words)
		if runs["SESSION"] == "" && strings.Contains(words, "SESSION") {
			runs["SESSION"] = exampleRun(t, place, true)
		}
		args := append(withRuns(words, runs), "-o", "json")
		if args[0] == "runs" { // which takes them away
			args = append(args, "--db", copied(t, "agentsim.db", "fewer.db"))
		}
		answers[words] = answerOf(t, args)
		want += "## `agentsim " + words + "`\n\n" + fieldsOf(t, words, answers[words])
	}
	want += "## Metrics\n\n" + metricNames()
	t.Run("EXPT-06 docs/fields.md has the names and types of what each command prints as JSON, NDJSON and CSV", func(t *testing.T) {
		switch {
		case want == string(text):
		case *rewriteFields:
			if err := os.WriteFile(page, []byte(want), 0o644); err != nil {
				t.Fatal(err)
			}
		default:
			t.Errorf("docs/fields.md is not what the commands print: run go test ./cmd/internal/cli -run TestFields -rewrite-fields\nit should read:\n%s", want)
		}
	})
	t.Run("TTY-01 at 60, 80, 120 and 200 columns no row of any command's tables breaks, and from 120 on every column shows", func(t *testing.T) {
		widths(t, shown, answers)
	})
	t.Run("EXPT-06 docs/fields.md has every command with a form for machines", func(t *testing.T) {
		walkCommands(newRoot(&ui.Env{Getenv: os.Getenv}), func(cmd *cobra.Command) {
			flag := cmd.Flags().Lookup("output")
			name := strings.TrimPrefix(cmd.CommandPath(), "agentsim ")
			if flag != nil && strings.Contains(flag.Usage, "csv") && !slices.ContainsFunc(shown, func(s string) bool { return strings.HasPrefix(s+" ", name+" ") }) {
				t.Errorf("%s is not there", name)
			}
		})
	})
}

// withRuns are the words of a command line with runs by their ids.
func withRuns(words string, runs map[string]string) []string {
	args := strings.Fields(words)
	for i, w := range args {
		run, rest, _ := strings.Cut(w, ":")
		if id := runs[run]; id != "" {
			args[i] = strings.TrimSuffix(id+":"+rest, ":")
		}
	}
	return args
}

// fieldsOf says the names of one command line's forms.
func fieldsOf(t *testing.T, words string, print func(form string, width int) string) string {
	t.Helper()
	whole, rows := fields{}, fields{}
	whole.object(t, "", []byte(print("json", 0)))
	lines := bufio.NewScanner(strings.NewReader(print("ndjson", 0)))
	for lines.Buffer(nil, 1<<24); lines.Scan(); {
		rows.object(t, "", lines.Bytes())
	}
	flat, err := csv.NewReader(strings.NewReader(print("csv", 0))).Read()
	if err != nil {
		t.Fatalf("agentsim %s -o csv: %v", words, err)
	}
	var out strings.Builder
	out.WriteString("JSON:\n```\n")
	for _, path := range slices.Sorted(maps.Keys(whole)) {
		fmt.Fprintf(&out, "%-40s %s\n", path, whole[path])
	}
	out.WriteString("```\n")
	if top := rows.top(); !whole.hold(top) {
		out.WriteString("NDJSON: `" + strings.Join(top, "` `") + "`\n\n")
	}
	out.WriteString("CSV: `" + strings.Join(flat, "` `") + "`\n\n")
	return out.String()
}

func copied(t *testing.T, from, to string) string {
	t.Helper()
	text, err := os.ReadFile(from)
	if err == nil {
		err = os.WriteFile(to, text, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	return to
}

// fields are the types of JSON by the paths of names: variants[].cost_usd.
type fields map[string]string

// keyed are objects whose names are no fields: metrics, types of agents, axes.
var keyed = []string{"metrics", "types", "at"}

func (f fields) object(t *testing.T, at string, text []byte) {
	t.Helper()
	var members map[string]json.RawMessage
	if err := json.Unmarshal(text, &members); err != nil {
		t.Fatalf("%s: %v in %s", at, err, text)
	}
	for name, value := range members { // order: a map again
		f.value(t, at+name, value)
	}
}

func (f fields) value(t *testing.T, path string, value json.RawMessage) {
	t.Helper()
	kind := ""
	switch value[0] {
	case '"':
		kind = "string"
	case 't', 'f':
		kind = "boolean"
	case '{':
		if kind = "object"; !slices.Contains(keyed, path[strings.LastIndexAny(path, ".]")+1:]) {
			f.object(t, path+".", value)
		}
	case '[':
		var list []json.RawMessage
		if err := json.Unmarshal(value, &list); err != nil {
			t.Fatal(err)
		}
		kind = "array"
		for _, item := range list {
			f.value(t, path+"[]", item)
		}
	case 'n':
		kind = "null"
	default:
		if kind = "integer"; strings.ContainsAny(string(value), ".e") || fraction(path) || f[path] == "number" {
			kind = "number"
		}
	}
	if have := f[path]; have != "" && have != kind && (have != "integer" || kind != "number") {
		t.Errorf("%s is of type %s and of type %s", path, have, kind)
	}
	f[path] = kind
}

// fraction reports whether a name's numbers are decimals.
func fraction(path string) bool {
	return slices.ContainsFunc([]string{"_usd", "_s", "ratio"}, func(end string) bool { return strings.HasSuffix(path, end) })
}

// hold reports whether one table, or the object itself, has all the names.
func (f fields) hold(names []string) bool {
	for path, kind := range f { // order: any will do
		table := path + "[]."
		if kind == "array" && !slices.ContainsFunc(names, func(n string) bool { return f[table+n] == "" }) {
			return true
		}
	}
	return !slices.ContainsFunc(names, func(n string) bool { return f[n] == "" })
}

// top are the names of the rows themselves.
func (f fields) top() (out []string) {
	for path := range f { // order: sorted below
		if !strings.ContainsAny(path, ".[") {
			out = append(out, path)
		}
	}
	slices.Sort(out)
	return out
}

// metricNames lists the metrics.
func metricNames() string {
	var out strings.Builder
	for _, n := range metrics.Names() {
		fmt.Fprintf(&out, "- `%s` (%s): %s\n", n.Name, n.Unit, n.What)
	}
	return out.String()
}
