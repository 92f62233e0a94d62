package agent

import (
	"fmt"
	"strconv"
	"strings"

	"agentsim/sim/llm"
	"agentsim/sim/team"
	"agentsim/sim/tool"
	"agentsim/sim/transcript"
)

// shared is a handler of a tool on the task list of the agent's team.
func shared(f func(m *mate, use *llm.Block) (string, error)) handler {
	return atOnce(func(a *Agent, use *llm.Block) tool.Result {
		if !a.w.gates.AgentSwarms {
			return failure(errNoTeams)
		}
		m := a.mate
		if m == nil {
			return failure("You are in no team, and there is no list of tasks.")
		}
		text, err := f(m, use)
		if err != nil {
			return failure(sentence(err))
		}
		return sent(text)
	})
}

func sentence(err error) string {
	text := err.Error()
	return strings.ToUpper(text[:1]) + text[1:] + "."
}

// changed records a change of a task.
func (m *mate) changed(op string, t team.Task) {
	m.of.w.rec.emit(m.of.ref, &transcript.TeamTask{Team: m.in.Name, Task: t.ID, Op: op, Status: string(t.Status), Owner: t.Owner, By: m.name})
}

func taskCreate(m *mate, use *llm.Block) (string, error) {
	t, err := tool.ParseNewTask(use.Content)
	if err != nil {
		return "", err
	}
	if t, err = m.in.Tasks.Create(t); err != nil {
		return "", err
	}
	m.changed("created", t)
	return "Task #" + strconv.Itoa(t.ID) + " is created: " + t.Subject, nil
}

func taskGet(m *mate, use *llm.Block) (string, error) {
	id, err := tool.ParseTaskID(use.Content)
	if err != nil {
		return "", err
	}
	t, err := m.in.Tasks.Get(id)
	if err != nil {
		return "", err
	}
	l := &m.in.Tasks
	s := taskLine(l, t)
	if t.Description != "" {
		s += "\n" + t.Description
	}
	if t.Active != "" {
		s += "\nActivity: " + t.Active
	}
	if t.After != nil {
		s += "\nWaits for: " + team.Numbers(t.After)
	}
	if b := l.Blocks(t); b != nil {
		s += "\nBlocks: " + team.Numbers(b)
	}
	for _, p := range t.Metadata {
		s += "\n" + p.Key + ": " + p.Value
	}
	return s, nil
}

func taskList(m *mate, use *llm.Block) (string, error) {
	if err := tool.TakesNothing(use.Content); err != nil {
		return "", err
	}
	var lines []string
	for _, t := range m.in.Tasks.All() {
		lines = append(lines, taskLine(&m.in.Tasks, t))
	}
	if lines == nil {
		return "The list is empty.", nil
	}
	return strings.Join(lines, "\n"), nil
}

// taskLine is a task on one line.
func taskLine(l *team.List, t team.Task) string {
	s := "#" + strconv.Itoa(t.ID) + " [" + string(t.Status) + "] " + t.Subject
	if t.Owner != "" {
		s += " (" + t.Owner + ")"
	}
	if w := l.Waits(t); w != nil {
		s += " [blocked by " + team.Numbers(w) + "]"
	}
	return s
}

func taskUpdate(m *mate, use *llm.Block) (string, error) {
	id, c, err := tool.ParseTaskUpdate(use.Content)
	if err != nil {
		return "", err
	}
	if c.Owner != nil && *c.Owner != "" && m.in.find(*c.Owner) == nil {
		return "", fmt.Errorf("there is nobody called %s in team %s", *c.Owner, m.in.Name)
	}
	t, err := m.in.Tasks.Update(m.name, id, c)
	if err != nil {
		return "", err
	}
	op := "updated"
	if t.Status == team.Deleted {
		op = "deleted"
	}
	m.changed(op, t)
	return "Updated: " + taskLine(&m.in.Tasks, t), nil
}
