package scenarios

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"pgregory.net/rapid"

	"agentsim/cachemodel"
	"agentsim/sim/permission"
)

var rewriteSchema = flag.Bool("rewrite-schema", false, "write scenario.schema.json anew")

func TestJSONSchema(t *testing.T) {
	t.Run("SCN-03 the shipped schema is made of the types that the decoder reads", schemaIsCurrent)
	t.Run("SCN-03 every scenario of the library fits the schema", schemaTakesLibrary)
	t.Run("SCN-03 every choice that the schema lists is the decoder's", schemaChoices)
	t.Run("SCN-03 a key or a type that the schema refuses the decoder refuses, and the other way round", rapid.MakeCheck(schemaAgrees))
}

// choices are the fields whose values are a closed list, by type and key.
var choices = map[string][]string{
	"Scenario.stack": {FullStack, MinimalStack}, "Scenario.strategy": strategies,
	"Provider.kind": {"anthropic"}, "Provider.counter": {"approx", "recorded"}, "Provider.platform": cachemodel.Platforms(),
	"Provider.inference_geo": {"global", "us"}, "Provider.speed": {"standard", "fast"},
	"SettingsSpec.effort": {"low", "medium", "high", "max"}, "SettingsSpec.thinking": {"disabled", "enabled", "adaptive"},
	"Fact.grade": {"gist", "verbatim"}, "Model.prompting": promptings,
	"Item.kind": kinds, "Item.by": {"lead"}, "Item.prompting": promptings,
	"PermissionSpec.children":   {string(permission.AcceptEdits)},
	"CoordinatorSpec.synthesis": syntheses,
	"Turn.stop":                 stops, "FanOut.hold": {"none", "first-response"},
}

// object is a JSON object; its keys are written in order of their names.
type object = map[string]any

// generator makes the schema of the types.
type generator struct {
	docs map[string]string // type.key → doc comment
	defs object
}

func generateSchema(t require) []byte {
	g := &generator{docs: fieldDocs(t), defs: object{}}
	root := g.structure(scenarioType, false)
	props := root["properties"].(object)
	axis := object{"type": "object", "required": []string{"path", "values"}, "additionalProperties": false, "properties": object{
		"path": object{"type": "string"}, "values": object{"type": "array", "minItems": 1, "maxItems": MaxCells}}}
	props["variants"] = object{"description": "Named sets of overrides, one run each.", "type": "object", "minProperties": 1, "maxProperties": MaxVariants,
		"additionalProperties": false, "patternProperties": object{"^[A-Za-z0-9_-]{1,64}$": g.reference(scenarioType, true)}}
	props["matrix"] = object{"description": "A grid of values over every variant.", "type": "array", "minItems": 1, "items": axis}
	props["sweep"] = object{"description": "A grid over which a sweep compares the variants.", "type": "array", "minItems": 1, "items": axis}
	props["seeds"] = object{"description": "Seeds, one run each.", "type": "array", "minItems": 1, "maxItems": MaxSeeds, "items": integer(false)}
	root["required"] = []string{"name"}
	root["$schema"] = "https://json-schema.org/draft/2020-12/schema"
	root["title"] = "agentsim scenario"
	root["$defs"] = g.defs
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	e.SetIndent("", " ")
	t.ok(e.Encode(root))
	return out.Bytes()
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

// fieldDocs reads what the source says of each field.
func fieldDocs(t require) map[string]string {
	out := map[string]string{}
	files, err := filepath.Glob("*.go")
	t.ok(err)
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments)
		t.ok(err)
		ast.Inspect(f, func(n ast.Node) bool {
			spec, ok := n.(*ast.TypeSpec)
			if !ok {
				return true
			}
			s, ok := spec.Type.(*ast.StructType)
			if !ok {
				return true
			}
			for _, field := range s.Fields.List {
				text := strings.Join(strings.Fields(field.Doc.Text()+" "+field.Comment.Text()), " ")
				for _, id := range field.Names {
					key := strings.ToLower(id.Name)
					if field.Tag != nil {
						if tag := reflect.StructTag(strings.Trim(field.Tag.Value, "`")).Get("yaml"); tag != "" {
							key, _, _ = strings.Cut(tag, ",")
						}
					}
					out[spec.Name.Name+"."+key] = text
				}
			}
			return true
		})
	}
	return out
}

// structure is the schema of a mapping with fields. over is an override of one:
// null takes a key away, and a key may be a path.
func (g *generator) structure(t reflect.Type, over bool) object {
	props := object{}
	for _, f := range fieldsOf(t) {
		s := g.value(f.typ, over)
		if list := choices[t.Name()+"."+f.key]; list != nil {
			s = object{"enum": words(list)}
		}
		switch t.Name() + "." + f.key {
		case "Scenario.gates":
			s = gatesSchema()
		case "GateFlip.value":
			s = object{"type": []string{"string", "boolean"}}
		case "GateFlip.gate":
			s = object{"enum": words(gateNames())}
		}
		if over {
			s = object{"anyOf": []any{s, object{"type": "null"}}}
		}
		if doc := g.docs[t.Name()+"."+f.key]; doc != "" {
			s["description"] = doc
		}
		props[f.key] = s
	}
	out := object{"type": "object", "properties": props, "additionalProperties": false}
	if over {
		out["patternProperties"] = object{`[.\[]`: true}
	}
	return out
}

