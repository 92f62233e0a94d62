package tool

import (
	"slices"
	"strconv"
	"strings"

	"agentsim/sim/llm"
)

// SubscribeName is the tool that asks for the events of a pull request.
const SubscribeName = "subscribe_pr_activity"

// CoordinatorTools are the only tools that a coordinator may hold (CRD-01). It
// holds the last one where its session names it.
var CoordinatorTools = [...]string{AgentName, "SendMessage", StopName, SubscribeName}

// simpleTools are a worker's in simple mode (CRD-04).
var simpleTools = [...]string{"Bash", "Read", "Edit"}

// ForCoordinator is what a coordinator holds of the tools that its session
// offers: nothing by which it could do the work itself.
func ForCoordinator(offered []*Tool) []*Tool {
	var out []*Tool
	for _, t := range offered {
		if slices.Contains(CoordinatorTools[:], t.CanonicalName()) {
			out = append(out, t)
		}
	}
	return out
}

// ForWorkers is what a coordinator's workers are offered of a session's tools
// before the filter: all that act, and the internal ones for it to remove; in
// simple mode three; tools of MCP servers in either (CRD-04, SUB-22).
func ForWorkers(offered []*Tool, simple bool) []*Tool {
	var out []*Tool
	for _, t := range offered {
		switch {
		case t.fromServer() || (t.Implemented() || t.Internal) && (!simple || slices.Contains(simpleTools[:], t.Name)):
			out = append(out, t)
		}
	}
	return out
}

func (t *Tool) fromServer() bool { return t.MCP || strings.HasPrefix(t.Name, "mcp__") }

// Servers splits tools by where they come from: the names of the session's own,
// and the MCP servers of the others (mcp__SERVER__TOOL), each once, both in order.
func Servers(tools []*Tool) (own, servers []string) {
	for _, t := range tools {
		name, is := strings.CutPrefix(t.Name, "mcp__")
		if !is {
			own = append(own, t.Name)
			continue
		}
		server, _, _ := strings.Cut(name, "__")
		if !slices.Contains(servers, server) {
			servers = append(servers, server)
		}
	}
	return own, servers
}

var subscribeFields = fields{
	{name: "repository", required: true, about: "The repository, as owner/name."},
	{name: "number", typ: integerType, required: true, about: "Number of the pull request."},
}

const subscribeText = `Subscribes this session to what happens on a pull request: reviews, comments and results of checks arrive as messages.
Subscribe once for each pull request that workers opened or that the user asks you to watch. Do not poll for what a subscription reports.`

// runSubscribe notes a subscription. No pull request of this world has events, so
// none will come.
func runSubscribe(_ *Env, p *llm.Payload) Result {
	var in input
	if err := subscribeFields.read(p.Raw(), &in); err != nil {
		return badInput(SubscribeName, err)
	}
	owner, name, ok := strings.Cut(in[0].text(), "/")
	if !ok || owner == "" || name == "" || strings.ContainsAny(name, "/ ") {
		return Error(`field "repository" must be owner/name`)
	}
	n, _ := in[1].integer()
	if n < 1 {
		return Error(`field "number" must be that of a pull request, 1 or more`)
	}
	return Result{Content: llm.NewText(llm.Prose, "Subscribed to pull request "+in[0].text()+"#"+strconv.Itoa(n)+".")}
}

// The Agent tool's words and type for a coordinator, whose agents are all
// workers (CRD-05).
const (
	workerType      = "worker"
	workerTypeAbout = "Always worker."
	workerUsage     = `

How to use it:
- subagent_type is always worker. Say in three to five words what the worker will do.
- A worker knows nothing of this conversation. Its prompt must hold everything it needs: the goal and what it is for, the files and lines that matter, what has been found already, and what the report should contain.
- Workers run in the background. The call returns at once with the worker's id, and a notification reports its end; do not poll, and do not guess at results before they are there.
- Workers that do not depend on each other are started in one response, so that they run side by side.
- A worker has your model.`
)

// forWorkers makes the fields those of a coordinator's Agent tool.
func forWorkers(fs fields) {
	fs[agentType].required, fs[agentType].enum, fs[agentType].about = true, []string{workerType}, workerTypeAbout
	fs[agentModel].hidden = true // a worker has its coordinator's
}
