package tool

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"agentsim/sim/llm"
	"agentsim/sim/permission"
	"agentsim/sim/team"
)

// The tools by which agents make teams and share their tasks.
const (
	TeamCreateName = "TeamCreate"
	TeamDeleteName = "TeamDelete"
	TaskCreateName = "TaskCreate"
	TaskGetName    = "TaskGet"
	TaskListName   = "TaskList"
	TaskUpdateName = "TaskUpdate"
)

// TeamTools are what agents have with teams alone, but for a coordinator's SendMessage.
var TeamTools = []string{SendName, TeamCreateName, TeamDeleteName, TaskCreateName, TaskGetName, TaskListName, TaskUpdateName}

// keptByMates are what teammates hold whatever layers 1 to 3 say (FLT-07).
var keptByMates = []string{AgentName, TaskCreateName, TaskGetName, TaskListName, TaskUpdateName, SendName}

var (
	teamFields = fields{
		{name: "team_name", required: true, about: "Name of the team: letters, digits, dashes and underscores."},
		{name: "description", about: "What the team is for; teammates are told."},
	}
	newTaskFields = fields{
		{name: "subject", required: true, about: "The task in a few words, as an order."},
		{name: "description", required: true, about: "What is to be done and when it is done."},
		{name: "activeForm", about: "The same as an activity, shown while someone works on it."},
		{name: "metadata", typ: objectType, about: "Anything else worth keeping with the task."},
	}
	taskIDFields = fields{{name: "taskId", required: true, about: "Id of the task."}}
	updateFields = fields{
		{name: "taskId", required: true, about: "Id of the task."},
		{name: "status", enum: []string{"pending", "in_progress", "completed", "deleted"}, about: "The new state."},
		{name: "owner", about: "Name of the agent that takes the task."},
		{name: "subject", about: "New subject."},
		{name: "description", about: "New description."},
		{name: "activeForm", about: "New activity text."},
		{name: "addBlocks", typ: arrayType, about: "Ids of tasks that wait for this one.", inner: stringItems},
		{name: "addBlockedBy", typ: arrayType, about: "Ids of tasks that this one waits for.", inner: stringItems},
		{name: "metadata", typ: objectType, about: "Keys to set; a null takes a key away."},
	}
)

// teamTools address other agents and keep what they share.
func teamTools() []Tool {
	return []Tool{
		{Name: SendName, Handled: true, Internal: true, OptIn: true, Class: permission.Agent, Took: stopTook, Description: sendText, fields: sendFields},
		{Name: TeamCreateName, Handled: true, Internal: true, OptIn: true, Class: permission.Agent, Took: stopTook, Description: teamCreateText, fields: teamFields},
		{Name: TeamDeleteName, Handled: true, Internal: true, OptIn: true, Class: permission.Agent, Took: stopTook, Description: teamDeleteText},
		{Name: TaskCreateName, Handled: true, OptIn: true, Class: permission.Meta, Took: todoTook, Description: taskCreateText, fields: newTaskFields},
		{Name: TaskGetName, Handled: true, OptIn: true, Safe: true, Class: permission.Meta, Took: todoTook, Description: taskGetText, fields: taskIDFields},
		{Name: TaskListName, Handled: true, OptIn: true, Safe: true, Class: permission.Meta, Took: todoTook, Description: taskListText},
		{Name: TaskUpdateName, Handled: true, OptIn: true, Class: permission.Meta, Took: todoTook, Description: taskUpdateText, fields: updateFields},
	}
}

// ParseTeamInput checks a call of TeamCreate.
func ParseTeamInput(p *llm.Payload) (name, about string, err error) {
	var in input
	if err := teamFields.read(p.Raw(), &in); err != nil {
		return "", "", err
	}
	return in[0].text(), in[1].text(), nil
}

// ParseNewTask checks a call of TaskCreate.
func ParseNewTask(p *llm.Payload) (t team.Task, err error) {
	var in input
	if err := newTaskFields.read(p.Raw(), &in); err != nil {
		return t, err
	}
	t = team.Task{Subject: in[0].text(), Description: in[1].text(), Active: in[2].text()}
	if strings.TrimSpace(t.Subject) == "" {
		return t, emptyField("subject")
	}
	t.Metadata, err = pairs(in[3])
	t.Metadata = slices.DeleteFunc(t.Metadata, func(p team.Pair) bool { return p.Value == "null" })
	return t, err
}

// ParseTaskID checks a call of TaskGet.
func ParseTaskID(p *llm.Payload) (int, error) {
	var in input
	if err := taskIDFields.read(p.Raw(), &in); err != nil {
		return 0, err
	}
	return taskNumber(in[0].text())
}

// ParseTaskUpdate checks a call of TaskUpdate.
func ParseTaskUpdate(p *llm.Payload) (id int, c team.Change, err error) {
	var in input
	if err = updateFields.read(p.Raw(), &in); err != nil {
		return 0, c, err
	}
	if id, err = taskNumber(in[0].text()); err != nil {
		return 0, c, err
	}
	text := func(v value) *string {
		if v.kind == absent {
			return nil
		}
		s := v.text()
		return &s
	}
	if s := text(in[1]); s != nil {
		status := team.Status(*s)
		c.Status = &status
	}
	c.Owner, c.Subject, c.Description, c.Active = text(in[2]), text(in[3]), text(in[4]), text(in[5])
	for i, to := range map[int]*[]int{6: &c.Blocks, 7: &c.After} { // order: each has its own place
		if *to, err = numbers(in[i]); err != nil {
			return 0, c, fmt.Errorf("field %q: %w", updateFields[i].name, err)
		}
	}
	c.Metadata, err = pairs(in[8])
	return id, c, err
}

// taskNumber is the number of a task's id.
func taskNumber(id string) (int, error) {
	n, err := strconv.Atoi(strings.TrimPrefix(id, "#"))
	if err != nil || n < 1 {
		return 0, fmt.Errorf("%q is no id of a task: ids are numbers, as TaskList says", id)
	}
	return n, nil
}

func numbers(v value) (out []int, err error) {
	if v.kind == absent {
		return nil, nil
	}
	var ids []string
	if err := json.Unmarshal([]byte(v.raw), &ids); err != nil {
		return nil, fmt.Errorf("it is a list of ids as strings")
	}
	for _, id := range ids {
		n, err := taskNumber(id)
		if err != nil {
			return nil, err
		}
		out = append(out, n)
	}
	return out, nil
}

// pairs are the members of an object, in order of keys.
func pairs(v value) (out []team.Pair, err error) {
	if v.kind == absent {
		return nil, nil
	}
	rest, err := object(v.raw)
	for err == nil {
		name, x, left, ok := member(rest)
		if !ok {
			break
		}
		out, rest = append(out, team.Pair{Key: name.text(), Value: x.raw}), left
	}
	slices.SortFunc(out, func(a, b team.Pair) int { return strings.Compare(a.Key, b.Key) })
	return out, err
}
