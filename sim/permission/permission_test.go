package permission

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestConformance(t *testing.T) {
	t.Run("PRM-01 the table gives one verdict for every mode and class of tool", func(t *testing.T) {
		want := `
default           allow ask ask allow allow ask
acceptEdits       allow allow ask allow allow ask
bypassPermissions allow allow allow allow allow ask
auto              allow ask ask allow allow ask
plan              allow deny deny allow allow ask
bubble            allow ask ask allow allow ask
unheard           allow ask ask allow allow ask
`
		if d := cmp.Diff(want, render(false)); d != "" {
			t.Error(d)
		}
	})
	t.Run("PRM-02 where prompts are avoided every question is a denial that says so, and nothing else changes", func(t *testing.T) {
		if d := cmp.Diff(strings.ReplaceAll(render(false), "ask", "deny"), render(true)); d != "" {
			t.Error(d)
		}
		if d := decide(Default, Write, true); d.Why != WhyAvoided {
			t.Errorf("the reason is %q", d.Why)
		}
		if d := decide(Plan, Write, true); d.Why == WhyAvoided {
			t.Error("plan mode denies a write by itself, not for want of prompts")
		}
	})
	t.Run("PRM-01 rules stand over the table, deny over ask over allow, and no rule lifts what a mode refuses", testOrder)
	t.Run("PRM-01 a rule speaks of a tool by name, alias or server, and of calls by specifier", testSpecifiers)
	t.Run("PRM-01 a command of several parts is allowed only part by part, and denied for any part", testParts)
	t.Run("PRM-01 a rule that cannot be read is an error that says how to write it", testParse)
	t.Run("PRM-01 mode auto asks the classifier where it would ask the user, and no other mode does", testClassifier)
	t.Run("PRM-02 what may show prompts decides where it is given; else bubble never avoids them; else the background does", testAvoids)
	t.Run("CRD-08 PRM-01 what is unasked is what the mode alone would ask: rules and what a mode refuses stand", testUnasked)
	t.Run("PRM-03 a child's allowed tools take the place of the session's and leave the command line's and what is denied", testAllowed)
}

func decide(m Mode, c Class, avoid bool) Decision {
	p := Policy{Mode: m, AvoidPrompts: avoid}
	return p.Decide(&Call{Class: c})
}

// rules reads lines of `deny|ask|allow RULE` or `cli RULE`.
func rules(t *testing.T, lines ...string) *Rules {
	t.Helper()
	r := &Rules{}
	for _, l := range lines {
		verb, text, _ := strings.Cut(l, " ")
		from := Session
		if verb == "cli" {
			from = CommandLine
		}
		rule, err := ParseRule(text, from)
		if err != nil {
			t.Fatal(err)
		}
		switch verb {
		case "deny":
			r.Deny = append(r.Deny, rule)
		case "ask":
			r.Ask = append(r.Ask, rule)
		default:
			r.Allow = append(r.Allow, rule)
		}
	}
	return r
}

func testOrder(t *testing.T) {
	push := &Call{Tool: "Bash", Class: Exec, Subjects: []string{"git push"}}
	edit := &Call{Tool: "Edit", Class: Write, Subjects: []string{"docs/a.md"}}
	for _, c := range []struct {
		mode  Mode
		call  *Call
		rules []string
		want  string
	}{
		{Default, push, nil, "ask mode default"},
		{Default, push, []string{"allow Bash(git:*)"}, "allow allow rule Bash(git:*)"},
		{Default, push, []string{"allow Bash(git:*)", "ask Bash(git push:*)"}, "ask ask rule Bash(git push:*)"},
		{Default, push, []string{"allow Bash", "ask Bash", "deny Bash(git push)"}, "deny deny rule Bash(git push)"},
		{Bypass, push, []string{"deny Bash(git push)"}, "deny deny rule Bash(git push)"},
		{Bypass, push, []string{"ask Bash"}, "ask ask rule Bash"},
		{Bypass, push, []string{"deny Edit"}, "allow mode bypassPermissions"},
		{Plan, edit, []string{"allow Edit"}, "deny mode plan"},
		{AcceptEdits, edit, []string{"ask Edit(docs/**)"}, "ask ask rule Edit(docs/**)"},
		{AcceptEdits, edit, []string{"ask Edit(src/**)"}, "allow mode acceptEdits"},
	} {
		p := Policy{Mode: c.mode, Rules: rules(t, c.rules...)}
		if d := p.Decide(c.call); d.Verdict.String()+" "+d.Why != c.want {
			t.Errorf("%s %s %v: %s %s, want %s", c.mode, c.call.Tool, c.rules, d.Verdict, d.Why, c.want)
		}
	}
}

