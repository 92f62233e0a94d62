package policy

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"agentsim/sim/llm"
	"agentsim/sim/task"
	"agentsim/sim/tool"
)

// workers are those of a house's coordinator. They are started as they are
// asked for, and run one after another, each to the end of its assignment, while
// the coordinator is idle.
type workers struct {
	members []*member
	running []*member
	next    func(running int) int // which of them ends next; nil is the first
	ends    []string              // how activations end: <id>:error, <id>:stop, behind a further colon after how many calls
	gone    []string              // ids that no message reaches
	busy    func(ids []string)    // told of who is at work, whenever somebody is set to work
}

// member is a worker.
type member struct {
	id   string
	desc string
	a    *agent
}

// employ carries out a coordinator's tool use.
func (h *house) employ(a *agent, u *llm.Block, n int) tool.Result {
	if u.Name == agentTool {
		in, _, err := (*tool.Inputs)(nil).Agent(u.Content, tool.AgentGates{})
		if err != nil || in.Type != "worker" || in.Model != "" {
			return tool.Error(fmt.Sprintf("not a worker: %v %q %q", err, in.Type, in.Model))
		}
		if h.prompt != nil {
			in.Prompt = h.prompt(in.Prompt)
		}
		lineage := fmt.Sprintf("%s/%d.%d", a.lineage, a.calls-1, n+1)
		m := &member{"a" + strings.TrimPrefix(lineage, "main/"), in.Description, h.start(lineage, nil, in.Prompt)}
		h.workers.members = append(h.workers.members, m)
		h.setToWork(m)
		return tool.Result{Content: llm.NewText(llm.Prose, `{"status":"async_launched","agentId":"`+m.id+`","description":"x"}`)}
	}
	to, message := jsonField(u.Content.Raw(), "to"), jsonField(u.Content.Raw(), "message")
	i := slices.IndexFunc(h.workers.members, func(m *member) bool { return m.id == to })
	if i < 0 || slices.Contains(h.workers.gone, to) || slices.Contains(h.workers.running, h.workers.members[i]) {
		return tool.Error("no agent that can be told: " + to)
	}
	h.workers.members[i].a.append(llm.User, llm.Block{Kind: llm.Text, Content: llm.NewText(llm.Prose, message)})
	h.setToWork(h.workers.members[i])
	return tool.Result{Content: llm.NewText(llm.Prose, `{"status":"resumed"}`)}
}

func (h *house) setToWork(m *member) {
	h.workers.running = append(h.workers.running, m)
	if h.workers.busy == nil {
		return
	}
	var ids []string
	for _, r := range h.workers.running {
		ids = append(ids, r.id)
	}
	h.workers.busy(ids)
}

// relieve lets one of the workers come to its end and notifies the coordinator.
// It reports whether there was one.
func (h *house) relieve(a *agent) bool {
	if len(h.workers.running) == 0 {
		return false
	}
	i := 0
	if h.workers.next != nil {
		i = h.workers.next(len(h.workers.running))
	}
	m := h.workers.running[i]
	h.workers.running = slices.Delete(h.workers.running, i, i+1)
	n := task.Notification{TaskID: m.id, OutputFile: "o", Status: task.Completed, Description: m.desc}
	limit := 60
	if j := slices.IndexFunc(h.workers.ends, func(e string) bool { return strings.HasPrefix(e, m.id+":") }); j >= 0 {
		words := strings.Split(h.workers.ends[j], ":")
		h.workers.ends = slices.Delete(h.workers.ends, j, j+1)
		n.Status, n.Error, limit = task.Failed, "529 overloaded_error", 0
		if words[1] == "stop" {
			n.Status = task.Killed
		}
		if len(words) > 2 {
			limit, _ = strconv.Atoi(words[2])
		}
		fmt.Fprintf(&h.log, "%s ends: %s\n", m.id, n.Status)
	}
	for calls := 0; calls < limit; calls++ {
		uses := m.a.ask()
		if len(uses) == 0 {
			break
		}
		m.a.use(uses)
	}
	if n.Status == task.Completed {
		n.Result = m.a.said
	}
	a.pending = append(a.pending, n.Render())
	return true
}

// jsonField is a text field of a tool use's input.
func jsonField(in, name string) string {
	_, rest, ok := strings.Cut(in, `"`+name+`":"`)
	if !ok {
		return ""
	}
	return unquote(rest)
}

// begin notes an item that somebody is told of for the first time, and whether
// research that it waits for was not begun or is under way.
func (w *assigned) begin(id string) {
	if !w.given[id] {
		for _, r := range w.h.item(id).findings(&w.h.table.coordinator).list(nil) {
			research := w.h.table.items[r].id
			if !w.given[research] || slices.ContainsFunc(w.h.workers.members, func(m *member) bool {
				return slices.Contains(w.h.workers.running, m) && slices.Contains(w.now[m.id], research)
			}) {
				w.early = id + " before " + research
			}
		}
	}
	w.given[id] = true
}
