package recording

import (
	"fmt"
	"slices"
	"strings"
)

// Difference is where a prompt stops being a continuation of another one: a setting
// that stands in no block, or the first byte that is not the same.
type Difference struct {
	Setting string // such as thinking; "" for none, and then the rest holds
	Level   string // tools, system or messages
	Block   int32  // position in the prompt, from 1; 0 for the end of a level
	New     bool   // the block is one that the later prompt has and the earlier one has not
	Role    string
	Kind    string
	Name    string // of a tool
	At      int64  // byte of the block, from 0
}

// String is what the cache loses by it and where it is: "system: block 2 (text),
// byte 140". Request.Changed holds it.
func (d *Difference) String() string { return d.cause().String() + ": " + d.where() }

func (d *Difference) where() string {
	switch {
	case d.Setting != "":
		return d.Setting
	case d.Block == 0:
		return "blocks of " + d.Level + " are gone"
	}
	words := []string{d.Role, d.Kind, d.Name}
	words = slices.DeleteFunc(words, func(w string) bool { return w == "" })
	what := strings.Join(words, " ")
	if d.New {
		return fmt.Sprintf("new block %d (%s)", d.Block, what)
	}
	return fmt.Sprintf("block %d (%s), byte %d", d.Block, what, d.At)
}

// cause is what a difference lets the cache lose.
func (d *Difference) cause() Cause {
	switch {
	case d.Setting == "model":
		return ModelCause
	case d.Setting != "":
		return SettingsCause
	case d.Level == "tools":
		return ToolsCause
	case d.Level == "system":
		return SystemCause
	}
	return HistoryCause
}

// ChangedBy is the cause that the bytes of a prompt tell, NoCause where they tell of
// none.
func (r *Request) ChangedBy() Cause {
	name, _, _ := strings.Cut(r.Changed, ": ")
	return Cause(max(slices.Index(causeNames[:], name), 0))
}