func testSpecifiers(t *testing.T) {
	for _, c := range []struct {
		rule string
		call Call
		want bool
	}{
		{"Agent(Explore)", Call{Tool: "Agent", Aliases: []string{"Task"}, Subjects: []string{"Explore"}}, true},
		{"Task(Explore)", Call{Tool: "Agent", Aliases: []string{"Task"}, Subjects: []string{"Explore"}}, true},
		{"Task(Explore)", Call{Tool: "Agent", Aliases: []string{"Task"}, Subjects: []string{"Plan"}}, false},
		{"Agent(*)", Call{Tool: "Agent", Subjects: []string{"Plan"}}, true},
		{"Bash(git:*)", Call{Tool: "Bash", Subjects: []string{"git"}}, true},
		{"Bash(git:*)", Call{Tool: "Bash", Subjects: []string{"git log -1"}}, true},
		{"Bash(git:*)", Call{Tool: "Bash", Subjects: []string{"gitk"}}, false},
		{"Bash(npm run *)", Call{Tool: "Bash", Subjects: []string{"npm run test"}}, true},
		{"Bash(npm run *)", Call{Tool: "Bash", Subjects: []string{"npm install"}}, false},
		{"Edit(docs/**)", Call{Tool: "Edit", Subjects: []string{"docs/a/b.md"}}, true},
		{"Edit(docs/**)", Call{Tool: "Write", Subjects: []string{"docs/a/b.md"}}, false},
		{"mcp__tracker", Call{Tool: "mcp__tracker__list"}, true},
		{"mcp__track", Call{Tool: "mcp__tracker__list"}, false},
		{"mcp__tracker__list", Call{Tool: "mcp__tracker__list"}, true},
	} {
		if got := anyOf(rules(t, "deny "+c.rule).Deny, &c.call) != nil; got != c.want {
			t.Errorf("%s speaks of %v: %v", c.rule, c.call, got)
		}
	}
}

func testParts(t *testing.T) {
	both := &Call{Tool: "Bash", Class: Exec, Subjects: []string{"ls", "rm x"}}
	for _, c := range []struct {
		rules []string
		want  Verdict
	}{
		{[]string{"allow Bash(ls)"}, Ask}, {[]string{"allow Bash(ls)", "allow Bash(rm:*)"}, Allow}, {[]string{"allow Bash"}, Allow},
		{[]string{"allow Bash", "deny Bash(rm:*)"}, Deny}, {[]string{"allow Bash", "deny Bash(mv:*)"}, Allow},
	} {
		p := Policy{Mode: Default, Rules: rules(t, c.rules...)}
		if d := p.Decide(both); d.Verdict != c.want {
			t.Errorf("%v: %s, want %s", c.rules, d.Verdict, c.want)
		}
	}
}

func testParse(t *testing.T) {
	for _, bad := range []string{"", "(git)", "Bash(", "Bash(git", "Bash()", "two words", "*", "Bash)"} {
		if r, err := ParseRule(bad, Session); err == nil || !strings.Contains(err.Error(), "write Tool") {
			t.Errorf("%q is the rule %v, error %v", bad, r, err)
		}
	}
	for _, good := range []string{"Bash", "Bash(git log:*)", "Edit(/a (b)/**)"} {
		if r, err := ParseRule(good, Session); err != nil || r.String() != good {
			t.Errorf("%q is read as %v, %v", good, r, err)
		}
	}
}

