package shell

import (
	"fmt"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"agentsim/sim/vtime"
)

// list runs statements in order.
func (m *machine) list(stmts []*syntax.Stmt, st *streams) {
	for _, s := range stmts {
		if m.halted != nil {
			return
		}
		m.stmt(s, st)
	}
}

// stmt runs one statement with its redirections.
func (m *machine) stmt(s *syntax.Stmt, st *streams) {
	defer m.leave()
	if !m.enter() || !m.step() {
		return
	}
	own, closers, ok := m.redirect(s.Redirs, st)
	if ok && s.Cmd != nil {
		m.command(s.Cmd, own)
	} else {
		m.status = truth(ok)
	}
	for _, c := range closers {
		m.close(c)
	}
	if s.Negated {
		m.status = truth(m.status != 0)
	}
}

// truth is the exit status of a condition.
func truth(holds bool) int {
	if holds {
		return 0
	}
	return 1
}

// command runs a command of any kind.
func (m *machine) command(c syntax.Command, st *streams) {
	switch c := c.(type) {
	case *syntax.CallExpr:
		m.simple(c, st)
	case *syntax.BinaryCmd:
		m.binary(c, st)
	case *syntax.Block:
		m.list(c.Stmts, st)
	case *syntax.Subshell:
		m.inside(func() { m.list(c.Stmts, st) })
	case *syntax.ForClause:
		m.forClause(c, st)
	default:
		panic(fmt.Sprintf("shell: the check let %T pass, which is not handled", c))
	}
}

// binary runs &&, || and pipelines: of these one side after the other, each in a
// subshell, the second with all the output of the first as its input.
func (m *machine) binary(c *syntax.BinaryCmd, st *streams) {
	if c.Op != syntax.Pipe {
		if m.stmt(c.X, st); m.halted == nil && (m.status == 0) == (c.Op == syntax.AndStmt) {
			m.stmt(c.Y, st)
		}
		return
	}
	between := m.buffer()
	m.inside(func() { m.stmt(c.X, &streams{st.in, between, st.err}) })
	if m.halted == nil {
		m.inside(func() { m.stmt(c.Y, &streams{&input{between.String()}, st.out, st.err}) })
	}
}

func (m *machine) forClause(c *syntax.ForClause, st *streams) {
	loop := c.Loop.(*syntax.WordIter)
	items, ok := m.fields(loop.Items, st)
	if !ok {
		return
	}
	m.status = 0
	for _, item := range items {
		if m.halted != nil || !m.step() {
			return
		}
		m.set(loop.Name.Value, item)
		m.list(c.Do, st)
	}
}

// simple runs assignments or a command. No command here looks at variables: those
// set for one command alone are expanded and forgotten.
func (m *machine) simple(c *syntax.CallExpr, st *streams) {
	args, ok := m.fields(c.Args, st)
	if !ok {
		return
	}
	if len(c.Args) == 0 {
		m.status = 0
	}
	for _, a := range c.Assigns {
		value, ok := m.text(a.Value, st)
		if !ok {
			return
		}
		if len(args) == 0 {
			m.set(a.Name.Value, value)
		}
	}
	if len(args) > 0 {
		m.call(args, st)
	}
}

// call runs a named command.
func (m *machine) call(args []string, st *streams) {
	if !m.step() || !m.pass(commandTook) {
		return
	}
	if p := m.program(args); p != nil {
		m.runProgram(p, st)
		return
	}
	c := &call{m: m, name: args[0], args: args[1:], streams: st}
	known, ok := m.commands[c.name]
	if !ok {
		m.unknown.add(c.name)
		st.err.put("bash: " + brief(c.name) + ": command not found\n")
		m.status = 127
		return
	}
	m.status = known.run(c)
}

// brief is a name as a message gives it.
func brief(s string) string {
	if len(s) > 200 {
		s = s[:200] + "…"
	}
	return strings.ToValidUTF8(s, "\uFFFD")
}

// program is the scripted program that a command line calls, or nil.
func (m *machine) program(args []string) *Program {
	programs := m.env.Programs
	for i := range programs {
		words := strings.Fields(programs[i].Words)
		if len(words) == 0 || len(words) > len(args) || programs[i].Test != nil && len(words) < len(args) {
			continue
		}
		if strings.Join(args[:len(words)], " ") == strings.Join(words, " ") {
			return &programs[i]
		}
	}
	return nil
}

func (m *machine) runProgram(p *Program, st *streams) {
	if p.Test != nil {
		m.runTest(p, st)
		return
	}
	if m.outside(st, p.Output, p.Took) {
		m.status = p.Exit
	}
}

// outside prints what comes of a command that is not carried out here, and reports
// whether it ended in time.
func (m *machine) outside(st *streams, output string, took vtime.Duration) bool {
	if m.env.Drawn != nil {
		output, took = m.env.Drawn(output, took)
	}
	if !m.pass(took) {
		return false
	}
	st.out.put(output)
	return true
}
