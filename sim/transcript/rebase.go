package transcript

// Rebase is a history whose bytes were made anew: what stood before no longer
// is a prefix of what is sent.
type Rebase struct {
	Why      string   `text:"why"`        // settings, model, re-render, tools
	Position int32    `text:"position"`   // first position that changed; 0 at a border
	Detail   string   `text:"detail,opt"` // of tools: what became of which server
	Tools    []string `text:"tools,opt"`  // of tools: names of those that requests define from here on, in order
}

func (*Rebase) Kind() Kind { return KindRebase }
