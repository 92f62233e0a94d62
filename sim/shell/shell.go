package shell

import (
	"errors"
	"fmt"
	"strings"

	"agentsim/sim/vtime"
	"agentsim/sim/workspace"
)

// TempDir is where an agent may write without touching the project.
const TempDir = "/tmp"

// Bounds of one script.
const (
	maxScript  = 16 << 10 // bytes, which also bounds what the parser has to do
	maxPattern = 2000     // bytes of a pattern of grep
	maxDepth   = 1000     // levels of evaluation
	maxSteps   = 20_000   // commands and turns of loops
	maxWork    = 64 << 20 // bytes read, written, matched or copied; names as entryWork says
	maxStream  = 2 << 20  // bytes of one pipe, file or value
	maxFields  = 10_000   // words that one command line expands to
	maxShown   = 30_000   // bytes of output that are shown
)

// How long things take: our own assumption for a warm machine, small beside any
// model call. Programs and sleep have times of their own.
const (
	startTook   = 20 * vtime.Millisecond // the shell itself
	commandTook = 2 * vtime.Millisecond  // each command
)

// DefaultTimeout is how long a script may run where nothing else is said,
// MaxTimeout the longest that may be asked for.
const (
	DefaultTimeout = 120 * vtime.Second
	MaxTimeout     = 600 * vtime.Second
)

// Session is what lasts from one script of an agent to the next. The zero value
// begins at the project's root.
type Session struct {
	Dir  string // working directory, absolute; "" is the root
	temp *workspace.FS
}

// Clone is a session of its own that begins in the same directory, with no
// temporary files.
func (s *Session) Clone() *Session { return &Session{Dir: s.Dir} }

// Beside is a session that begins in the same directory, with the same temporary files.
func (s *Session) Beside() *Session { return &Session{Dir: s.Dir, temp: s.Temp()} }

// Temp is the tree below TempDir.
func (s *Session) Temp() *workspace.FS {
	if s.temp == nil {
		empty, err := workspace.NewSnapshot(nil)
		if err != nil {
			panic("shell: an empty snapshot is refused: " + err.Error())
		}
		s.temp = empty.Open()
	}
	return s.temp
}

// Env is what a script acts on.
type Env struct {
	FS       *workspace.FS
	Root     string // the project's root, absolute, without a final slash
	Agent    int32  // the agent's ordinal, for the write log
	Session  *Session
	Repo     *Repo     // the run's repository
	Programs []Program // scripted programs; nil are those of Programs
	Timeout  vtime.Duration

	// Drawn says what a command prints, and how long it takes, that is not carried
	// out here: programs that look at nothing, and what was committed before the
	// run. It is given what holds without it; nil leaves that.
	Drawn func(output string, took vtime.Duration) (string, vtime.Duration)
	// Wait lets virtual time pass before what comes next is done; its error cuts the
	// script off there. nil does all at one instant and counts the time.
	Wait func(vtime.Duration) error
	// Interrupted reports whether the run is to end, where nothing more may be
	// done; nil is never.
	Interrupted func() bool
}

// Program is a scripted program: what happens when a command line begins with
// its words, or consists of them if it tests the project.
type Program struct {
	Words  string // the first words, such as "go test"; all of them with Test
	Output string
	Exit   int
	Took   vtime.Duration
	Test   *Test // in place of Output and Exit; nil for a program that looks at nothing
}

// Programs are the programs that stand in where a world names none: builds and
// tests that pass. Their times are our own assumption for a small project.
func Programs() []Program {
	return []Program{
		{Words: "go test", Output: "ok\n", Took: 8 * vtime.Second},
		{Words: "go build", Took: 4 * vtime.Second},
		{Words: "go vet", Took: 3 * vtime.Second},
		{Words: "make", Output: "make: done\n", Took: 12 * vtime.Second},
		{Words: "npm test", Output: "all tests passed\n", Took: 9 * vtime.Second},
	}
}

// Result is what became of a script.
type Result struct {
	Output  string // of both streams, as it came; cut output says so
	Exit    int
	Took    vtime.Duration
	Wrote   []string // what changed in the project: paths, or the command that changed something else; in order, each once
	Temp    []string // files changed below TempDir
	Unknown []string // commands, options and syntax that this shell has not got, in order, each once
	// Conflicts are those that a merge came upon.
	Conflicts []Conflict
	Merged    []string // files in which a merge put both sides
	Err       error    // why the script did not run to its end; nil if it did
}

// Run evaluates a script.
func Run(env *Env, script string) Result {
	m := newMachine(env)
	file, err := parse(script)
	if err != nil {
		r := Result{Exit: 2, Took: startTook, Err: err}
		if missing := new(lack); errors.As(err, &missing) {
			r.Unknown = []string{missing.what}
		}
		return r
	}
	m.list(file.Stmts, &streams{in: &input{}, out: m.out, err: m.out})
	return m.result()
}

// result collects what became of the script.
func (m *machine) result() Result {
	m.env.Session.Dir = m.dir
	switch m.halted {
	case nil:
	case errCut:
		m.status = 137
	default:
		m.status = 124
	}
	return Result{Output: shown(m.out.String()), Exit: m.status, Took: m.clock, Wrote: m.wrote.list, Temp: m.temp.list,
		Unknown: m.unknown.list, Conflicts: m.conflicts, Merged: m.merged, Err: m.halted}
}

// shown is the output as it is shown: cut at a whole line when it is long.
func shown(s string) string {
	if len(s) <= maxShown {
		return s
	}
	part := strings.ToValidUTF8(s[:maxShown], "") + "\n"
	if i := strings.LastIndexByte(s[:maxShown], '\n'); i >= 0 {
		part = s[:i+1]
	}
	return part + fmt.Sprintf("(truncated at line %d of %d: write the output to a file below %s or ask for less)", len(lines(part)), len(lines(s)), TempDir)
}

// names is a list in order, each once.
type names struct {
	list []string
	has  map[string]bool
}

func (n *names) add(s string) {
	if n.has == nil {
		n.has = map[string]bool{}
	}
	if !n.has[s] {
		n.has[s] = true
		n.list = append(n.list, s)
	}
}
