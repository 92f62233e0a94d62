package scenarios

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"

	"agentsim/scenarios/document"
	"agentsim/sim/gate"
	"agentsim/sim/llm"
	"agentsim/sim/rng"
	"agentsim/sim/vtime"
)

// members are those of a JSON object; they are written in order of their names.
type members = map[string]any

// generator makes a JSON Schema of the types that a decoder reads.
type generator struct {
	Docs    map[string]keyDoc         // TYPE.KEY → what it is, and an example
	Choices map[string]document.Words // TYPE.KEY → the words it may be
	Known   map[string]members        // TYPE.KEY → its schema, where the type does not say it
	defs    members
}

// described is a form that knows its schema.
type described interface{ Schema(g *generator) members }

// Document is the schema of a file: that of a type with further keys on top.
func (g *generator) Document(t reflect.Type, title string, more func(props members), required ...string) ([]byte, error) {
	g.defs = members{}
	root := g.Structure(t, false)
	more(root["properties"].(members))
	root["required"] = required
	root["$schema"] = "https://json-schema.org/draft/2020-12/schema"
	root["title"] = title
	root["$defs"] = g.defs
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	e.SetIndent("", " ")
	err := e.Encode(root)
	return out.Bytes(), err
}

// Structure is the schema of a mapping with fields. over is an override of one:
// null takes a key away, and a key may be a path.
func (g *generator) Structure(t reflect.Type, over bool) members {
	props := members{}
	for _, f := range document.FieldsOf(t) {
		s := g.Value(f.Typ, over)
		if of, ok := g.Choices[t.Name()+"."+f.Key]; ok {
			s = members{"enum": wordsOf(of.List)}
		}
		if known := g.Known[t.Name()+"."+f.Key]; known != nil {
			s = maps.Clone(known)
		}
		if over {
			s = members{"anyOf": []any{s, members{"type": "null"}}}
		}
		props[f.Key] = s
	}
	g.Describe(t.Name(), props)
	return members{"type": "object", "properties": props, "additionalProperties": false}
}

// Describe says what the keys of a mapping of that type are.
func (g *generator) Describe(name string, props members) {
	for key, s := range props { // order: each key has a schema of its own
		if doc, ok := g.Docs[name+"."+key]; ok {
			s := maps.Clone(s.(members))
			s["description"] = doc.about
			s["examples"] = []any{doc.value(require{func(f string, args ...any) { panic(fmt.Sprintf(f, args...)) }})}
			props[key] = s
		}
	}
}

// wordsOf is a list of words as values of an enum.
func wordsOf(list []string) []any {
	var out []any
	for _, s := range list {
		out = append(out, s)
	}
	return out
}

// Reference is a struct's schema by its name.
func (g *generator) Reference(t reflect.Type, over bool) members {
	name := t.Name()
	if over {
		name += ".override"
	}
	if g.defs[name] == nil {
		g.defs[name] = true // it may hold itself
		g.defs[name] = g.Structure(t, over)
	}
	return members{"$ref": "#/$defs/" + name}
}

// whole is a whole number, or one as tables print it: 6k. Editors that read YAML
// 1.2 take 6_000 for text.
func whole(negative bool) members {
	pattern, least := `^[0-9][0-9_]*((\.[0-9]+)? ?[kMG%])?$`, any(0)
	if negative {
		pattern = "^-?" + pattern[1:]
		return members{"type": []string{"integer", "string"}, "pattern": pattern}
	}
	return members{"type": []string{"integer", "string"}, "pattern": pattern, "minimum": least}
}

const durationPattern = `^\+?(([0-9]+(\.[0-9]*)?|\.[0-9]+)(ns|us|µs|μs|ms|s|m|h))+$`

// Value is the schema of a field's value.
func (g *generator) Value(t reflect.Type, over bool) members {
	t = document.Deref(t)
	if d, ok := reflect.Zero(t).Interface().(described); ok {
		return d.Schema(g)
	}
	switch t {
	case reflect.TypeFor[vtime.Duration]():
		return members{"type": "string", "pattern": durationPattern}
	case reflect.TypeFor[llm.TTL]():
		return members{"enum": []any{"5m", "1h", "300s", "60m", "3600s"}}
	case reflect.TypeFor[document.Size]():
		return g.named("Size", g.drawn("Drawn", whole(false)))
	case reflect.TypeFor[rng.Span]():
		return g.named("Time", g.drawn("DrawnTime", members{"type": "string", "pattern": durationPattern}))
	}
	switch t.Kind() {
	case reflect.Struct:
		return g.Reference(t, over)
	case reflect.Slice:
		return members{"type": "array", "maxItems": document.MaxListed, "items": g.Value(t.Elem(), false)}
	case reflect.Map:
		s := members{"type": "object", "additionalProperties": g.Value(t.Elem(), false)}
		if t.Key().Kind() == reflect.Int {
			s["propertyNames"] = members{"pattern": "^-?[0-9][0-9_]*$"}
		} else if over {
			s["additionalProperties"] = members{"anyOf": []any{s["additionalProperties"], members{"type": "null"}}}
		}
		return s
	case reflect.String:
		return members{"type": "string"}
	case reflect.Bool:
		return members{"type": "boolean"}
	case reflect.Int, reflect.Int64, reflect.Uint64:
		return whole(t.Kind() == reflect.Int)
	}
	panic("no schema for " + t.String())
}

// named is a schema by its name.
func (g *generator) named(name string, s members) members {
	g.defs[name] = s
	return members{"$ref": "#/$defs/" + name}
}

