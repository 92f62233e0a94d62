package sim_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"agentsim/sim"
	"agentsim/sim/transcript"
)

// shared is work of which three items can be under way at one time.
const shared = `agentsim: 1
name: shared
provider: {model: claude-sonnet-5-5}
lab: {permissions: {allow: ["Bash(go test:*)"]}}
script:
  main: {user: Make it safe., tools: [Agent, Read, Edit, Grep, Glob, Bash, SendMessage, TeamCreate, TeamDelete, TaskCreate, TaskGet, TaskList, TaskUpdate]}
project:
  tests: [{command: go test ./a, files: "a/*.go", takes: 8s}]
  files:
    docs/a.md: "# A\nWhat happens here.\nWhat was agreed.\n"
    a/x.go: {tokens: 900, class: code}
    a/y.go: {tokens: 600, class: code}
    a/z.go: {tokens: 600, class: code}
  facts: [{name: a.twice, file: docs/a.md, line: 2}, {name: a.agreed, file: docs/a.md, line: 3}]
structure: team
work:
  - {id: read, kind: research, found_in: [docs/a.md], knows: [summaries], yields: [a.twice, a.agreed]}
  - {id: change-x, kind: implement, after: [read], knows: [a.twice], edits: [{file: a/x.go, tokens: 50}]}
  - {id: change-y, kind: implement, after: [read], knows: [a.agreed], edits: [{file: a/y.go, tokens: 50}]}
  - {id: change-z, kind: implement, after: [read], knows: [a.agreed], edits: [{file: a/z.go, tokens: 50}]}
  - {id: check, kind: verify, after: [change-x, change-y, change-z], runs: [go test ./a]}
`

var (
	claimed  = regexp.MustCompile(` team_task team=work task=(\d+) op=updated status=in_progress`)
	itemDone = regexp.MustCompile(` item item=(\S+) outcome=done`)
)

// teamDone runs a team and says what is wrong with how it did its work: not all items are
// done once, or a task was begun twice.
func teamDone(t *testing.T, spec *sim.Spec, items int) (lines []string) {
	t.Helper()
	var b strings.Builder
	res := runOf(t, spec, transcript.NewText(&b))
	if err := res.Audit.Err(); err != nil {
		t.Error(err)
	}
	lines = strings.Split(b.String(), "\n")
	begun, done := map[string]int{}, map[string]int{}
	for _, l := range lines {
		if m := claimed.FindStringSubmatch(l); m != nil {
			begun[m[1]]++
		}
		if m := itemDone.FindStringSubmatch(l); m != nil {
			done[m[1]]++
		}
	}
	for task, n := range begun {
		if n != 1 {
			t.Errorf("task %s was begun %d times", task, n)
		}
	}
	for item, n := range done {
		if n != 1 {
			t.Errorf("item %s was done %d times", item, n)
		}
	}
	if len(begun) != items || len(done) != items {
		t.Errorf("%d tasks were begun and %d items are done, want %d", len(begun), len(done), items)
	}
	if !strings.Contains(b.String(), " team team=work op=deleted") {
		t.Error("the team was not deleted")
	}
	return lines
}

func TestTeamwork(t *testing.T) {
	t.Run("SWM-08 a team does each item of its work once, whoever is first", func(t *testing.T) {
		teamDone(t, specOf(t, shared, ""), 5)
		for seed := range 50 {
			spec := specOf(t, shared, "", fmt.Sprintf("seed=%d", seed+1))
			spec.Policy = "random"
			teamDone(t, spec, 5)
		}
	})
	t.Run("SWM-08 a team does its work though its conversations are summed up", func(t *testing.T) {
		lines := teamDone(t, specOf(t, shared, "", "compaction={window: 16000, share: 70}"), 5)
		if !strings.Contains(strings.Join(lines, "\n"), " compact ") {
			t.Error("nothing was summed up")
		}
	})
	t.Run("SWM-08 a teammate whose request fails for good is told to go on, and its task is done", func(t *testing.T) {
		for n := range 3 {
			spec := specOf(t, shared, "", fmt.Sprintf(`faults=[500 agent=main/4.%d call=4]`, n+1))
			lines := strings.Join(linesOf(t, spec), "\n")
			if got := len(itemDone.FindAllString(lines, -1)); got != 5 {
				t.Errorf("teammate %d: %d items are done", n+1, got)
			}
		}
	})
}

// returning is a team whose member is shut down, written to, and shut down again.
const returning = `agentsim: 1
name: returning
provider: {model: claude-sonnet-5-5}
script:
  main: {user: Go., then: [{at: 60s, message: down}]}
  answers:
    - agent: main
      turns:
        - tools: [{name: TeamCreate, input: {team_name: work, description: d}}]
        - tools: [{name: Agent, input: {description: a, prompt: p, name: alice, team_name: work}}]
        - {say: waiting, until: idle}
        - tools: [{name: SendMessage, input: {to: alice, message: {type: shutdown_request, reason: x}}}]
        - {say: waiting, until: idle}
        - tools: [{name: SendMessage, input: {to: alice, message: back please}}]
        - {say: waiting, until: idle}
        - tools: [{name: SendMessage, input: {to: alice, message: {type: shutdown_request, reason: x}}}]
        - {say: waiting, until: idle}
        - tools: [{name: TeamDelete, input: {}}]
        - {say: done}
    - agent: main/*
      turns:
        - {say: here, until: idle}
        - tools: [{name: SendMessage, input: {to: team-lead, message: {type: shutdown_response, request_id: shutdown-1@alice, approve: true}}}]
        - tools: [{name: SendMessage, input: {to: team-lead, message: I am back}}]
        - {say: here, until: idle}
        - tools: [{name: SendMessage, input: {to: team-lead, message: {type: shutdown_response, request_id: shutdown-2@alice, approve: true}}}]
lab: {gates: {AGENT_SWARMS: true}}
`

func TestReturningMate(t *testing.T) {
	t.Run("SWM-04 SWM-06 a member that was shut down is one again once it is written to, by its mailbox", func(t *testing.T) {
		text := strings.Join(teamDone(t, specOf(t, returning, ""), 0), "\n")
		for want, times := range map[string]int{" op=joined name=alice": 2, " op=left name=alice": 2, " op=deleted": 1, " message task=": 0,
			" op=delivered place=resume from=team-lead to=alice n=1": 1} {
			if got := strings.Count(text, want); got != times {
				t.Errorf("%q %d times, want %d", want, got, times)
			}
		}
	})
}
