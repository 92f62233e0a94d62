package project

import (
	"cmp"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strconv"
	"strings"

	"agentsim/sim/definition"
	"agentsim/sim/permission"
)

// Settings are what settings files say that a run heeds, the nearest file first.
type Settings struct {
	Files                   []string // that were read
	Model, TTL, SubagentTTL Setting
	SubagentModel           Setting   // of all sub-agents, whatever their definitions say
	Deny, Ask, Allow        []Setting // permission rules of all files
	Servers                 []Setting // those that are turned off, each as a rule that denies its tools
	NoGit                   bool
	AutoMemory              *bool
	Excludes                []string // globs of memory files that are left out

	enabled, disabled []Setting // servers of .mcp.json
	enabling          string    // FILE:LINE of the first list of servers that are on, "" for none
	share             json.Number
	which             string             // instruction files
	variables         map[string]Setting // of the client's environment
}

// Setting is a value and the FILE:LINE that gives it; the zero one is not given.
type Setting struct{ Value, From string }

func (s *Settings) instructions() string { return cmp.Or(s.which, "claude-md-or-agents-md") }

// skillShare is the share of the window, in thousandths, that descriptions may take.
func (s *Settings) skillShare(permille int64) int64 {
	whole, part, _ := strings.Cut(s.share.String(), ".")
	n, err := strconv.ParseInt(cmp.Or(whole, "0")+(part + "000")[:3], 10, 64)
	if s.share == "" || err != nil {
		return permille
	}
	return n
}

// settingsFile is what is read of one.
type settingsFile struct {
	Model       string            `json:"model"`
	TTL         string            `json:"promptCacheTtl"`
	SubagentTTL string            `json:"subagentPromptCacheTtl"`
	Git         *bool             `json:"includeGitInstructions"`
	AutoMemory  *bool             `json:"autoMemoryEnabled"`
	Excludes    []string          `json:"claudeMdExcludes"`
	Enabled     []string          `json:"enabledMcpjsonServers"`
	Disabled    []string          `json:"disabledMcpjsonServers"`
	Share       json.Number       `json:"skillListingBudgetFraction"`
	Env         map[string]string `json:"env"`
	Permissions struct {
		Deny  []string `json:"deny"`
		Ask   []string `json:"ask"`
		Allow []string `json:"allow"`
	} `json:"permissions"`
	Hooks map[string][]struct {
		Matcher string `json:"matcher"`
		Hooks   []struct {
			Command string `json:"command"`
		} `json:"hooks"`
	} `json:"hooks"`
	Plugins map[string]struct {
		Options map[string]json.RawMessage `json:"options"`
	} `json:"pluginConfigs"`
}

// settings reads the settings files, the nearest first: what one gives, a later one
// does not change. Lists come together.
func (r *reader) settings() {
	r.Settings.variables = map[string]Setting{}
	r.settingsOf(r.project(), ".claude/settings.local.json", false)
	r.settingsOf(r.project(), ".claude/settings.json", false)
	r.settingsOf(r.home(), ".claude/settings.json", true)
	r.Settings.overridden()
}

func (r *reader) settingsOf(p place, file string, user bool) {
	text, ok := r.text(p, file, maxSettings)
	if !ok || strings.TrimSpace(text) == "" {
		return
	}
	var f settingsFile
	if !r.unmarshal(p, file, text, &f) {
		return
	}
	s := &r.Settings
	s.Files = append(s.Files, p.called(file))
	at := func(key, value string) Setting {
		return Setting{value, p.called(file) + ":" + lineBehind(text, key, value)}
	}
	give := func(to *Setting, key, value string) {
		if to.Value == "" && value != "" {
			*to = at(key, value)
		}
	}
	give(&s.Model, "model", f.Model)
	give(&s.TTL, "promptCacheTtl", r.lifetime(p, file, text, "promptCacheTtl", f.TTL))
	give(&s.SubagentTTL, "subagentPromptCacheTtl", r.lifetime(p, file, text, "subagentPromptCacheTtl", f.SubagentTTL))
	s.NoGit = s.NoGit || f.Git != nil && !*f.Git
	s.AutoMemory = cmp.Or(s.AutoMemory, f.AutoMemory)
	s.Excludes = append(s.Excludes, f.Excludes...)
	if s.enabling == "" && f.Enabled != nil {
		s.enabling = p.called(file) + ":" + lineOf(text, "enabledMcpjsonServers")
	}
	for _, name := range f.Enabled {
		s.enabled = append(s.enabled, at("enabledMcpjsonServers", name))
	}
	for _, name := range f.Disabled {
		s.disabled = append(s.disabled, at("disabledMcpjsonServers", name))
	}
	s.share = cmp.Or(s.share, f.Share)
	r.environment(p, file, text, f.Env)
	for _, list := range [...]struct {
		to    *[]Setting
		key   string
		rules []string
	}{{&s.Deny, "deny", f.Permissions.Deny}, {&s.Ask, "ask", f.Permissions.Ask}, {&s.Allow, "allow", f.Permissions.Allow}} {
		for _, rule := range list.rules {
			x := at(list.key, rule)
			if _, err := permission.ParseRule(rule, ""); err != nil {
				line, col := spot(text, 0, rule)
				r.problem(p, file, line, col, text, "permission rule %q is left out: %s", rule, err)
				continue
			}
			*list.to = append(*list.to, x)
		}
	}
	r.hooks(p, file, text, &f)
	r.unheeded(p, file, text)
	for name, plugin := range f.Plugins { // order: one of them is looked for
		if user && (strings.HasPrefix(name, "cc-plugin-agents-md@") || strings.HasPrefix(name, "agents-md@")) {
			_ = json.Unmarshal(plugin.Options[filesOption], &s.which) // what is no text is not given
		}
	}
}

