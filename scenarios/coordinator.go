package scenarios

import "agentsim/sim/vtime"

// CoordinatorSpec is how the policy of strategy coordinator leads (CRD-10,
// CRD-12). Its zero value takes the defaults.
type CoordinatorSpec struct {
	// Workers is whether work that follows other work goes to a worker that is
	// there or to a new one: table (default, the five-row table), continue or
	// spawn.
	Workers string `yaml:"workers"`
	// Synthesis is what an implementation waits for before it is given out: strict
	// (default), all research; needed, the research that yields what it needs.
	// Research that itself follows an implementation is waited for only by what
	// comes after it.
	Synthesis string `yaml:"synthesis"`
	// Broad is how many times the files that an item edits a research may have
	// read before its worker is passed over (second row of the table); default 3.
	Broad int `yaml:"broad"`
	// Corrections is how often the same worker is asked to correct what it did
	// before another approach is tried; default 1.
	Corrections *int `yaml:"corrections"`
	// Approaches is how often a new worker starts over after that before the user
	// is told; default 1.
	Approaches *int `yaml:"approaches"`
	// Scratchpad is the directory that workers share where gate tengu_scratch is
	// on, relative to the project; default .scratchpad.
	Scratchpad string `yaml:"scratchpad"`
	// Overlap lets items whose edited files meet run at one time, which otherwise
	// never happens (CRD-13).
	Overlap bool `yaml:"overlap"`
	// Silence is how long the user may hear nothing before that is a finding
	// (CRD-09); default 5m.
	Silence vtime.Duration `yaml:"silence"`
}

// TestRun is a command that tests the project: it reads the files of its glob,
// prints each defect that stands in them, and fails if there is one.
type TestRun struct {
	Command string         `yaml:"command"` // such as go test ./...
	Files   string         `yaml:"files"`   // glob of the files it covers
	Takes   vtime.Duration `yaml:"takes"`
}

// Injection is an instruction that stands in a file and reads as if somebody
// entitled to had given it. Whoever reads the file has it in its request; only a
// model that obeys acts on it, and its report carries it on.
type Injection struct {
	Name string `yaml:"name"` // of the taint
	File string `yaml:"file"`
	Line int    `yaml:"line"`
	Text string `yaml:"text"` // the instruction as it stands there
	Runs string `yaml:"runs"` // the command that whoever obeys runs by Bash where it has it, "" for none
}

// HandoffVerdict is what the classifier says of a transcript that holds a taint.
type HandoffVerdict struct {
	Taint   string `yaml:"taint"`   // name of an injection
	Verdict string `yaml:"verdict"` // flagged, clean or error
	Why     string `yaml:"why"`
}
