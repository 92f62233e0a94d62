package sim

import (
	"iter"

	"agentsim/sim/kernel"
	"agentsim/sim/transcript"
)

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
