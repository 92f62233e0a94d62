package sim

import (
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"

	"agentsim/mockllm"
	"agentsim/mockllm/policy"
	"agentsim/mockllm/recorded"
	"agentsim/mockllm/script"
	"agentsim/scenarios"
	"agentsim/sim/agent"
	"agentsim/sim/audit"
	"agentsim/sim/client"
	"agentsim/sim/kernel"
	"agentsim/sim/transcript"
	"agentsim/sim/vtime"
)

// Options are what a caller wants beside the run itself; none of them changes
// what happens in it.
type Options struct {
	// Sinks receive every event, in this order, before Run returns.
	Sinks []transcript.Sink
	// OnKernel is given the kernel before it runs, to be able to interrupt it.
	OnKernel func(*kernel.Kernel)
	// Repeat is the command line that repeats the run; a bug report shows it.
	Repeat string
	// Choices are made in place of the policy's own, where it has any: those of an
	// earlier run of the spec. The run's identity stays that of its policy.
	Choices []int32
	// NoAudit leaves out the auditor, where only time is of interest.
	NoAudit bool
	// NoAssumed leaves Result.Assumed out, where nobody reads it.
	NoAssumed bool
}

// Outcomes of a run.
const (
	Completed   = transcript.Completed
	Limited     = transcript.Limited
	Deadlocked  = transcript.Deadlocked
	Interrupted = transcript.Interrupted
)

// Result is what a run came to.
type Result struct {
	RunID    string
	Digest   string // of all events
	Outcome  transcript.RunOutcome
	Detail   string // what ended it, when it did not complete
	Events   uint64
	End      vtime.Instant
	Agents   int
	Draws    int64             // that figures can depend on: without any, another seed changes none
	Options  []string          // undocumented points of the cache that this run decided, name=value
	Checks   int64             // checks of conservation laws, none broken
	Models   []string          // that it used, the root's first
	Assumed  []string          // assumptions of the mock model, for the reader of a comparison
	Kept     []string          // what kept calls of tools from being done, and where to change that
	Unstruck []int             // faults, by their places, that struck no attempt at a call
	Unmet    []string          // parts of the scenario, by their paths, that met nothing, such as permission rules and acts of users
	Reached  map[string]int64  // tokens that there were where settings are of more or fewer, by their paths
	Detours  int               // that items offered whoever works on them
	Files    int               // of the project that the work reads, needs or edits
	Before   []Before          // files that were not read for an item, since they stood in the request already
	Audit    *audit.Report     // what the auditor checked; nil without one
	Choices  []int32           // the scheduling policy's; nil when its name implies them
	Memory   map[string]string // what agents remember at the end, by path in the project
}

// BugError is a panic of ours inside a run (KRN-07).
type BugError struct {
	Seed    uint64
	Instant vtime.Instant
	Process string
	Cause   string
	Stack   string
	Events  []string // the last ones, oldest first
	Repeat  string
}

func (e *BugError) Error() string {
	return fmt.Sprintf("bug: %s\nseed %d, at %s, in process %s\nlast events:\n  %s\nrepeat with: %s\n%s",
		e.Cause, e.Seed, e.Instant, e.Process, strings.Join(e.Events, "\n  "), e.Repeat, e.Stack)
}

// ScenarioError is something wrong in a scenario that only its project or its
// run brings to light.
type ScenarioError struct {
	Path string // of the part of the scenario, such as work[2]
	Err  error
}

func (e *ScenarioError) Error() string { return e.Path + ": " + e.Err.Error() }

func (e *ScenarioError) Unwrap() error { return e.Err }

// placed gives an error about an item of work or a script its path (CON-15).
func placed(err error, sc *scenarios.Scenario) error {
	var book *script.BookError
	var unlike *script.MismatchError
	var thought *script.ThoughtError
	var end *script.EndError
	var silent *mockllm.SilentError
	var other *recorded.MismatchError
	switch {
	case errors.As(err, &book):
		return &ScenarioError{book.Path(), book}
	case errors.As(err, &unlike):
		return &ScenarioError{unlike.Path() + ".contains", unlike}
	case errors.As(err, &thought):
		return &ScenarioError{thought.Path() + ".thinking", thought}
	case errors.As(err, &end):
		return &ScenarioError{end.Path(), end}
	case errors.As(err, &other):
		return &ScenarioError{other.Path(), other}
	case errors.As(err, &silent):
		return &ScenarioError{"answers", silent}
	}
	return placedItem(err, sc)
}

func placedItem(err error, sc *scenarios.Scenario) error {
	var bind *policy.BindError
	var far *policy.UnreachableError
	item := ""
	switch {
	case errors.As(err, &bind):
		item = bind.Item
	case errors.As(err, &far):
		item = far.Item
	default:
		return err
	}
	for i := range sc.Work {
		if sc.Work[i].ID == item {
			return &ScenarioError{fmt.Sprintf("work[%d]", i), err}
		}
	}
	return err
}