func words(list []string) []any {
	var out []any
	for _, s := range list {
		out = append(out, s)
	}
	return out
}

// gatesSchema lists the gates; true may be written as a word.
func gatesSchema() object {
	props := object{}
	for _, g := range Gates() {
		list := words(g.Values)
		if reflect.DeepEqual(g.Values, booleans) {
			list = append(list, true, false)
		}
		props[g.Name] = object{"description": g.What + "; default " + g.Default, "enum": list}
	}
	return object{"type": "object", "properties": props, "additionalProperties": false}
}

// reference is a struct's schema by its name.
func (g *generator) reference(t reflect.Type, over bool) object {
	name := t.Name()
	if over {
		name += ".override"
	}
	if g.defs[name] == nil {
		g.defs[name] = true // it may hold itself
		g.defs[name] = g.structure(t, over)
	}
	return object{"$ref": "#/$defs/" + name}
}

// integer is a whole number. Editors that read YAML 1.2 take 6_000 for text.
func integer(negative bool) object {
	pattern, least := "^[0-9][0-9_]*$", any(0)
	if negative {
		pattern = "^-?[0-9][0-9_]*$"
		return object{"type": []string{"integer", "string"}, "pattern": pattern}
	}
	return object{"type": []string{"integer", "string"}, "pattern": pattern, "minimum": least}
}

const durationPattern = `^\+?(([0-9]+(\.[0-9]*)?|\.[0-9]+)(ns|us|µs|μs|ms|s|m|h))+$`

// value is the schema of a field's value.
func (g *generator) value(t reflect.Type, over bool) object {
	t = deref(t)
	if s := g.special(t); s != nil {
		return s
	}
	switch t.Kind() {
	case reflect.Struct:
		return g.reference(t, over)
	case reflect.Slice:
		return object{"type": "array", "maxItems": MaxListed, "items": g.value(t.Elem(), false)}
	case reflect.Map:
		s := object{"type": "object", "additionalProperties": g.value(t.Elem(), false)}
		if t.Key().Kind() == reflect.Int {
			s["propertyNames"] = object{"pattern": "^-?[0-9][0-9_]*$"}
		} else if over {
			s["additionalProperties"] = object{"anyOf": []any{s["additionalProperties"], object{"type": "null"}}}
		}
		return s
	case reflect.String:
		return object{"type": "string"}
	case reflect.Bool:
		return object{"type": "boolean"}
	case reflect.Int, reflect.Int64, reflect.Uint64:
		return integer(t.Kind() == reflect.Int)
	}
	panic("no schema for " + t.String())
}

// special is the schema of a type with a short form, nil for any other.
func (g *generator) special(t reflect.Type) object {
	either := func(list ...any) object { return object{"anyOf": list} }
	text := object{"type": "string"}
	switch t {
	case durationType:
		return object{"type": "string", "pattern": durationPattern}
	case ttlType:
		return object{"enum": []any{"5m", "1h"}}
	case planType:
		marks := object{"type": "array", "minItems": 1, "items": g.reference(reflect.TypeFor[ExplicitMarks](), false)}
		return either(object{"enum": words(PlanNames)}, object{"type": "object", "required": []string{"explicit"}, "additionalProperties": false, "properties": object{"explicit": marks}})
	case filesType:
		return either(object{"type": "string", "pattern": "^embedded:"}, object{"type": "object", "additionalProperties": either(g.value(contentType, false), object{"type": "null"})})
	case contentType:
		s := g.structure(contentType, false)
		s["properties"].(object)["class"] = object{"enum": []any{"prose", "code", "json"}}
		return either(text, s)
	case sizeType:
		return g.named("Size", drawnSchema(integer(false)))
	case spanType:
		return g.named("Time", drawnSchema(object{"type": "string", "pattern": durationPattern}))
	case selectorType:
		return either(text, g.structure(selectorType, false))
	case toolTurnType:
		return object{"type": "object", "required": []string{"name"}, "additionalProperties": false, "properties": object{"name": text, "input": true}}
	case expectationType:
		return text
	}
	return nil
}

// named is a schema by its name.
func (g *generator) named(name string, s object) object {
	g.defs[name] = s
	return object{"$ref": "#/$defs/" + name}
}

