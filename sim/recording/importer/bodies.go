package importer

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"path"
	"slices"
	"strings"

	"agentsim/sim/llm"
	"agentsim/sim/recording"
	"agentsim/sim/vtime"
	"agentsim/sim/wire"
)

// A client that is told to writes the body of each request and of each answer to a
// file of its own, and for each pair a line of an index. The names of the files pair
// nothing. Attempts that failed have no line.
const (
	bodiesIndex    = "index.jsonl"
	requestSuffix  = ".request.json"
	responseSuffix = ".response.json"
)

// Unanswered is what is skipped where no answer is.
const Unanswered = "request without an answer"

// Alone is what is skipped where there is no index, and an answer goes with no request.
const Alone = "answer of which it cannot be told which request here it is of"

// bodyLine is a line of the index.
type bodyLine struct {
	Timestamp string // of the answer's end
	Session   string `json:"session_id"`
	Agent     string `json:"query_source"`
	Request   string `json:"request_file"`
	Response  string `json:"response_file"`
}

// isBody reports whether a file is one of a directory of bodies, by its name.
func isBody(name string) bool {
	base := path.Base(name)
	return strings.HasSuffix(base, requestSuffix) || strings.HasSuffix(base, responseSuffix)
}

// bodies is one directory being read.
type bodies struct {
	opt      *Options
	skips    *skips
	build    llm.Builder
	seen     wire.Seen
	requests map[string]source
	answers  map[string]source
	named    map[string]bool // answers, by a line of the index or as one of a pair
	pairs    []bodyPair
	sessions map[string]*bodySession
	order    []*bodySession
}

// bodyPair is a request and its answer.
type bodyPair struct {
	session, agent    string // as the index has them
	request, response source
	sent, ended       vtime.Instant
}

// readBodies reads the requests of one directory, in the order in which they were
// sent, and compares each with the one that it goes on from.
func readBodies(sources []source, opt *Options, rest *skips, hand func(*recording.Session, *skips) error) error {
	d := &bodies{opt: opt, skips: rest, requests: map[string]source{}, answers: map[string]source{}, named: map[string]bool{}, sessions: map[string]*bodySession{}}
	var index []source
	for _, src := range sources {
		switch base := path.Base(src.name); {
		case strings.HasSuffix(base, requestSuffix):
			d.requests[base] = src
		case strings.HasSuffix(base, responseSuffix):
			d.answers[base] = src
		default:
			index = append(index, src)
		}
	}
	for _, src := range index {
		if _, err := eachLine(src, opt, rest, func(line []byte, number int64, _ bool) error { d.line(src.name, line, number); return nil }); err != nil {
			return err
		}
	}
	if len(index) == 0 {
		if err := d.pairByContent(path.Dir(sources[0].name)); err != nil {
			return err
		}
	}
	if err := d.unnamed(len(index) > 0); err != nil {
		return err
	}
	slices.SortStableFunc(d.pairs, func(a, b bodyPair) int {
		return cmp.Or(cmp.Compare(a.sent, b.sent), strings.Compare(a.request.name, b.request.name))
	})
	for _, p := range d.pairs {
		if err := d.pair(p); err != nil {
			return err
		}
	}
	for _, s := range d.order {
		if len(s.Requests) == 0 {
			rest.merge(s.skips)
		} else if err := hand(s.Session, s.skips); err != nil {
			return err
		}
	}
	return nil
}

// unnamed counts what no pair has: requests and answers, errors of the API among them
// where an index does not name them.
func (d *bodies) unnamed(indexed bool) error {
	for _, name := range slices.Sorted(maps.Keys(d.requests)) {
		d.skips.add(Unanswered+": a failed attempt, or one that was going on", d.requests[name].name, 0)
	}
	for _, p := range d.pairs {
		d.named[path.Base(p.response.name)] = true
	}
	for _, name := range slices.Sorted(maps.Keys(d.answers)) {
		if d.named[name] {
			continue
		}
		if !indexed {
			d.skips.add(Alone, d.answers[name].name, 0)
		} else if a, _, err := d.answer(d.answers[name]); err != nil {
			return err
		} else if a != nil {
			d.skips.add("answer that "+bodiesIndex+" does not name", d.answers[name].name, 0)
		}
	}
	return nil
}

// line reads a line of the index.
func (d *bodies) line(name string, line []byte, number int64) {
	var l bodyLine
	if json.Unmarshal(line, &l) != nil {
		d.skips.add("line that is no JSON object", name, number)
		return
	}
	ended, ok := vtime.ParseInstant(l.Timestamp)
	if !ok {
		d.skips.add("line without an instant", name, number)
		return
	}
	request, here := d.requests[l.Request]
	response, answered := d.answers[l.Response]
	if !here || !answered {
		d.skips.add("line whose files are not there", name, number)
		return
	}
	delete(d.requests, l.Request)
	d.named[l.Response] = true
	d.found(l.Session, l.Agent, request, response, ended)
}

// found adds a pair. A request was sent when its file was written, unless that is
// no instant before the answer's end: files that are copied have another one.
func (d *bodies) found(session, agent string, request, response source, ended vtime.Instant) {
	sent := request.written
	if sent > ended || ended.Sub(sent) > vtime.Hour {
		d.skips.take("file of a request written long before or after its answer's end: that end is taken for when it was sent", 1, request.name, 0)
		sent = ended
	}
	d.pairs = append(d.pairs, bodyPair{session, agent, request, response, sent, ended})
}

