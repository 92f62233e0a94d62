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
	Known    Weight = iota // the scenario asks for it, or a report of the run says it elsewhere
	Form                   // how a report reads: news where somebody wrote that report
	NoEffect               // what was asked for has no effect, or is not there
	Harm                   // something went wrong
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
	"command_not_found":   {"not in the simulated shell", NoEffect},
	"no-server":           {"not there", NoEffect},
	"missing-skill":       {"not there", NoEffect},
	"unknown-command":     {"not there", NoEffect},
	"mcp-restricted":      {"left out", NoEffect},
	"ignored-field":       {"ignored", NoEffect},
	"worker-model":        {"ignored", NoEffect},
	"effort-ignored":      {"ignored", NoEffect},
	"fork-off":            {"ignored", NoEffect},
	"background-disabled": {"ignored", NoEffect},
	"breakpoint":          {"no cache mark", NoEffect},
	"no-effect":           {"without effect", NoEffect},
	"plan-kept":           {"without effect", NoEffect},
	"nothing-to-show":     {"without effect", NoEffect},
	"nobody-to-tell":      {"without effect", NoEffect},
	"aside-vain":          {"without effect", NoEffect},
	"interrupt-idle":      {"without effect", NoEffect},
	"plan-report":         {"form of a report", Form},
	"fork-report":         {"form of a report", Form},
	"fork-uncommitted":    {"form of a report", Form},
	"definition":          {"not loaded", Known},
	"definition-warning":  {"not loaded", Known},
	"duplicate-delivery":  {"delivered twice", Known},
	"injection-obeyed":    {"obeyed an injection", Harm},
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