// drawnSchema is the schema of what is literal or drawn: a number of that schema,
// or one distribution.
func drawnSchema(literal object) object {
	pair := object{"type": "array", "minItems": 2, "maxItems": 2, "items": literal}
	one := func(key string, s object) object {
		return object{"type": "object", "required": []string{key}, "additionalProperties": false, "properties": object{key: s}}
	}
	fields := func(required []string, numbers object) object {
		numbers["min"], numbers["max"] = literal, literal
		return object{"type": "object", "required": append(required, "max"), "additionalProperties": false, "properties": numbers}
	}
	number, text := object{"type": "number"}, object{"type": "string"}
	return object{"anyOf": []any{literal, one("constant", literal), one("uniform", pair),
		one("lognormal", fields([]string{"median", "sigma"}, object{"median": literal, "sigma": number})),
		one("exponential", fields([]string{"mean"}, object{"mean": literal})),
		one("gamma", fields([]string{"shape", "scale"}, object{"shape": number, "scale": literal})),
		one("empirical", object{"anyOf": []any{text, one("file", text)}})}}
}

func schemaIsCurrent(t *testing.T) {
	want := generateSchema(require{t.Fatalf})
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
func instance(n *node) any {
	switch n.kind {
	case kindMap:
		out := object{}
		for _, p := range n.pairs {
			out[p.key] = instance(p.val)
		}
		return out
	case kindList:
		out := []any{}
		for _, it := range n.items {
			out = append(out, instance(it))
		}
		return out
	case kindInt:
		if v, err := parseInt(n.text); err == nil {
			return float64(v)
		}
	case kindFloat:
		return 0.5
	case kindBool:
		return strings.EqualFold(n.text, "true")
	case kindNull:
		return nil
	case kindString:
	}
	return n.text
}

// libraryNode is a scenario of the library as a tree.
func libraryNode(t require, name string) *node {
	src, err := library.ReadFile("library/" + name + ".yaml")
	t.ok(err)
	n, bad := parseNode(newSource(name, string(src)), string(src))
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
	for key, list := range choices {
		typ, field, _ := strings.Cut(key, ".")
		found := false
		for _, path := range fieldPaths(scenarioType, typ, field, "", map[reflect.Type]bool{}) {
			found = true
			for _, word := range append([]string{"no-such-word"}, list...) {
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
	t = deref(t)
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
	for _, f := range fieldsOf(t) {
		at := strings.Replace(around, "@", "{"+f.key+": @}", 1)
		if t.Name() == typ && f.key == key {
			out = append(out, at)
			continue
		}
		out = append(out, fieldPaths(f.typ, typ, key, at, seen)...)
	}
	return out
}

// refusesWord reports whether a scenario with the word at a place is refused
// because the word is unknown there.
func refusesWord(place, word string) bool {
	text := strings.TrimSuffix(strings.TrimPrefix(strings.Replace(place, "@", word, 1), "{"), "}")
	_, err := Parse("x.yaml", []byte("name: x\n"+text))
	if err == nil {
		return false
	}
	for _, e := range err.(*Errors).List {
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
	var places []*node
	var walk func(n *node)
	walk = func(n *node) {
		places = append(places, n)
		for _, p := range n.pairs {
			// The schema leaves to the decoder what stands below a path, in a variant
			// or among the values of an axis.
			if !strings.ContainsAny(p.key, ".[") && p.key != "values" {
				walk(p.val)
			}
		}
		for _, it := range n.items {
			walk(it)
		}
	}
	var base, grid []pair // what a variant may take the place of, and what does so
	for _, p := range root.pairs {
		switch p.key {
		case "variants", "matrix", "sweep":
			grid = append(grid, p)
		case "expect": // names variants
		default:
			base = append(base, p)
		}
	}
	if rapid.Bool().Draw(t, "base") || grid == nil {
		root.pairs = base
		walk(root)
	} else {
		walk(&node{kind: kindMap, pos: root.pos, pairs: grid})
		places = places[1:]
	}
	n := rapid.SampledFrom(places).Draw(t, "place")
	key := false
	if n.kind == kindMap && rapid.Bool().Draw(t, "key") {
		key = true
		n.pairs = append(n.pairs, pair{"no_such_key", n.pos, &node{kind: kindString, text: "x", pos: n.pos}})
	} else {
		*n = node{kind: kindList, pos: n.pos, items: []*node{{kind: kindList, pos: n.pos}}}
	}
	schema := resolved().Validate(instance(root)) != nil
	decoder := !decodes(root, false)
	if schema && !decoder && decodes(root, true) {
		t.Fatalf("%s: the schema refuses what the decoder takes (key: %v, at %v)", name, key, n.pos)
	}
	if decoder && !schema {
		t.Fatalf("%s: the decoder refuses what the schema takes (key: %v, at %v)", name, key, n.pos)
	}
}

// decodes reports whether keys and types of a file are right; checked also asks
// for everything else.
func decodes(root *node, checked bool) bool {
	var errs errorList
	f := &File{Path: root.pos.src.name, src: root.pos.src, beside: map[string]string{}}
	Beside(readLibrary)(f)
	f.split(root, &errs)
	f.head(&errs)
	if len(errs.list) > 0 {
		return false
	}
	for _, name := range f.VariantNames() {
		if tree := f.tree(name, &errs); tree != nil {
			if s, d := f.decode(tree, &errs); checked && len(errs.list) == 0 {
				f.check(s, d)
			}
		}
	}
	f.checkSweep(&errs)
	return len(errs.list) == 0
}
