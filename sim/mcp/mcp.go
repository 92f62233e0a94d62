// Package mcp is the MCP servers of a run on virtual time: when each is connected,
// which tools it lists, and what calls of them come to.
//
// Rules:
//   - No protocol is spoken and nothing is started: what a server has and does is in
//     its Spec.
//   - A server changes at instants, before any agent of the instant, and each change is
//     reported once.
//   - The tools of a session stand in one order, whatever was connected first: by
//     server, then as it lists them.
package mcp

import (
	"slices"
	"strings"

	"agentsim/sim/client"
	"agentsim/sim/kernel"
	"agentsim/sim/llm"
	"agentsim/sim/permission"
	"agentsim/sim/tool"
	"agentsim/sim/vtime"
)

// Status is what became of a connection.
type Status string

// The statuses.
const (
	Connecting Status = "connecting"
	Connected  Status = "connected"
	Failed     Status = "failed"
	NeedsAuth  Status = "needs-auth"
	Dropped    Status = "dropped"
	Listed     Status = "listed" // connected, and with another list from now on
	Closed     Status = "closed" // by the agent that opened it
)

// Policy is how a client puts tools of servers in front of its model.
type Policy string

// The policies.
const (
	Front    Policy = "front"    // with their definitions
	Deferred Policy = "deferred" // by name; what ToolSearch finds is appended
	Inserted Policy = "inserted" // by name; what ToolSearch finds is put among the tools in front
)

// Spec is one server.
type Spec struct {
	Name     string
	ByAgents bool           // it is no server of the session: agents open it
	Connects vtime.Duration // how long connecting takes
	Comes    Status         // what it comes to: Connected, Failed or NeedsAuth
	ReadOnly bool           // it marks its tools as such that change nothing
	Tools    []Tool         // that it lists first
	Changes  []Change       // of a session's, in order
	// Answer is what a call comes to, and how long it takes.
	Answer func(tool, input string) (string, vtime.Duration)
}

// Tool is a tool as a server lists it.
type Tool struct {
	Name       string // without the server's
	Definition string // JSON, as it stands in a request
	InFront    bool   // whatever the policy
	Own        bool   // the client defines it itself, so it is not offered once more
}

// Change is what becomes of a server at an instant of the run.
type Change struct {
	At    vtime.Duration
	To    Status // Connected, Dropped or Listed
	Tools []Tool // that it lists from then on; nil where it lists the same
}

// Connection is one to a server.
type Connection struct {
	*Spec
	own    bool // an agent's
	status Status
	listed []*tool.Tool
}

// Status is what became of it.
func (c *Connection) Status() Status { return c.status }

// Lists are the tools that it lists.
func (c *Connection) Lists() []*tool.Tool { return c.listed }

// list makes the connection list tools.
func (c *Connection) list(tools []Tool, policy Policy) {
	c.listed = []*tool.Tool{}
	for _, t := range tools {
		if t.Own {
			continue
		}
		c.listed = append(c.listed, &tool.Tool{Name: client.Qualified(c.Name, t.Name), Raw: t.Definition, MCP: true, Class: permission.Exec, ReadOnly: c.ReadOnly,
			Deferred: policy != Front && !t.InFront, Run: c.runs(t.Name)})
	}
}

// runs is what a tool does.
func (c *Connection) runs(name string) func(*tool.Env, *llm.Payload) tool.Result {
	return func(env *tool.Env, in *llm.Payload) tool.Result { return c.call(env.Now, name, in.Raw()) }
}

// call is a call of a tool. One whose connection is lost before it ends is an error
// from then on.
func (c *Connection) call(now vtime.Instant, name, input string) tool.Result {
	if c.status != Connected {
		return tool.Error("MCP server " + c.Name + " is not connected: it is " + string(c.status) + ".")
	}
	text, took := c.Answer(name, input)
	if !c.own {
		for _, x := range c.Changes {
			if at := vtime.Instant(x.At); x.To == Dropped && at > now && at <= now.Add(took) {
				lost := tool.Error("MCP server " + c.Name + " dropped the connection while " + name + " ran.")
				lost.Took = at.Sub(now)
				return lost
			}
		}
	}
	return tool.Result{Content: llm.NewText(llm.JSON, text), Took: took}
}

