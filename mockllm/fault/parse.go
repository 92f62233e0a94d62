package fault

import (
	"fmt"
	"strconv"
	"strings"

	"agentsim/sim/vtime"

	"github.com/bmatcuk/doublestar/v4"
)

// Error is a rule that could not be read. Column counts bytes from 1.
type Error struct {
	Text   string
	Column int
	Why    string
}

func (e *Error) Error() string {
	return fmt.Sprintf("fault %q, column %d: %s", e.Text, e.Column, e.Why)
}

// Parse reads one rule; the error is an *Error.
func Parse(text string) (Rule, error) {
	p := parser{text: text, seen: map[string]int{}}
	p.rule = Rule{Agent: anyAgent, Calls: everything, Attempts: everything, Chance: always}
	if err := p.parse(); err != nil {
		return Rule{}, err
	}
	return p.rule, nil
}

// ParseAll reads rules in order; the error is that of the first bad one, and
// index says which it is, from 0.
func ParseAll(texts []string) (rules []Rule, index int, err error) {
	for i, t := range texts {
		r, err := Parse(t)
		if err != nil {
			return nil, i, err
		}
		rules = append(rules, r)
	}
	return rules, 0, nil
}

type parser struct {
	text string
	rule Rule
	seen map[string]int // word's key → its column
}

func (p *parser) fail(column int, format string, args ...any) error {
	return &Error{p.text, column, fmt.Sprintf(format, args...)}
}

// word is the next word from offset at, its own offset and where to go on.
func (p *parser) word(at int) (w string, from, to int) {
	for at < len(p.text) && p.text[at] == ' ' {
		at++
	}
	to = at
	for to < len(p.text) && p.text[to] != ' ' {
		to++
	}
	return p.text[at:to], at, to
}

func (p *parser) parse() error {
	w, from, at := p.word(0)
	for k, name := range kindNames {
		if k > 0 && name == w {
			p.rule.Kind = Kind(k)
		}
	}
	if p.rule.Kind == 0 {
		return p.fail(from+1, "%q is no fault: write one of "+strings.Join(kindNames[1:], ", ")+" first", w)
	}
	for {
		w, from, to := p.word(at)
		if w == "" {
			return p.finish()
		}
		if err := p.clause(w, from+1); err != nil {
			return err
		}
		at = to
	}
}

// clause reads one word behind the first.
func (p *parser) clause(w string, column int) error {
	key, value, given := strings.Cut(w, "=")
	if _, twice := p.seen[key]; twice {
		return p.fail(column, "%q is given twice", key)
	}
	p.seen[key] = column
	if !given {
		if key != "before" && key != "after" {
			return p.fail(column, "%q is unknown: write before, after or one of agent=, call=, attempt=, chance=, retry-after=, event=, tool=, keep=, times=", w)
		}
		return nil
	}
	if why := p.set(key, value); why != "" {
		return p.fail(column+len(key)+1, "%s", why)
	}
	return nil
}

// set stores a value; why says what is wrong with it, "" for nothing.
func (p *parser) set(key, value string) (why string) {
	r := &p.rule
	switch key {
	case "retry-after":
		d, err := vtime.ParseDuration(value)
		if err != nil {
			return err.Error()
		}
		if d <= 0 {
			return "retry-after must be longer than nothing, such as 5s"
		}
		r.RetryAfter = d
	case "event":
		return number(value, &r.Event)
	case "tool":
		return number(value, &r.Tool)
	case "keep":
		return number(value, &r.Keep)
	case "times":
		if why := number(value, &r.Times); why != "" || r.Times > 0 {
			return why
		}
		return "times is at least 1"
	case "agent":
		if value == "" || !doublestar.ValidatePattern(value) {
			return fmt.Sprintf("%q is no pattern of lineages: write one such as main, main/* or **", value)
		}
		r.Agent = value
	case "call":
		return span(value, &r.Calls)
	case "attempt":
		return span(value, &r.Attempts)
	case "chance":
		return chance(value, &r.Chance)
	default:
		return fmt.Sprintf("%q is unknown: the settings are agent, call, attempt, chance, retry-after, event, tool, keep, times", key)
	}
	return ""
}

