package outside

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

const examples = "github.com/modelcontextprotocol/go-sdk/examples/server/"

// servers are those that are asked: examples of the SDK as they are, and one of our own
// with many tools, by their names in .mcp.json.
var servers = map[string]struct {
	program string
	args    []string
	refused string // what is said of one whose tools are not saved
}{
	"everything":  {examples + "everything", nil, ""},
	"memory":      {examples + "memory", nil, ""},
	"toolschemas": {examples + "toolschemas", nil, ""},
	"pages":       {"./manytools", []string{"-tools", "10", "-page", "4"}, ""},
	"most":        {"./manytools", []string{"-tools", "500", "-page", "7"}, ""},
	"many":        {"./manytools", []string{"-tools", "10000", "-page", "100"}, "it lists 600 tools of "},
	"whole":       {"./manytools", []string{"-tools", "10000", "-page", "10000"}, "it lists 10000 tools of "},
}

// TestServers saves the tools of real servers, and compares them with what the SDK's own
// client lists.
func TestServers(t *testing.T) {
	bin, repo := t.TempDir(), t.TempDir()
	agentsim := program(t)
	file := map[string]map[string]any{"mcpServers": {}}
	for name, s := range servers {
		program := filepath.Join(bin, filepath.Base(s.program))
		if _, err := os.Stat(program); err != nil {
			build(t, ".", program, s.program)
		}
		file["mcpServers"][name] = map[string]any{"command": program, "args": s.args}
	}
	text, err := json.MarshalIndent(file, "", " ")
	if err != nil || os.WriteFile(filepath.Join(repo, ".mcp.json"), text, 0o644) != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(agentsim, "project", "mcp", repo, "--save").CombinedOutput()
	if exit, ok := err.(*exec.ExitError); !ok || exit.ExitCode() != 1 {
		t.Errorf("%v; two servers are refused\n%s", err, out)
	}
	for name, s := range servers {
		t.Run(name, func(t *testing.T) {
			saved, err := os.ReadFile(filepath.Join(repo, ".agentsim", "mcp", name+".json"))
			if s.refused != "" {
				if err == nil || !strings.Contains(string(out), "server "+name+": "+s.refused) {
					t.Errorf("%v\n%s", err, out)
				}
				return
			}
			if err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			same(t, saved, listed(t, filepath.Join(bin, filepath.Base(s.program)), s.args))
		})
	}
	if out, err = exec.Command(agentsim, "check", repo).CombinedOutput(); !strings.Contains(string(out), ".agentsim/mcp/everything.json:1") {
		t.Errorf("%v\n%s", err, out)
	}
}

func build(t *testing.T, dir, to, program string) {
	t.Helper()
	cmd := exec.Command("go", "build", "-o", to, program)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", program, err, out)
	}
}

// listed are a server's tools by the SDK's client, page after page.
func listed(t *testing.T, program string, args []string) (out []*mcp.Tool) {
	t.Helper()
	ctx := context.Background()
	s, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(ctx, &mcp.CommandTransport{Command: exec.Command(program, args...)}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for tool, err := range s.Tools(ctx, nil) {
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, tool)
	}
	return out
}

// same holds what was saved against what is listed: names, descriptions and schemas, in
// their order.
func same(t *testing.T, saved []byte, listed []*mcp.Tool) {
	t.Helper()
	type tool struct {
		Name, Description string
		InputSchema       any
	}
	var got struct{ Tools []tool }
	if err := json.Unmarshal(saved, &got); err != nil {
		t.Fatal(err)
	}
	var want []tool
	text, err := json.Marshal(listed)
	if err != nil || json.Unmarshal(text, &want) != nil {
		t.Fatal(err)
	}
	if len(want) == 0 || !reflect.DeepEqual(got.Tools, want) {
		t.Errorf("saved %s, listed %s", fmt.Sprint(got.Tools), fmt.Sprint(want))
	}
}
