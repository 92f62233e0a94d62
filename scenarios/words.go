package scenarios

import (
	"reflect"
	"strings"

	"agentsim/cachemodel"
	"agentsim/scenarios/document"
	"agentsim/sim/client"
	"agentsim/sim/permission"
	swarm "agentsim/sim/team"
	"agentsim/sim/transcript"
)

var scenarioType = reflect.TypeFor[Scenario]()

// lang is what the codec has to know of scenarios.
var lang = &document.Language{
	Top: scenarioType, FileKeys: fileKeys, Items: itemNames, Said: saidElsewhere,
	Words:    words,
	Shares:   map[string]int64{"compaction.share": 100, "provider.options.visibility_lag.share": 1_000_000, "provider.options.collapse_noise.share": 1_000_000},
	Negative: ".at[", Spread: "provider.latency.jitter",
	Ranges: map[string]document.Range{
		"population.sessions":  {Least: 1, Most: maxPopulation, Hint: "such as 1_000"},
		"population.workspace": {Least: 1, Most: maxShard, Hint: "sessions of a workspace run in one shard"},
		"population.shard":     {Least: 1, Most: maxShard, Hint: "left away it is chosen"},
		"population.audit":     {Least: 1, Most: maxPopulation, Hint: "1 audits every shard, 50 one of 50"},
	},
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

// words are the closed lists of words by TYPE.KEY.
var words = map[string]document.Words{
	"Scenario.structure":        {Of: "structure", List: Structures()},
	"Population.limits":         {Of: "way with limits", List: []string{splitLimits}},
	"Agents.isolation":          {Of: "isolation", List: []string{isolationOffered, Isolated}},
	"TeamSpec.mode":             {Of: "mode of teams", List: []string{string(swarm.ModeAuto), string(swarm.ModeInProcess), string(swarm.ModeTmux)}},
	"TeamSpec.inside":           {Of: "terminal", List: []string{string(swarm.Tmux), string(swarm.ITerm2)}},
	"SettingsSpec.effort":       {Of: "effort", List: []string{"low", "medium", "high", "max"}},
	"SettingsSpec.thinking":     {Of: "thinking mode", List: []string{"disabled", "enabled", "adaptive"}},
	"CoordinatorSpec.workers":   {Of: "way with workers", List: []string{"table", "continue", "spawn"}},
	"CoordinatorSpec.synthesis": {Of: "synthesis", List: []string{"strict", "needed"}},
	"Project.repository":        {Of: "state of the repository", List: []string{committed, Uncommitted, NoRepository}},
	"Project.client":            {Of: "client", List: client.Names()},
	"Project.tool_search":       {Of: "place of tools", List: []string{"front", "deferred", "inserted"}},
	"FrontPart.kind":            {Of: "kind of part", List: texts(client.Kinds)},
	"ServerSpec.opens":          {Of: "way to open a server", List: []string{BySession, ByAgents}},
	"ServerChange.is":           {Of: "change of a server", List: []string{"dropped", "connected", "listed"}},
	"HookOutcome.event":         {Of: "event", List: []string{"PreToolUse", "PostToolUse", "Stop"}},
	"HookOutcome.outcome":       {Of: "outcome", List: []string{"block", "record"}},
	"Fact.grade":                {Of: "grade", List: []string{"gist", "verbatim"}},
	"Model.prompting":           {Of: "prompting", List: promptings},
	"Item.prompting":            {Of: "prompting", List: promptings},
	"Item.kind":                 {Of: "kind", List: []string{"research", "implement", "verify", "answer"}},
	"Item.by":                   {Of: "by", List: []string{"lead"}},
	"Provider.kind":             {Of: "provider kind", List: []string{"anthropic"}},
	"Provider.counter":          {Of: "counter", List: []string{"approx", "recorded"}},
	"Provider.platform":         {Of: "platform", List: cachemodel.Platforms()},
	"Provider.inference_geo":    {Of: "inference geography", List: []string{"global", "us"}},
	"Provider.speed":            {Of: "speed", List: []string{"standard", "fast"}},
	"CollapseNoise.to":          {Of: "end of a collapse", List: []string{"first-breakpoint", "nothing"}},
	"Aside.context":             {Of: "context", List: []string{"whole", "none"}},
	"Turn.stop":                 {Of: "stop reason", List: []string{"end_turn", "tool_use", "max_tokens", "stop_sequence", "refusal", "pause_turn"}},
	"Turn.until":                {Of: "end", List: []string{"idle"}},
	"Lab.stack":                 {Of: "stack", List: []string{FullStack, MinimalStack}},
	"FanOut.hold":               {Of: "hold", List: []string{"none", "first-response"}},
	"PermissionSpec.mode":       {Of: "permission mode", List: texts(permission.Modes())},
	"PermissionSpec.children":   {Of: "mode of children", List: []string{string(permission.AcceptEdits)}},
	"HandoffVerdict.verdict":    {Of: "verdict", List: []string{string(transcript.Flagged), string(transcript.Clean), string(transcript.Unclassified)}},
}

var promptings = []string{"full", "pointers", "lazy"}

// texts are words as texts.
func texts[T ~string](words []T) (out []string) {
	for _, w := range words {
		out = append(out, string(w))
	}
	return out
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
	takesDirectory = "project: DIR (with more keys project: {directory: DIR, …}) takes a directory beside the scenario, agentsim run --project DIR any other"
	childrensModel = "provider: {subagent_model: …} is for all sub-agents, and forks keep their parent's"
	howManyWorkers = "it is table, continue (the fewest workers) or spawn (the most); how many workers there are cannot be set: each item gets one where none suits, and model.spawns_per_turn says how many begin in one answer"
	howManyAtOnce  = "model: {spawns_per_turn: 8} is how many agents begin in one answer, at_once: {spawns: 8} the same, or drawn; each item of work gets one"
	whichModel     = "provider: {model: claude-sonnet-5-5} is the model; model: says how the simulated one works"
	testTakes      = `project: {tests: [{command: go test ./..., takes: 7m, files: "**/*.go"}]} says how long a command takes`
)

// saidElsewhere is what to write for keys that people look for where they are not.
var saidElsewhere = map[string]string{
	"Project.path":          takesDirectory,
	"Project.dir":           takesDirectory,
	"Project.root":          takesDirectory,
	"Provider.fork_model":   childrensModel,
	"Provider.input_rate":   "rate_limits: {input: {most: 30_000, refill: 2ms}}",
	"Forks.model":           childrensModel,
	"Scenario.fork":         childrensModel,
	"Scenario.fork_model":   childrensModel,
	"Scenario.children":     childrensModel,
	"Scenario.subagent":     childrensModel,
	"Scenario.subagents":    childrensModel,
	"Agents.children":       childrensModel,
	"Agents.model":          childrensModel,
	"Agents.subagent_model": childrensModel,
	"Model.subagent":        childrensModel,
	"Model.subagents":       childrensModel,
	"Model.subagent_model":  childrensModel,
	"Model.children":        childrensModel,
	"PermissionSpec.model":  childrensModel,
	"Scenario.parallel":     howManyAtOnce,
	"Agents.parallel":       howManyAtOnce,
	"Agents.concurrency":    howManyAtOnce,
	"Agents.count":          howManyAtOnce,
	"Model.parallel":        howManyAtOnce,
	"Model.concurrency":     howManyAtOnce,
	"Model.name":            whichModel,
	"Model.id":              whichModel,
	"Model.lead":            whichModel,
	"ToolSpec.bash":         testTakes,
	"ToolSpec.Bash":         testTakes,
	"TestRun.time":          `did you mean "takes"?`,
	"TestRun.duration":      `did you mean "takes"?`,
	"Item.model":            "agent: {model: haiku} is the model of the child that does it",
	"Item.type":             "agent: {type: Explore} is the type of the child that does it",
	"Item.strategy":         "structure is for all items; by: lead leaves an item to the lead",
	"Item.structure":        "structure is for all items; by: lead leaves an item to the lead",
	"Item.files":            "reads: [PATH], or found_in: [PATH] where nobody has to read it",
	"Item.needs":            "knows: [FACT], reads: [PATH]",
	"Scenario.strategy":     "structure: inline, subagent, subagent-background, fork, coordinator or team",
	"Scenario.background":   "structure: subagent-background",
	"Scenario.why":          "about: says why",
	"Scenario.scripts":      "script: {answers: [{agent: main, turns: […]}]}",
	"Scenario.seeds":        "seed: 42; sweep --seeds 3 and bench --seeds 3 run three from it on",
}

// Canonical is the effective scenario as YAML: one text for one meaning, with
// every default spelled out, which Parse reads back to an equal scenario.
// Expectations judge a run and are no part of it, so they are left out, as are
// sections that nothing in this scenario reads.
func (s *Scenario) Canonical() []byte {
	skip := map[string]bool{"expect": true}
	for _, x := range setBack(s) {
		skip[x.key] = true
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
