package scenarios

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"pgregory.net/rapid"

	"agentsim/scenarios/document"
)

var rewriteSchema = flag.Bool("rewrite-schema", false, "write scenario.schema.json anew")

func TestJSONSchema(t *testing.T) {
	t.Run("SCN-03 the shipped schema is made of the types that the decoder reads", schemaIsCurrent)
	t.Run("LANG-10 every key has a description for users, with its default unless it is required", schemaDescribes)
	t.Run("LANG-10 every key has an example, which its own schema takes", schemaExamples)
	t.Run("LANG-09 on top stand the six blocks and what frames them; what studies of mechanism need is under lab, and a file that has it on top is told so", blocks)
	t.Run("SCN-03 every scenario of the library fits the schema", schemaTakesLibrary)
	t.Run("SCN-03 every choice that the schema lists is the decoder's", schemaChoices)
	t.Run("SCN-03 a key or a type that the schema refuses the decoder refuses, and the other way round", rapid.MakeCheck(schemaAgrees))
}

// require is what both kinds of test have.
type require struct {
	fatalf func(string, ...any)
}

func (r require) ok(err error) {
	if err != nil {
		r.fatalf("%v", err)
	}
}

// keyDoc is what a key is, and a value of it.
type keyDoc struct{ about, example string }

// value is the example as a JSON reader sees it.
func (d keyDoc) value(t require) any {
	n, bad := limits.Parse(document.NewSource("keys.txt", d.example), d.example)
	if bad != nil {
		t.fatalf("keys.txt: %s: %v", d.example, bad)
	}
	return instance(n)
}

// keyDocs reads what keys.txt says of each key, by TYPE.KEY.
func keyDocs(t require) map[string]keyDoc {
	src, err := os.ReadFile("keys.txt")
	t.ok(err)
	out, typ := map[string]keyDoc{}, ""
	for line := range strings.Lines(string(src)) {
		switch key, text, ok := strings.Cut(strings.TrimSuffix(line, "\n"), ": "); {
		case strings.HasPrefix(line, "#") || line == "\n":
		case !ok:
			typ = key
		case out[typ+"."+key] != keyDoc{}:
			t.fatalf("keys.txt: %s.%s twice", typ, key)
		default:
			cells := strings.Split(text, " | ")
			if len(cells) != 2 || !strings.Contains(cells[0], "default") && !strings.Contains(cells[0], "; required") {
				t.fatalf("keys.txt: %s.%s: a row is KEY: description with its default or required | example", typ, key)
			}
			out[typ+"."+key] = keyDoc{cells[0], cells[1]}
		}
	}
	return out
}

// internal is what a description for users does not contain: ids of statements, and
// words of the code.
var internal = regexp.MustCompile(`[A-Z]{3,}-V?[0-9]+|\bnil\b|zero value`)

// schemaDescribes walks all keys of the shipped schema.
func schemaDescribes(t *testing.T) {
	docs, used := keyDocs(require{t.Fatalf}), map[string]bool{}
	var root any
	require{t.Fatalf}.ok(json.Unmarshal(JSONSchema(), &root))
	keys := 0
	var walk func(at string, n any)
	walk = func(at string, n any) {
		if list, ok := n.([]any); ok {
			for _, x := range list {
				walk(at, x)
			}
			return
		}
		m, _ := n.(map[string]any)
		props, _ := m["properties"].(map[string]any)
		for key, s := range props {
			keys++
			text, _ := s.(map[string]any)["description"].(string)
			used[text] = true
			if text == "" {
				t.Errorf("%s.%s has no description", at, key)
			}
			if id := internal.FindString(text); id != "" {
				t.Errorf("%s.%s: the description holds %q: %s", at, key, id, text)
			}
			walk(at+"."+key, s)
		}
		for key, x := range m {
			if key != "properties" {
				walk(at+" "+key, x)
			}
		}
	}
	walk("", root)
	if keys < 500 {
		t.Errorf("%d keys only", keys)
	}
	for key, doc := range docs {
		if !used[doc.about] {
			t.Errorf("keys.txt describes %s, which is no key", key)
		}
	}
}

