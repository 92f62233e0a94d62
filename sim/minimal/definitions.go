package minimal

import (
	"slices"

	"agentsim/sim/agent"
	"agentsim/sim/gate"
	"agentsim/sim/tool"
)

// The types of the minimal stack's built-in definitions; tool.MinimalDefault is
// the third.
const (
	TypeExplore = "explore"
	TypePlan    = "plan"
)

// Definitions are the minimal stack's types: the custom ones of user and
// project, then those built-in ones that no custom one takes the place of. Of
// equal names the project's wins. A custom definition brings its name, its
// description, its tools and its prompt; nothing else of it is known here.
func Definitions(o Options, custom []*agent.Definition) []*agent.Definition {
	var out []*agent.Definition
	for _, from := range []agent.Source{agent.FromUser, agent.FromProject} {
		for _, c := range custom {
			if c.Source != from {
				continue
			}
			d := &agent.Definition{Type: c.Type, Description: c.Description, Source: from, Place: c.Place, Tools: c.Tools, Prompt: c.Prompt}
			if i := slices.IndexFunc(out, func(o *agent.Definition) bool { return o.Type == d.Type }); i >= 0 {
				out[i] = d
			} else {
				out = append(out, d)
			}
		}
	}
	for _, d := range builtIns(o) {
		if !slices.ContainsFunc(out, func(own *agent.Definition) bool { return own.Type == d.Type }) {
			out = append(out, d)
		}
	}
	for _, d := range out {
		d.Model, d.Disallowed = "inherit", []string{tool.MinimalAgent}
	}
	return out
}

func builtIns(o Options) []*agent.Definition {
	looks := []string{tool.MinimalRead, tool.MinimalList, tool.MinimalGrep}
	if o.ReadOnlyShell {
		looks = append(looks, tool.MinimalShell)
	}
	return []*agent.Definition{
		{Type: TypeExplore, ReadOnly: true, Source: agent.FromBuiltIn, Description: "read-only, fast search", Tools: looks, Prompt: explorePrompt(o)},
		{Type: TypePlan, ReadOnly: true, Source: agent.FromBuiltIn, Description: "read-only, structured planning", Tools: looks, Prompt: planPrompt},
		{Type: tool.MinimalDefault, Source: agent.FromBuiltIn, Description: "full tools", Prompt: generalPrompt},
	}
}

// Types are what the minimal stack's agent tool lists of the definitions.
func Types(defs []*agent.Definition) []tool.AgentType {
	out := make([]tool.AgentType, len(defs))
	for i, d := range defs {
		out[i] = tool.AgentType{Name: d.Type, WhenFor: d.Description}
	}
	return out
}

func explorePrompt(o Options) func(*gate.Set) string {
	may := "You have " + tool.MinimalRead + ", " + tool.MinimalList + " and " + tool.MinimalGrep + ", and nothing that writes.\n"
	if o.ReadOnlyShell {
		may = "With " + tool.MinimalShell + " run only what reads, such as ls, cat, find, grep or git log.\n" +
			"Run nothing that writes, moves or removes a file.\n"
	}
	return func(*gate.Set) string {
		return "You are an explore agent: you search a code base quickly and READ-ONLY.\n\n" +
			"Change no file. " + may + "Call several tools at once where you can, and end with a short summary of what you found.\n"
	}
}

func planPrompt(*gate.Set) string {
	return `You are a plan agent: you design how something is to be implemented, READ-ONLY.

Look at how the code is built now, weigh what speaks for and against each way, and return a plan with:
1. how things stand
2. the steps, in order
3. the files that matter most
4. what may go wrong
`
}

func generalPrompt(*gate.Set) string {
	return "You are a sub-agent with a task of its own and every tool. Do the task, and return a short result.\n"
}
