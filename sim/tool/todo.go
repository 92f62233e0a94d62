package tool

import (
	"encoding/json"
	"fmt"

	"agentsim/sim/llm"
)

var todoFields = fields{
	{name: "todos", typ: arrayType, required: true, about: "The whole list as it now stands.", inner: todoItems},
}

// Todo is one step of an agent's list.
type Todo struct {
	Content string // the step, as an order
	Status  string // pending, in_progress or completed
	Active  string // the step as an activity
}

// todoStep is the fields of one step, as todoItems has them.
var todoStep = fields{
	{name: "content", required: true},
	{name: "status", required: true, enum: []string{"pending", "in_progress", "completed"}},
	{name: "activeForm", required: true},
}

// maxTodos bounds a list.
const maxTodos = 1000

// runTodo replaces the agent's list of steps.
func runTodo(e *Env, p *llm.Payload) Result {
	var in input
	if err := todoFields.read(p.Raw(), &in); err != nil {
		return badInput("TodoWrite", err)
	}
	var list []Todo
	count := map[string]int{}
	var items []json.RawMessage
	if err := json.Unmarshal([]byte(in[0].raw), &items); err != nil {
		return badInput("TodoWrite", err)
	}
	for i, item := range items {
		var step input
		if err := todoStep.read(string(item), &step); err != nil {
			return badInput("TodoWrite", fmt.Errorf("todos[%d]: %w", i, err))
		}
		t := Todo{step[0].text(), step[1].text(), step[2].text()}
		if t.Content == "" || t.Active == "" {
			return badInput("TodoWrite", fmt.Errorf("todos[%d]: content and activeForm must not be empty", i))
		}
		if i == maxTodos {
			return badInput("TodoWrite", fmt.Errorf("the list has more than %d steps", maxTodos))
		}
		count[t.Status]++
		list = append(list, t)
	}
	e.session().Todos = list
	text := fmt.Sprintf("The list has %d steps: %d completed, %d in progress, %d pending.", len(list), count["completed"], count["in_progress"], count["pending"])
	return Result{Content: llm.NewText(llm.Prose, text)}
}
