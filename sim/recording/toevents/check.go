package toevents

import (
	"fmt"

	"agentsim/sim/recording"
)

// Check says what of a session contradicts itself: an index out of its list, a
// request before what it goes on from, requests that are not in order of time.
// Everything else here relies on it.
func Check(s *recording.Session) error {
	for i := range s.Threads {
		t := &s.Threads[i]
		if t.Parent >= int32(i) || t.Parent < -1 {
			return fmt.Errorf("session %s: thread %d (%s) has parent %d, which is no thread before it", s.ID, i, t.Name, t.Parent)
		}
		if t.SpawnedBy >= int32(len(s.Requests)) || t.SpawnedBy < -1 {
			return fmt.Errorf("session %s: thread %d (%s) was spawned by request %d of %d", s.ID, i, t.Name, t.SpawnedBy, len(s.Requests))
		}
	}
	for i := range s.Requests {
		r := &s.Requests[i]
		switch {
		case r.Thread < 0 || int(r.Thread) >= len(s.Threads):
			return fmt.Errorf("session %s: request %d (%s) is of thread %d of %d", s.ID, i, r.ID, r.Thread, len(s.Threads))
		case r.Pred < -1 || r.Pred >= int32(i):
			return fmt.Errorf("session %s: request %d (%s) goes on from request %d, which is none before it", s.ID, i, r.ID, r.Pred)
		case i > 0 && r.Start < s.Requests[i-1].Start:
			return fmt.Errorf("session %s: request %d (%s) was sent before the one in front of it", s.ID, i, r.ID)
		}
		for _, u := range r.Tools {
			if u.Spawned < -1 || int(u.Spawned) >= len(s.Threads) {
				return fmt.Errorf("session %s: request %d (%s) spawned thread %d of %d", s.ID, i, r.ID, u.Spawned, len(s.Threads))
			}
		}
	}
	return nil
}
