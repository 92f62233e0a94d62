// Package permission decides whether an agent may use a tool.
//
// Rules:
//   - One table, mode × class of tool, gives allow, ask or deny (PRM-01).
//   - Where prompts are to be avoided, asking is denying (PRM-02).
//   - It decides and records nothing; the agent layer does.
package permission

// Class is what kind of effect a tool has.
type Class uint8

// The classes.
const (
	Read  Class = iota // looks at the project or the web
	Write              // changes files of the project
	Exec               // runs commands, whose effect nobody knows beforehand
	Agent              // starts or addresses another agent
	Meta               // changes only the session itself: plans, lists, questions
	numClasses
)

func (c Class) String() string { return [...]string{"read", "write", "exec", "agent", "meta"}[c] }

// Mode is a permission mode by its wire name.
type Mode string

// The modes.
const (
	Default     Mode = "default"
	AcceptEdits Mode = "acceptEdits"
	Bypass      Mode = "bypassPermissions"
	Auto        Mode = "auto"
	Plan        Mode = "plan"
	Bubble      Mode = "bubble"
)

// Modes lists all modes in a fixed order.
func Modes() []Mode { return []Mode{Default, AcceptEdits, Bypass, Auto, Plan, Bubble} }

// Verdict is the outcome of a decision.
type Verdict uint8

// The verdicts.
const (
	Allow Verdict = iota + 1
	Ask
	Deny
)

func (v Verdict) String() string { return [...]string{"", "allow", "ask", "deny"}[v] }

// Decision is a verdict and its reason in a few words.
type Decision struct {
	Verdict Verdict
	Why     string
}

// row is one mode's verdicts by class.
type row struct {
	mode     Mode
	verdicts [numClasses]Verdict
	why      string
}

// table holds, per mode, the verdicts for Read, Write, Exec, Agent and Meta.
var table = [...]row{
	{Default, [numClasses]Verdict{Allow, Ask, Ask, Allow, Allow}, "mode default"},
	{AcceptEdits, [numClasses]Verdict{Allow, Allow, Ask, Allow, Allow}, "mode acceptEdits"},
	{Bypass, [numClasses]Verdict{Allow, Allow, Allow, Allow, Allow}, "mode bypassPermissions"},
	{Auto, [numClasses]Verdict{Allow, Ask, Ask, Allow, Allow}, "mode auto"},
	{Plan, [numClasses]Verdict{Allow, Deny, Ask, Allow, Allow}, "mode plan"},
	{Bubble, [numClasses]Verdict{Allow, Ask, Ask, Allow, Allow}, "mode bubble"},
}

// WhyAvoided is the reason of a denial that would have been a question.
const WhyAvoided = "prompts are avoided"

// Decide looks the table up. An unknown mode is treated as Default.
func Decide(mode Mode, class Class, avoidPrompts bool) Decision {
	r := &table[0]
	for i := range table {
		if table[i].mode == mode {
			r = &table[i]
		}
	}
	v := r.verdicts[class]
	if v == Ask && avoidPrompts {
		return Decision{Deny, WhyAvoided}
	}
	return Decision{v, r.why}
}