// schemaExamples lets the schema of each key judge its example.
func schemaExamples(t *testing.T) {
	must := require{t.Fatalf}
	var root any
	must.ok(json.Unmarshal(JSONSchema(), &root))
	keys := members{}
	var walk func(at string, n any)
	walk = func(at string, n any) {
		if list, ok := n.([]any); ok {
			for i, x := range list {
				walk(fmt.Sprint(at, " ", i), x)
			}
			return
		}
		m, _ := n.(members)
		for key, x := range m {
			if of, ok := x.(members); ok && strings.HasSuffix(at, " properties") {
				keys[at+" "+key] = of
			}
			walk(at+" "+key, x)
		}
	}
	walk("", root)
	text, err := json.Marshal(members{"properties": keys, "$defs": root.(members)["$defs"]})
	must.ok(err)
	var s jsonschema.Schema
	must.ok(json.Unmarshal(text, &s))
	judge, err := s.Resolve(nil)
	must.ok(err)
	for at, of := range keys { // order: each is a key of its own
		list, _ := of.(members)["examples"].([]any)
		if len(list) == 0 && !strings.Contains(at, " gates ") {
			t.Errorf("%s has no example", at)
		}
		for _, x := range list {
			if err := judge.Validate(members{at: x}); err != nil {
				t.Errorf("%s: example %v: %v", at, x, err)
			}
		}
	}
}

// blocks looks at the keys on top and below lab.
func blocks(t *testing.T) {
	var s struct {
		Properties map[string]any
		Defs       map[string]struct{ Properties map[string]any } `json:"$defs"`
	}
	require{t.Fatalf}.ok(json.Unmarshal(JSONSchema(), &s))
	want := strings.Fields("about agents agentsim compare expect lab matrix model name population profile project provider script seed structure sweep variants work")
	if got := slices.Sorted(maps.Keys(s.Properties)); !slices.Equal(got, want) {
		t.Errorf("on top are %v", got)
	}
	for key := range s.Defs["Lab"].Properties { // order: each is a case of its own
		_, err := Parse("x.yaml", []byte("agentsim: 1\nname: x\n"+key+": {}\n"))
		if err == nil || !strings.Contains(err.Error(), "belongs under lab") {
			t.Errorf("%s on top: %v", key, err)
		}
	}
	for _, key := range strings.Fields("compaction faults gate_flips injections limits permissions") {
		if s.Defs["Lab"].Properties[key] == nil {
			t.Errorf("%s is not under lab", key)
		}
	}
}

