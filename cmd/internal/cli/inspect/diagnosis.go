package inspect

import (
	"agentsim/cachemodel"
	"agentsim/sim/llm"
	"agentsim/sim/transcript/sqlite"
)

// diagnoses are what the API's cache diagnostics say of the reasons why a
// simulated call missed; of the others they say nothing (null). A setting that
// differs while model, system and tools match is unavailable there.
var diagnoses = map[string]string{
	llm.MissModel.String(): cachemodel.ModelChanged, llm.MissSystem.String(): cachemodel.SystemChanged,
	llm.MissTools.String(): cachemodel.ToolsChanged, llm.MissMessages.String(): cachemodel.MessagesChanged,
	llm.MissSalt.String(): cachemodel.Unavailable,
}

// apiSays is the type of the API's diagnosis of a simulated miss, "" for null, and
// its cache_missed_input_tokens: an estimate from byte lengths, 0 where it names
// none.
func apiSays(c *sqlite.CallInfo) (typ string, missed int64) {
	typ = diagnoses[c.Miss]
	switch typ {
	case "", cachemodel.Unavailable:
		return typ, 0
	case cachemodel.ModelChanged:
		return typ, cachemodel.MissedByBytes(c.Usage.Prompt(), int64(c.Bytes), 0)
	}
	return typ, cachemodel.MissedByBytes(c.Usage.Prompt(), int64(c.Bytes), c.MissByte)
}
