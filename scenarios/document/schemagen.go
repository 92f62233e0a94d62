package document

import (
	"bytes"
	"encoding/json"
	"maps"
	"reflect"
)

// Object is a JSON object; its keys are written in order of their names.
type Object = map[string]any

// Generator makes a JSON Schema of the types that a decoder reads.
type Generator struct {
	Docs    map[string]string   // TYPE.KEY → what it is
	Choices map[string][]string // TYPE.KEY → the words it may be
	Known   map[string]Object   // TYPE.KEY → its schema, where the type does not say it
	defs    Object
}

// described is a form that knows its schema.
type described interface{ Schema(g *Generator) Object }

// Document is the schema of a file: that of a type with further keys on top.
func (g *Generator) Document(t reflect.Type, title string, more func(props Object), required ...string) ([]byte, error) {
	g.defs = Object{}
	root := g.Structure(t, false)
	more(root["properties"].(Object))
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
func (g *Generator) Structure(t reflect.Type, over bool) Object {
	props := Object{}
	for _, f := range FieldsOf(t) {
		s := g.Value(f.Typ, over)
		if list := g.Choices[t.Name()+"."+f.Key]; list != nil {
			s = Object{"enum": Words(list)}
		}
		if known := g.Known[t.Name()+"."+f.Key]; known != nil {
			s = maps.Clone(known)
		}
		if over {
			s = Object{"anyOf": []any{s, Object{"type": "null"}}}
		}
		props[f.Key] = s
	}
	g.Describe(t.Name(), props)
	return Object{"type": "object", "properties": props, "additionalProperties": false}
}

// Describe says what the keys of a mapping of that type are.
func (g *Generator) Describe(name string, props Object) {
	for key, s := range props { // order: each key has a schema of its own
		if doc := g.Docs[name+"."+key]; doc != "" {
			s := maps.Clone(s.(Object))
			s["description"] = doc
			props[key] = s
		}
	}
}

// Words is a list of words as values of an enum.
func Words(list []string) []any {
	var out []any
	for _, s := range list {
		out = append(out, s)
	}
	return out
}

// Reference is a struct's schema by its name.
func (g *Generator) Reference(t reflect.Type, over bool) Object {
	name := t.Name()
	if over {
		name += ".override"
	}
	if g.defs[name] == nil {
		g.defs[name] = true // it may hold itself
		g.defs[name] = g.Structure(t, over)
	}
	return Object{"$ref": "#/$defs/" + name}
}

// Integer is a whole number, or one as tables print it: 6k. Editors that read YAML
// 1.2 take 6_000 for text.
func Integer(negative bool) Object {
	pattern, least := `^[0-9][0-9_]*((\.[0-9]+)? ?[kMG%])?$`, any(0)
	if negative {
		pattern = "^-?" + pattern[1:]
		return Object{"type": []string{"integer", "string"}, "pattern": pattern}
	}
	return Object{"type": []string{"integer", "string"}, "pattern": pattern, "minimum": least}
}

const durationPattern = `^\+?(([0-9]+(\.[0-9]*)?|\.[0-9]+)(ns|us|µs|μs|ms|s|m|h))+$`

// Value is the schema of a field's value.
func (g *Generator) Value(t reflect.Type, over bool) Object {
	t = Deref(t)
	if d, ok := reflect.Zero(t).Interface().(described); ok {
		return d.Schema(g)
	}
	switch t {
	case durationType:
		return Object{"type": "string", "pattern": durationPattern}
	case ttlType:
		return Object{"enum": []any{"5m", "1h", "300s", "60m", "3600s"}}
	case spanType:
		return g.named("Time", g.drawn(Object{"type": "string", "pattern": durationPattern}))
	}
	switch t.Kind() {
	case reflect.Struct:
		return g.Reference(t, over)
	case reflect.Slice:
		return Object{"type": "array", "maxItems": MaxListed, "items": g.Value(t.Elem(), false)}
	case reflect.Map:
		s := Object{"type": "object", "additionalProperties": g.Value(t.Elem(), false)}
		if t.Key().Kind() == reflect.Int {
			s["propertyNames"] = Object{"pattern": "^-?[0-9][0-9_]*$"}
		} else if over {
			s["additionalProperties"] = Object{"anyOf": []any{s["additionalProperties"], Object{"type": "null"}}}
		}
		return s
	case reflect.String:
		return Object{"type": "string"}
	case reflect.Bool:
		return Object{"type": "boolean"}
	case reflect.Int, reflect.Int64, reflect.Uint64:
		return Integer(t.Kind() == reflect.Int)
	}
	panic("no schema for " + t.String())
}

// named is a schema by its name.
func (g *Generator) named(name string, s Object) Object {
	g.defs[name] = s
	return Object{"$ref": "#/$defs/" + name}
}

// drawn is the schema of what is literal or drawn: a number of that schema,
// or one distribution.
func (g *Generator) drawn(literal Object) Object {
	pair := Object{"type": "array", "minItems": 2, "maxItems": 2, "items": literal}
	one := func(key string, s Object) Object {
		props := Object{key: s}
		g.Describe("Drawn", props)
		return Object{"type": "object", "required": []string{key}, "additionalProperties": false, "properties": props}
	}
	fields := func(required []string, numbers Object) Object {
		numbers["min"], numbers["max"] = literal, literal
		g.Describe("Drawn", numbers)
		return Object{"type": "object", "required": append(required, "max"), "additionalProperties": false, "properties": numbers}
	}
	number, text := Object{"type": "number"}, Object{"type": "string"}
	return Object{"anyOf": []any{literal, one("constant", literal), one("uniform", pair),
		one("lognormal", fields([]string{"median", "sigma"}, Object{"median": literal, "sigma": number})),
		one("exponential", fields([]string{"mean"}, Object{"mean": literal})),
		one("gamma", fields([]string{"shape", "scale"}, Object{"shape": number, "scale": literal})),
		one("empirical", Object{"anyOf": []any{text, one("file", text)}})}}
}

// Either is a value of one of several schemas.
func Either(list ...any) Object { return Object{"anyOf": list} }

// Schema is a number or a distribution.
func (Size) Schema(g *Generator) Object { return g.named("Size", g.drawn(Integer(false))) }
