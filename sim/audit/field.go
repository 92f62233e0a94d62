package audit

import (
	"encoding/json"
	"strings"
)

// plainField is a text field of an object as it is usually written: without spaces
// or escapes. ok is false where it has to be parsed.
func plainField(raw, name string) (value string, ok bool) {
	for from := 0; ; {
		i := find(raw[from:], name)
		if i < 0 {
			return "", !strings.Contains(raw, `\u`) // the escape by which a name may be written
		}
		at := from + i
		from = at + len(name)
		if at == 0 || raw[at-1] != '"' || !strings.HasPrefix(raw[from:], `":"`) || at > 1 && raw[at-2] == '\\' {
			if strings.HasPrefix(raw[from:], `" :`) || strings.HasPrefix(raw[from:], `": `) {
				return "", false
			}
			continue
		}
		rest := raw[from+len(`":"`):]
		end := strings.IndexByte(rest, '"')
		if end < 0 || strings.IndexByte(rest[:end], '\\') >= 0 {
			return "", false
		}
		return rest[:end], true
	}
}

// find is where a text holds a name; most often the first field is asked for.
func find(raw, name string) int {
	if first, ok := strings.CutPrefix(raw, `{"`); ok && strings.HasPrefix(first, name) {
		return len(`{"`)
	}
	return strings.Index(raw, name)
}

// parsedField is a text field of an object, "" where there is none.
func parsedField(raw, name string) string {
	var in map[string]json.RawMessage
	var text string
	if json.Unmarshal([]byte(raw), &in) != nil || json.Unmarshal(in[name], &text) != nil {
		return ""
	}
	return text
}
