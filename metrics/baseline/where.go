package baseline

import (
	"fmt"
	"strconv"
	"strings"

	"agentsim/metrics/sharedprefix"
	"agentsim/sim/transcript"
)

// Where says in one sentence what the first differing event is about: for a
// request the block in which it parts from the baseline's.
func Where(was, is *Run, d *transcript.Difference) string {
	line := d.Got
	if line == "" {
		line = d.Want
	}
	w := strings.Fields(line)
	if len(w) < 5 {
		return d.Field
	}
	who, kind := lineageOf(is.Lines, w[3]), w[4]
	switch {
	case d.Want == "":
		return fmt.Sprintf("%s goes on with %s, where the baseline's run had ended", who, kind)
	case d.Got == "":
		return fmt.Sprintf("the run ends before the %s of %s", kind, lineageOf(was.Lines, w[3]))
	case d.Field == "kind":
		return fmt.Sprintf("%s: %s in place of %s", who, d.GotValue, d.WantValue)
	case kind != "request":
		return fmt.Sprintf("%s, %s: %s %s → %s", who, kind, d.Field, orNone(d.WantValue), orNone(d.GotValue))
	}
	who += ", request " + requestOf(line)
	before, after := valueOf(d.Want, "model"), valueOf(d.Got, "model")
	if before != after {
		return fmt.Sprintf("%s: model %s → %s", who, before, after)
	}
	if d.Field == "head" || d.Field == "blocks" {
		if text := sharedprefix.Parted(was.Outline, is.Outline, Requests(is.Lines[:d.Index])); text != "" {
			return who + ", " + text
		}
		return who + ": another prompt"
	}
	return fmt.Sprintf("%s: %s %s → %s", who, d.Field, orNone(d.WantValue), orNone(d.GotValue))
}

func orNone(s string) string {
	if s == "" {
		return "none"
	}
	return s
}

// lineageOf is the lineage of the agent of an ordinal.
func lineageOf(lines []string, ordinal string) string {
	for _, line := range lines {
		w := strings.Fields(line)
		if len(w) > 4 && w[3] == ordinal && w[4] == "agent_start" {
			return valueOf(line, "lineage")
		}
	}
	return "the run"
}

// requestOf is the number of an agent's request, from 1.
func requestOf(line string) string {
	n, err := strconv.Atoi(valueOf(line, "call"))
	if err != nil {
		return "?"
	}
	return strconv.Itoa(n + 1)
}

// Requests counts the requests that have a prompt.
func Requests(lines []string) (n int) {
	for _, line := range lines {
		if w := strings.Fields(line); len(w) > 4 && w[4] == "request" && valueOf(line, "head") != "" {
			n++
		}
	}
	return n
}

// valueOf is the value of a key of an event's line; "" where it has none.
func valueOf(line, key string) string {
	for word := range strings.FieldsSeq(line) {
		if v, ok := strings.CutPrefix(word, key+"="); ok {
			return v
		}
	}
	return ""
}
