package report

import (
	"net/http"

	"agentsim/cmd/internal/ui"
	"agentsim/sim/transcript/sqlite"
)

// Pages is what serve answers with, at an address.
func Pages(s *ui.Env, db *sqlite.DB, address string) http.Handler {
	return &pages{s: s, db: db, hosts: ownNames(address)}
}
