package importer

import (
	"encoding/json"
	"slices"
	"strings"

	"agentsim/sim/recording"
)

// ccTold is a thing told of a persistent list, newest last.
type ccTold struct {
	before *ccTold
	told   recording.Told
}

// ccState is what lines have set so far, along one conversation.
type ccState struct {
	thinking string // of recording.Settings
	line     int64  // that set it
	plan     bool   // the client is in plan mode
}

// note says that the present line tells something.
func (c *claudeCodeReader) note(n *ccNode, w recording.What) {
	n.told = &ccTold{n.told, c.here(w)}
}

func (c *claudeCodeReader) here(w recording.What) recording.Told {
	return recording.Told{What: w, File: int32(len(c.out.Files)), Line: c.number}
}

// commands are the client's own commands that touch the cache.
var commands = map[string]recording.What{"/exit": recording.ResumeTold, "/quit": recording.ResumeTold, "/resume": recording.ResumeTold,
	"/model": recording.ModelTold, "/fast": recording.FastTold, "/plan": recording.PlanTold}

// command says what a text of the client's own tells: a command, or that a tool
// server was connected again.
func (c *claudeCodeReader) command(n *ccNode, text string) {
	text = strings.TrimSpace(text)
	if strings.HasPrefix(text, "<local-command-stdout>Reconnected") {
		c.note(n, recording.MCPTold)
		return
	}
	if !strings.HasPrefix(text, "<command-") {
		return
	}
	_, name, _ := strings.Cut(text, "<command-name>")
	name, _, _ = strings.Cut(name, "</command-name>")
	if w, ok := commands[name]; ok {
		c.note(n, w)
	}
}

// userTells takes from a line of the user what it tells beside its words.
func (c *claudeCodeReader) userTells(l *ccLine, n *ccNode, blocks []ccBlock, isResult bool) {
	c.plan(n, l.Permission)
	if isResult {
		return
	}
	for i := range blocks {
		c.command(n, blocks[i].Text)
	}
	if l.Summary && recording.ThinkingByText(l.Version) {
		return // what follows a compaction keeps the setting: 18 of 21 recorded prompts behind one read all
	}
	n.state.thinking, n.state.line = "untyped", c.number
	if len(l.Thinking) > 0 && l.Thinking[0] == '{' {
		n.state.thinking = "typed"
	}
}

// plan sees plan mode begin and end.
func (c *claudeCodeReader) plan(n *ccNode, permission string) {
	if permission == "" || (permission == "plan") == n.state.plan {
		return
	}
	n.state.plan = !n.state.plan
	c.note(n, recording.PlanTold)
}

var systemTold = map[string]recording.What{"microcompact_boundary": recording.MicrocompactTold, "api_error": recording.ErrorTold,
	"away_summary": recording.AwayTold}

func (c *claudeCodeReader) systemTells(l *ccLine, n *ccNode) {
	if w, ok := systemTold[l.Subtype]; ok {
		c.note(n, w)
	}
	var text string
	if l.Subtype == "local_command" && json.Unmarshal(l.Content, &text) == nil {
		c.command(n, text)
	}
}

var attachmentTold = map[string]recording.What{"deferred_tools_delta": recording.ToolListTold, "agent_listing_delta": recording.AgentListTold,
	"mcp_instructions_delta": recording.MCPTold, "skill_listing": recording.SkillListTold, "plan_mode": recording.PlanTold,
	"plan_mode_exit": recording.PlanTold, "plan_mode_reentry": recording.PlanTold}

// resumedHook is what a hook is called that runs when a session is taken up again.
const resumedHook = "SessionStart:resume"

func (c *claudeCodeReader) attachmentTells(l *ccLine, n *ccNode) {
	c.resumed(&l.Attachment, n)
	if w, ok := attachmentTold[l.Attachment.Type]; ok {
		c.note(n, w)
	}
}

// resumed takes from an attachment or a line of progress that the session was taken
// up again.
func (c *claudeCodeReader) resumed(e *ccEvent, n *ccNode) {
	if e.Hook == resumedHook {
		c.note(n, recording.ResumeTold)
	}
}

const fast = "fast"

var (
	efforts = []string{"low", "medium", "high", "xhigh", "max"}
	speeds  = []string{"standard", fast}
)

// oneOf is a setting's value, if it is one that is known: free text is not
// imported.
func oneOf(value string, known []string) string {
	if value == "" || slices.Contains(known, value) {
		return value
	}
	return "other"
}

// tell gives a request that begins its settings, and what lies between it and its
// predecessor.
func (c *claudeCodeReader) tell(r *recording.Request, l *ccLine, n ccNode) {
	r.Settings = recording.Settings{Thinking: n.state.thinking, Effort: oneOf(l.Effort, efforts)}
	if u := l.Message.Usage; u != nil {
		r.Settings.Speed = oneOf(u.Speed, speeds)
	}
	c.skills = append(c.skills, l.Skill)
	sub := c.threads[r.Thread].Kind != recording.Main
	if sub {
		r.Settings.Thinking = "" // nobody types to it
	}
	if r.Pred < 0 {
		return
	}
	for t := n.told; t != nil; t = t.before {
		r.Told = append(r.Told, t.told)
	}
	slices.Reverse(r.Told)
	p := &c.requests[r.Pred]
	if sub {
		r.Settings.Thinking = p.Settings.Thinking
	}
	if p.Settings.Speed == fast {
		r.Settings.Speed = fast // its header stays when it is left again (CACHE-94)
	}
	changed := func(w recording.What, was, is string, line int64) {
		if was != is && was != "" && is != "" {
			r.Told = append(r.Told, recording.Told{What: w, File: int32(len(c.out.Files)), Line: line})
		}
	}
	changed(recording.ThinkingTold, p.Settings.Thinking, r.Settings.Thinking, n.state.line)
	changed(recording.EffortTold, p.Settings.Effort, r.Settings.Effort, c.number)
	changed(recording.SpeedTold, p.Settings.Speed, r.Settings.Speed, c.number)
	changed(recording.VersionTold, p.Version, r.Version, c.number)
	if c.skills[r.Pred] != l.Skill {
		r.Told = append(r.Told, c.here(recording.SkillTold))
	}
}
