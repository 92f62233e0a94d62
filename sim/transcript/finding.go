package transcript

// Finding is something that a reader should know and that is no error.
type Finding struct {
	Rule   string `text:"rule"`
	Detail string `text:"detail,opt"`
}

func (*Finding) Kind() Kind { return KindFinding }

// Weight says how much a finding is news to whoever wrote the scenario.
type Weight int

const (
	Known Weight = iota // the scenario asks for it, or a report of the run says it elsewhere
	Form                // how a report reads: news where somebody wrote that report
	Vain                // what was asked for has no effect, or is not there
	Harm                // something went wrong
)

// FindingRule is what a rule of findings says in words, in front of the detail.
type FindingRule struct {
	Words string
	Weight
}

var findingRules = map[string]FindingRule{
	"readonly_breach":     {"a read-only agent changed files", Harm},
	"turn-failed":         {"failed turn", Harm},
	"no-model":            {"not started", Harm},
	"team-left":           {"left its team", Harm},
	"no-verdict":          {"no verdict", Harm},
	"compaction":          {"not compacted", Harm},
	"command_not_found":   {"command not found", Vain},
	"no-server":           {"not there", Vain},
	"missing-skill":       {"not there", Vain},
	"unknown-command":     {"not there", Vain},
	"mcp-restricted":      {"left out", Vain},
	"ignored-field":       {"ignored", Vain},
	"worker-model":        {"ignored", Vain},
	"effort-ignored":      {"ignored", Vain},
	"fork-off":            {"ignored", Vain},
	"background-disabled": {"ignored", Vain},
	"breakpoint":          {"no cache mark", Vain},
	"no-effect":           {"without effect", Vain},
	"plan-kept":           {"without effect", Vain},
	"nothing-to-show":     {"without effect", Vain},
	"nobody-to-tell":      {"without effect", Vain},
	"aside-vain":          {"without effect", Vain},
	"interrupt-idle":      {"without effect", Vain},
	"plan-report":         {"form of a report", Form},
	"fork-report":         {"form of a report", Form},
	"fork-uncommitted":    {"form of a report", Form},
	"definition":          {"not loaded", Known},
	"definition-warning":  {"not loaded", Known},
	"duplicate-delivery":  {"delivered twice", Known},
	"injection-obeyed":    {"obeyed an injection", Known},
	"minimal":             {"minimal stack", Known},
}

// About is what the finding's rule says; of a rule that an older or newer record
// alone knows, its name.
func (b *Finding) About() FindingRule {
	if r, ok := findingRules[b.Rule]; ok {
		return r
	}
	return FindingRule{b.Rule, Harm}
}
