package importer

import "agentsim/sim/recording"

func readTrace([]source, *Options, *skips, func(*recording.Session, *skips) error) error { return nil }
