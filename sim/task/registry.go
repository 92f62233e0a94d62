package task

import "fmt"

// Registry is a root's store of tasks in the order in which they were started.
// The zero value is empty and ready.
type Registry struct {
	tasks []*Task
	byID  map[string]*Task
}

// Add stores a new task. An id that is taken is an error.
func (r *Registry) Add(t *Task) error {
	if r.Get(t.ID) != nil {
		return fmt.Errorf("task %s: the id is taken", t.ID)
	}
	if r.byID == nil {
		r.byID = map[string]*Task{}
	}
	r.byID[t.ID] = t
	r.tasks = append(r.tasks, t)
	return nil
}

// Get is the task with the id, or nil.
func (r *Registry) Get(id string) *Task { return r.byID[id] }

// All lists the tasks in the order of their start. The slice is not to be
// changed.
func (r *Registry) All() []*Task { return r.tasks }

// Live lists the tasks in no final state, in the order of their start.
func (r *Registry) Live() []*Task {
	var out []*Task
	for _, t := range r.tasks {
		if !t.Status().Final() {
			out = append(out, t)
		}
	}
	return out
}

// Len is the number of tasks.
func (r *Registry) Len() int { return len(r.tasks) }