// Run runs a spec to its end. The error is a spec that cannot be built, a
// *ScenarioError where a part of it is to blame, or a *BugError.
func Run(spec *Spec, opt Options) (*Result, error) {
	digest := transcript.NewDigest()
	sinks := append([]transcript.Sink{digest}, opt.Sinks...)
	var auditor *audit.Auditor
	if !opt.NoAudit && len(spec.Scenario.Recorded) == 0 {
		auditor = audit.New(AuditOptions(spec))
		sinks = append(sinks, auditor)
	}
	r, err := build(spec, opt.Choices, transcript.Tee(sinks...))
	if err != nil {
		return nil, placed(err, spec.Scenario)
	}
	defer r.kernel.Close()
	if opt.OnKernel != nil {
		opt.OnKernel(r.kernel)
	}
	hash := spec.Hash()
	r.world.Record(&transcript.RunStart{Scenario: spec.Scenario.Name, Variant: spec.Variant, Seed: spec.Seed(),
		Policy: spec.Policy, Spec: hash, Semantics: Semantics})
	r.world.RecordServers()
	r.tellProblems()
	r.tellDefinitions()
	res := &Result{RunID: spec.runID(hash)}
	res.Outcome, res.Detail, err = outcome(r.kernel.Run())
	if err == nil {
		err = r.laws(res.Outcome)
	}
	if err != nil {
		return nil, bug(placed(err, spec.Scenario), spec, digest, opt)
	}
	r.observer.judgeDefects()
	r.world.Record(&transcript.RunEnd{Outcome: res.Outcome, Detail: res.Detail})
	res.Digest, res.Events, res.End, res.Agents = digest.Sum(), digest.Events(), r.kernel.Now(), len(r.world.Agents())
	res.Checks, res.Options, res.Before = r.engine.checks, r.options(), r.observer.known()
	if !opt.NoAssumed {
		res.Assumed, res.Kept = r.assumed(), r.observer.limits.kept(r.book)
	}
	res.Draws, res.Unstruck, res.Unmet = r.draws, r.faults.Unstruck(), unmet(r)
	res.Reached = reached(r)
	res.Models = r.models(r.model(spec.Scenario.Provider.Model))
	res.Choices = r.policy.Choices()
	res.Memory = r.memory()
	if r.table != nil {
		res.Detours, res.Files = r.table.Detours(), r.table.Concerned()
	}
	if auditor != nil {
		res.Audit = auditor.Report()
	}
	return res, nil
}

// ownPrompts reports whether a root has a system prompt of the scenario's own.
func ownPrompts(sc *scenarios.Scenario) bool {
	return len(headParts(sc, client.Prompt)) > 0 || sc.Main != nil && sc.Main.System != nil || slices.ContainsFunc(sc.Roots, func(r scenarios.Root) bool { return r.System != nil })
}

// evictAfter is how long the output of a background agent outlives it (TSK-09).
func evictAfter(sc *scenarios.Scenario) vtime.Duration {
	if sc.Limits.EvictAfter > 0 {
		return sc.Limits.EvictAfter
	}
	return agent.DefaultEvictAfter
}

// outcome sorts what ended the kernel: simulated ends are outcomes, anything
// else is an error.
func outcome(err error) (transcript.RunOutcome, string, error) {
	var limit *kernel.LimitError
	var dead *kernel.DeadlockError
	switch {
	case err == nil:
		return Completed, "", nil
	case errors.As(err, &limit):
		return Limited, limit.Error(), nil
	case errors.As(err, &dead):
		return Deadlocked, dead.Error(), nil
	case errors.Is(err, kernel.ErrInterrupted):
		return Interrupted, "", nil
	}
	return "", "", err
}

func bug(err error, spec *Spec, digest *transcript.Digest, opt Options) error {
	var p *kernel.PanicError
	if !errors.As(err, &p) {
		return err
	}
	return &BugError{Seed: spec.Seed(), Instant: p.Instant, Process: p.Process, Cause: fmt.Sprint(p.Value),
		Stack: string(p.Stack), Events: digest.Last(), Repeat: opt.Repeat}
}

// Replay runs a spec and compares it with the recorded lines of an earlier run
// (REC-04). The difference is nil when every event is the same. At a difference,
// also where a record that was cut short ends, the run is interrupted: nothing
// behind it would be compared.
func Replay(spec *Spec, recorded iter.Seq2[string, error], opt Options) (*Result, *transcript.Difference, error) {
	check := &beside{Check: transcript.NewCheck(recorded)}
	opt.Sinks = append([]transcript.Sink{check}, opt.Sinks...)
	listen := opt.OnKernel
	opt.OnKernel = func(k *kernel.Kernel) {
		check.kernel = k
		if listen != nil {
			listen(k)
		}
	}
	res, err := Run(spec, opt)
	diff, readErr := check.Finish()
	if err == nil {
		err = readErr
	}
	return res, diff, err
}

// beside compares a run and interrupts it at the first difference.
type beside struct {
	*transcript.Check
	kernel *kernel.Kernel
}

// Emit compares the event's line.
func (b *beside) Emit(e *transcript.Event) {
	if b.Check.Emit(e); b.Differs() && b.kernel != nil {
		b.kernel.Interrupt()
	}
}
