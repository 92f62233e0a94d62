package team

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestBackend(t *testing.T) {
	t.Run("SWM-02 the backend is in-process first, then a pane, else an error that says what to install", testDetect)
	t.Run("SWM-10 the pane command names the teammate, its team and its session, with the flags that it inherits", testPane)
	t.Run("SWM-10 a real shell hands over each argument as it was, whatever it holds", testQuoting)
	t.Run("SWM-10 outside tmux the line goes to a server of its own", func(t *testing.T) {
		if got := strings.Join(SendKeys("%1", "x y", true), "|"); got != "tmux|send-keys|-t|%1|x y|Enter" {
			t.Error(got)
		}
		if got := strings.Join(SendKeys("%1", "x", false), "|"); got != "tmux|-L|agentsim-swarm|send-keys|-t|%1|x|Enter" {
			t.Error(got)
		}
	})
}

func testDetect(t *testing.T) {
	for _, c := range []struct {
		env  Environment
		want Backend
	}{
		{Environment{}, InProcess},
		{Environment{Mode: ModeTmux, InTmux: true, HasTmux: true}, InProcess}, // nobody sits there
		{Environment{Interactive: true}, InProcess},                           // auto, and no panes
		{Environment{Interactive: true, Mode: ModeAuto, HasTmux: true}, InProcess},
		{Environment{Interactive: true, Mode: ModeInProcess, InTmux: true, HasTmux: true}, InProcess},
		{Environment{Interactive: true, InTmux: true, InITerm: true, HasIt2: true}, Tmux},
		{Environment{Interactive: true, InITerm: true, HasIt2: true, HasTmux: true}, ITerm2},
		{Environment{Interactive: true, InITerm: true, HasTmux: true}, Tmux},
		{Environment{Interactive: true, InITerm: true}, ""},
		{Environment{Interactive: true, Mode: ModeTmux, HasTmux: true}, Tmux},
		{Environment{Interactive: true, Mode: ModeTmux, HasIt2: true}, ""},
	} {
		got, err := Detect(c.env)
		if got != c.want || (err == nil) != (c.want != "") {
			t.Errorf("%+v: %s %v", c.env, got, err)
		}
		if err != nil && !strings.Contains(err.Error(), "install tmux") {
			t.Error(err)
		}
	}
	if InProcess.Panes() || !Tmux.Panes() || !ITerm2.Panes() {
		t.Error("panes")
	}
}

func testPane(t *testing.T) {
	p := Pane{Dir: "/my project", Env: []Pair{{"A", "1 2"}}, Binary: "/bin/agentsim", Name: "alice", Team: "web", Color: "red", Session: "s-1"}
	const want = `cd '/my project' && env 'A=1 2' '/bin/agentsim' --agent-id 'alice@web' --agent-name 'alice' --team-name 'web' --agent-color 'red' --parent-session-id 's-1'`
	if got := p.Command(); got != want {
		t.Error(got)
	}
	p.PlanRequired, p.Type, p.Mode, p.Model, p.Settings, p.PluginDirs = true, "Explore", "acceptEdits", "m", "s.json", []string{"a", "b"}
	if got := strings.TrimPrefix(p.Command(), want); got != ` --plan-mode-required --agent-type 'Explore' --model 'm' --settings 's.json' --plugin-dir 'a' --plugin-dir 'b'` {
		t.Error(got)
	}
	p.PlanRequired = false
	if got := p.Command(); !strings.Contains(got, ` --permission-mode 'acceptEdits'`) || strings.Contains(got, "plan-mode") {
		t.Error(got)
	}
}

// testQuoting has a shell run the command of a pane whose binary prints where it runs,
// a variable and its arguments.
func testQuoting(t *testing.T) {
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("there is no sh")
	}
	root := t.TempDir()
	odd := rapid.OneOf(rapid.StringOf(rapid.RuneFrom([]rune("ab '\"\\$`!*?[]{}()<>|&;#~=%\n\t-\r\x7f\x1béλ"))), rapid.String())
	text := rapid.Map(odd, func(s string) string { return strings.ToValidUTF8(strings.ReplaceAll(s, "\x00", ""), "") })
	rapid.Check(t, func(t *rapid.T) {
		name := strings.Map(func(r rune) rune {
			if r == '/' {
				return 'x'
			}
			return r
		}, text.Draw(t, "dir"))
		if len(name) > 100 {
			name = strings.ToValidUTF8(name[:100], "")
		}
		dir := filepath.Join(root, "d"+name)
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Skip(err)
		}
		binary := filepath.Join(dir, "print")
		if err := os.WriteFile(binary, []byte("#!"+sh+"\npwd -P\nprintf '%s\\0' \"$A\" \"$@\"\n"), 0o700); err != nil {
			t.Fatal(err)
		}
		v := func(what string) string { return "x" + text.Draw(t, what) }
		p := Pane{Dir: dir, Env: []Pair{{"A", text.Draw(t, "env")}}, Binary: binary, Name: v("name"), Team: v("team"), Color: v("color"),
			Session: v("session"), Type: v("type"), Mode: v("mode"), Model: v("model"), Settings: v("settings"), PluginDirs: []string{v("plugins")}}
		out, err := exec.Command(sh, "-c", p.Command()).Output()
		if err != nil {
			t.Fatalf("%v: %s", err, p.Command())
		}
		real, err := filepath.EvalSymlinks(dir)
		if err != nil {
			t.Fatal(err)
		}
		rest, ok := bytes.CutPrefix(out, []byte(real+"\n"))
		got := strings.Split(strings.TrimSuffix(string(rest), "\x00"), "\x00")
		want := []string{p.Env[0].Value, "--agent-id", ID(p.Name, p.Team), "--agent-name", p.Name, "--team-name", p.Team, "--agent-color", p.Color,
			"--parent-session-id", p.Session, "--permission-mode", p.Mode, "--agent-type", p.Type, "--model", p.Model, "--settings", p.Settings, "--plugin-dir", p.PluginDirs[0]}
		if !ok || !slices.Equal(got, want) {
			t.Fatalf("%q\nwant %q\nof %s", got, want, p.Command())
		}
	})
}
