package llm

import "strings"

// The figures of a run are the numbers that say how large an agent's context was,
// how many tools it used and how long it took. They stand in results and
// notifications as plain numbers, so their digits are as many as the run makes
// them, and a slower run would have longer requests, other token counts and with
// them other instants. Therefore each weighs figureDigits digits wherever bytes
// are counted, whatever it is; bytes that are sent, stored and shown are not
// counted by this rule.
const figureDigits = 5

// figureNames are the names of the figures, in XML and in JSON.
var figureNames = [...]string{"total_tokens", "tool_uses", "duration_ms", "totalTokens", "totalToolUseCount", "totalDurationMs"}

func isDigit(b byte) bool { return '0' <= b && b <= '9' }

// figure is how many digits a figure has that begins at s[i], which is a digit; 0
// when none begins there. A figure is a run of digits behind <name> or "name":,
// whose quotes may be escaped and whose colon may be followed by a blank.
func figure(s string, i int) int {
	if i < 2 || !named(s[:i]) {
		return 0
	}
	n := 1
	for i+n < len(s) && isDigit(s[i+n]) {
		n++
	}
	return n
}

// named reports whether the value of a figure begins behind s.
func named(s string) bool {
	open := `"`
	switch last := s[len(s)-1]; {
	case last == '>':
		s, open = s[:len(s)-1], "<"
	case last == ':' || last == ' ' && s[len(s)-2] == ':':
		s = strings.TrimSuffix(strings.TrimSuffix(s, " "), ":")
		if !strings.HasSuffix(s, `"`) {
			return false
		}
		s = strings.TrimRight(s[:len(s)-1], `\`)
	default:
		return false
	}
	for _, name := range figureNames {
		if rest, ok := strings.CutSuffix(s, name); ok {
			return strings.HasSuffix(rest, open)
		}
	}
	return false
}

// Counted is how many bytes of s count: all, but that each figure of a run counts
// as figureDigits.
func Counted(s string) int64 { m := measure(Prose, s); return m.Total() }

// CutCounted is the longest beginning of s of which at most n bytes count. It cuts
// no figure.
func CutCounted(s string, n int) string {
	for i := 0; i < len(s); n-- {
		size := 1
		if isDigit(s[i]) {
			if f := figure(s, i); f > 0 {
				size, n = f, n-figureDigits+1
			}
		}
		if n < 1 {
			return s[:i]
		}
		i += size
	}
	return s
}

// CountedBytes is how many flat bytes of the prefix that ends with n count
// (Counted). It takes a step for each block unless there are too few bytes for
// the answer to be more than most.
func CountedBytes(n *Node, most int64) int64 {
	total := n.Bytes
	if total+total/2 <= most { // a figure of one digit and its name are 12 bytes or more, and count as 4 more
		return total
	}
	for ; n != nil; n = n.Parent {
		if n.Block != nil {
			total += n.Block.Content.measure.Total() - int64(len(n.Block.Content.raw))
		}
	}
	return total
}