// lifetime is one of the two that there are; another is a problem, and "".
func (r *reader) lifetime(p place, file, text, key, value string) string {
	if value == "" || value == "5m" || value == "1h" {
		return value
	}
	at, _, _ := strings.Cut(text, strconv.Quote(key))
	line, col := spot(text, len(at), value)
	r.problem(p, file, line, col, text, "%s is %q, and a TTL is 5m or 1h: it is skipped", key, value)
	return ""
}

// hooks names the hooks of a file: none runs.
func (r *reader) hooks(p place, file, text string, f *settingsFile) {
	for _, event := range slices.Sorted(maps.Keys(f.Hooks)) {
		for _, group := range f.Hooks[event] {
			for _, h := range group.Hooks {
				r.aside("hook %s (%s:%s): %s, not run", strings.TrimSpace(event+" "+group.Matcher), p.called(file), lineOf(text, h.Command), h.Command)
			}
		}
	}
}

// unmarshal reads JSON; what is none, and what is of another type than it should be,
// is a problem with its place. It reports false where nothing could be read.
func (r *reader) unmarshal(p place, file, text string, into any) bool {
	err := json.Unmarshal([]byte(text), into)
	var syntax *json.SyntaxError
	var typ *json.UnmarshalTypeError
	bad := definition.CheckJSON(text)
	switch {
	case err == nil && bad == nil:
		return true
	case bad != nil && !errors.As(err, &syntax): // doubled or too deep, which encoding/json takes
		r.problem(p, file, bad.Line, bad.Col, text, "%s: the file is skipped", bad.Msg)
	case errors.As(err, &syntax):
		line, col := position(text, int(syntax.Offset)-1)
		r.problem(p, file, line, col, text, "this is not JSON (%s): the file is skipped", syntax)
	case errors.As(err, &typ):
		line, col := position(text, int(typ.Offset)-1)
		r.problem(p, file, line, col, text, "%s: it is skipped", mistyped(typ))
		return true
	default:
		r.problem(p, file, 1, 1, "", "this is not JSON (%s): the file is skipped", err)
	}
	r.Problems[len(r.Problems)-1].Warning = false // nothing of it is read
	return false
}

// mistyped says what is of another type than it should be.
func mistyped(err *json.UnmarshalTypeError) string {
	kind, _, _ := strings.Cut(err.Value, " ") // a number's value follows it
	article := "a "
	if kind == "array" || kind == "object" {
		article = "an "
	}
	return cmp.Or(err.Field, "all of it") + " is " + article + kind + " here"
}

// position is the line and column of a byte.
func position(text string, at int) (line, col int) {
	at = min(max(at, 0), len(text))
	before := text[:at]
	return 1 + strings.Count(before, "\n"), 1 + len([]rune(before[strings.LastIndexByte(before, '\n')+1:]))
}

// spot is where a text stands first in a JSON file, from a byte on; the file's
// beginning where it is written with escapes.
func spot(text string, from int, value string) (line, col int) {
	quoted, _ := json.Marshal(value) // a text is always JSON
	before, _, found := strings.Cut(text[from:], string(quoted))
	if !found {
		return 1, 1
	}
	return position(text, from+len(before))
}

// lineBehind is the line on which a value stands first behind a key.
func lineBehind(text, key, value string) string {
	at, _, found := strings.Cut(text, strconv.Quote(key))
	if !found {
		at = ""
	}
	line, _ := spot(text, len(at), value)
	return strconv.Itoa(line)
}

// lineOf is the line of a JSON file on which a value stands first.
func lineOf(text, value string) string {
	line, _ := spot(text, 0, value)
	return strconv.Itoa(line)
}
