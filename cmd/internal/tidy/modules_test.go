package tidy

import (
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
)

// unreached are functions that no program of the tree calls, by a pattern over
// path and name, and why they are there all the same.
var unreached = []struct{ pattern, why string }{
	{`cachemodel\.(NewDeepSeek|NewVLLM|NewSGLang|DeepSeek\..*|VLLM(Pool|Sequence)?\..*|SGLang\..*|sglangServer\.relock)`, "engines of other providers: tested, and waiting for the choice by provider"},
	{`cachemodel\.(appendTokens|appendText|mix64|isPrefix|Admission\.readTokens)`, "what those engines share"},
	{`sim/llm\.(AppendPrefix|AppendRequest|Counted)`, "the flat bytes that prompts are hashed and counted by, whole: what tests compare with"},
	{`sim/bridge\.(New|Activities|subject|excerpt|Config\.check|Bridge\..*|session\..*|refresher\..*|firing\.Fire|newProcess|process\..*|said\.check|Refusal\.Error)`, "the bridge: its processes are agentsim session; tests give it a control plane, a run has none"},
	{`sim/bridge/session\.Session\.(Kill|Terminate)`, "how the bridge ends its process"},
	{`cachemodel\.(Anthropic\.Entries|BlockCache\.Len|SGLangTree\.Locked)|metrics/report\.Table\.Len|sim/kernel\.Proc\.Err|sim/task\.Task\.Notified|sim/llm/tokens\.Counts\.Name`, "what tests ask"},
	{`sim/llm\.Builder\.(Clear|clear|Toolset)|mockllm\.Answer\.Serve`, "parts of prompts and answers that no scenario has: tested against the documents"},
	{`sim/recording/recordingtest\..*`, "for tests"},
	{`sim/definition\.Parse`, "one definition by itself, as tests of two rooms read them"},
}

// TestModules runs the go command, which fetches what it looks at where no build of
// this tree has: tests of other modules.
func TestModules(t *testing.T) {
	t.Run("go.mod and go.sum say what the tree imports", func(t *testing.T) {
		if out := goTool(t, "mod", "tidy", "-diff"); out != "" {
			t.Errorf("run go mod tidy:\n%s", out)
		}
	})
}

func checkUnreached(t *testing.T, functions []string) {
	used := make([]bool, len(unreached))
	for _, f := range functions {
		meant := false
		for i, u := range unreached {
			if regexp.MustCompile("^" + u.pattern + "$").MatchString(f) {
				used[i], meant = true, true
			}
		}
		if !meant {
			t.Errorf("%s: no program calls it: delete it, or move it to the test that does", f)
		}
	}
	for i, u := range unreached {
		if !used[i] {
			t.Errorf("the exception %s is no longer needed", u.pattern)
		}
	}
}

// goTool runs the go command in the root of the tree.
func goTool(t *testing.T, args ...string) string {
	cmd := exec.Command("go", args...)
	cmd.Dir = "../../.."
	cmd.Env = append(os.Environ(), "GOFLAGS=-mod=mod "+os.Getenv("GOFLAGS"), "GOGC=400") // more memory, less time
	var told strings.Builder                                                             // downloads among it
	cmd.Stderr = &told
	out, err := cmd.Output()
	if err != nil && !strings.HasPrefix(string(out), "diff ") {
		t.Fatalf("go %s: %v\n%s%s", strings.Join(args, " "), err, out, told.String())
	}
	return string(out)
}
