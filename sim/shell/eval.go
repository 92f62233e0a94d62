package shell

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// flow is where evaluation goes on behind a command.
type flow struct {
	kind flowKind
	n    int // loops to leave
}

type flowKind uint8

const (
	onward flowKind = iota
	breaking
	continuing
	exiting
)

// main runs a whole script.
func (m *machine) main(file *syntax.File) {
	m.list(file.Stmts, &streams{in: &input{}, out: m.out, err: m.out}, true)
}

// list runs statements in order. fragile says whether set -e applies to them.
func (m *machine) list(stmts []*syntax.Stmt, st *streams, fragile bool) flow {
	for _, s := range stmts {
		f := m.stmt(s, st, fragile)
		if f.kind != onward || m.halted != nil {
			return f
		}
	}
	return flow{}
}

// stmt runs one statement with its redirections.
func (m *machine) stmt(s *syntax.Stmt, st *streams, fragile bool) (f flow) {
	defer m.leave()
	if !m.enter() || !m.step() {
		return flow{kind: exiting}
	}
	own, closers, ok := m.redirect(s.Redirs, st)
	switch {
	case !ok:
		m.status = 1
	case s.Cmd == nil:
		m.status = 0
	default:
		f = m.command(s.Cmd, own, fragile && !s.Negated)
	}
	for _, c := range closers {
		m.close(c)
	}
	if s.Negated {
		m.status = truth(m.status != 0)
	}
	if f.kind == onward && m.status != 0 && m.opts.errexit && fragile && !s.Negated && !isChain(s.Cmd) {
		return flow{kind: exiting}
	}
	return f
}

// isChain reports whether a command is && or ||, whose parts decide for
// themselves whether set -e applies.
func isChain(c syntax.Command) bool {
	b, ok := c.(*syntax.BinaryCmd)
	return ok && (b.Op == syntax.AndStmt || b.Op == syntax.OrStmt)
}

// truth is the exit status of a condition.
func truth(holds bool) int {
	if holds {
		return 0
	}
	return 1
}

// command runs a command of any kind.
func (m *machine) command(c syntax.Command, st *streams, fragile bool) flow {
	switch c := c.(type) {
	case *syntax.CallExpr:
		return m.simple(c, st)
	case *syntax.BinaryCmd:
		return m.binary(c, st, fragile)
	case *syntax.Block:
		return m.list(c.Stmts, st, fragile)
	case *syntax.Subshell:
		m.inside(func() flow { return m.list(c.Stmts, st, fragile) })
	case *syntax.IfClause:
		return m.ifClause(c, st, fragile)
	case *syntax.WhileClause:
		return m.while(c, st, fragile)
	case *syntax.ForClause:
		return m.forClause(c, st, fragile)
	case *syntax.CaseClause:
		return m.caseClause(c, st, fragile)
	case *syntax.ArithmCmd:
		n, ok := m.arith(c.X, st)
		m.status = truth(ok && n != 0)
	case *syntax.TestClause:
		holds, ok := m.test(c.X, st)
		m.status = truth(holds)
		if !ok {
			m.status = 2
		}
	case *syntax.DeclClause:
		m.status = 0
		m.assign(c.Args, st, true)
	default:
		panic("shell: the check let a command pass that is not handled")
	}
	return flow{}
}

// binary runs &&, || and pipelines.
func (m *machine) binary(c *syntax.BinaryCmd, st *streams, fragile bool) flow {
	if c.Op == syntax.Pipe || c.Op == syntax.PipeAll {
		return m.pipeline(c, st)
	}
	f := m.stmt(c.X, st, false)
	if f.kind != onward || m.halted != nil || (m.status == 0) != (c.Op == syntax.AndStmt) {
		return f
	}
	return m.stmt(c.Y, st, fragile)
}

// stage is one command of a pipeline.
type stage struct {
	stmt *syntax.Stmt
	both bool // its errors go into the pipe too
}

// stages flattens a pipeline.
func stages(c *syntax.BinaryCmd) []stage {
	var out []stage
	var walk func(s *syntax.Stmt, both bool)
	walk = func(s *syntax.Stmt, both bool) {
		if b, ok := s.Cmd.(*syntax.BinaryCmd); ok && (b.Op == syntax.Pipe || b.Op == syntax.PipeAll) && len(s.Redirs) == 0 && !s.Negated {
			walk(b.X, b.Op == syntax.PipeAll)
			walk(b.Y, both)
			return
		}
		out = append(out, stage{s, both})
	}
	walk(c.X, c.Op == syntax.PipeAll)
	walk(c.Y, false)
	return out
}

// pipeline runs its commands from left to right, each in a subshell, each with
// all the output of the one before as its input.
func (m *machine) pipeline(c *syntax.BinaryCmd, st *streams) flow {
	all, failed, in := stages(c), 0, st.in
	for i, s := range all {
		own := &streams{in: in, out: st.out, err: st.err}
		if i < len(all)-1 {
			own.out = m.buffer()
			if s.both {
				own.err = own.out
			}
		}
		m.inside(func() flow { return m.stmt(s.stmt, own, false) })
		if m.halted != nil {
			return flow{kind: exiting}
		}
		if m.status != 0 {
			failed = m.status
		}
		in = &input{s: own.out.String()}
	}
	if m.opts.pipefail && m.status == 0 {
		m.status = failed
	}
	return flow{}
}

func (m *machine) ifClause(c *syntax.IfClause, st *streams, fragile bool) flow {
	for ; c != nil; c = c.Else {
		if len(c.Cond) == 0 { // else
			return m.list(c.Then, st, fragile)
		}
		if f := m.list(c.Cond, st, false); f.kind != onward || m.halted != nil {
			return f
		}
		if m.status == 0 {
			return m.list(c.Then, st, fragile)
		}
	}
	m.status = 0
	return flow{}
}

