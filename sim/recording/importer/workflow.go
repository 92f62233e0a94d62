package importer

import (
	"path"
	"strings"
)

// journalName is the file in which a workflow keeps which agents it has started.
const journalName = "journal.jsonl"

// workflowOf takes apart where the files of a workflow's agents lie:
// SESSION/subagents/workflows/RUN/FILE. ok is false for any other place.
func workflowOf(file string) (session, run string, ok bool) {
	dir, run := path.Split(path.Dir(file))
	dir, found := strings.CutSuffix(dir, "subagents/workflows/")
	if !found {
		return "", "", false
	}
	none := &skips{}
	return short(plain(path.Base(path.Clean("/"+dir)), none, "", 0)), plain(run, none, "", 0), true
}

// readJournal takes from a workflow's journal which agents were its own.
func (c *claudeCodeReader) readJournal(src source) error {
	_, run, _ := workflowOf(src.name)
	c.file = src.name
	return c.each(src, func(line []byte, _ bool) {
		var j struct{ Type, AgentID string }
		if !c.decode(line, &j, "line that is no JSON object") || j.Type != "started" {
			return
		}
		if t, ok := c.agents[c.word(j.AgentID)]; ok && j.AgentID != "" {
			c.threads[t].Workflow = c.word(run)
		} else {
			c.skip("agent of a workflow whose requests are not in the recording")
		}
	})
}
