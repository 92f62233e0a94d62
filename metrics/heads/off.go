package heads

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"agentsim/sim/client"
	"agentsim/sim/permission"
	"agentsim/sim/project"
	"agentsim/sim/tool"

	"github.com/zeebo/xxh3"
)

// off are the rules by which settings take away whole tools, servers and types.
func off(found *project.Found) (out []Off) {
	for _, x := range slices.Concat(found.Settings.Deny, found.Settings.Servers) {
		if r, err := permission.ParseRule(x.Value, ""); err == nil && (r.Spec == "" || ofTypes(r)) {
			out = append(out, Off{x.Value, x.From})
		}
	}
	return out
}

// ofTypes reports whether a rule speaks of types of agents.
func ofTypes(r permission.Rule) bool { return r.Tool == agentTool || r.Tool == "Task" }

const agentTool = "Agent"

// takes is where rules take a part from agents, "" where none does.
func takes(off []Off, p *Part) string {
	call := &permission.Call{Tool: p.Name}
	switch {
	case p.Kind == client.ServerText:
		call.Tool = client.Qualified(p.Name, "x") // as each of its tools
	case p.Name == agentTool:
		call.Aliases = []string{"Task"}
	}
	for _, x := range off {
		r, err := permission.ParseRule(x.Rule, "")
		if err != nil {
			continue // an edited baseline
		}
		rules := &permission.Rules{Deny: []permission.Rule{r}}
		typed := p.Kind == client.Types || p.Kind == kindPrompt
		if _, denied := rules.DeniesAgent(p.Name); denied && typed {
			return x.From
		}
		if !typed && rules.DeniesTool(call) {
			return x.From
		}
	}
	return ""
}

// switched is where settings take a part away now, else the file that did and does no
// more, "" for none.
func (c *comparison) switched(p *Part) string {
	if from := takes(c.now.Off, p); from != "" {
		return from
	}
	file, _ := Located(takes(c.base.Off, p))
	return file
}

// head is a hash of the client's own prompt and tools, "" where no request says them.
func head(found *project.Found) string {
	var b strings.Builder
	for _, x := range slices.Concat(found.Kind(client.Prompt), found.Kind(client.Tool)) {
		fmt.Fprintf(&b, "%s %q %q\n", x.Kind, x.Name, x.Text)
	}
	if b.Len() == 0 {
		return ""
	}
	return fmt.Sprintf("%016x", xxh3.HashString(b.String()))
}

// offers reports whether two heads are of one client with the same tools to offer.
func (h *Heads) offers(o *Heads) bool {
	return h.Client == o.Client && h.Known == o.Known && h.Semantics == o.Semantics && h.Head == o.Head
}

// source names what the client's own prompt and tools are from.
func (h *Heads) source() string {
	if i := slices.IndexFunc(h.Parts, (*Part).measured); i >= 0 {
		return h.Parts[i].File
	}
	return "this program's own"
}

// attribute says whose changes of the client's parts are, beside the tool's: another
// request's, or the repository's, at the place that lets agents have them or takes them.
func (c *comparison) attribute() {
	if c.base.Head != c.now.Head {
		c.Request = c.now.source() + " in place of " + c.base.source()
	}
	for i := range c.Changes {
		x := &c.Changes[i]
		if x.What != Added && x.What != Removed {
			x.Given = x.Theirs && c.Request != "" && x.Now.clients()
			continue
		}
		from := c.switched(x.Now)
		if x.Theirs && from == "" {
			from = c.brought(x)
		}
		if x.Given = x.Theirs && from == "" && c.Request != "" && x.Now.clients(); from == "" || x.What == Added && x.Now.Own() {
			continue
		}
		at := *x.Now
		at.File, at.Line = Located(from)
		at.Assumed = at.Assumed && x.Now.Own()
		x.Now, x.Theirs = &at, false
	}
}

// clients reports whether the client's own prompt or tools have a part.
func (p *Part) clients() bool {
	return p.Kind == kindTool || p.Kind == client.Prompt || p.Kind == kindPrompt && p.File == ""
}

// brought is where that is for which agents have, or had, a tool of the client's: it uses
// skills, or finds tools of servers.
func (c *comparison) brought(x *Change) string {
	kind := map[string]client.Kind{tool.SkillName: client.Skills, tool.SearchName: client.Deferred}[x.Now.Name]
	i := slices.IndexFunc(c.Changes, func(o Change) bool {
		return kind != "" && x.Now.Kind == kindTool && o.Now.Kind == kind && (o.What == x.What || x.What == Removed && o.What == Lost)
	})
	if i < 0 {
		return ""
	}
	return cmp.Or(takes(c.now.Off, c.Changes[i].Now), c.Changes[i].Now.From())
}
