package shell

import (
	"errors"
	"fmt"
	"maps"
	"strings"

	"agentsim/sim/vtime"
	"agentsim/sim/workspace"
)

// machine evaluates one script.
type machine struct {
	env      *Env
	commands map[string]command
	vars     map[string]string
	varBytes int
	dir      string // working directory, absolute
	status   int    // of the last command

	out     *buffer // both streams of the script
	open    map[string]*buffer
	depth   int
	steps   int
	work    int
	clock   vtime.Duration
	waited  vtime.Duration // of clock
	wrote   names
	temp    names
	unknown names

	conflicts []Conflict
	merged    []string
	halted    error // why nothing more may run
}

func newMachine(env *Env) *machine {
	if env.Timeout <= 0 {
		env.Timeout = DefaultTimeout
	}
	if env.Programs == nil {
		env.Programs = Programs()
	}
	m := &machine{env: env, commands: commands(), dir: env.Session.Dir, clock: startTook, vars: map[string]string{}, open: map[string]*buffer{}}
	m.out = m.buffer()
	if m.dir == "" || !m.isDir(m.dir) {
		m.dir = env.Root
	}
	for _, v := range [...][2]string{{"HOME", "/home/user"}, {"USER", "user"}, {"TMPDIR", TempDir}} {
		m.set(v[0], v[1])
	}
	return m
}

// The bounds that end a script.
var (
	errSteps  = fmt.Errorf("the command gave up after %d steps: a loop does not end, or does too much", maxSteps)
	errWork   = fmt.Errorf("the command gave up after moving %d MiB: work on fewer or smaller files and directories", maxWork>>20)
	errStream = fmt.Errorf("the command gave up: a pipe, file or value grew past %d MiB", maxStream>>20)
	errDepth  = errors.New("the command gave up: it is nested too deep")
	errBroken = errors.New("the command was interrupted")
	errCut    = errors.New("the command was interrupted: what it had done until then stands")
	errFields = fmt.Errorf("the command gave up: a line expands to more than %d words", maxFields)
)

// halt ends the script; the first reason counts.
func (m *machine) halt(why error) {
	if m.halted == nil {
		m.halted = why
	}
}

// charge counts bytes that are read, written, matched or copied, names included;
// false when the script has to end.
func (m *machine) charge(n int) bool {
	if n < 0 || n > maxWork-m.work {
		m.halt(errWork)
		return false
	}
	m.work += n
	return m.goesOn()
}

// goesOn reports whether the script is to go on; every bound asks it.
func (m *machine) goesOn() bool {
	if m.env.Interrupted != nil && m.env.Interrupted() {
		m.halt(errBroken)
	}
	return m.halted == nil
}

// step counts a command or a turn of a loop.
func (m *machine) step() bool {
	if m.steps++; m.steps > maxSteps {
		m.halt(errSteps)
	}
	return m.goesOn()
}

// enter goes a level deeper; leave must follow.
func (m *machine) enter() bool {
	if m.depth++; m.depth > maxDepth {
		m.halt(errDepth)
	}
	return m.halted == nil
}

func (m *machine) leave() { m.depth-- }

// pass lets virtual time pass; false when the script has run too long.
func (m *machine) pass(d vtime.Duration) bool {
	if d > m.env.Timeout-m.clock {
		m.clock = m.env.Timeout
		m.wait()
		m.halt(fmt.Errorf("the command timed out after %d ms: what it had done until then stands", m.env.Timeout.Milliseconds()))
		return false
	}
	m.clock += d
	m.wait()
	return m.halted == nil
}

// wait lets the time pass that has been counted.
func (m *machine) wait() {
	if m.env.Wait == nil || m.halted != nil {
		return
	}
	d := m.clock - m.waited
	if m.waited = m.clock; m.env.Wait(d) != nil {
		m.halt(errCut)
	}
}

// set gives a variable a value.
func (m *machine) set(name, value string) {
	if len(value) > maxStream {
		m.halt(errStream)
		return
	}
	m.varBytes += len(name) + len(value)
	if old, ok := m.vars[name]; ok {
		m.varBytes -= len(name) + len(old)
	}
	if m.varBytes > maxStream {
		m.halt(errStream)
		return
	}
	m.charge(len(value))
	m.vars[name] = value
}

// inside runs something in a copy of the shell's own state, as a subshell does:
// files and time are shared, variables and directory are not.
func (m *machine) inside(run func()) {
	if !m.charge(m.varBytes + 64*len(m.vars)) {
		return
	}
	vars, size, dir := m.vars, m.varBytes, m.dir
	m.vars = maps.Clone(vars)
	run()
	m.vars, m.varBytes, m.dir = vars, size, dir
}

// buffer is what a command writes into: a pipe, a file to be, or what is shown.
type buffer struct {
	m *machine
	b strings.Builder
}

func (m *machine) buffer() *buffer { return &buffer{m: m} }

// put appends text; too much of it ends the script.
func (b *buffer) put(s string) {
	if b.b.Len()+len(s) > maxStream {
		b.m.halt(errStream)
		return
	}
	if b.m.charge(len(s)) {
		b.b.WriteString(s)
	}
}

func (b *buffer) String() string { return b.b.String() }

// tree is one place where files can be.
type tree struct {
	fs   *workspace.FS
	temp bool
}
