package project

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
)

// variables are those of the client's environment that a reader heeds.
var variables = []string{
	"ANTHROPIC_BASE_URL", "ANTHROPIC_MODEL", "CLAUDE_CODE_DISABLE_CLAUDE_MDS", "CLAUDE_CODE_DISABLE_EXPERIMENTAL_BETAS", "CLAUDE_CODE_DISABLE_GIT_INSTRUCTIONS",
	promptTTL, subagentTTL, "CLAUDE_CODE_SUBAGENT_MODEL", "ENABLE_PROMPT_CACHING_1H", "ENABLE_TOOL_SEARCH", "FORCE_PROMPT_CACHING_5M",
}

// Those of lifetimes.
const (
	promptTTL   = "CLAUDE_CODE_PROMPT_CACHE_TTL"
	subagentTTL = "CLAUDE_CODE_SUBAGENT_PROMPT_CACHE_TTL"
)

// environment takes the variables that a file sets and a nearer one does not.
func (r *reader) environment(p place, file, text string, env map[string]string) {
	for _, name := range slices.Sorted(maps.Keys(env)) {
		value := env[name]
		if name == promptTTL || name == subagentTTL {
			value = r.lifetime(p, file, text, name, value)
		}
		if _, given := r.Settings.variables[name]; !given && value != "" {
			r.Settings.variables[name] = Setting{value, p.called(file) + ":" + lineOf(text, name)}
		}
	}
}

// env reports whether settings turn on a variable of the client's environment.
func (s *Settings) env(name string) bool {
	v := s.variables[name].Value
	return v != "" && v != "0" && v != "false"
}

// overridden lets variables stand over keys of settings, as the client does. One that
// turns an hour on holds where nothing else says a lifetime.
func (s *Settings) overridden() {
	if v := s.variables["ANTHROPIC_MODEL"]; v.Value != "" {
		s.Model = v
	}
	if v := s.variables["CLAUDE_CODE_SUBAGENT_MODEL"]; v.Value != "inherit" {
		s.SubagentModel = v
	}
	for name, to := range map[string]*Setting{promptTTL: &s.TTL, subagentTTL: &s.SubagentTTL} { // order: each has its own
		switch v := s.variables[name]; {
		case s.env("FORCE_PROMPT_CACHING_5M"):
			*to = Setting{"5m", s.variables["FORCE_PROMPT_CACHING_5M"].From}
		case v.Value != "":
			*to = v
		case to.Value == "" && s.env("ENABLE_PROMPT_CACHING_1H"):
			*to = Setting{"1h", s.variables["ENABLE_PROMPT_CACHING_1H"].From}
		}
	}
}

// searches reports whether the client finds tools of servers by a search, which it does
// not on an address that is not the vendor's unless it is told to.
func (s *Settings) searches() bool {
	_, host, _ := strings.Cut(s.variables["ANTHROPIC_BASE_URL"].Value, "://")
	host, _, _ = strings.Cut(host, "/")
	foreign := host != "" && host != "api.anthropic.com"
	switch s.variables["ENABLE_TOOL_SEARCH"].Value {
	case "false":
		return false
	case "":
		return !foreign && !s.env("CLAUDE_CODE_DISABLE_EXPERIMENTAL_BETAS")
	}
	return true
}

// unheeded names the keys and variables of a settings file that nothing here reads.
func (r *reader) unheeded(p place, file, text string) {
	var all, permissions, env map[string]json.RawMessage
	_ = json.Unmarshal([]byte(text), &all) // what is of another type was told
	_ = json.Unmarshal(all["permissions"], &permissions)
	_ = json.Unmarshal(all["env"], &env)
	var out []string
	for _, x := range []struct {
		of   string
		keys map[string]json.RawMessage
		read []string
	}{
		{"", all, append(tags(reflect.TypeFor[settingsFile]()), "$schema", "agents")},
		{"permissions.", permissions, tags(reflect.TypeOf(settingsFile{}.Permissions))}, {"env.", env, variables},
	} {
		for _, key := range slices.Sorted(maps.Keys(x.keys)) {
			if !slices.Contains(x.read, key) {
				out = append(out, fmt.Sprintf("%s%s (line %s)", x.of, key, lineOf(text, key)))
			}
		}
	}
	if out != nil {
		r.aside("%s: not read here: %s", p.called(file), strings.Join(out, ", "))
	}
}

// tags are the keys that a type is read from.
func tags(t reflect.Type) (out []string) {
	for i := range t.NumField() {
		if key := t.Field(i).Tag.Get("json"); key != "" {
			out = append(out, key)
		}
	}
	return out
}
