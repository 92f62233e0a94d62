package heads

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
)

// Version is that of the file's form.
const Version = 1

// file is a baseline as it stands in its file.
type file struct {
	Version int `json:"agentsim_check"`
	*Heads
	Parts  []*Part  `json:"parts"`
	Agents []*Agent `json:"agents"`
}

// Write writes heads as a baseline: a line for each part and each agent, so that a
// change of one is a change of one line.
func (h *Heads) Write(w io.Writer) error {
	about, err := json.Marshal(file{Version: Version, Heads: h})
	if err != nil {
		return err
	}
	about, _, _ = bytes.Cut(about, []byte(`,"parts":`))
	out := bytes.NewBuffer(about)
	err = errors.Join(rows(out, "parts", h.Parts), rows(out, "agents", h.Agents))
	out.WriteString("}\n")
	_, failed := out.WriteTo(w)
	return errors.Join(err, failed)
}

// rows writes a list, a line for each of it.
func rows[T any](out *bytes.Buffer, name string, list []T) error {
	fmt.Fprintf(out, ",\n%q: [", name)
	for i, x := range list {
		row, err := json.Marshal(x)
		if err != nil {
			return err
		}
		if i > 0 {
			out.WriteByte(',')
		}
		out.WriteString("\n ")
		out.Write(row)
	}
	out.WriteString("]")
	return nil
}

// Read reads a baseline.
func Read(name, text string) (*Heads, error) {
	const fix = "restore the file from version control, or write it anew with agentsim check --update"
	f := file{Heads: &Heads{}}
	if err := json.Unmarshal([]byte(text), &f); err != nil {
		line := 1
		if syntax := (*json.SyntaxError)(nil); errors.As(err, &syntax) {
			line += bytes.Count([]byte(text[:min(int(syntax.Offset), len(text))]), []byte("\n"))
		}
		return nil, fmt.Errorf("%s:%d: this is no baseline of agentsim check: %w; %s", name, line, err, fix)
	}
	h := f.Heads
	h.Parts, h.Agents = f.Parts, f.Agents
	if f.Version != Version {
		return nil, fmt.Errorf("%s: this is no baseline of this program, which begins with \"agentsim_check\": %d; %s", name, Version, fix)
	}
	for _, a := range h.Agents {
		if a == nil || slices.ContainsFunc(a.Parts, func(i int) bool { return i < 0 || i >= len(h.Parts) || h.Parts[i] == nil }) {
			return nil, fmt.Errorf("%s: an agent has a part that is not in it; %s", name, fix)
		}
	}
	if h.Head == "" && slices.ContainsFunc(h.Parts, (*Part).measured) {
		h.Head = "of before" // a baseline that did not note it
	}
	return h, nil
}
