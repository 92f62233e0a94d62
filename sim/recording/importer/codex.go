package importer

import "agentsim/sim/recording"

func peekCodex([]byte) (thread, parent string, ok bool) { return "", "", false }

func readCodex([]source, *Options, *skips, func(*recording.Session, *skips) error) error { return nil }
