package sim

import (
	"fmt"
	"strings"
)

// Semantics is the version of what runs mean. It changes when a run of an equal
// spec may give other events, not with every commit.
const Semantics = 6

// changes says in half a sentence what each version changed most, from the second on;
// whoever raises Semantics adds one.
var changes = [...]string{
	2: "settings of a step go over the scenario's field by field, and an item counts by the version of a file that its agent saw",
	3: "an item that did not read what it needs is not done, coordinators wait for all research, figures in results are plain numbers, and what all agent types share is in front",
	4: "who writes a prompt names only places in its own request, sizes belong to what a step does, and plan mode refuses commands that write",
	5: "what a program made is no work, plans of teammates go to their lead, remote agents report while they work, and agents follow their session's mode",
	6: "fields of the Agent tool follow the gates alone, commands take effect while their time goes by, a summary keeps what a child was started with, a root is rendered as it starts, and an item whose branch nobody merged is not done",
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
