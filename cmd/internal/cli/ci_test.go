package cli

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"agentsim/cmd/internal/rundb"

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

// TestContainer holds the container file, which tests cannot build, to the tree.
func TestContainer(t *testing.T) {
	t.Run("DOC-02 the container file builds with the Go of go.mod, by a target of the Makefile, and does not run as root", func(t *testing.T) {
		read := func(name string) string {
			text, err := os.ReadFile("../../../" + name)
			if err != nil {
				t.Fatal(err)
			}
			return string(text)
		}
		file := read("Containerfile")
		version := regexp.MustCompile(`(?m)^go (\S+)$`).FindStringSubmatch(read("go.mod"))
		if version == nil || !strings.Contains(file, "\nFROM golang:"+version[1]+" AS build\n") {
			t.Errorf("it does not build with %q", version)
		}
		target := regexp.MustCompile(`(?m)^RUN make (\S+)$`).FindStringSubmatch(file)
		if target == nil || !strings.Contains(read("Makefile"), "\n"+target[1]+": ## ") {
			t.Errorf("the Makefile has no target %q", target)
		}
		lines := strings.Split(file, "\n")
		user, entry := slices.Index(lines, "USER agentsim"), slices.Index(lines, `ENTRYPOINT ["agentsim"]`)
		if user < 0 || entry < user || strings.Contains(strings.Join(lines[user+1:], "\n"), "USER ") {
			t.Errorf("the program runs as root: USER at line %d, ENTRYPOINT at %d", user+1, entry+1)
		}
		if !slices.Contains(lines, "WORKDIR /work") || !slices.Contains(lines, "ENV "+rundb.Variable+"="+rundb.UsualName) {
			t.Error("it does not record in the directory that is mounted, and the user's own goes with the container")
		}
	})
}
