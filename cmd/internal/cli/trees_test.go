package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// reviews is work on whatever Go files a directory holds, by children who wander as
// recorded ones do.
const reviews = `agentsim: 1
name: reviews
project: DIR
compare: [subagent, fork]
provider: {model: claude-sonnet-5-5}
model: {wander: {uses: {lognormal: {median: 22, sigma: 0.6, max: 66}}, near: 25}}
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
			code, out, errs := try(nil, "run", "reviews.yaml", "--record", "none")
			if code != 0 || !regexp.MustCompile(`(?m)^fork .* 3/3$`).MatchString(out) {
				t.Errorf("code %d\n%s\n%s", code, out, errs)
			}
			if built := strings.Contains(out, "go build ./... takes 4s"); built != (name == "this tree") {
				t.Errorf("whether a build is there is assumed: %v\n%s", built, out)
			}
		})
	}
}
