package transcript

// Worktree is what becomes of an agent's own working directory. Who starts the agent
// makes it; the agent, when it ends, leaves it behind or takes it away.
type Worktree struct {
	Op      string // made, kept, removed, or made-again by a resume
	Path    string // relative to the project
	Branch  string
	Lineage string // of the agent for which it is made
}

func (*Worktree) Kind() Kind { return KindWorktree }

func (b *Worktree) AppendText(dst []byte) []byte {
	dst = appendStr(dst, " op=", b.Op)
	dst = appendStr(dst, " path=", b.Path)
	dst = appendStr(dst, " branch=", b.Branch)
	return optStr(dst, " lineage=", b.Lineage)
}

// Conflict is a file that two agents changed apart from each other, met by whoever
// merges, or whose own change is in the way.
type Conflict struct {
	Path   string
	At     string // directory: both work in one; merge: their branches meet
	First  int32  // who changed it first, or on the branch that is merged into; -1 is nobody
	Second int32  // who changed it from another version, or on the other branch
	Base   string // hash of the version from which the first began, "" for none
	Other  string // hash of that from which the second began
}

func (*Conflict) Kind() Kind { return KindConflict }

func (b *Conflict) AppendText(dst []byte) []byte {
	dst = appendStr(dst, " path=", b.Path)
	dst = appendStr(dst, " at=", b.At)
	dst = appendInt(dst, " first=", int64(b.First))
	dst = appendInt(dst, " second=", int64(b.Second))
	dst = optStr(dst, " base=", b.Base)
	return optStr(dst, " other=", b.Other)
}
