package agent

import (
	"path"
	"strings"

	"agentsim/sim/llm"
	"agentsim/sim/task"
	"agentsim/sim/tool"
	"agentsim/sim/transcript"
)

// Where a project keeps what definitions name.
const (
	commandsDir = ".claude/commands/"
	skillsDir   = ".claude/skills/"
)

// usable refuses a definition that asks for what nothing serves yet, unless the call asks
// for another isolation.
func (d *Definition) usable(isolation string, remote bool) error {
	why := d.Unserved(isolation, remote)
	if len(why) == 0 {
		return nil
	}
	return wireError("Agent type '" + d.Type + "' cannot be started: " + strings.Join(why, "; ") + ".")
}

func (a *Agent) finding(rule, detail string) {
	a.w.rec.emit(a.ref, &transcript.Finding{Rule: rule, Detail: detail})
}

// expanded is a text with a slash command at its front replaced by the text of
// the project's file for it, or of the skill of that name; the words behind it take the
// place of $ARGUMENTS. A command without a file stays as it is, and is told.
func (b *spawning) expanded(text string) string {
	if !strings.HasPrefix(text, "/") {
		return task.Defuse(text)
	}
	name, args, _ := strings.Cut(text[1:], " ")
	file := commandsDir + strings.ReplaceAll(name, ":", "/") + ".md"
	body, ok := b.by.w.projectText(file)
	if !ok {
		body, ok = b.by.w.projectText(skillsDir + name + "/SKILL.md")
	}
	if !ok {
		b.by.finding("unknown-command", b.def.Place+": /"+name+" is no command or skill of this project: "+file)
		return task.Defuse(text)
	}
	return withArguments(body, args)
}

// withArguments is a command's or a skill's text with the words that it is given.
func withArguments(body, args string) string {
	args = task.Defuse(strings.TrimSpace(args))
	if strings.Contains(body, "$ARGUMENTS") || args == "" {
		return strings.ReplaceAll(body, "$ARGUMENTS", args)
	}
	return body + "\n\n" + args
}

// skill runs the Skill tool: the text of the project's skill comes as the result.
func skill(a *Agent, use *llm.Block) tool.Result {
	name, args, err := tool.ParseSkillInput(use.Content)
	if err != nil {
		return failure(err.Error())
	}
	text, ok := a.w.projectText(skillsDir + name + "/SKILL.md")
	if !ok {
		return failure("There is no skill " + name + ": " + skillsDir + name + "/SKILL.md is no file of this project.")
	}
	return tool.Result{Content: llm.NewText(llm.Prose, skillBlock(name, withArguments(text, args)))}
}

func skillBlock(name, text string) string {
	return "<skill name=\"" + name + "\">\n" + text + "\n</skill>\n"
}

// projectText is a file of the project as a prompt takes it: without its
// frontmatter, and without what could pass for a notification.
func (w *World) projectText(file string) (string, bool) {
	if path.Clean(file) != file {
		return "", false
	}
	text, ok := w.cfg.FS.Content(file)
	if !ok {
		return "", false
	}
	text = strings.ReplaceAll(text, "\r\n", "\n")
	if rest, fenced := strings.CutPrefix(text, "---\n"); fenced {
		if _, body, closed := strings.Cut(rest, "\n---\n"); closed {
			text = body
		}
	}
	return task.Defuse(strings.Trim(text, "\n")), true
}

// open starts a fresh conversation: user context, the texts of the definition's
// skills, its initial prompt, then the prompt (SUB-08, DEF-06). Without skills
// and initial prompt that is one message of the context and the prompt.
func (b *spawning) open() {
	a := b.child
	task := llm.Block{Kind: llm.Text, Content: llm.NewText(llm.Prose, task.Defuse(b.in.Prompt))}
	learn(a, []llm.Block{task})
	first := a.front.opens(make([]llm.Block, 0, 3))
	first = instructed(a, first)
	give := func(x llm.Block) {
		first, a.given = append(first, x), append(a.given, x)
	}
	if a.mate != nil {
		give(textBlock(a.mate.introduced()))
	}
	for _, name := range a.def.Skills {
		text, ok := a.w.projectText(skillsDir + name + "/SKILL.md")
		if !ok {
			b.by.finding("missing-skill", a.def.Place+": skill "+name+" is not there: "+skillsDir+name+"/SKILL.md")
			continue
		}
		give(textBlock(skillBlock(name, text)))
		a.say(&llm.Msg{Role: llm.User, Blocks: first})
		first = nil
	}
	if text := a.def.InitialPrompt; text != "" {
		give(textBlock(b.expanded(text) + "\n\n"))
	}
	give(task)
	a.say(&llm.Msg{Role: llm.User, Blocks: first})
}
