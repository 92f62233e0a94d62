package baseline

import (
	"regexp"
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
	return hash.ReplaceAllStringFunc(line, func(found string) string {
		if !strings.ContainsAny(found, "abcdef") {
			return found
		}
		return found[:strings.IndexAny(found, "0123456789abcdef")+Digits]
	})
}

// hash is one, with the character before it.
var hash = regexp.MustCompile(`(?:^|[^0-9A-Za-z])[0-9a-f]{16,}`)
