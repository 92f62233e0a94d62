package baseline

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"agentsim/metrics/sharedprefix"
	"agentsim/sim/transcript"
	"agentsim/sim/vtime"
)

// event is one line of a run.
type event struct {
	who, kind string // the agent's lineage
	key       string // equal for the same event of another run
	prompt    int    // its number among the requests with a prompt, from 0; -1 for what is none
	fields    string
}

// events are those of a run, and by their keys.
type events struct {
	list  []*event
	twins map[string]*event
}

// instant is the key under which an event's fields have its time.
const instant = "instant"

func eventsOf(lines []string) *events {
	es := &events{twins: map[string]*event{}}
	agents, prompts := map[string]string{}, 0
	for _, line := range lines {
		w := append(strings.SplitN(line, " ", 6), "", "", "", "", "", "")
		e := &event{kind: w[4], prompt: -1, fields: instant + "=" + w[1] + " " + w[5]}
		if e.kind == "agent_start" {
			agents[w[3]] = e.of("lineage")
		}
		if e.who = agents[w[3]]; e.who == "" {
			e.who = "the run"
		}
		if e.kind == "request" && e.of("head") != "" {
			e.prompt, prompts = prompts, prompts+1
		}
		e.key = strings.Join([]string{e.who, e.kind, e.of("call"), e.of("attempt"), e.of("index")}, " ")
		for key, n := e.key, 1; es.twins[e.key] != nil; n++ {
			e.key = fmt.Sprint(key, " ", n)
		}
		es.list, es.twins[e.key] = append(es.list, e), e
	}
	return es
}

// of is the value of a field; "" where it has none.
func (e *event) of(key string) string {
	for word := range strings.FieldsSeq(e.fields) {
		if v, ok := strings.CutPrefix(word, key+"="); ok {
			return v
		}
	}
	return ""
}

// parts reports whether two requests have other prompts, or other models.
func (e *event) parts(o *event) bool {
	return e.prompt >= 0 && o.prompt >= 0 && (e.of("head") != o.of("head") || e.of("model") != o.of("model"))
}

// String names an event: who, and what it is.
func (e *event) String() string {
	n, _ := strconv.Atoi(e.of("call"))
	of := map[string]string{"agent_start": "start", "agent_end": "end", "run_end": "end", "user_message": "message of its user", "wake_up": "re-invocation",
		"request": "request " + strconv.Itoa(n+1), "response": "answer to request " + strconv.Itoa(n+1), "api_error": "error of request " + strconv.Itoa(n+1),
		"tool_call": "call of " + e.of("name"), "tool_result": "result of " + e.of("name")}
	return e.who + ", " + cmp.Or(of[e.kind], strings.ReplaceAll(e.kind, "_", " "))
}

// times are the fields that say when and how long.
var times = []string{instant, "started", "began", "ended", "took", "retry_in", "retry_after"}

// moved reports whether two events have the same content: of answers the usage may be
// another, of all others only times.
func (e *event) moved(o *event) bool {
	other := e.others(o)
	if e.kind == "response" && len(other) > 0 {
		return e.of("head") == o.of("head")
	}
	return len(other) > 0 && !slices.ContainsFunc(other, func(key string) bool { return !slices.Contains(times, key) })
}

// others are the fields that differ, sorted.
func (e *event) others(o *event) (out []string) {
	was, is := transcript.Words(e.fields), transcript.Words(o.fields)
	all := maps.Clone(was)
	maps.Copy(all, is)
	for _, key := range slices.Sorted(maps.Keys(all)) {
		if was[key] != is[key] {
			out = append(out, key)
		}
	}
	return out
}

// said is how people hear of fields, those that say most first. All that are in no
// list come behind these, then times.
var said = []struct{ key, before, after string }{
	{"model", "model ", ""}, {"type", "type ", ""}, {"status", "status ", ""}, {"outcome", "outcome ", ""}, {"thinking", "thinking ", ""},
	{"stop", "stop reason ", ""}, {"output", "output ", " tokens"}, {"read", "cache read ", " tokens"}, {"write_5m", "cache write ", " tokens"},
	{"write_1h", "cache write of 1 h ", " tokens"}, {"input", "uncached input ", " tokens"}, {"tokens", "", " tokens"}, {"bytes", "", " bytes"},
}

// change says what of an event is another in the other run.
func (e *event) change(o *event) string {
	other := e.others(o)
	was, is := transcript.Words(e.fields), transcript.Words(o.fields)
	hashed := func(key string) bool { return hashes.MatchString(was[key]) || hashes.MatchString(is[key]) }
	for _, f := range said {
		if slices.Contains(other, f.key) && !hashed(f.key) {
			return f.before + inWords(was[f.key], is[f.key]) + f.after
		}
	}
	if slices.Contains(other, "marks") {
		return marked(was["marks"], is["marks"])
	}
	for _, key := range other {
		if !hashed(key) && !slices.Contains(times, key) {
			return strings.ReplaceAll(key, "_", " ") + " " + inWords(was[key], is[key])
		}
	}
	for _, key := range times {
		if slices.Contains(other, key) {
			return "time " + clock(was[key]) + " → " + clock(is[key])
		}
	}
	return "another content of the same size"
}

// hashes are values that are one, or an id, as a baseline cuts them.
var hashes = regexp.MustCompile(`^\D?[0-9a-f]{8,}$|^toolu_`)

// inWords is a value before and after: a flag is on or off, a number has commas.
func inWords(was, is string) string {
	if was+is == "true" {
		return map[string]string{"": "on → off", "true": "off → on"}[is]
	}
	value := func(v, other string) string {
		if n, err := strconv.ParseInt(cmp.Or(v, other), 10, 64); v != "" && err == nil {
			return sharedprefix.Grouped(n)
		} else if err == nil {
			return "0"
		}
		return cmp.Or(v, "none")
	}
	return value(was, is) + " → " + value(is, was)
}

// marked says how a request's breakpoints differ: by their TTLs, or by where they are.
func marked(was, is string) string {
	at, ttls := marks(was)
	now, others := marks(is)
	if slices.Equal(at, now) && !slices.Equal(ttls, others) {
		return "TTL " + strings.Join(slices.Compact(ttls), ", ") + " → " + strings.Join(slices.Compact(others), ", ")
	}
	return "cache breakpoints at positions " + cmp.Or(strings.Join(at, ", "), "none") + " → " + cmp.Or(strings.Join(now, ", "), "none")
}

// marks are the positions of breakpoints and their TTLs.
func marks(text string) (at, ttls []string) {
	for m := range strings.SplitSeq(text, ",") {
		m, _, _ = strings.Cut(m, "#")
		pos, ttl, _ := strings.Cut(m, ":")
		if pos != "" {
			at, ttls = append(at, pos), append(ttls, cmp.Or(ttl, "5m"))
		}
	}
	return at, ttls
}

// clock is a time of an event, to the millisecond.
func clock(text string) string {
	d, err := vtime.ParseDuration(text)
	if err != nil {
		return cmp.Or(text, "none")
	}
	return ((d + vtime.Millisecond/2) / vtime.Millisecond * vtime.Millisecond).String()
}
