package tool

import (
	"strings"
	"testing"

	"agentsim/sim/llm"
	"agentsim/sim/workspace"
)

// TestElsewhere has the tools of files look into another worktree, from above and from beside.
func TestElsewhere(t *testing.T) {
	t.Run("WKT-04 WKT-05 files of another worktree are read and found under their absolute paths, and changed there alone", testElsewhere)
}

func testElsewhere(t *testing.T) {
	snap, err := workspace.NewSnapshot(map[string]string{"a.go": "ten\n", "b.go": "b\n"})
	if err != nil {
		t.Fatal(err)
	}
	const root = "/work/project"
	project := snap.Open()
	left := project.Fork(".claude/worktrees/left", nil, nil, nil)
	if _, err := left.Write("a.go", "twenty\n", 1); err != nil {
		t.Fatal(err)
	}
	above := &Env{FS: project, Cache: new(Cache), Root: root}
	within := &Env{FS: left, Cache: new(Cache), Root: root + "/.claude/worktrees/left"}
	for _, c := range []struct {
		env               *Env
		run               func(*Env, *llm.Payload) Result
		input, want, lack string
	}{
		{above, runRead, `{"file_path":"a.go"}`, "ten", "twenty"},
		{above, runRead, `{"file_path":"/work/project/.claude/worktrees/left/a.go"}`, "twenty\n[[file /work/project/.claude/worktrees/left/a.go ", ""},
		{above, runRead, `{"file_path":".claude/worktrees/left/a.go"}`, "twenty", ""},
		{above, runRead, `{"file_path":".claude/worktrees/left/c.go"}`, "does not exist", ""},
		{above, runRead, `{"file_path":".claude/worktrees"}`, "is a directory", ""},
		{above, runEdit, `{"file_path":".claude/worktrees/left/a.go","old_string":"twenty","new_string":"x"}`, "is in another worktree", ""},
		{above, runGrep, `{"pattern":"t"}`, "a.go", "left"},
		{above, runGrep, `{"pattern":"twenty","path":".claude/worktrees/left","output_mode":"content"}`, "/work/project/.claude/worktrees/left/a.go:1:twenty", ""},
		{above, runGlob, `{"pattern":"b*","path":"/work/project/.claude/worktrees/left"}`, "/work/project/.claude/worktrees/left/b.go", ""},
		{within, runRead, `{"file_path":"/work/project/a.go"}`, "ten\n[[file /work/project/a.go ", "twenty"},
		{within, runRead, `{"file_path":"/work/project/.claude/worktrees/left/a.go"}`, "twenty\n[[file a.go ", ""},
		{within, runWrite, `{"file_path":"../../../n.go","content":"x"}`, "is in another worktree", ""},
		{within, runGrep, `{"pattern":"t","path":"/work/project"}`, "/work/project/a.go", "left"},
		{within, runRead, `{"file_path":"/work/elsewhere/a.go"}`, "is outside the project", ""},
	} {
		got := c.run(c.env, llm.NewText(llm.JSON, c.input)).Content.Raw()
		if !strings.Contains(got, c.want) || c.lack != "" && strings.Contains(got, c.lack) {
			t.Errorf("%s: %s", c.input, got)
		}
	}
	if _, err := left.Write("a.go", "thirty\n", 1); err != nil {
		t.Fatal(err)
	}
	if got := runGrep(above, llm.NewText(llm.JSON, `{"pattern":"twenty","path":".claude/worktrees/left","output_mode":"content"}`)).Content.Raw(); strings.Contains(got, "a.go") {
		t.Errorf("found what was written over: %s", got)
	}
}
