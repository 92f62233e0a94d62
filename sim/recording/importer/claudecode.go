package importer

import "agentsim/sim/recording"

func claudeCodeSession([]source, *Options, *skips) (*recording.Session, error) { return nil, nil }

func peekClaudeCode([]byte) (sessionID, agentID string, sidechain bool, ok bool) {
	return "", "", false, false
}
