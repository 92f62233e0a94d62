package inspect

import (
	"agentsim/sim/llm"
	"agentsim/sim/transcript/sqlite"
)

// diagnoses are what the API's cache diagnostics (beta cache-diagnosis-2026-04-07)
// say of the reasons why a simulated call missed; of the others they say nothing
// (null). A setting that differs while model, system and tools match is unavailable
// there.
var diagnoses = map[string]string{
	llm.MissModel.String(): "model_changed", llm.MissSystem.String(): "system_changed",
	llm.MissTools.String(): "tools_changed", llm.MissMessages.String(): "messages_changed",
	llm.MissSalt.String(): "unavailable",
}

// apiSays is the type of the API's diagnosis of a simulated miss, "" for null, and
// its cache_missed_input_tokens, 0 where it names none: an estimate from byte
// lengths, the share of the prompt's bytes from the first one on that differs. A
// changed model changes all of them.
func apiSays(c *sqlite.CallInfo) (typ string, missed int64) {
	typ = diagnoses[c.Miss]
	from := max(c.MissByte, 0)
	if c.Miss == llm.MissModel.String() {
		from = 0
	}
	if typ == "" || c.Miss == llm.MissSalt.String() || c.Bytes <= 0 {
		return typ, 0
	}
	return typ, c.Usage.Prompt() * max(c.Bytes-from, 0) / c.Bytes
}
