// Package permission decides whether an agent may use a tool.
//
// Rules:
//   - One table, mode × class of tool, gives allow, ask or deny; rules stand over
//     it, deny over ask over allow (PRM-01).
//   - Where prompts are to be avoided, asking is denying (PRM-02).
//   - It decides and records nothing; the agent layer does.
package permission

// Class is what kind of effect a tool has.
type Class uint8

// The classes.
const (
	Read     Class = iota // looks at the project or the web
	Write                 // changes files of the project
	Exec                  // runs commands, whose effect nobody knows beforehand
	Agent                 // starts or addresses another agent
	Meta                  // changes only the session itself: lists, questions
	Approval              // begins or ends what the user has to agree to
	numClasses
)

func (c Class) String() string {
	return [...]string{"read", "write", "exec", "agent", "meta", "approval"}[c]
}

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

// table holds, per mode, the verdicts for Read, Write, Exec, Agent, Meta and
// Approval.
var table = [...]row{
	{Default, [numClasses]Verdict{Allow, Ask, Ask, Allow, Allow, Ask}, "mode default"},
	{AcceptEdits, [numClasses]Verdict{Allow, Allow, Ask, Allow, Allow, Ask}, "mode acceptEdits"},
	{Bypass, [numClasses]Verdict{Allow, Allow, Allow, Allow, Allow, Ask}, "mode bypassPermissions"},
	{Auto, [numClasses]Verdict{Allow, Ask, Ask, Allow, Allow, Ask}, "mode auto"},
	{Plan, [numClasses]Verdict{Allow, Deny, Deny, Allow, Allow, Ask}, "mode plan"},
	{Bubble, [numClasses]Verdict{Allow, Ask, Ask, Allow, Allow, Ask}, "mode bubble"},
}

// WhyAvoided is the reason of a denial that would have been a question.
const WhyAvoided = "prompts are avoided"

// Call is what is decided about.
type Call struct {
	Tool     string
	Aliases  []string
	Class    Class
	Subjects []string // what specifiers speak of: commands, paths, a type; none where no rule asks
	Names    []string // all names of the one subject, a path
}

// Classifier gives a verdict where mode auto would ask (PRM-01). Ask leaves it to
// the user.
type Classifier interface {
	Classify(*Call) Verdict
}

// Policy is what an agent's calls are decided by.
type Policy struct {
	Mode         Mode // an unknown one is treated as Default
	AvoidPrompts bool // a question is a denial
	Rules        *Rules
	Classifier   Classifier // of mode auto; nil leaves all to the user
	Unasked      string     // why what the mode would ask about is allowed; "" asks
}

// Decide decides about a call. A deny rule comes first and then what the mode
// itself refuses, which no rule lifts; then a rule to ask, then one to allow;
// then the mode's table, whose question Unasked answers.
func (p *Policy) Decide(c *Call) Decision {
	d := p.decide(c)
	if d.Verdict == Ask && p.AvoidPrompts {
		d.Verdict, d.Why = Deny, WhyAvoided
	}
	return d
}

func (p *Policy) decide(c *Call) Decision {
	row := rowOf(p.Mode)
	byMode := row.verdicts[c.Class]
	if !p.Rules.Empty() {
		if r := anyOf(p.Rules.Deny, c); r != nil {
			return Decision{Deny, "deny rule " + r.String()}
		}
		if byMode == Deny {
			return Decision{Deny, row.why}
		}
		if r := anyOf(p.Rules.Ask, c); r != nil {
			return Decision{Ask, "ask rule " + r.String()}
		}
		if r := allOf(p.Rules.Allow, c); r != nil {
			return Decision{Allow, "allow rule " + r.String()}
		}
	}
	if byMode == Ask && p.Unasked != "" {
		return Decision{Allow, p.Unasked}
	}
	if byMode == Ask && p.Mode == Auto && p.Classifier != nil {
		asked := *c // others' calls stay off the heap
		return Decision{p.Classifier.Classify(&asked), "classifier"}
	}
	return Decision{byMode, row.why}
}

func rowOf(mode Mode) *row {
	for i := range table {
		if table[i].mode == mode {
			return &table[i]
		}
	}
	return &table[0]
}

// AvoidsPrompts says whether an agent's questions are denials (PRM-02). canShow,
// where it is given, decides; an agent in mode bubble asks at its parent's
// terminal; any other avoids prompts if it runs in the background.
func AvoidsPrompts(canShow *bool, mode Mode, async bool) bool {
	switch {
	case canShow != nil:
		return !*canShow
	case mode == Bubble:
		return false
	}
	return async
}