// body reads a whole file; ok is false where it is too large.
func (d *bodies) body(src source) (data []byte, file recording.File, ok bool, err error) {
	from, err := src.open()
	if err != nil {
		return nil, file, false, located(src.name, err)
	}
	data, err = io.ReadAll(io.LimitReader(from, wire.MaxBytes+1))
	file = from.file(src.name)
	if err = closing(err, from.Close); err != nil && !brokenOff(err) {
		return nil, file, false, located(src.name, err)
	}
	if len(data) > wire.MaxBytes {
		d.skips.add(fmt.Sprintf("body of more than %d bytes", wire.MaxBytes), src.name, 0)
		return nil, file, false, nil
	}
	return data, file, true, nil
}

// read reads a request's body. What cannot be read is counted with its place.
func (d *bodies) read(src source) (body *wire.Body, file recording.File, err error) {
	data, file, ok, err := d.body(src)
	if err != nil || !ok {
		return nil, file, err
	}
	if body, err = wire.Read(&d.build, data, wire.Options{Logged: true, Strict: d.opt.Strict, Seen: &d.seen}); err != nil {
		return nil, file, d.refuse(src, err)
	}
	for _, u := range body.Unread {
		what := u.What
		if d.opt.Content { // a name that the API does not have is the user's own
			what += " " + quoted(u.Name)
		}
		does := "its bytes are compared"
		if !u.InBlocks() {
			does = "what it does to the prompt is in no figure"
		}
		d.skips.take("unknown "+what+": "+does, int64(u.Count), src.name, 0)
	}
	for _, f := range body.Fields {
		if f.Treatment == wire.NotModelled {
			d.skips.take(f.Name+", which is not modelled: what it does to the prompt is in no figure", 1, src.name, 0)
		}
	}
	return body, file, nil
}

// refuse counts a request that cannot be read, and says where. What is only unknown
// ends the import, as that is asked for.
func (d *bodies) refuse(src source, err error) error {
	why := err.Error()
	if e := (*wire.Error)(nil); errors.As(err, &e) {
		if e.Unknown {
			return located(src.name, err)
		}
		if !d.opt.Content {
			why = e.Plain()
		}
	}
	d.skips.add("request that cannot be read: "+why, src.name, 0)
	return nil
}

// apiErrors are the types of the API's errors.
var apiErrors = strings.Fields(`invalid_request_error authentication_error billing_error permission_error not_found_error conflict_error
	request_too_large rate_limit_error api_error timeout_error overloaded_error`)

// answer reads an answer's body; nil where it cannot be read.
func (d *bodies) answer(src source) (a *ccMessage, file recording.File, err error) {
	data, file, ok, err := d.body(src)
	if err != nil || !ok {
		return nil, file, err
	}
	a = &ccMessage{}
	if json.Unmarshal(data, a) != nil || a.ID == "" {
		what := "answer that is no message"
		var refused struct{ Error struct{ Type string } }
		if json.Unmarshal(data, &refused) == nil && slices.Contains(apiErrors, refused.Error.Type) {
			what = "answer that is an error of the API (" + refused.Error.Type + ")"
		}
		d.skips.add(what, src.name, 0)
		return nil, file, nil
	}
	return a, file, nil
}

// said are the blocks of an answer, as a client sends them back.
func (d *bodies) said(a *ccMessage) []*llm.Node {
	content := a.Content
	if none(content) {
		return nil
	}
	body, err := wire.Read(&d.build, fmt.Appendf(nil, `{"messages":[{"role":"assistant","content":%s}]}`, content), wire.Options{})
	if err != nil {
		return nil // empty, or of a form that no request holds
	}
	return after(body.Head, nil)
}

// after lists the messages' blocks of a chain behind one of its nodes, or all.
func after(n, from *llm.Node) (out []*llm.Node) {
	for ; n != nil && n != from && n.Level == llm.Messages && !n.IsBorder(); n = n.Parent {
		out = append(out, n)
	}
	slices.Reverse(out)
	return out
}

// pair adds a request and its answer to their session.
func (d *bodies) pair(p bodyPair) error {
	body, file, err := d.read(p.request)
	if err != nil || body == nil {
		return err
	}
	a, said, err := d.answer(p.response)
	if err != nil || a == nil {
		return err
	}
	s := d.session(p)
	s.Files = append(s.Files, file, said)
	if len(s.Requests) == maxRequests {
		return tooMany(p.request.name, 0)
	}
	s.add(d, p, body, a)
	return nil
}

// session is the session of a pair.
func (d *bodies) session(p bodyPair) *bodySession {
	id := p.session
	if s := d.sessions[id]; s != nil {
		return s
	}
	sk := &skips{}
	s := &bodySession{skips: sk, prompts: map[llm.Hash]int32{}, begun: map[llm.Hash][]int32{}, latest: map[int32]*sentBody{}, spawned: map[uint64]spawner{}, uttered: map[utterance]int32{},
		Session: &recording.Session{Format: RawBodies, Client: "claude-code", ID: plain(cmp.Or(id, path.Base(path.Dir(p.request.name))), sk, p.request.name, 0)}}
	d.sessions[id] = s
	d.order = append(d.order, s)
	return s
}
