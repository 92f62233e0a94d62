package kernel

// Stop ends the run at the end of the present step with err, which Run returns.
// The first reason stays.
func (k *Kernel) Stop(err error) { k.fail(err) }

// Resume lifts an abort from the running process: what it waits for next is not
// refused any more. An agent whose turn was interrupted goes on with it.
func (p *Proc) Resume() {
	p.mustRun()
	p.aborted = nil
}