// Session is the servers of a run. A nil one has none.
type Session struct {
	Policy Policy // how tools stand in front
	keeps  bool   // tools of a connection that was lost stay in front
	finds  bool   // the client defines ToolSearch itself
	specs  []*Spec
	shared []*Connection // by name
	tell   func(c *Connection, s Status)
}

// New makes a session of servers; keeps says that the tools of a connection that was
// lost stay in front of agents. Those tools of the client's own that are a server's, or
// ToolSearch, are served from then on.
func New(specs []*Spec, policy Policy, keeps bool, own []*tool.Tool) *Session {
	if len(specs) == 0 {
		return nil
	}
	specs = slices.SortedFunc(slices.Values(specs), func(a, b *Spec) int { return strings.Compare(a.Name, b.Name) })
	s := &Session{Policy: policy, keeps: keeps, specs: specs}
	for _, x := range specs {
		if !x.ByAgents {
			c := &Connection{Spec: x, status: Connecting}
			s.shared = append(s.shared, c)
			if x.Connects == 0 {
				s.move(c, x.Comes, x.Tools)
			}
		}
	}
	for _, t := range own {
		s.serve(t)
	}
	return s
}

// serve makes a tool of the client's own do what it is for.
func (s *Session) serve(t *tool.Tool) {
	server, name := client.Split(t.Name)
	switch c := s.Find(server); {
	case t.Name == tool.SearchName:
		raw := t.Raw
		*t = *tool.SearchTool()
		t.Raw, s.finds = raw, true
	case c != nil:
		t.Run = c.runs(name)
	}
}

// Watch schedules what becomes of the session's servers; tell hears of each change once
// it has happened.
func (s *Session) Watch(k *kernel.Kernel, tell func(c *Connection, s Status)) {
	s.tell = tell
	for _, c := range s.shared {
		if c.status == Connecting {
			k.At(vtime.Instant(c.Connects), &change{s, c, Change{To: c.Comes, Tools: c.Tools}})
		}
		for _, x := range c.Changes {
			k.At(vtime.Instant(x.At), &change{s, c, x})
		}
	}
}

// change is one that the kernel makes happen.
type change struct {
	of *Session
	to *Connection
	Change
}

// Fire makes it happen. A server that lists anew while it is not connected does so
// when it returns.
func (x *change) Fire(vtime.Instant) {
	c, to := x.to, x.To
	switch {
	case to == Listed && c.status != Connected:
		c.list(x.Tools, x.of.Policy)
		return
	case to == Listed:
		to = Connected
	}
	x.of.move(c, to, x.Tools)
	x.of.tell(c, x.To)
}

// move changes a connection.
func (s *Session) move(c *Connection, to Status, tools []Tool) {
	c.status = to
	switch {
	case to != Connected:
	case tools != nil:
		c.list(tools, s.Policy)
	case c.listed == nil: // it comes for the first time
		c.list(c.Tools, s.Policy)
	}
}

// Shared are the connections of the session, by name.
func (s *Session) Shared() []*Connection {
	if s == nil {
		return nil
	}
	return s.shared
}

// Tools are those of the session's servers that agents are offered now, ToolSearch in
// front of them where some are found by it.
func (s *Session) Tools() (out []*tool.Tool) {
	if s == nil {
		return nil
	}
	if s.Policy != Front && !s.finds {
		out = append(out, tool.SearchTool())
	}
	for _, c := range s.shared {
		if s.lists(c) {
			out = append(out, c.listed...)
		}
	}
	return out
}

// lists reports whether a connection's tools are offered.
func (s *Session) lists(c *Connection) bool {
	return c.status == Connected || c.status == Dropped && s.keeps
}

// Find is the session's connection to a server, nil for none.
func (s *Session) Find(name string) *Connection {
	i := slices.IndexFunc(s.Shared(), func(c *Connection) bool { return c.Name == name })
	if i < 0 {
		return nil
	}
	return s.shared[i]
}

// Open is an agent's own connection to a server, which is still to connect; nil where
// there is no such server.
func (s *Session) Open(name string) *Connection {
	if s == nil {
		return nil
	}
	for _, x := range s.specs {
		if x.Name == name {
			c := &Connection{Spec: x, own: true, status: Connecting}
			if x.Comes == Connected {
				c.list(x.Tools, s.Policy)
			}
			return c
		}
	}
	return nil
}

// Connect ends an agent's wait for its connection.
func (c *Connection) Connect() { c.status = c.Comes }

// Close closes it.
func (c *Connection) Close() { c.status = Closed }