func (m *machine) while(c *syntax.WhileClause, st *streams, fragile bool) flow {
	last := 0
	for m.step() {
		if f := m.list(c.Cond, st, false); f.kind != onward {
			out, _ := f.leaveLoop()
			return out
		}
		if m.halted != nil || (m.status == 0) == c.Until {
			break
		}
		f := m.list(c.Do, st, fragile)
		last = m.status
		if out, done := f.leaveLoop(); done {
			return out
		}
	}
	m.status = last
	return flow{}
}

// leaveLoop is what a flow means behind the loop that it came out of; done
// says whether the loop ends.
func (f flow) leaveLoop() (out flow, done bool) {
	switch {
	case f.kind == onward, f.kind == continuing && f.n <= 1:
		return flow{}, false
	case f.kind == exiting:
		return f, true
	case f.n <= 1:
		return flow{}, true
	}
	return flow{f.kind, f.n - 1}, true
}

func (m *machine) forClause(c *syntax.ForClause, st *streams, fragile bool) flow {
	if loop, ok := c.Loop.(*syntax.CStyleLoop); ok {
		return m.countLoop(c, loop, st, fragile)
	}
	loop := c.Loop.(*syntax.WordIter)
	items, ok := m.fields(loop.Items, st)
	if !ok {
		return flow{}
	}
	m.status = 0
	for _, item := range items {
		if !m.step() {
			break
		}
		m.set(loop.Name.Value, item)
		if out, done := m.list(c.Do, st, fragile).leaveLoop(); done {
			return out
		}
	}
	return flow{}
}

// countLoop is for ((init; cond; post)).
func (m *machine) countLoop(c *syntax.ForClause, loop *syntax.CStyleLoop, st *streams, fragile bool) flow {
	m.status = 0
	if loop.Init != nil {
		if _, ok := m.arith(loop.Init, st); !ok {
			return flow{}
		}
	}
	for m.step() {
		if loop.Cond != nil {
			if n, ok := m.arith(loop.Cond, st); !ok || n == 0 {
				break
			}
		}
		if out, done := m.list(c.Do, st, fragile).leaveLoop(); done {
			return out
		}
		if loop.Post != nil {
			if _, ok := m.arith(loop.Post, st); !ok {
				break
			}
		}
	}
	return flow{}
}

func (m *machine) caseClause(c *syntax.CaseClause, st *streams, fragile bool) flow {
	word, ok := m.text(c.Word, st)
	if !ok {
		return flow{}
	}
	m.status = 0
	through := false
	for _, item := range c.Items {
		if !through && !m.matchesAny(item.Patterns, word, st) {
			continue
		}
		f := m.list(item.Stmts, st, fragile)
		if item.Op == syntax.Break || f.kind != onward || m.halted != nil {
			return f
		}
		through = item.Op == syntax.Fallthrough
	}
	return flow{}
}

func (m *machine) matchesAny(patterns []*syntax.Word, word string, st *streams) bool {
	for _, p := range patterns {
		if pat, ok := m.pattern(p, st); ok && m.match(pat, word) {
			return true
		}
	}
	return false
}

// simple runs assignments and a command.
func (m *machine) simple(c *syntax.CallExpr, st *streams) flow {
	args, ok := m.fields(c.Args, st)
	if !ok {
		return flow{}
	}
	if len(args) == 0 {
		if len(c.Args) == 0 {
			m.status = 0
		}
		m.assign(c.Assigns, st, false)
		return flow{}
	}
	if len(c.Assigns) == 0 {
		return m.call(args, st)
	}
	return m.withAssigned(c.Assigns, st, func() flow { return m.call(args, st) })
}

// withAssigned runs a command with variables of its own, which are afterwards
// what they were.
func (m *machine) withAssigned(as []*syntax.Assign, st *streams, run func() flow) (f flow) {
	type variable struct {
		name, value   string
		set, exported bool
	}
	var before []variable
	for _, a := range as {
		v, set := m.vars[a.Name.Value]
		before = append(before, variable{a.Name.Value, v, set, m.exported[a.Name.Value]})
	}
	if m.assign(as, st, true) {
		f = run()
	}
	for _, v := range slices.Backward(before) {
		if m.unset(v.name); v.set {
			m.set(v.name, v.value)
		}
		m.exported[v.name] = v.exported
	}
	return f
}

// assign sets variables; the status stays, unless a value fails.
func (m *machine) assign(as []*syntax.Assign, st *streams, export bool) bool {
	for _, a := range as {
		if export {
			m.exported[a.Name.Value] = true
		}
		if a.Naked {
			continue
		}
		value := ""
		if a.Value != nil {
			v, ok := m.text(a.Value, st)
			if !ok {
				return false
			}
			value = v
		}
		if a.Append {
			old, _ := m.lookup(a.Name.Value)
			if len(old)+len(value) > maxStream || !m.charge(len(old)) {
				m.halt(errStream)
				return false
			}
			value = old + value
		}
		m.set(a.Name.Value, value)
	}
	return m.halted == nil
}

// call runs a named command.
func (m *machine) call(args []string, st *streams) flow {
	if !m.step() || !m.pass(commandTook) {
		return flow{kind: exiting}
	}
	c := &call{m: m, name: args[0], args: args[1:], streams: st}
	if p := m.program(args); p != nil {
		m.runProgram(p, st)
		return flow{}
	}
	known, ok := m.commands[args[0]]
	if !ok {
		m.unknown.add(args[0])
		st.err.put("bash: " + brief(args[0]) + ": command not found\n")
		m.status = 127
		return flow{}
	}
	m.status = known.run(c)
	return c.flow
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
