package scenarios

import (
	_ "embed"

	"agentsim/cachemodel"
	"agentsim/scenarios/document"
	"agentsim/sim/gate"
	"agentsim/sim/permission"
)

// schemaFile is made of the types that the decoder reads; a test holds the two
// together.
//
//go:embed scenario.schema.json
var schemaFile []byte

// JSONSchema is the JSON Schema (draft 2020-12) of a scenario file, by which
// editors complete and check (SCN-03). It never refuses what Parse takes; what
// needs the whole file to see, such as references, only Parse finds.
func JSONSchema() []byte { return append([]byte(nil), schemaFile...) }

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
	"Turn.stop":                 stops, "Turn.until": {"idle"}, "FanOut.hold": {"none", "first-response"},
}

// schema makes the schema of a scenario file, with what docs says of each key.
func schema(docs map[string]string) ([]byte, error) {
	set := document.Object{"description": "Values by their paths, such as {work.1.output: 400}.", "type": "object"}
	g := &document.Generator{Docs: docs, Choices: choices, Over: map[string]document.Object{"Scenario": {"set": set}}, Known: map[string]document.Object{
		"Scenario.gates": gatesSchema(), "GateFlip.value": {"type": []string{"string", "boolean"}}, "GateFlip.gate": {"enum": document.Words(gate.Names())}}}
	return g.Document(scenarioType, "agentsim scenario", func(props document.Object) {
		axis := document.Object{"type": "object", "required": []string{"path", "values"}, "additionalProperties": false, "properties": document.Object{
			"path": document.Object{"type": "string"}, "values": document.Object{"type": "array", "minItems": 1, "maxItems": MaxCells}}}
		props["variants"] = document.Object{"description": "Named sets of overrides, one run each.", "type": "object", "minProperties": 1, "maxProperties": MaxVariants,
			"additionalProperties": false, "patternProperties": document.Object{"^[A-Za-z0-9_-]{1,64}$": g.Reference(scenarioType, true)}}
		props["matrix"] = document.Object{"description": "A grid of values over every variant.", "type": "array", "minItems": 1, "items": axis}
		props["sweep"] = document.Object{"description": "A grid over which a sweep compares the variants.", "type": "array", "minItems": 1, "items": axis}
		props["seeds"] = document.Object{"description": "Seeds, one run each.", "type": "array", "minItems": 1, "maxItems": MaxSeeds, "items": document.Integer(false)}
	}, "name")
}

// gatesSchema lists the gates; true may be written as a word.
func gatesSchema() document.Object {
	props := document.Object{}
	for _, g := range gate.All() {
		list := document.Words(g.Values())
		if g.Boolean() {
			list = append(list, true, false)
		}
		props[g.Name] = document.Object{"description": g.What + "; default " + g.Default, "enum": list}
	}
	return document.Object{"type": "object", "properties": props, "additionalProperties": false}
}