// refuses denies what its word begins.
type refuses string

func (s refuses) Classify(c *Call) Verdict {
	switch {
	case len(c.Subjects) == 0:
		return Ask
	case strings.HasPrefix(c.Subjects[0], string(s)):
		return Deny
	}
	return Allow
}

func testClassifier(t *testing.T) {
	for _, c := range []struct {
		mode Mode
		call Call
		want string
	}{
		{Auto, Call{Class: Exec, Subjects: []string{"rm -r x"}}, "deny classifier"},
		{Auto, Call{Class: Exec, Subjects: []string{"ls"}}, "allow classifier"},
		{Auto, Call{Class: Write}, "ask classifier"},
		{Auto, Call{Class: Read, Subjects: []string{"rm"}}, "allow mode auto"},
		{Default, Call{Class: Exec, Subjects: []string{"ls"}}, "ask mode default"},
	} {
		p := Policy{Mode: c.mode, Classifier: refuses("rm")}
		if d := p.Decide(&c.call); d.Verdict.String()+" "+d.Why != c.want {
			t.Errorf("%s %v: %v, want %s", c.mode, c.call, d, c.want)
		}
	}
}

func testUnasked(t *testing.T) {
	edit := &Call{Tool: "Edit", Class: Write, Subjects: []string{".scratchpad/a.md"}}
	for _, c := range []struct {
		mode  Mode
		avoid bool
		rules []string
		want  string
	}{
		{Default, false, nil, "allow pad"}, {Default, true, nil, "allow pad"}, {Auto, false, nil, "allow pad"}, {Bubble, true, nil, "allow pad"},
		{AcceptEdits, true, nil, "allow mode acceptEdits"}, {Plan, false, nil, "deny mode plan"}, {Plan, false, []string{"allow Edit"}, "deny mode plan"},
		{Default, false, []string{"deny Edit"}, "deny deny rule Edit"}, {Default, false, []string{"ask Edit"}, "ask ask rule Edit"},
		{Default, true, []string{"ask Edit"}, "deny " + WhyAvoided},
	} {
		p := Policy{Mode: c.mode, AvoidPrompts: c.avoid, Rules: rules(t, c.rules...), Classifier: refuses(""), Unasked: "pad"}
		if d := p.Decide(edit); d.Verdict.String()+" "+d.Why != c.want {
			t.Errorf("%+v: %s %s", c, d.Verdict, d.Why)
		}
	}
}

func testAvoids(t *testing.T) {
	yes, no := true, false
	for _, c := range []struct {
		canShow     *bool
		mode        Mode
		async, want bool
	}{
		{nil, Default, false, false}, {nil, Default, true, true}, {nil, Bubble, true, false}, {nil, Bubble, false, false},
		{&yes, Default, true, false}, {&no, Default, false, true}, {&no, Bubble, false, true},
	} {
		if got := AvoidsPrompts(c.canShow, c.mode, c.async); got != c.want {
			t.Errorf("%+v: %v", c, got)
		}
	}
}

func testAllowed(t *testing.T) {
	session := rules(t, "deny WebFetch", "ask Edit", "allow Bash(git:*)", "cli Bash(make:*)")
	child := session.WithAllowed(rules(t, "allow Bash(ls:*)").Allow)
	want := &Rules{Deny: session.Deny, Ask: session.Ask, Allow: []Rule{{"Bash", "make:*", CommandLine}, {"Bash", "ls:*", Session}}}
	if d := cmp.Diff(want, child); d != "" {
		t.Error(d)
	}
	if len(session.Allow) != 2 {
		t.Error("the session's own rules changed")
	}
}

func render(avoid bool) string {
	b := "\n"
	for _, m := range append(Modes(), "unheard") {
		b += fmt.Sprintf("%-17s", m)
		for c := Read; c < numClasses; c++ {
			b += " " + decide(m, c, avoid).Verdict.String()
		}
		b += "\n"
	}
	return b
}
