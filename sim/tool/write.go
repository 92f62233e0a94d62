package tool

import (
	"errors"

	"agentsim/sim/llm"
	"agentsim/sim/workspace"
)

var writeFields = fields{
	{name: "file_path", required: true, about: "Absolute path of the file to create or replace."},
	{name: "content", required: true, about: "The whole new content of the file."},
}

// runWrite makes a file, or replaces one that this agent has read in its
// present version. The result's mark names the new version, all of whose lines
// the agent knows.
func runWrite(e *Env, p *llm.Payload) Result {
	var in input
	if err := writeFields.read(p.Raw(), &in); err != nil {
		return badInput("Write", err)
	}
	rel, err := e.relative(in[0].text())
	switch {
	case err != nil:
		return refused(err)
	case rel == "":
		return refused(errors.New("the project itself is a directory: write a file below it"))
	}
	did := "Created"
	if f := e.FS.File(rel); f != nil {
		did = "Replaced"
		if _, err := e.fresh(f, "write"); err != nil {
			return refused(err)
		}
	}
	v, err := e.FS.Write(rel, in[1].text(), e.Agent)
	if err != nil {
		return refused(err)
	}
	return e.written(did+" "+rel+".", rel, v, Entry{From: int32(min(1, v.Lines)), To: int32(v.Lines)})
}

// written notes what the agent now knows of a version that it made and answers
// with its mark.
func (e *Env) written(text, path string, v workspace.Version, seen Entry) Result {
	first, last := int32(min(1, v.Lines)), int32(v.Lines)
	seen = Entry{ReadAt: e.Now, Hash: v.Hash, From: max(first, min(seen.From, last)), To: min(seen.To, last)}
	f := e.FS.File(path)
	e.Cache.Put(f.Path(), seen)
	return Result{Content: llm.NewText(llm.Prose, text+"\n"+e.fileMark(f.Path(), v, int(seen.From), int(seen.To)))}
}
