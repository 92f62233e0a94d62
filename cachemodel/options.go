package cachemodel

import (
	"cmp"
	"strconv"
)

// Options lists the undocumented points that touched a figure so far.
func (e *Anthropic) Options() []string {
	var out []string
	t, o := &e.touched, &e.opt
	add := func(is bool, name, value string) {
		if is {
			out = append(out, name+"="+value)
		}
	}
	add(t.thinkingFirst, "thinking_rendered_first", "true")
	add(t.thinkingLast, "thinking_rendered_first", "false")
	add(t.crossing, "lookback_crosses_levels", strconv.FormatBool(o.LookbackCrossesLevels))
	add(t.expiry, "late_expiry", o.LateExpiry.String())
	add(t.exactly, "at_exactly_ttl", "alive")
	add(t.otherTTL, "refresh_by_other_ttl", "keeps-own-lifetime")
	add(t.behind, "mark_within_hit", "makes-an-entry-unbilled")
	add(t.through, "write_through_entry", "refreshes")
	add(t.checkpoints, "checkpoints_capped", strconv.FormatBool(o.CheckpointsCapped))
	add(t.lag, "visibility_lag", share(o.VisibilityLag.Share)+" within "+o.VisibilityLag.Window.String())
	add(t.collapse, "collapse_noise", share(o.CollapseNoise.Share)+" to "+map[bool]string{false: "first-breakpoint", true: "nothing"}[o.CollapseNoise.ToNothing])
	add(t.bestEffort, "batch_hits", share(o.BatchHits))
	add(t.oldAccount, "account_created", cmp.Or(o.AccountCreated, "before "+bindingSince))
	add(t.loop, "server_tool_prefill", "takes-no-time")
	add(t.cleared, "cleared_message", "leaves-the-prefix")
	add(t.inline, "inline_tools_hidden_tokens", "none")
	for _, p := range t.tails {
		out = append(out, "tail_tokens="+strconv.FormatInt(p.Tail, 10)+" ("+p.ID+")")
	}
	return out
}

// share prints parts per million.
func share(ppm int64) string { return strconv.FormatInt(ppm, 10) + " ppm" }
