package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// reviews is work on whatever Go files a directory holds, by agents whose sizes and
// wandering are the recorded profile's.
const reviews = `agentsim: 1
name: reviews
project: DIR
compare: [subagent, fork]
provider: {model: claude-sonnet-5-5}
profile: recorded-2026-11
script: {main: {user: Review the package., tools: [Agent, Read, Glob, Grep, Edit, Bash]}}
lab: {permissions: {mode: bypassPermissions}}
work:
  - {id: first, kind: research, reads: [{glob: "**/*.go", count: 3, pick: first}]}
  - {id: second, kind: research, reads: [{glob: "**/*.go", count: 3, pick: second}]}
  - {id: mend, kind: implement, after: [first, second], edits: [{file: {glob: "**/*.go", count: 1, pick: first}, tokens: 200}]}
expect:
  - all.items.done == 3
  - subagent.general-purpose.calls >= 18
`

func TestRealTrees(t *testing.T) {
	goroot, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	own, err := filepath.Abs("../../..")
	if err != nil {
		t.Fatal(err)
	}
	for name, dir := range map[string]string{"net/http of the standard library": filepath.Join(strings.TrimSpace(string(goroot)), "src", "net", "http"), "this tree": own} {
		t.Run("WAN-02 WAN-04 agents find their way in "+name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			if err := os.WriteFile("reviews.yaml", []byte(strings.Replace(reviews, "DIR", dir, 1)), 0o666); err != nil {
				t.Fatal(err)
			}
			code, out, errs := try(nil, "run", "reviews.yaml")
			run := regexp.MustCompile(`(?m)^recorded .*, (?:run|runs) .*?([0-9a-f]{8})$`).FindStringSubmatch(out)
			if code != 0 || run == nil || !regexp.MustCompile(`(?m)^fork .* 3/3$`).MatchString(out) || !strings.Contains(out, "profile recorded-2026-11: 214 sessions") {
				t.Fatalf("code %d\n%s\n%s", code, out, errs)
			}
			if code, out, errs := try(nil, "export", run[1]); code != 0 {
				t.Fatal(out, errs)
			}
			if built := commandsIn(t, "export")["go build ./..."] > 0; built != (name == "this tree") {
				t.Errorf("whether edits are built by the command that is there: %v\n%s", built, out)
			}
		})
	}
}

// commandsIn counts the commands of the transcripts below a directory.
func commandsIn(t *testing.T, dir string) map[string]int {
	t.Helper()
	out := map[string]int{}
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		for _, m := range regexp.MustCompile(`"command":"((?:[^"\\]|\\.)*)"`).FindAllStringSubmatch(string(text), -1) {
			out[m[1]]++
		}
		return err
	})
	if err != nil || len(out) == 0 {
		t.Fatal("no commands", err)
	}
	return out
}
