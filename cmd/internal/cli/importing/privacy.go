package importing

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"

	"agentsim/sim/recording"
	"agentsim/sim/transcript/sqlite"
)

// withoutPlaces leaves out of a session what its files are called: people name them,
// and the directories that they lie in, after what was worked on. They are numbered.
func withoutPlaces(x *recording.Session) {
	number := map[string]string{}
	for i := range x.Files {
		f := &x.Files[i]
		if base := filepath.Base(f.Name); x.ID == base {
			x.ID = fmt.Sprintf("%x", sha256.Sum256([]byte(base)))[:16]
		}
		number[f.Name] = fmt.Sprintf("file %d", i+1)
		f.Name = number[f.Name]
	}
	for i := range x.Skipped {
		x.Skipped[i].File = number[x.Skipped[i].File]
	}
}

// nothingImported reports whether a database holds no recorded session.
func nothingImported(db *sqlite.DB) (bool, error) {
	runs, err := db.Runs()
	for i := range runs {
		if runs[i].Recorded() {
			return false, err
		}
	}
	return true, err
}

// keeps says what an import has stored, where, and who can read it.
func (o *options) keeps() string {
	what := "figures, ids, and names of models, tools and types of agents, nothing that was said (--with-content stores that)"
	if o.content {
		what = "all that was said, tool inputs and results too, beside the figures"
	}
	who := "which others can read"
	if info, err := os.Stat(o.db); err == nil && info.Mode()&0o077 == 0 {
		who = "which only you can read"
	}
	return fmt.Sprintf("%s; in %s, %s", what, o.db, who)
}
