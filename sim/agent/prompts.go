package agent

import (
	_ "embed"

	"agentsim/sim/gate"
)

// The texts of the built-in types, plain rules in our own words.
var (
	//go:embed prompts/main.md
	mainText string
	//go:embed prompts/general.md
	generalText string
	//go:embed prompts/explore.md
	exploreText string
	// planText opens with the same section as the explorer's and ends with the files
	// that whoever carries the plan out opens first.
	//go:embed prompts/plan.md
	planText string
	//go:embed prompts/verification.md
	verificationText string
	//go:embed prompts/worker.md
	workerText string
	//go:embed prompts/statusline.md
	statuslineText string
	//go:embed prompts/guide.md
	guideText string
)

// fixed is a prompt that no gate changes.
func fixed(text string) func(*gate.Set) string {
	return func(*gate.Set) string { return text }
}

// MainPrompt is the default system prompt of a root agent. Scenarios may give
// another text or size.
func MainPrompt(g *gate.Set) string {
	if !g.ForkSubagent {
		return mainText
	}
	return mainText + `
# Forking
- Leaving the agent type out makes a fork: a copy of you that knows all you know and does one thing.
- Fork by default for work that needs what stands in this conversation. A fork's prompt is a directive: say what to do, not what is known.
`
}

// workerPrompt tells a worker where to leave what others need, where there is
// such a place.
func workerPrompt(g *gate.Set) string {
	if !g.Scratch {
		return workerText
	}
	return workerText + "- What other workers will need goes into the shared scratch directory; say in the report what you put there.\n"
}

// environment says where an agent works: behind a root's system prompt, ahead of those
// of sub-agents, which all share it.
func (w *World) environment(at *place) string {
	git := "yes"
	if w.cfg.Repository.None {
		git = "no"
	}
	return "# Environment\nWorking directory: " + w.directory(at) + "\nGit repository: " + git + "\nPlatform: linux\n" +
		"Always use absolute paths, or paths relative to the working directory.\n"
}
