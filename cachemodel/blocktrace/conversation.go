package blocktrace

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// maxSeconds bounds instants, so that sums of them cannot overflow.
const maxSeconds = 100 * 366 * 24 * 3600

// maxDepth is how deep sub-agents may stand in one another.
const maxDepth = 16

// conversation reads a trace of kv-cache-tester's format: one document whose
// list of requests is read entry by entry.
type conversation struct {
	name  string
	in    *counted
	dec   *json.Decoder
	state int // before the document, in it, in its requests, behind them
	seen  map[string]bool
	shift uint64
	block int64
	entry int     // index of the next entry
	queue []place // requests of the entry read last, not given yet
	req   Request
	done  error
}

// place is a request of an entry and where it stands.
type place struct {
	e     *entry
	at    int64  // of what t counts from
	agent string // path of sub-agents
	where string // such as requests[3].requests[0]
	line  int
}

const (
	before = iota
	inside
	among // the requests
)

// entry is a request or a sub-agent, by its type.
type entry struct {
	T           *json.Number `json:"t"`
	Type        string       `json:"type"`
	Model       string       `json:"model"`
	In          *int64       `json:"in"`
	Out         *int64       `json:"out"`
	IDs         []uint64     `json:"hash_ids"`
	InputTypes  []string     `json:"input_types"`
	OutputTypes []string     `json:"output_types"`
	Stop        *string      `json:"stop"`
	APITime     *json.Number `json:"api_time"`
	ThinkTime   *json.Number `json:"think_time"`
	TTFT        *json.Number `json:"ttft"`

	AgentID      string      `json:"agent_id"`
	SubagentType string      `json:"subagent_type"`
	DurationMS   json.Number `json:"duration_ms"`
	TotalTokens  int64       `json:"total_tokens"`
	ToolUses     int64       `json:"tool_use_count"`
	Status       string      `json:"status"`
	Requests     []*entry    `json:"requests"`
	Models       []string    `json:"models"`
	ToolTokens   int64       `json:"tool_tokens"`
	SystemTokens int64       `json:"system_tokens"`
}

func newConversation(name string, r io.Reader, shift uint64) *conversation {
	c := &conversation{name: name, in: &counted{r: r, lines: []int64{}}, shift: shift, seen: map[string]bool{}}
	c.dec = json.NewDecoder(c.in)
	c.dec.DisallowUnknownFields()
	return c
}

func (c *conversation) Format() string { return "kv-cache-tester" }

func (c *conversation) BlockTokens() int { return int(c.block) }

func (c *conversation) Next() (*Request, error) {
	for c.done == nil && len(c.queue) == 0 {
		c.done = c.read()
	}
	if len(c.queue) == 0 {
		return nil, c.done
	}
	p := c.queue[0]
	c.queue = c.queue[1:]
	if err := c.request(p); err != nil {
		c.done, c.queue = err, nil
		return nil, err
	}
	return &c.req, nil
}

func (c *conversation) wrong(format string, args ...any) error {
	return &Error{c.name, c.in.line(c.dec.InputOffset()), fmt.Sprintf(format, args...)}
}

// line is where the next entry begins, behind the comma of the one before.
func (c *conversation) line() int {
	line := c.in.line(c.dec.InputOffset())
	head := bufio.NewReaderSize(c.dec.Buffered(), 16)
	for {
		switch b, err := head.ReadByte(); {
		case err == nil && b == '\n':
			line++
		case err != nil || strings.IndexByte(", \t\r", b) < 0:
			return line
		}
	}
}

// broken is what the decoder found wrong with the value that begins at a place.
func (c *conversation) broken(where string, line int, err error) error {
	if c.in.tooLong {
		return &Error{c.name, line, fmt.Sprintf("%s is longer than %d bytes", where, MaxEntry)}
	}
	if c.in.err != nil && c.in.err != io.EOF {
		return fmt.Errorf("%s: %w", c.name, c.in.err)
	}
	return &Error{c.name, line, fmt.Sprintf("%s: %v", where, plain(err))}
}

// read goes on to the next entry, or to the document's end.
func (c *conversation) read() error {
	c.in.from(c.dec.InputOffset())
	switch c.state {
	case before:
		if t, err := c.dec.Token(); err != nil || t != json.Delim('{') {
			return c.wrong("not a trace: write a JSON object")
		}
		c.state = inside
	case inside:
		return c.field()
	case among:
		if !c.dec.More() {
			if _, err := c.dec.Token(); err != nil {
				return c.broken("requests", c.in.line(c.dec.InputOffset()), err)
			}
			c.state = inside
			return nil
		}
		return c.next()
	}
	return nil
}

// field reads one field of the document.
func (c *conversation) field() error {
	t, err := c.dec.Token()
	line := c.in.line(c.dec.InputOffset())
	if err != nil {
		return c.broken("the document", line, err)
	}
	if t == json.Delim('}') {
		return c.end()
	}
	key := t.(string)
	if c.seen[key] {
		return c.wrong("%s stands here a second time", key)
	}
	c.seen[key] = true
	if key == "requests" {
		if !c.seen["block_size"] {
			return c.wrong("requests: block_size has to stand before them")
		}
		if t, err := c.dec.Token(); err != nil || t != json.Delim('[') {
			return c.wrong("requests: write a list of requests")
		}
		c.state = among
		return nil
	}
	into := c.known(key)
	if into == nil {
		return c.wrong("unknown field %q", key)
	}
	if err := c.dec.Decode(into); err != nil {
		return c.broken(key, line, err)
	}
	return c.checkField(key, into)
}

