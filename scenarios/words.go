package scenarios

import (
	"reflect"
	"strings"

	"agentsim/scenarios/document"
)

var scenarioType = reflect.TypeFor[Scenario]()

// lang is what the codec has to know of scenarios.
var lang = &document.Language{
	Top: scenarioType, FileKeys: fileKeys, Items: itemNames, Said: saidElsewhere,
	Shares:   map[string]int64{"compaction.share": 100, "provider.options.visibility_lag.share": 1_000_000, "provider.options.collapse_noise.share": 1_000_000},
	Negative: ".at[", Spread: "provider.latency.jitter",
	Word: func(path string) bool {
		return strings.HasPrefix(path, "gates.") || strings.HasPrefix(path, "gate_flips[")
	},
	Instead: func(path string, n *document.Node) string {
		switch {
		case path == "permissions.children" && n.Get("model") != nil:
			return childrensModel
		case path == "coordinator.workers" && n.Kind == document.Int:
			return howManyWorkers
		}
		return ""
	},
}

// Limits of the text of a scenario.
const (
	MaxFileBytes = 1 << 20 // size of a scenario file
	MaxTokens    = 200_000 // YAML tokens in it

	MaxOnDirectory = 64 << 20 // size of one that holds what stands in front of agents on a directory
	MaxDepth       = 48       // levels of nesting
	MaxKeys        = 2_000    // keys of one mapping
)

var limits = &document.Limits{Of: "scenario", Bytes: MaxFileBytes, Tokens: MaxTokens, Depth: MaxDepth, Keys: MaxKeys, Large: "give bulk content as {tokens: n}", Empty: "a scenario begins with agentsim: 1"}

// Paths lists every path of a scenario that --set and variants can name, lists
// excepted: an element of a list is named by its id or index, as in
// work.fix-auth.prompting.
func Paths() []string { return lang.Paths() }

var itemNames = map[string]string{
	"work": "work item", "facts": "fact", "roots": "root", "turns": "turn", "then": "step",
	"tools": "tool use", "edits": "edit", "gate_flips": "gate flip", "explicit": "marks", "reads": "selector", "found_in": "selector", "answers": "script",
}

const (
	takesDirectory = "project: DIR takes a directory beside the scenario, agentsim run --project DIR any other"
	childrensModel = "provider: {subagent_model: …} is for all sub-agents, and forks keep their parent's"
	howManyWorkers = "it is table, continue or spawn; how many workers there are cannot be set: each item gets one where none suits, and model.spawns_per_turn says how many begin in one answer"
	testTakes      = `project: {tests: [{command: go test ./..., takes: 7m, files: "**/*.go"}]} says how long a command takes`
)

// saidElsewhere is what to write for keys that people look for where they are not.
var saidElsewhere = map[string]string{
	"Project.path":         takesDirectory,
	"Project.dir":          takesDirectory,
	"Project.root":         takesDirectory,
	"Provider.fork_model":  childrensModel,
	"Provider.input_rate":  "rate_limits: {input: {most: 30_000, refill: 2ms}}",
	"Forks.model":          childrensModel,
	"Scenario.fork":        childrensModel,
	"Scenario.fork_model":  childrensModel,
	"Scenario.children":    childrensModel,
	"Scenario.subagent":    childrensModel,
	"Scenario.subagents":   childrensModel,
	"PermissionSpec.model": childrensModel,
	"ToolSpec.bash":        testTakes,
	"ToolSpec.Bash":        testTakes,
	"TestRun.time":         `did you mean "takes"?`,
	"TestRun.duration":     `did you mean "takes"?`,
	"Item.model":           "agent: {model: haiku} is the model of the child that does it",
	"Item.type":            "agent: {type: Explore} is the type of the child that does it",
	"Item.strategy":        "structure is for all items; by: lead leaves an item to the lead",
	"Item.structure":       "structure is for all items; by: lead leaves an item to the lead",
	"Item.files":           "reads: [PATH], or found_in: [PATH] where nobody has to read it",
	"Item.needs":           "knows: [FACT], reads: [PATH]",
	"Scenario.strategy":    "structure: inline, subagent, subagent-background, fork, coordinator or team",
	"Scenario.background":  "structure: subagent-background",
	"Scenario.why":         "about: says why",
	"Scenario.scripts":     "script: {answers: [{agent: main, turns: […]}]}",
	"Scenario.seeds":       "seed: [42, 43]",
}

// Canonical is the effective scenario as YAML: one text for one meaning, with
// every default spelled out, which Parse reads back to an equal scenario.
// Expectations judge a run and are no part of it, so they are left out, as are
// sections that nothing in this scenario reads.
func (s *Scenario) Canonical() []byte {
	skip := map[string]bool{"expect": true}
	for _, x := range s.unread() {
		skip[x.key] = skip[x.key] || x.fate == trimmed
	}
	return document.Encode(s, Defaults(), skip)
}

// What is wrong with a file, with its places.
type (
	// Error is one mistake.
	Error = document.Error
	// Errors are all mistakes of one load.
	Errors = document.Errors
)