func schemaIsCurrent(t *testing.T) {
	want, err := schema(keyDocs(require{t.Fatalf}))
	if err != nil {
		t.Fatal(err)
	}
	if *rewriteSchema {
		if err := os.WriteFile("scenario.schema.json", want, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if !bytes.Equal(want, JSONSchema()) {
		t.Fatal("scenario.schema.json is not what the types make of it: go test ./scenarios -run TestJSONSchema -rewrite-schema")
	}
}

// resolved is the shipped schema as a validator.
var resolved = sync.OnceValue(func() *jsonschema.Resolved {
	var s jsonschema.Schema
	t := require{func(f string, args ...any) { panic(fmt.Sprintf(f, args...)) }}
	t.ok(json.Unmarshal(JSONSchema(), &s))
	r, err := s.Resolve(nil)
	t.ok(err)
	return r
})

// instance is a node as a JSON reader sees it.
func instance(n *document.Node) any {
	switch n.Kind {
	case document.Map:
		out := members{}
		for _, p := range n.Pairs {
			out[p.Key] = instance(p.Val)
		}
		return out
	case document.List:
		out := []any{}
		for _, it := range n.Items {
			out = append(out, instance(it))
		}
		return out
	case document.Int:
		if v, err := document.ParseInt(n.Text); err == nil {
			return float64(v)
		}
	case document.Float:
		if v, err := strconv.ParseFloat(strings.ReplaceAll(n.Text, "_", ""), 64); err == nil {
			return v
		}
	case document.Bool:
		return strings.EqualFold(n.Text, "true")
	case document.Null:
		return nil
	case document.String:
	}
	return n.Text
}

// libraryNode is a scenario of the library as a tree.
func libraryNode(t require, name string) *document.Node {
	src, err := library.ReadFile("library/" + name + ".yaml")
	t.ok(err)
	n, bad := limits.Parse(document.NewSource(name, string(src)), string(src))
	if bad != nil {
		t.fatalf("%v", bad)
	}
	return n
}

func schemaTakesLibrary(t *testing.T) {
	for _, name := range Names() {
		if err := resolved().Validate(instance(libraryNode(require{t.Fatalf}, name))); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// schemaChoices holds each closed list against the decoder: the listed words are
// known to it, and no other.
func schemaChoices(t *testing.T) {
	for key, of := range words {
		typ, field, _ := strings.Cut(key, ".")
		found := false
		for _, path := range fieldPaths(scenarioType, typ, field, "", map[reflect.Type]bool{}) {
			found = true
			for _, word := range append([]string{"no-such-word"}, of.List...) {
				unknown := refusesWord(path, word)
				if unknown != (word == "no-such-word") {
					t.Errorf("%s at %s: the decoder calls %q unknown: %v", key, path, word, unknown)
				}
			}
		}
		if !found {
			t.Errorf("no field %s", key)
		}
	}
}

// fieldPaths are YAML texts, with a %s for the value, that reach a field.
func fieldPaths(t reflect.Type, typ, key, around string, seen map[reflect.Type]bool) (out []string) {
	t = document.Deref(t)
	if around == "" {
		around = "@"
	}
	if t.Kind() == reflect.Slice {
		return fieldPaths(t.Elem(), typ, key, strings.Replace(around, "@", "[@]", 1), seen)
	}
	if t.Kind() != reflect.Struct || seen[t] {
		return nil
	}
	seen[t] = true
	defer delete(seen, t)
	for _, f := range document.FieldsOf(t) {
		at := strings.Replace(around, "@", "{"+f.Key+": @}", 1)
		if t.Name() == typ && f.Key == key {
			out = append(out, at)
			continue
		}
		out = append(out, fieldPaths(f.Typ, typ, key, at, seen)...)
	}
	return out
}

// refusesWord reports whether a scenario with the word at a place is refused
// because the word is unknown there.
func refusesWord(place, word string) bool {
	text := strings.TrimSuffix(strings.TrimPrefix(strings.Replace(place, "@", word, 1), "{"), "}")
	_, err := Parse("x.yaml", []byte("agentsim: 1\nname: x\n"+text))
	if err == nil {
		return false
	}
	for _, e := range err.(*document.Errors).List {
		if strings.Contains(e.Msg, "unknown") && strings.Contains(e.Msg, `"`+word+`"`) {
			return true
		}
	}
	return false
}

// schemaAgrees damages a scenario of the library in one place.
func schemaAgrees(t *rapid.T) {
	name := rapid.SampledFrom(Names()).Draw(t, "scenario")
	root := libraryNode(require{t.Fatalf}, name)
	var places []*document.Node
	var walk func(n *document.Node)
	walk = func(n *document.Node) {
		places = append(places, n)
		for _, p := range n.Pairs {
			if p.Key == "set" {
				continue
			}
			// The schema leaves to the decoder what stands below a path, in a variant
			// or among the values of an axis.
			if !strings.Contains(p.Key, ".") {
				walk(p.Val)
			}
		}
		for _, it := range n.Items {
			walk(it)
		}
	}
	var base, grid []document.Pair // what a variant may take the place of, and what does so
	for _, p := range root.Pairs {
		switch p.Key {
		case "variants", "matrix", "sweep":
			grid = append(grid, p)
		case "expect": // names variants
		default:
			base = append(base, p)
		}
	}
	if rapid.Bool().Draw(t, "base") || grid == nil {
		root.Pairs = base
		walk(root)
	} else {
		walk(&document.Node{Kind: document.Map, Pos: root.Pos, Pairs: grid})
		places = places[1:]
	}
	n := rapid.SampledFrom(places).Draw(t, "place")
	key := false
	if n.Kind == document.Map && rapid.Bool().Draw(t, "key") {
		key = true
		n.Pairs = append(n.Pairs, document.Pair{Key: "no_such_key", Pos: n.Pos, Val: &document.Node{Kind: document.String, Text: "x", Pos: n.Pos}})
	} else {
		*n = document.Node{Kind: document.List, Pos: n.Pos, Items: []*document.Node{{Kind: document.List, Pos: n.Pos}}}
	}
	schema := resolved().Validate(instance(root)) != nil
	decoder := !decodes(root, false)
	if schema && !decoder && decodes(root, true) {
		t.Fatalf("%s: the schema refuses what the decoder takes (key: %v, at %v)", name, key, n.Pos)
	}
	if decoder && !schema {
		t.Fatalf("%s: the decoder refuses what the schema takes (key: %v, at %v)", name, key, n.Pos)
	}
}

// decodes reports whether keys and types of a file are right; checked also asks
// for everything else.
func decodes(root *document.Node, checked bool) bool {
	var errs document.Problems
	f := &File{Path: root.Pos.Src.Name, src: root.Pos.Src, beside: map[string]string{}}
	Beside(readLibrary)(f)
	f.split(root, &errs)
	f.head(&errs)
	if len(errs.List) > 0 {
		return false
	}
	for _, name := range f.VariantNames() {
		if tree := f.tree(name, &errs); tree != nil {
			if s, d := f.decode(tree, &errs); checked && len(errs.List) == 0 {
				f.check(s, d)
			}
		}
	}
	f.checkSweep(&errs)
	return len(errs.List) == 0
}
