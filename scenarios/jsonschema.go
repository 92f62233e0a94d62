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
	"Lab.stack": {FullStack, MinimalStack}, "Scenario.structure": Structures(),
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
	seed := document.Integer(false)
	g := &document.Generator{Docs: docs, Choices: choices, Known: map[string]document.Object{
		"Lab.gates": gatesSchema(), "GateFlip.value": {"type": []string{"string", "boolean"}}, "GateFlip.gate": {"enum": document.Words(gate.Names())},
		"Scenario.agentsim": {"const": Version},
		"Scenario.seed":     document.Either(seed, document.Object{"type": "array", "minItems": 1, "maxItems": MaxSeeds, "items": seed})}}
	return g.Document(scenarioType, "agentsim scenario", func(props document.Object) {
		variant := g.Structure(scenarioType, true)
		own := variant["properties"].(document.Object)
		for _, key := range []string{"agentsim", "name", "expect"} {
			delete(own, key)
		}
		own["set"] = document.Object{"type": "object"}
		g.Describe("Scenario", own)
		grid := document.Object{"type": "object", "minProperties": 1, "additionalProperties": document.Object{"type": "array", "minItems": 1, "maxItems": MaxCells}}
		props["compare"] = document.Object{"type": "array", "minItems": 1, "uniqueItems": true,
			"items": document.Object{"enum": document.Words(Structures())}}
		props["variants"] = document.Object{"type": "object", "minProperties": 1, "maxProperties": MaxVariants,
			"additionalProperties": false, "patternProperties": document.Object{"^[A-Za-z0-9_-]{1,64}$": variant}}
		props["matrix"], props["sweep"] = grid, grid
		g.Describe("Scenario", props)
	}, "agentsim", "name")
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
