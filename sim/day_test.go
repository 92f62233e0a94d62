package sim_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// threeAsked is work that the user asks for in three messages, an hour apart.
const threeAsked = `agentsim: 1
name: asked
provider: {model: claude-sonnet-4-5-20250929, ttl: 1h}
project: {files: {a.md: {tokens: 3k}, b.md: {tokens: 3k}, c.md: {tokens: 3k}, d.md: {tokens: 3k}}}
script:
  main: {user: Look., then: [{after: 1h, message: Now b., asks: [b]}, {message: Thank you.}, {after: 1h, message: Now c., asks: [c]}]}
work:
  - {id: c, kind: research, reads: [c.md]}
  - {id: b, kind: research, reads: [b.md, d.md]}
  - {id: a, kind: research, reads: [a.md]}
`

func TestAsked(t *testing.T) {
	hours := regexp.MustCompile(`^\d+ (\d+)\.\d+s .* item item=(\w) outcome=done`)
	for _, structure := range []string{"inline", "subagent", "subagent-background", "fork", "coordinator", "team"} {
		for name, more := range map[string]string{"": "", ", though the conversation is summed up in between": "lab: {compaction: {window: 10_000, share: 70}}\n"} {
			t.Run("WAN-06 work is begun by the message that asks for it, "+structure+name, func(t *testing.T) {
				var got []string
				for _, l := range linesOf(t, specOf(t, threeAsked+"structure: "+structure+"\n"+more, "")) {
					if m := hours.FindStringSubmatch(l); m != nil {
						var seconds int
						fmt.Sscan(m[1], &seconds)
						got = append(got, fmt.Sprint(m[2], seconds/3600))
					}
				}
				if slices.Sort(got); !slices.Equal(slices.Compact(got), []string{"a0", "b1", "c2"}) {
					t.Errorf("done, in which hour: %v", got)
				}
			})
		}
	}
	t.Run("WAN-06 a conversation that is summed up says so", func(t *testing.T) {
		lines := strings.Join(linesOf(t, specOf(t, threeAsked+"structure: inline\nlab: {compaction: {window: 10_000, share: 70}}\n", "")), "\n")
		if !strings.Contains(lines, " compact ") {
			t.Error("nothing was summed up")
		}
	})
}
