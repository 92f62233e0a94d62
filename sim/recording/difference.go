package recording

import (
	"fmt"
	"slices"
	"strings"
)

// Difference is where a prompt stops being a continuation of another one: a setting
// that stands in no block, or the first byte that is not the same. Or it is a
// difference of marks (cache_control), which are no part of the prompt.
type Difference struct {
	Setting string // such as thinking; "" for none, and then the rest holds
	Perhaps bool   // it is not known whether that setting alone ends a continuation, such as betas
	Level   string // tools, system or messages
	Block   int32  // position in the prompt, from 1; 0 for the end of a level
	New     bool   // the block is one that the later prompt has and the earlier one has not
	Role    string
	Kind    string
	Name    string // of a tool
	Became  string // of a tool that another one is in the place of: removed, moved, inserted
	Path    string // of the block in the body, the earlier one's where it is gone: messages[3].content[1]
	Gone    bool   // the later prompt's level ends where the earlier one has the block
	// At is the first byte that is not the same, from 0, in the later request's block as
	// its body has it: in the JSON of a tool, a system block or an item of a message's
	// content, from its brace, and in a content that is a string, from its quote. Where
	// the blocks are equal and in messages of two roles it is 0.
	At int64

	Unmarked bool   // what the earlier request left up to that block is behind the last mark of the later one
	TTL      string // what the mark on that block asks for, and what the earlier one did: 5m after 1h; "" for no difference
}

// then is between the differences of one request.
const then = "; "

// perhaps is what is said of a setting of which that is not known.
const perhaps = " (whether that alone ends a prefix is not known)"

// Differences are several of one request, as Request.Changed holds them.
func Differences(of ...*Difference) string {
	var out []string
	for _, d := range of {
		out = append(out, d.String())
	}
	return strings.Join(out, then)
}

// String is what the cache loses by it and where it is: "system: byte 140 of block 2
// (text)". Request.Changed holds it.
func (d *Difference) String() string { return d.cause().String() + ": " + d.where() }

func (d *Difference) where() string {
	switch {
	case d.Setting != "" && d.Perhaps:
		return d.Setting + perhaps
	case d.Setting != "":
		return d.Setting
	case d.Block == 0:
		return "blocks of " + d.Level + " are gone"
	}
	words := []string{d.Role, d.Kind, d.Name, d.Became}
	words = slices.DeleteFunc(words, func(w string) bool { return w == "" })
	what := strings.Join(words, " ")
	if d.Path != "" {
		what += ", " + d.Path
	}
	switch {
	case d.Unmarked:
		return fmt.Sprintf("none from block %d (%s) on", d.Block, what)
	case d.TTL != "":
		return fmt.Sprintf("block %d (%s), %s", d.Block, what, d.TTL)
	case d.New:
		return fmt.Sprintf("new block %d (%s)", d.Block, what)
	case d.Gone:
		return fmt.Sprintf("block %d (%s) is gone", d.Block, what)
	}
	return fmt.Sprintf("byte %d of block %d (%s)", d.At, d.Block, what)
}

// Differs is the first difference in blocks that Request.Changed holds: its Level, Block
// and At, which is -1 where no byte is told. It is nil for none.
func Differs(changed string) *Difference {
	for one := range strings.SplitSeq(changed, then) {
		d := &Difference{At: -1}
		switch causeOf(one) {
		case ToolsCause:
			d.Level = "tools"
		case SystemCause:
			d.Level = "system"
		case HistoryCause:
			d.Level = "messages"
		default:
			continue
		}
		_, where, _ := strings.Cut(one, ": ")
		if n, _ := fmt.Sscanf(where, "byte %d of block %d", &d.At, &d.Block); n < 2 {
			d.At = -1
			fmt.Sscanf(strings.TrimPrefix(where, "new "), "block %d", &d.Block)
		}
		return d
	}
	return nil
}

// cause is what a difference lets the cache lose.
func (d *Difference) cause() Cause {
	switch {
	case d.Setting == "model":
		return ModelCause
	case d.Setting != "":
		return SettingsCause
	case d.Unmarked:
		return MarksCause
	case d.TTL != "":
		return ExpiredCause
	case d.Level == "tools":
		return ToolsCause
	case d.Level == "system":
		return SystemCause
	}
	return HistoryCause
}

// ChangedBy is the cause that the body of a request tells, NoCause where it tells of
// none. A lifetime that changed is a cause only where the entry had expired.
func (r *Request) ChangedBy() Cause { return causeOf(r.Changed) }

func causeOf(changed string) Cause {
	name, _, _ := strings.Cut(changed, ": ")
	return Cause(max(slices.Index(causeNames[:], name), 0))
}

// Continues reports whether the prompt is not known to stop being a continuation of
// Pred's: marks alone change none of it.
func (r *Request) Continues() bool {
	for rest := r.Changed; rest != ""; {
		one, more, _ := strings.Cut(rest, then)
		switch cause := causeOf(one); {
		case cause == MarksCause, cause == ExpiredCause, strings.HasSuffix(one, perhaps):
			rest = more
		default:
			return false
		}
	}
	return true
}
