package agent

import (
	"slices"
	"strings"

	"agentsim/sim/gate"
	"agentsim/sim/kernel"
	"agentsim/sim/mcp"
	"agentsim/sim/tool"
	"agentsim/sim/vtime"
)

// requiredWait is how long a call waits for servers that its type needs and that are
// connecting (MCP-03).
const requiredWait = 30 * vtime.Second

// lacks says what is missing of the servers that a definition needs; waits reports
// whether one of them is connecting, and none has failed.
func (w *World) lacks(d *Definition) (missing []string, waits bool) {
	failed := false
	for _, name := range d.Required {
		status := "not there"
		if c := w.cfg.Servers.Find(name); c != nil {
			if status = string(c.Status()); c.Status() == mcp.Connected {
				if status = "without a tool"; len(c.Lists()) > 0 {
					continue
				}
			}
			waits, failed = waits || c.Status() == mcp.Connecting, failed || c.Status() == mcp.Failed
		}
		missing = append(missing, name+" ("+status+")")
	}
	return missing, waits && !failed
}

// awaitsServers is a call of the Agent tool that waits for servers, until some instant.
type awaitsServers struct {
	call
	def     *Definition
	until   vtime.Instant
	result  tool.Result
	at      vtime.Instant // when it went on; 0 before
	pending waiting
}

// awaited is the wait of a call whose type needs servers that are connecting, nil where
// it needs none.
func awaited(p *kernel.Proc, c call) *awaitsServers {
	if !c.by.w.requires() {
		return nil
	}
	in, _, err := c.by.w.cfg.Stack.ReadCall(c.by, c.block)
	if err != nil {
		return nil
	}
	d := find(c.by.w.cfg.Definitions, in.Type)
	if d == nil || c.by.ctx.Source == ForkSource {
		return nil
	}
	if _, waits := c.by.w.lacks(d); !waits {
		return nil
	}
	return &awaitsServers{call: c, def: d, until: p.Now().Add(requiredWait)}
}

// awaitServers lets each call that waits for servers go on once it need not wait any
// more. They wait at one time.
func awaitServers(p *kernel.Proc, uses []toolUse) error {
	for {
		var first *awaitsServers // to give up
		for i := range uses {
			u, is := uses[i].pending.(*awaitsServers)
			if !is || u.at > 0 {
				continue
			}
			if _, waits := u.by.w.lacks(u.def); !waits || p.Now() >= u.until {
				u.result, u.pending = begin(p, u.call)
				u.at = p.Now()
			} else if first == nil || u.until < first.until {
				first = u
			}
		}
		if first == nil {
			return nil
		}
		if _, err := first.by.w.servers.moved.WaitUntil(p, first.until); err != nil {
			return err
		}
	}
}

func (u *awaitsServers) wait(p *kernel.Proc) error {
	if u.pending != nil {
		return u.pending.wait(p)
	}
	return nil
}

func (u *awaitsServers) linked() *kernel.Proc {
	if u.pending == nil {
		return nil
	}
	return u.pending.linked()
}

func (u *awaitsServers) ended() (tool.Result, vtime.Instant) {
	switch {
	case u.pending != nil:
		return u.pending.ended()
	case u.result.Content == nil:
		return failure("Interrupted while MCP servers were connecting."), u.by.w.cfg.Kernel.Now()
	}
	return u.result, u.at
}

// trusted reports whether a definition may bring servers where plugins alone may
// customise agents: those who manage the machine wrote it, or let it in (MCP-04).
func (d *Definition) trusted() bool {
	return d.BuiltIn() || d.Source == FromPlugin || d.Source == FromPolicy
}

// bring is a pool with the tools of the session's servers that a definition names and of
// those that it has each agent open. A tool that is there already stays (MCP-02).
func (w *World) bring(p *Pool, d *Definition, finding func(rule, detail string)) (*Pool, []*mcp.Connection) {
	if len(d.Servers)+len(d.Inline) == 0 {
		return p, nil
	}
	if w.cfg.PluginsOnly && !d.trusted() {
		decides(w, gateKey+gate.StrictPlugins)
		finding("mcp-restricted", d.Place+": "+strings.Join(append(slices.Clone(d.Servers), d.Inline...), ", ")+" of mcpServers: strictPluginOnlyCustomization leaves them to agents of plugins")
		return p, nil
	}
	all := slices.Clone(p.all)
	var opened []*mcp.Connection
	add := func(c *mcp.Connection, name string) {
		if c == nil {
			finding("no-server", d.Place+": there is no MCP server "+name)
			return
		}
		for _, t := range c.Lists() {
			if tool.Find(all, t.Name) == nil {
				all = append(all, t)
			}
		}
	}
	for _, name := range d.Servers {
		if c := w.cfg.Servers.Find(name); c == nil || c.Status() == mcp.Connected {
			add(c, name)
		}
	}
	for _, name := range d.Inline {
		c := w.cfg.Servers.Open(name)
		if add(c, name); c != nil {
			opened = append(opened, c)
		}
	}
	of := *p.Pool
	of.Tools = all
	p = &Pool{Pool: &of, all: all}
	w.lay(p, nil)
	return p, opened
}

// connect waits until the servers that the agent opened have connected, or have not.
func connect(p *kernel.Proc, a *Agent) error {
	for _, c := range a.held.servers {
		if c.Connects > 0 {
			if err := p.SleepUntil(a.started.Add(c.Connects)); err != nil {
				return err
			}
		}
		c.Connect()
		a.w.recordServer(a.ref, c, c.Status())
	}
	return nil
}
