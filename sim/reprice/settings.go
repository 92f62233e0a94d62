package reprice

import (
	"fmt"
	"slices"
	"strings"

	"agentsim/scenarios"
)

// cacheSettings are those that change what the cache reads, writes and bills, and
// nothing that is sent. What stands below them in a scenario counts as well.
var cacheSettings = []string{"provider.ttl", "provider.plan_limit_at", "provider.subagent_ttl", "provider.breakpoints", "provider.fourth_mark",
	"provider.batch", "provider.options",
	"provider.inference_geo", "provider.speed"}

// refusals say why a setting of the provider is none that the record can answer.
var refusals = map[string]string{
	"provider.options.thinking_rendered_first": "it changes the keys of prefixes, and the record holds what they came to, not the settings in them",
	"provider.model":         "it changes keys, counts and what is refused",
	"provider.platform":      "it changes which workspaces share a cache, and the record's keys have them in",
	"provider.tail_tokens":   "it changes how many tokens a prompt has, by which agents compact",
	"provider.hidden_tokens": "it changes how many tokens a prompt has, by which agents compact",
}

// SettingError is a setting that the record cannot answer.
type SettingError struct {
	Setting string // path=value
	Why     string
}

func (e *SettingError) Error() string { return e.Setting + ": " + e.Why }

// Answerable lists the settings that a record in full answers.
func Answerable() []string { return slices.Clone(cacheSettings) }

// Check refuses settings, each path=value, that change more than the cache. The
// error is a *SettingError. Some that pass it depend on the run, and Play says so.
func Check(sets []string) error {
	for _, set := range sets {
		path, _, _ := strings.Cut(set, "=")
		if why := refusals[path]; why != "" {
			return &SettingError{set, why}
		}
		known := slices.ContainsFunc(Answerable(), func(s string) bool {
			return path == s || strings.HasPrefix(path, s+".") || strings.HasPrefix(path, s+"[")
		})
		if !known {
			return &SettingError{set, "it changes what is sent, counted or waited for, and the record cannot tell how"}
		}
	}
	return nil
}

// setsAt is the first of the settings that is at a path, "" for none.
func setsAt(sets []string, path string) string {
	for _, set := range sets {
		if p, _, _ := strings.Cut(set, "="); p == path || strings.HasPrefix(p, path+".") {
			return set
		}
	}
	return ""
}

// answers refuses settings that this run's record cannot answer.
func (r *Record) answers(sc *scenarios.Scenario, sets []string) error {
	if set := setsAt(sets, "provider.options"); set != "" && !samePointer(r.own.Provider.Options.ThinkingRenderedFirst, sc.Provider.Options.ThinkingRenderedFirst) {
		return &SettingError{set, refusals["provider.options.thinking_rendered_first"]}
	}
	for _, path := range []string{"provider.breakpoints", "provider.ttl", "provider.plan_limit_at", "provider.subagent_ttl", "provider.fourth_mark"} {
		if set := setsAt(sets, path); set != "" {
			if n := r.refused(); n > 0 {
				return &SettingError{set, fmt.Sprintf("call %d was refused as invalid, and whether it would be by other marks the record cannot tell", n)}
			}
		}
	}
	return nil
}

func samePointer(a, b *bool) bool { return a == b || a != nil && b != nil && *a == *b }

// refused is the number of the first request that the API refused, 0 for none.
func (r *Record) refused() int64 {
	for i := range r.sent {
		if r.sent[i].Stop == refused {
			return r.sent[i].N
		}
	}
	return 0
}
