package importer

import "agentsim/sim/recording"

func readRows([]source, *Options, *skips, func(*recording.Session, *skips) error) error { return nil }
