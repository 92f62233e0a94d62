package importer

import "agentsim/sim/recording"

func readTraceLab([]source, *Options, *skips, func(*recording.Session, *skips) error) error {
	return nil
}
