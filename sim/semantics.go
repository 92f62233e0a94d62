package sim

import (
	"fmt"
	"strings"
)

// Semantics is the version of what runs mean. It changes when a run of an equal
// spec may give other events, not with every commit.
const Semantics = 6

// changes says in half a sentence what each version changed, from the second on.
// Whoever raises Semantics adds one.
var changes = [...]string{
	2: "settings of a step go over the scenario's field by field, gates that nothing reads are refused, and an item counts by the version of a file that its agent saw",
	3: "figures in results are plain numbers, titles are in no key, an item that did not read what it needs is not done, coordinators wait for all research, prompts carry the user's goal, forks commit, a failed tool cancels its neighbours, and what all agent types share stands in front",
	4: "who writes a prompt names only places that are in its own request, reports say file and line, a lead lists the files that tell items apart, agents without search tools search in the shell, sizes belong to what a step does, texts are drawn sentences about the item, and plan mode refuses commands that write",
	5: "on another project no file that is in front of agents or that a program made stands for work or is read by who loses the way, a teammate's plan goes to its lead, a scripted turn with tools is not spent on a summary, what a remote agent says comes home while it works, a notification has the tokens of the call in which its agent was killed, and agents follow their session into plan mode and out of it",
	6: "isolation is a field of the Agent tool in every session, name, team_name and mode where swarms are on whatever else the caller has, a verification writes temporary files unasked, patterns of answers name side questions where they say so, a command or a write takes effect while its time goes by, so that an abort leaves what was done until then, what a child was started with stays in front of its summary, a tool that a search inserts is in front once its answer has all results, git answers for the run's commits, branches and worktrees, a teammate that was shut down and is written to is a member again, the form of a report is judged once, as it comes home, a worker is continued by the files that its items read, a lead merges the branches of worktrees that definitions bring, and an item whose branch nobody merged is not done",
}

// ChangedSince says in one sentence how runs of a version of the semantics differ
// from this program's; "" where they are the same.
func ChangedSince(version int) string {
	switch {
	case version == Semantics:
		return ""
	case version > Semantics:
		return fmt.Sprintf("semantics %d is newer than this program's %d, which does not know what changed", version, Semantics)
	}
	return fmt.Sprintf("semantics %d became %d: %s", version, Semantics, strings.Join(changes[max(version+1, 2):Semantics+1], "; "))
}
