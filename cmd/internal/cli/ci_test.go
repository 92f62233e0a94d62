package cli

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/goccy/go-yaml"
	"github.com/rogpeppe/go-internal/testscript"
)

// examplesDir is the directory of the examples for CI, as scripts see it.
const examplesDir = "CI_EXAMPLES"

// setExamples tells scripts where the examples for CI are.
func setExamples(env *testscript.Env) error {
	dir, err := filepath.Abs("../../../testdata/ci")
	env.Setenv(examplesDir, dir)
	return err
}

// workflow runs a step of a GitHub workflow as its runner would: workflow STEP [FILE].
func workflow() {
	var w struct {
		Jobs map[string]struct {
			Steps []struct{ Name, Run, Shell string }
		}
	}
	file := append(os.Args[2:], "github-actions.yml")[0]
	src, err := os.ReadFile(filepath.Join(os.Getenv(examplesDir), file))
	if err == nil {
		err = yaml.Unmarshal(src, &w)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	for _, s := range w.Jobs["gate"].Steps {
		if s.Name != os.Args[1] || s.Shell != "bash" {
			continue
		}
		cmd := exec.Command("bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", s.Run)
		cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
		var exit *exec.ExitError
		if err := cmd.Run(); errors.As(err, &exit) {
			os.Exit(exit.ExitCode())
		} else if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	fmt.Fprintln(os.Stderr, "no step of that name that says shell: bash")
	os.Exit(1)
}