// drawn is the schema of what is literal or drawn: a number of that schema,
// or one distribution, whose keys are those of docs.
func (g *generator) drawn(docs string, literal members) members {
	pair := members{"type": "array", "minItems": 2, "maxItems": 2, "items": literal}
	one := func(key string, s members) members {
		props := members{key: s}
		g.Describe(docs, props)
		return members{"type": "object", "required": []string{key}, "additionalProperties": false, "properties": props}
	}
	fields := func(required []string, numbers members) members {
		numbers["min"], numbers["max"] = literal, literal
		g.Describe(docs, numbers)
		return members{"type": "object", "required": append(required, "max"), "additionalProperties": false, "properties": numbers}
	}
	number, text := members{"type": "number"}, members{"type": "string"}
	return members{"anyOf": []any{literal, one("constant", literal), one("uniform", pair),
		one("lognormal", fields([]string{"median", "sigma"}, members{"median": literal, "sigma": number})),
		one("exponential", fields([]string{"mean"}, members{"mean": literal})),
		one("gamma", fields([]string{"shape", "scale"}, members{"shape": number, "scale": literal})),
		one("empirical", members{"anyOf": []any{text, one("file", text)}})}}
}

// either is a value of one of several schemas.
func either(list ...any) members { return members{"anyOf": list} }

// schema makes the schema of a scenario file, with what docs says of each key.
func schema(docs map[string]keyDoc) ([]byte, error) {
	g := &generator{Docs: docs, Choices: words, Known: map[string]members{
		"Lab.gates": gatesSchema(), "GateFlip.value": {"type": []string{"string", "boolean"}}, "GateFlip.gate": {"enum": wordsOf(gate.Names())},
		"Scenario.agentsim": {"const": Version}, "Scenario.seed": whole(false)}}
	return g.Document(scenarioType, "agentsim scenario", func(props members) {
		variant := g.Structure(scenarioType, true)
		own := variant["properties"].(members)
		for _, key := range []string{"agentsim", "name", "expect"} {
			delete(own, key)
		}
		own["set"] = members{"type": "object"}
		g.Describe("Scenario", own)
		grid := members{"type": "object", "minProperties": 1, "additionalProperties": members{"type": "array", "minItems": 1, "maxItems": MaxCells}}
		props["compare"] = members{"type": "array", "minItems": 1, "uniqueItems": true,
			"items": members{"enum": wordsOf(Structures())}}
		props["variants"] = members{"type": "object", "minProperties": 1, "maxProperties": MaxVariants,
			"additionalProperties": false, "patternProperties": members{"^[A-Za-z0-9_-]{1,64}$": variant}}
		props["matrix"], props["sweep"] = grid, grid
		g.Describe("Scenario", props)
	}, "agentsim", "name")
}

// gatesSchema lists the gates; true may be written as a word.
func gatesSchema() members {
	props := members{}
	for _, g := range gate.All() {
		list := wordsOf(g.Values())
		if g.Boolean() {
			list = append(list, true, false)
		}
		props[g.Name] = members{"description": g.What + "; default " + g.Default, "enum": list}
	}
	return members{"type": "object", "properties": props, "additionalProperties": false}
}

var anyText = members{"type": "string"}

// Schema is a plan's name, or its marks.
func (Plan) Schema(g *generator) members {
	marks := members{"type": "array", "minItems": 1, "items": g.Reference(reflect.TypeFor[llm.Marks](), false)}
	props := members{"explicit": marks}
	g.Describe("Plan", props)
	return either(members{"enum": wordsOf(PlanNames)}, members{"type": "object", "required": []string{"explicit"}, "additionalProperties": false, "properties": props})
}

// Schema is embedded:NAME or files.
func (Files) Schema(g *generator) members {
	content := g.Value(reflect.TypeFor[Content](), false)
	return either(members{"type": "string", "pattern": "^embedded:"}, members{"type": "object", "additionalProperties": either(content, members{"type": "null"})})
}

// Schema is text, or what to generate.
func (Content) Schema(g *generator) members {
	s := g.Structure(reflect.TypeFor[Content](), false)
	props := s["properties"].(members)
	props["class"] = members{"enum": []any{"prose", "code", "json"}}
	g.Describe("Content", props)
	return either(anyText, s)
}

// Schema is a path, or a pick from a glob.
func (Selector) Schema(g *generator) members {
	return either(anyText, g.Structure(reflect.TypeFor[Selector](), false))
}

// Schema is a tool's name and its input.
func (ToolTurn) Schema(g *generator) members {
	props := members{"name": anyText, "input": members{}}
	g.Describe("ToolTurn", props)
	return members{"type": "object", "required": []string{"name"}, "additionalProperties": false, "properties": props}
}

// Schema is a text or a mapping.
func (About) Schema(g *generator) members {
	return either(anyText, g.Structure(reflect.TypeFor[About](), false))
}

// Schema is a name or a mapping.
func (Profile) Schema(g *generator) members {
	return either(anyText, g.Structure(reflect.TypeFor[Profile](), false))
}

// Schema is names for each type, and what holds for all.
func (Spawn) Schema(g *generator) members {
	names := members{"type": "array", "minItems": 1, "items": anyText}
	props := members{"prompt": anyText, "background": members{"type": "boolean"}, "fork": names, "subagent": names}
	g.Describe("Spawn", props)
	return members{"type": "object", "required": []string{"prompt"}, "additionalProperties": names, "properties": props}
}

// Schema is the path of a file, or the prices.
func (Prices) Schema(g *generator) members {
	return either(anyText, g.Structure(reflect.TypeFor[Prices](), false))
}

// Schema is a number.
func (Dollars) Schema(*generator) members {
	return members{"type": "number", "minimum": 0}
}

// Schema is a number.
func (Weight) Schema(*generator) members {
	return members{"type": "number", "minimum": 0}
}
