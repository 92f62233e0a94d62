package tool

import (
	"strings"
	"testing"
)

func TestCoordinator(t *testing.T) {
	all := append(Catalogue(), &Tool{Name: "mcp__tracker__search", MCP: true}, &Tool{Name: "mcp__tracker__open"}, &Tool{Name: "mcp__chat__say"})
	t.Run("CRD-01 of whatever a session offers a coordinator holds Agent, TaskStop, subscribe_pr_activity and SendMessage", func(t *testing.T) {
		if got := strings.Join(Names(ForCoordinator(all)), " "); got != "Agent TaskStop subscribe_pr_activity SendMessage" {
			t.Error(got)
		}
		some, err := Pick(all, []string{"Task", "Read", "Bash", "mcp__chat__say"})
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(Names(ForCoordinator(some)), " "); got != "Agent" {
			t.Error(got)
		}
	})
	t.Run("CRD-04 a worker has the tools of the background without the internal ones, and those of MCP servers; in simple mode Bash, Read and Edit and those of servers", func(t *testing.T) {
		for simple, want := range map[bool]string{ // order: two cases, each on its own
			false: "Read Grep Glob Edit Write NotebookEdit Bash Skill TodoWrite mcp__tracker__search mcp__tracker__open mcp__chat__say",
			true:  "Read Edit Bash mcp__tracker__search mcp__tracker__open mcp__chat__say",
		} {
			who := Subject{BuiltIn: true, Async: true, Worker: true}
			if got := strings.Join(Names(Filter(ForWorkers(all, simple), who, []string{"*"}, nil).Tools), " "); got != want {
				t.Errorf("simple %v: %s", simple, got)
			}
		}
	})
	t.Run("CRD-03 tools of servers are told by their servers, each once", func(t *testing.T) {
		own, servers := Servers(all[len(all)-5:])
		if got := strings.Join(own, " ") + " | " + strings.Join(servers, " "); got != "TaskList TaskUpdate | tracker chat" {
			t.Error(got)
		}
	})
}
