package reprice

import (
	"fmt"
	"slices"
	"strings"

	"agentsim/cachemodel"
	"agentsim/scenarios"
	"agentsim/sim"
	"agentsim/sim/llm/tokens"
)

// cacheSettings are those that change what the cache reads, writes and bills, and
// nothing that is sent. What stands below them in a scenario counts as well.
var cacheSettings = []string{"provider.ttl", "provider.plan_limit_at", "provider.subagent_ttl", "provider.breakpoints", "provider.fourth_mark",
	"provider.model", "provider.platform", "provider.batch", "provider.options",
	"provider.inference_geo", "provider.speed"}

// refusals say why a setting of the provider is none that the record can answer.
var refusals = map[string]string{
	"provider.options.thinking_rendered_first": "it changes the keys of prefixes, and the record holds what they came to, not the settings in them",
	"provider.tail_tokens":                     "it changes how many tokens a prompt has, by which agents compact",
	"provider.hidden_tokens":                   "it changes how many tokens a prompt has, by which agents compact",
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

// renamed says as which models the recorded ones are played, nil where they stay,
// and refuses settings that this run's record cannot answer.
func (r *Record) renamed(sc *scenarios.Scenario, sets []string) (map[string]string, error) {
	if set := setsAt(sets, "provider.options"); set != "" && !samePointer(r.own.Provider.Options.ThinkingRenderedFirst, sc.Provider.Options.ThinkingRenderedFirst) {
		return nil, &SettingError{set, refusals["provider.options.thinking_rendered_first"]}
	}
	for _, path := range []string{"provider.breakpoints", "provider.ttl", "provider.plan_limit_at", "provider.subagent_ttl", "provider.fourth_mark"} {
		if set := setsAt(sets, path); set != "" {
			if n := r.refused(); n > 0 {
				return nil, &SettingError{set, fmt.Sprintf("call %d was refused as invalid, and whether it would be by other marks the record cannot tell", n)}
			}
		}
	}
	if set := setsAt(sets, "provider.platform"); set != "" && !r.sameScopes(sc) {
		return nil, &SettingError{set, "it changes which workspaces share a cache, and the record's keys have them in"}
	}
	set := setsAt(sets, "provider.model")
	if set == "" {
		return nil, nil
	}
	from, to := r.own.Provider.ModelID(r.own.Provider.Model), sc.Provider.ModelID(sc.Provider.Model)
	if from == to {
		return nil, nil
	}
	if err := r.exchangeable(sc, from, to); err != nil {
		return nil, &SettingError{set, err.Error()}
	}
	return map[string]string{from: to}, nil
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

// sameScopes reports whether the roots that shared a workspace still do, and no
// others.
func (r *Record) sameScopes(sc *scenarios.Scenario) bool {
	scope := func(of *scenarios.Scenario, s *scenarios.Root) string {
		if s.Workspace != "" {
			return of.Provider.Scope(s.Workspace)
		}
		return of.Provider.Scope(of.Provider.Workspace)
	}
	old, now := sim.Roots(r.own), sim.Roots(sc)
	for i := range old {
		for j := range i {
			if (scope(r.own, &old[i]) == scope(r.own, &old[j])) != (scope(sc, &now[i]) == scope(sc, &now[j])) {
				return false
			}
		}
	}
	return true
}

// exchangeable refuses to play one model's requests as another's where bytes,
// counts or keys would be others.
func (r *Record) exchangeable(sc *scenarios.Scenario, from, to string) error {
	for i := range r.sent {
		if m := r.sent[i].Model; m != from {
			return fmt.Errorf("call %d is of %s: with several models the record cannot tell which of them would change", r.sent[i].N, m)
		}
	}
	for _, b := range r.births {
		if b.Structure == "subagent" {
			return fmt.Errorf("agent %s is a sub-agent, and what its model would be the record cannot tell", b.Lineage)
		}
	}
	old, err := sim.Profile(&r.own.Provider, from)
	if err != nil {
		return err
	}
	now, err := sim.Profile(&sc.Provider, to)
	if err != nil {
		return err
	}
	return alike(r.own, from, to, old, now)
}

func alike(sc *scenarios.Scenario, from, to string, old, now *cachemodel.Profile) error {
	switch {
	case tokens.FamilyOf(from) != tokens.FamilyOf(to):
		return fmt.Errorf("%s and %s count tokens in different ways, and so would have been sent other sizes", from, to)
	case old.Salts != now.Salts && thinks(sc):
		return fmt.Errorf("%s and %s have settings at other places of a prefix", from, to)
	case old.Takes != now.Takes || old.BindsThinking != now.BindsThinking:
		return fmt.Errorf("%s and %s do not take the same requests", from, to)
	case sc.CompactionShare() > 0 && sc.ContextWindow(old.Window) != sc.ContextWindow(now.Window):
		return fmt.Errorf("%s and %s have other windows, by which agents compact", from, to)
	}
	return nil
}

// thinks reports whether a root's settings name an effort or a kind of thinking,
// which stand at a place of the prefix that depends on the model.
func thinks(sc *scenarios.Scenario) bool {
	all := []*scenarios.SettingsSpec{&sc.Settings}
	roots := sim.Roots(sc)
	for i := range roots {
		all = append(all, roots[i].Settings)
		for j := range roots[i].Then {
			all = append(all, roots[i].Then[j].Settings)
		}
	}
	return slices.ContainsFunc(all, func(s *scenarios.SettingsSpec) bool { return s != nil && (s.Effort != "" || s.Thinking != "") })
}