// known is where a field of the document is read to.
func (c *conversation) known(key string) any {
	switch key {
	case "id", "hash_id_scope":
		return new(string)
	case "models":
		return new([]string)
	case "block_size", "tool_tokens", "system_tokens":
		return new(int64)
	case "totals":
		return new(json.RawMessage)
	}
	return nil
}

func (c *conversation) checkField(key string, v any) error {
	switch key {
	case "block_size":
		if c.block = *v.(*int64); c.block < 1 || c.block > 1<<30 {
			return c.wrong("block_size %d: write the tokens of a block, at least 1", c.block)
		}
	case "hash_id_scope":
		switch scope := *v.(*string); {
		case scope != "local" && scope != "global":
			return c.wrong("hash_id_scope %q: write local or global", scope)
		case c.seen["requests"]:
			return c.wrong("hash_id_scope has to stand before requests")
		case scope == "global":
			c.shift = 0
		}
	}
	return nil
}

// end checks that the document was whole and nothing follows it.
func (c *conversation) end() error {
	if !c.seen["requests"] {
		return c.wrong("the document has no requests")
	}
	if _, err := c.dec.Token(); err != io.EOF {
		return c.wrong("something stands behind the document: write one to a file")
	}
	return io.EOF
}

// next reads one entry of the list.
func (c *conversation) next() error {
	where := fmt.Sprintf("requests[%d]", c.entry)
	c.entry++
	line := c.line()
	e := &entry{}
	if err := c.dec.Decode(e); err != nil {
		return c.broken(where, line, err)
	}
	return c.unfold(place{e, 0, "", where, line}, 0)
}

// unfold queues an entry's requests, those of sub-agents where these stand.
func (c *conversation) unfold(p place, depth int) error {
	if p.e == nil {
		return &Error{c.name, p.line, p.where + ": null where a request belongs"}
	}
	if p.e.Type != "subagent" {
		c.queue = append(c.queue, p)
		return nil
	}
	at, err := nanoseconds(p.e.T)
	switch {
	case err != nil:
		return &Error{c.name, p.line, fmt.Sprintf("%s.t: %v", p.where, err)}
	case p.e.AgentID == "" || p.e.Requests == nil:
		return &Error{c.name, p.line, p.where + ": a sub-agent has the fields agent_id and requests"}
	case depth == maxDepth:
		return &Error{c.name, p.line, fmt.Sprintf("%s: sub-agents stand more than %d deep in one another", p.where, maxDepth)}
	}
	agent := strings.TrimPrefix(p.agent+"/"+p.e.AgentID, "/")
	for i, kid := range p.e.Requests {
		if err := c.unfold(place{kid, p.at + at, agent, fmt.Sprintf("%s.requests[%d]", p.where, i), p.line}, depth+1); err != nil {
			return err
		}
	}
	return nil
}

// request checks one request and makes it the one that is given.
func (c *conversation) request(p place) error {
	e := p.e
	bad := func(format string, args ...any) error {
		return &Error{c.name, p.line, p.where + ": " + fmt.Sprintf(format, args...)}
	}
	at, err := nanoseconds(e.T)
	switch {
	case e.Type != "s" && e.Type != "n":
		return bad("type %q: write s (streaming), n or subagent", e.Type)
	case err != nil:
		return bad("t: %v", err)
	case e.In == nil || e.Out == nil || e.IDs == nil:
		return bad("a request has the fields t, type, in, out and hash_ids")
	case *e.In < 0 || *e.Out < 0:
		return bad("in and out are at least 0")
	}
	full := *e.In / c.block
	if n := int64(len(e.IDs)); n != full && n != (*e.In+c.block-1)/c.block {
		return bad("%d hash_ids for %d tokens: want %d, one for each full block of %d", n, *e.In, full, c.block)
	}
	for i := range e.IDs {
		e.IDs[i] += c.shift
	}
	c.req = Request{At: p.at + at, Output: *e.Out, Agent: p.agent, Model: e.Model, Line: p.line}
	c.req.IDs, c.req.Full, c.req.Tokens = e.IDs, int(full), *e.In
	return nil
}

// nanoseconds reads seconds, a decimal number from 0 on with up to nine digits
// behind the point.
func nanoseconds(n *json.Number) (int64, error) {
	if n == nil {
		return 0, errors.New("missing: write the seconds since the trace began")
	}
	whole, part, _ := strings.Cut(n.String(), ".")
	if part = strings.TrimRight(part, "0"); len(part) > 9 {
		return 0, fmt.Errorf("%s: seconds, to the nanosecond at most", n)
	}
	s, err := strconv.ParseUint(whole, 10, 64)
	f, err2 := strconv.ParseUint((part + "000000000")[:9], 10, 64)
	if err != nil || err2 != nil || s > maxSeconds {
		return 0, fmt.Errorf("%s: write seconds from 0 on, as a decimal number, at most a century", n)
	}
	return int64(s*1e9 + f), nil
}
