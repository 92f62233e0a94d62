package baseline

import (
	"strings"

	"agentsim/metrics/sharedprefix"
	"agentsim/sim/transcript"
)

// Digits is how many digits of a hash a baseline keeps.
const Digits = 8

// Trace is a transcript.Sink that keeps a run's canonical lines with hashes cut
// to Digits, and without what every change of a scenario changes: the hash of
// the spec and the version of the semantics in the first event. Of requests it
// keeps what stood in them.
type Trace struct {
	Lines   []string
	Outline sharedprefix.Outline
	buf     []byte
}

// Emit keeps the event's line.
func (t *Trace) Emit(e *transcript.Event) {
	t.Outline.Emit(e)
	t.buf = transcript.AppendLine(t.buf[:0], e)
	line := Cut(string(t.buf))
	if b, ok := e.Body.(*transcript.RunStart); ok {
		same := *b
		same.Spec, same.Semantics = "", 0
		at := *e
		at.Body = &same
		line = Cut(string(transcript.AppendLine(nil, &at)))
	}
	t.Lines = append(t.Lines, line)
}

// Cut shortens each word of 16 hex digits or more. A
// number without letters is none.
func Cut(line string) string {
	var b strings.Builder
	for i := 0; i < len(line); {
		n := hexRun(line[i:])
		if n >= 2*Digits && strings.ContainsAny(line[i:i+n], "abcdef") && (i == 0 || !isWord(line[i-1])) {
			b.WriteString(line[i : i+Digits])
		} else {
			n = max(n, 1)
			b.WriteString(line[i : i+n])
		}
		i += n
	}
	return b.String()
}

// hexRun is how many hex digits a text begins with.
func hexRun(s string) int {
	n := 0
	for n < len(s) && (s[n] >= '0' && s[n] <= '9' || s[n] >= 'a' && s[n] <= 'f') {
		n++
	}
	return n
}

func isWord(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}
