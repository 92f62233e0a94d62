package transcript

// Worktree is what becomes of an agent's own working directory. Who starts the agent
// makes it; the agent, when it ends, leaves it behind or takes it away.
type Worktree struct {
	Op      string `text:"op"`   // made, kept, removed, or made-again by a resume
	Path    string `text:"path"` // relative to the project
	Branch  string `text:"branch"`
	Lineage string `text:"lineage,opt"` // of the agent for which it is made
}

func (*Worktree) Kind() Kind { return KindWorktree }

// Conflict is a file that two agents changed apart from each other, met by whoever
// merges, or whose own change is in the way.
type Conflict struct {
	Path   string `text:"path"`
	At     string `text:"at"`        // directory: both work in one; merge: their branches meet
	First  int32  `text:"first"`     // who changed it first, or on the branch that is merged into; -1 is nobody
	Second int32  `text:"second"`    // who changed it from another version, or on the other branch
	Base   string `text:"base,opt"`  // hash of the version from which the first began, "" for none
	Other  string `text:"other,opt"` // hash of that from which the second began
}

func (*Conflict) Kind() Kind { return KindConflict }
