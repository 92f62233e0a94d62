package shell

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// main runs a whole script.
func (m *machine) main(file *syntax.File) {
	m.list(file.Stmts, &streams{in: &input{}, out: m.out, err: m.out})
}

// list runs statements in order.
func (m *machine) list(stmts []*syntax.Stmt, st *streams) {
	for _, s := range stmts {
		if m.ended() {
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
	switch {
	case !ok:
		m.status = 1
	case s.Cmd == nil:
		m.status = 0
	default:
		m.command(s.Cmd, own)
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
	case *syntax.IfClause:
		m.ifClause(c, st)
	case *syntax.WhileClause:
		m.while(c, st)
	case *syntax.ForClause:
		m.forClause(c, st)
	default:
		panic("shell: the check let a command pass that is not handled")
	}
}

// binary runs &&, || and pipelines.
func (m *machine) binary(c *syntax.BinaryCmd, st *streams) {
	if c.Op == syntax.Pipe || c.Op == syntax.PipeAll {
		m.pipe(c, st)
		return
	}
	if m.stmt(c.X, st); !m.ended() && (m.status == 0) == (c.Op == syntax.AndStmt) {
		m.stmt(c.Y, st)
	}
}

// pipe runs two sides of a pipeline one after the other, each in a subshell, the
// second with all the output of the first as its input.
func (m *machine) pipe(c *syntax.BinaryCmd, st *streams) {
	between := m.buffer()
	left := &streams{in: st.in, out: between, err: st.err}
	if c.Op == syntax.PipeAll {
		left.err = between
	}
	m.inside(func() { m.stmt(c.X, left) })
	if m.halted == nil {
		right := &streams{in: &input{s: between.String()}, out: st.out, err: st.err}
		m.inside(func() { m.stmt(c.Y, right) })
	}
}

func (m *machine) ifClause(c *syntax.IfClause, st *streams) {
	for ; c != nil; c = c.Else {
		if len(c.Cond) > 0 { // not else
			if m.list(c.Cond, st); m.ended() {
				return
			}
		}
		if len(c.Cond) == 0 || m.status == 0 {
			m.list(c.Then, st)
			return
		}
	}
	m.status = 0
}

func (m *machine) while(c *syntax.WhileClause, st *streams) {
	for last := 0; m.step(); last = m.status {
		if m.list(c.Cond, st); m.ended() {
			return
		}
		if (m.status == 0) == c.Until {
			m.status = last
			return
		}
		if m.list(c.Do, st); m.ended() {
			return
		}
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
		if m.ended() || !m.step() {
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
		if a.Append {
			value = m.vars[a.Name.Value] + value
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
	run, ok := m.commands[args[0]]
	if !ok {
		m.unknown.add(args[0])
		st.err.put("bash: " + brief(args[0]) + ": command not found\n")
		m.status = 127
		return
	}
	m.status = run(&call{m: m, name: args[0], args: args[1:], streams: st})
}

// brief is a name as a message gives it.
func brief(s string) string {
	if len(s) > 200 {
		s = s[:runeStart(s, 200)] + "…"
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
	if m.pass(p.Took) {
		st.out.put(p.Output)
		m.status = p.Exit
	}
}
