package audit

import (
	"path/filepath"
	"runtime"
	"strings"
)

// Held is what the auditor keeps: agents that live, tasks that are open, and
// siblings that are still to speak.
func (u *Auditor) Held() (lives, tasks, siblings int) {
	for _, a := range u.agents {
		if a != nil && a.life != nil {
			lives++
		}
	}
	return lives, len(u.tasks.known), len(u.forks.siblings)
}

// Looked is how many blocks of conversations the auditor has gone through.
func (u *Auditor) Looked() int64 { return u.history.looked }

// Owed is how many judgements wait for their notifications.
func (u *Auditor) Owed() int { return len(u.handoffs.handed) }

// OnReport has f called with file and line of each report of a failed check, until
// it is nil.
func OnReport(f func(file string, line int)) {
	if reported = nil; f == nil {
		return
	}
	reported = func() {
		var pcs [8]uintptr
		frames := runtime.CallersFrames(pcs[:runtime.Callers(3, pcs[:])])
		for {
			at, more := frames.Next()
			if !strings.HasSuffix(at.Function, ").same") || !more {
				f(filepath.Base(at.File), at.Line)
				return
			}
		}
	}
}