func number(s string, to *int) string {
	n, ok := digits(s)
	if !ok {
		return fmt.Sprintf("%q is no count: write a whole number from 0", s)
	}
	*to = n
	return ""
}

// digits reads a whole number of at most nine digits.
func digits(s string) (int, bool) {
	if s == "" || len(s) > 9 || strings.Trim(s, "0123456789") != "" {
		return 0, false
	}
	n, err := strconv.Atoi(s)
	return n, err == nil
}

func span(s string, to *Range) string {
	lo, hi, dash := strings.Cut(s, "-")
	from, ok := digits(lo)
	r := Range{from, from}
	switch {
	case dash && hi == "":
		r.To = Open
	case dash:
		n, ok2 := digits(hi)
		r.To, ok = n, ok && ok2 && n >= from
	}
	if !ok || from == 0 {
		return fmt.Sprintf("%q is no range: write 3, 2-4 or 2-, counted from 1", s)
	}
	*to = r
	return ""
}

func chance(s string, to *Chance) string {
	a, b, _ := strings.Cut(s, "/")
	n, ok := digits(a)
	m, ok2 := digits(b)
	if !ok || !ok2 || n < 1 || n > m {
		return fmt.Sprintf("%q is no chance: write one such as 1/3, at least 1 and at most as many", s)
	}
	if *to = (Chance{int64(n), int64(m)}); n == m {
		*to = always
	}
	return ""
}

// finish settles before and after and refuses what the kind does not take.
func (p *parser) finish() error {
	r := &p.rule
	_, before := p.seen["before"]
	column, after := p.seen["after"]
	if before && after {
		return p.fail(column, "before and after exclude each other")
	}
	r.After = after || (r.Kind == Drop || r.Kind == Duplicate) && !before
	for _, w := range [...]string{"before", "after", "retry-after", "event", "tool", "keep", "times"} {
		if column, given := p.seen[w]; given && !r.takes(w) {
			return p.fail(column, "%s does not take %q here%s", r.Kind, w, hints[r.Kind])
		}
	}
	for _, d := range [...]struct {
		word string
		to   *int
		n    int
	}{{"event", &r.Event, 1}, {"keep", &r.Keep, keeps[r.Kind]}, {"times", &r.Times, slowTimes}} {
		if _, given := p.seen[d.word]; !given && r.takes(d.word) {
			*d.to = d.n
		}
	}
	return nil
}

// What is taken where nothing is said.
const slowTimes = 10

var keeps = [len(kindNames)]int{Truncate: 1, MaxTokens: 1}

const ofAnswer = ": it is a property of the answer"

var hints = [...]string{
	RateLimited: ": a request is rate limited before it has any effect",
	Overloaded:  ": retry-after goes with before, event with after",
	ServerError: ": retry-after goes with before, event with after",
	Drop:        ": event goes with after",
	Duplicate:   ": it takes before or after",
	Truncate:    ofAnswer + "; it takes tool and keep",
	UnknownTool: ofAnswer + "; it takes tool",
	WrongType:   ofAnswer + "; it takes tool",
	Empty:       ofAnswer + "; there is nothing to set",
	Refusal:     ofAnswer + "; it takes keep",
	MaxTokens:   ofAnswer + "; it takes keep",
	Slow:        ofAnswer + "; it takes times",
}

// takes reports whether the rule's kind and side take the word.
func (r *Rule) takes(word string) bool {
	k := r.Kind
	switch word {
	case "before":
		return !k.Shapes() || k == Duplicate
	case "after":
		return k.refuses() || k == Drop || k == Duplicate
	case "retry-after":
		return k == RateLimited || k.refuses() && !r.After
	case "event":
		return r.After && !k.Shapes()
	case "tool":
		return k.HitsTool()
	case "keep":
		return k == Truncate || k == Refusal || k == MaxTokens
	}
	return k == Slow
}
