package team

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Status is the state of a task of the shared list, by its wire name.
type Status string

// The states. A task that is deleted is on the list no more.
const (
	Open    Status = "pending"
	Taken   Status = "in_progress"
	Done    Status = "completed"
	Deleted Status = "deleted"
)

// MaxTasks bounds a list.
const MaxTasks = 1000

// Task is one task of the shared list. Its id is its number.
type Task struct {
	ID          int // from 1
	Subject     string
	Description string
	Active      string // the subject as an activity
	Status      Status
	Owner       string // name of who has it, "" for nobody
	After       []int  // tasks that it waits for, in order
	Metadata    []Pair // by key
}

// Pair is a key of a task's metadata and its value as JSON.
type Pair struct{ Key, Value string }

// List is the tasks that a team shares. The zero value is empty and ready.
type List struct {
	tasks []*Task
	last  int
}

// Change is what an update does to a task. What is nil stays.
type Change struct {
	Status                       *Status
	Owner                        *string
	Subject, Description, Active *string
	Blocks, After                []int
	Metadata                     []Pair // a value of null takes the key away
}

// Create adds a task, pending and of nobody.
func (l *List) Create(t Task) (Task, error) {
	if len(l.tasks) == MaxTasks {
		return Task{}, fmt.Errorf("the list is full: it has %d tasks", MaxTasks)
	}
	l.last++
	t.ID, t.Status, t.Owner, t.After = l.last, Open, "", nil
	l.tasks = append(l.tasks, &t)
	return t, nil
}

func (l *List) find(id int) *Task {
	i := slices.IndexFunc(l.tasks, func(t *Task) bool { return t.ID == id })
	if i < 0 {
		return nil
	}
	return l.tasks[i]
}

// Get is the task of an id.
func (l *List) Get(id int) (Task, error) {
	if t := l.find(id); t != nil {
		return *t, nil
	}
	return Task{}, fmt.Errorf("there is no task %d", id)
}

// All are the tasks by id.
func (l *List) All() []Task {
	var out []Task
	for _, t := range l.tasks {
		out = append(out, *t)
	}
	return out
}

// Waits are the tasks that a task waits for and that are not completed.
func (l *List) Waits(t Task) (ids []int) {
	for _, id := range t.After {
		if x := l.find(id); x != nil && x.Status != Done {
			ids = append(ids, id)
		}
	}
	return ids
}

// Blocks are the tasks that wait for a task.
func (l *List) Blocks(t Task) (ids []int) {
	for _, x := range l.tasks {
		if slices.Contains(x.After, t.ID) {
			ids = append(ids, x.ID)
		}
	}
	return ids
}

// Update changes a task as one step, or not at all. Who begins a task owns it, and of
// several who claim one the first wins: a task of another is refused to all but the
// lead, and nothing that waits for others can be begun.
func (l *List) Update(by string, id int, c Change) (Task, error) {
	was := l.find(id)
	if was == nil {
		return Task{}, fmt.Errorf("there is no task %d", id)
	}
	t := *was
	t.After = slices.Clone(was.After)
	if err := l.claim(by, &t, c); err != nil {
		return *was, err
	}
	for _, x := range []struct{ to, from *string }{{&t.Subject, c.Subject}, {&t.Description, c.Description}, {&t.Active, c.Active}} {
		if x.from != nil {
			*x.to = *x.from
		}
	}
	if err := l.link(&t, c); err != nil {
		return *was, err
	}
	for _, p := range c.Metadata {
		t.Metadata = slices.DeleteFunc(slices.Clone(t.Metadata), func(q Pair) bool { return q.Key == p.Key })
		if p.Value != "null" {
			t.Metadata = append(t.Metadata, p)
		}
	}
	slices.SortFunc(t.Metadata, func(a, b Pair) int { return strings.Compare(a.Key, b.Key) })
	if t.Status == Deleted {
		l.tasks = slices.DeleteFunc(l.tasks, func(x *Task) bool { return x == was })
		return t, nil
	}
	*was = t
	for _, b := range c.Blocks {
		x := l.find(b)
		x.After = with(x.After, id)
	}
	return t, nil
}

// claim moves a task between states and owners.
func (l *List) claim(by string, t *Task, c Change) error {
	if t.Owner != "" && t.Owner != by && by != LeadName {
		return fmt.Errorf("task %d belongs to %s", t.ID, t.Owner)
	}
	if c.Owner != nil {
		if t.Status == Done {
			return fmt.Errorf("task %d is completed", t.ID)
		}
		t.Owner = *c.Owner
	}
	if c.Status == nil {
		return nil
	}
	if *c.Status == Taken && t.Owner == "" {
		t.Owner = by
	}
	if *c.Status == Open && c.Owner == nil {
		t.Owner = ""
	}
	if *c.Status == Taken || *c.Status == Done {
		if waits := l.Waits(*t); waits != nil {
			return fmt.Errorf("task %d waits for %s", t.ID, Numbers(waits))
		}
	}
	t.Status = *c.Status
	return nil
}

// link adds what waits for what. Nothing can wait for itself in the end.
func (l *List) link(t *Task, c Change) error {
	for _, id := range slices.Concat(c.Blocks, c.After) {
		if l.find(id) == nil {
			return fmt.Errorf("there is no task %d", id)
		}
	}
	for _, id := range c.After {
		if id == t.ID || l.reaches(id, t.ID) {
			return fmt.Errorf("task %d would wait for itself", t.ID)
		}
		t.After = with(t.After, id)
	}
	for _, id := range c.Blocks {
		if id == t.ID || slices.ContainsFunc(t.After, func(a int) bool { return a == id || l.reaches(a, id) }) {
			return fmt.Errorf("task %d would wait for itself", t.ID)
		}
	}
	return nil
}

// reaches reports whether a task waits for another, by itself or by those it waits for.
func (l *List) reaches(from, to int) bool {
	t := l.find(from)
	return t != nil && slices.ContainsFunc(t.After, func(a int) bool { return a == to || l.reaches(a, to) })
}

// Release makes the open tasks of an owner nobody's, and returns them.
func (l *List) Release(owner string) (out []Task) {
	for _, t := range l.tasks {
		if t.Owner == owner && t.Status != Done {
			t.Owner, t.Status = "", Open
			out = append(out, *t)
		}
	}
	return out
}

// with is a sorted list of ids with one more.
func with(ids []int, id int) []int {
	if slices.Contains(ids, id) {
		return ids
	}
	ids = append(slices.Clone(ids), id)
	slices.Sort(ids)
	return ids
}

// Numbers are ids in words.
func Numbers(ids []int) string {
	var out []string
	for _, id := range ids {
		out = append(out, "#"+strconv.Itoa(id))
	}
	return strings.Join(out, ", ")
}
