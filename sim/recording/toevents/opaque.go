package toevents

import "strings"

// Opaque reports whether the text of a block stands for something that the
// recording does not hold: its size, or its name.
func Opaque(text string) bool {
	if name, ok := strings.CutPrefix(text, NamedBlock); ok {
		return len(name) == 16 && strings.Trim(name, "0123456789abcdef") == ""
	}
	inside, ok := strings.CutPrefix(text, "[")
	if !ok || !strings.HasSuffix(text, "]") {
		return false
	}
	if strings.HasPrefix(inside, "earlier messages, changed before request ") {
		return true
	}
	size, _, ok := strings.Cut(inside, " tokens, ")
	return ok && size != "" && strings.Trim(size, "0123456789") == ""
}
