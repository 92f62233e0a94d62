package bridge

import "encoding/json"

// Activity is something that a session does, as its user is shown it.
type Activity struct {
	Kind    string // tool, text, result or error
	Summary string
}

// Activities are what a line says that the session does.
func Activities(l *Line) (out []Activity) {
	switch {
	case l.Type == Result && l.IsError:
		return []Activity{{"error", l.Error}}
	case l.Type == Result:
		return []Activity{{"result", excerpt(l.Result)}}
	case l.Type != Assistant || l.Message == nil:
		return nil
	}
	for _, b := range l.Message.Content {
		switch b.Type {
		case "tool_use":
			out = append(out, Activity{"tool", b.Name + subject(b.Input)})
		case "text":
			out = append(out, Activity{"text", excerpt(b.Text)})
		}
	}
	return out
}

// subject is what a tool's input is about, behind its name.
func subject(input json.RawMessage) string {
	var in struct {
		File        string `json:"file_path"`
		Notebook    string `json:"notebook_path"`
		Command     string `json:"command"`
		Pattern     string `json:"pattern"`
		Description string `json:"description"`
	}
	if json.Unmarshal(input, &in) != nil {
		return ""
	}
	for _, s := range []string{in.File, in.Notebook, in.Command, in.Pattern, in.Description} {
		if s != "" {
			return " " + excerpt(s)
		}
	}
	return ""
}

// excerpt is the beginning of a text's first line.
func excerpt(text string) string {
	const most = 60
	for i, r := range text {
		if r == '\n' || i >= most {
			return text[:i] + "…"
		}
	}
	return text
}
