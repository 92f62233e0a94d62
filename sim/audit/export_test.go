package audit

// Held is what the auditor keeps: agents that live, tasks that are open, and
// siblings that are still to speak.
func (u *Auditor) Held() (lives, tasks, siblings int) {
	for _, a := range u.agents {
		if a != nil && a.life != nil {
			lives++
		}
	}
	return lives, len(u.tasks), len(u.forks)
}

// Looked is how many blocks of conversations the auditor has gone through.
func (u *Auditor) Looked() int64 { return u.looked }

// Owed is how many judgements wait for their notifications.
func (u *Auditor) Owed() int { return len(u.handed) }
