package mockllm

import (
	"encoding/json"
	"strings"

	"agentsim/mockllm/fault"
	"agentsim/sim/llm"
)

// shape lets the call's fault act on the answer, if it is one that does, and
// returns the most tokens that the answer may have.
func (c *call) shape() (most int64) {
	most = c.req.MaxTokens
	r := c.rule
	if r == nil || most == 0 {
		return most
	}
	a := &c.answer
	switch {
	case r.Kind.HitsTool():
		if use := toolUse(a.Blocks, r.Tool); use != nil {
			spoil(use, r)
		}
	case r.Kind == fault.Empty:
		a.Blocks, a.Causes, a.Stop, a.Output = a.Blocks[:0], a.Causes[:0], llm.EndTurn, 0
	case r.Kind == fault.Refusal:
		a.Stop, a.Output, most = llm.Refusal, -1, min(most, int64(r.Keep))
	case r.Kind == fault.MaxTokens:
		a.Output, most = -1, min(most, int64(r.Keep))
	}
	return most
}

// toolUse is tool use n of an answer, from 0; nil when it has fewer.
func toolUse(blocks []llm.Block, n int) *llm.Block {
	for i := range blocks {
		if blocks[i].Kind != llm.ToolUse {
			continue
		}
		if n == 0 {
			return &blocks[i]
		}
		n--
	}
	return nil
}

// spoil makes a tool use one that no tool can run.
func spoil(use *llm.Block, r *fault.Rule) {
	raw := use.Content.Raw()
	switch r.Kind {
	case fault.Truncate:
		// The client, which cannot parse what came, keeps the text as a JSON string,
		// so that the conversation stays well formed and the tool says what is wrong.
		cut := raw[:min(r.Keep, max(len(raw)-1, 0))]
		use.Content = llm.NewJSON(string(llm.AppendQuoted(nil, cut)))
	case fault.UnknownTool:
		use.Name += unknownSuffix
	case fault.WrongType:
		use.Content = llm.NewJSON(wrongType(raw))
	}
}

// unknownSuffix makes of a tool's name one that no tool has.
const unknownSuffix = "_v2"

// wrongType puts the first field of an object into a list, and what has no field
// as well.
func wrongType(raw string) string {
	d := json.NewDecoder(strings.NewReader(raw))
	if open, err := d.Token(); err != nil || open != json.Delim('{') || !d.More() {
		return "[" + raw + "]"
	}
	var value json.RawMessage
	if _, err := d.Token(); err != nil || d.Decode(&value) != nil {
		return "[" + raw + "]"
	}
	end := int(d.InputOffset())
	return raw[:end-len(value)] + "[" + string(value) + "]" + raw[end:]
}
