package outside

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif"
)

// program is this program, built where no build has been named.
func program(t *testing.T) string {
	if name := os.Getenv("AGENTSIM_PROGRAM"); name != "" {
		return name
	}
	name := filepath.Join(t.TempDir(), "agentsim")
	build(t, "../..", name, "./cmd/agentsim")
	return name
}

// TestSARIF has every command that writes SARIF find something, and holds each file
// against the published schema, without a key that the schema does not have.
func TestSARIF(t *testing.T) {
	agentsim, dir := program(t), t.TempDir()
	run := func(code int, args ...string) string {
		cmd := exec.Command(agentsim, args...)
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		if cmd.ProcessState.ExitCode() != code {
			t.Fatalf("%v: %v\n%s", args, err, out)
		}
		return string(out)
	}
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("CLAUDE.md", "# Shop\n")
	run(0, "check", "--update")
	write("CLAUDE.md", "# Shop\n"+strings.Repeat("Names say what things are.\n", 100))
	run(3, "check", "--sarif", "check.sarif")

	if err := os.Mkdir(filepath.Join(dir, "my runs"), 0o755); err != nil {
		t.Fatal(err)
	}
	run(0, "scenario", "new", "my runs/first.yaml", "--example")
	run(0, "bench", "my runs/first.yaml", "--update")
	text, err := os.ReadFile(filepath.Join(dir, "my runs/first.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	write("my runs/first.yaml", strings.Replace(string(text), "4_000", "100_000", 1))
	run(3, "bench", "my runs/first.yaml", "--sarif", "bench.sarif")

	run(0, "run", "lazy-delegation", "--variant", "lazy")
	id := strings.Fields(strings.SplitN(run(0, "inspect"), "\n", 3)[1])[0]
	run(0, "lab", "lint", id, "--sarif", "lint.sarif")

	for name, rule := range map[string]string{"check": "head-grew", "bench": "expectation", "lint": "lazy-delegation"} {
		t.Run("EXPT-05 what "+name+" writes is SARIF by the published schema", func(t *testing.T) {
			text, err := os.ReadFile(filepath.Join(dir, name+".sarif"))
			if err != nil {
				t.Fatal(err)
			}
			d := json.NewDecoder(bytes.NewReader(text))
			d.DisallowUnknownFields()
			if err := d.Decode(&sarif.Report{}); err != nil {
				t.Fatal(err)
			}
			r, err := sarif.FromBytes(text)
			if err != nil {
				t.Fatal(err)
			}
			x := r.Runs[0] // what it leaves out, the library writes as the schema does not have it
			x.Language, x.Tool.Driver.Language, x.NewlineSequences = "en-US", "en-US", []string{"\n"}
			if err := r.Validate(); err != nil {
				t.Error(err)
			}
			if !strings.Contains(string(text), `"ruleId": "`+rule+`"`) {
				t.Errorf("nothing of rule %s in\n%s", rule, text)
			}
		})
	}
}
