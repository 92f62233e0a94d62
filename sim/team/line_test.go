package team

import "testing"

func TestLine(t *testing.T) {
	t.Run("SWM-10 what a shell would take apart is quoted in a line", func(t *testing.T) {
		for want, args := range map[string][]string{ // order: independent
			"tmux send-keys -t alice 'cd '\\''a b'\\'' && x' Enter": {"tmux", "send-keys", "-t", "alice", "cd 'a b' && x", "Enter"},
			"tmux kill-pane -t '%1;rm' ''":                          {"tmux", "kill-pane", "-t", "%1;rm", ""},
		} {
			if got := Line(args); got != want {
				t.Errorf("%s\nwant %s", got, want)
			}
		}
	})
}
