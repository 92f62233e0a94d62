package agent

import (
	"errors"
	"slices"
)

// The reasons for an abort.
var (
	ErrUserInterrupt = errors.New("user-interrupt")
	ErrParentAborted = errors.New("parent")
	ErrTaskStopped   = errors.New("task-stop")
	ErrAgentsKilled  = errors.New("kill-agents")
	ErrCrashed       = errors.New("crash") // what ran the agent is gone: it has failed
)

// Controller carries aborts from an agent to its linked children and never
// back (ISO-03).
type Controller struct {
	parent   *Controller // only when linked
	children []*Controller
	reason   error
	agent    *Agent // told of the abort while it runs
}

// newController makes a controller; a linked one hears its parent's abort.
func newController(parent *Controller, linked bool) *Controller {
	c := &Controller{}
	if parent != nil && linked {
		c.parent = parent
		c.reason = parent.reason
		parent.children = append(parent.children, c)
	}
	return c
}

// Linked reports whether the controller hears another's abort.
func (c *Controller) Linked() bool { return c.parent != nil }

// Abort fires the controller and then those linked below it, in spawn order.
// Only the first reason counts.
func (c *Controller) Abort(why error) {
	if c.reason != nil {
		return
	}
	c.reason = why
	if c.agent != nil {
		c.agent.aborted(why)
	}
	for _, child := range slices.Clone(c.children) {
		child.Abort(ErrParentAborted)
	}
}

// unlink removes the controller from its parent's listeners: an ended child
// keeps none, and a child moved to the background hears nothing more.
func (c *Controller) unlink() bool {
	p := c.parent
	if p == nil {
		return false
	}
	c.parent = nil
	p.children = slices.DeleteFunc(p.children, func(x *Controller) bool { return x == c })
	return true
}
