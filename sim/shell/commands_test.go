package shell

import (
	"slices"
	"testing"
)

func TestCommands(t *testing.T) {
	t.Run("PRM-01 a script is as many commands as rules have to speak of, wherever they stand in it", func(t *testing.T) {
		for script, want := range map[string][]string{
			"ls":                              {"ls"},
			"git log -1 && rm -r x":           {"git log -1", "rm -r x"},
			"a | b; (c)":                      {"a", "b", "c"},
			"echo $(rm x)":                    {"echo $(rm x)", "rm x"},
			"for f in *; do cat \"$f\"; done": {"cat \"$f\""},
			"echo x > f 2>/dev/null":          {"> f", "echo x"},
			"echo 'a && b'":                   {"echo 'a && b'"},
			"if":                              {"if"},
			"x=1":                             {"x=1"},
		} {
			got := Commands(script)
			slices.Sort(got)
			slices.Sort(want)
			if !slices.Equal(got, want) {
				t.Errorf("%s: %q, want %q", script, got, want)
			}
		}
	})
	t.Run("VER-02 PRM-01 a temporary file is one below the temporary directory that is named as it is", func(t *testing.T) {
		for command, want := range map[string]bool{
			"> /tmp/t.sh": true, ">>/tmp/a/b": true, "2>/tmp/e": true, "echo x > /tmp/t": false, "> /tmp/../work/project/a.go": false, "> /tmp/{a,../b}": false,
			"> t.sh": false, "> /tmpx": false, "> /tmp": false, "> /tmp/$x": false, "if": false, "": false,
		} {
			if Temporary(command) != want {
				t.Errorf("%q: %v", command, !want)
			}
		}
	})
}
