package report

import (
	"bytes"
	"errors"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"agentsim/cmd/internal/rundb"
	"agentsim/cmd/internal/ui"
	"agentsim/metrics/page"
	"agentsim/sim/transcript/sqlite"

	"github.com/spf13/cobra"
)

// usualAddress is where pages are served where nobody names another address.
const usualAddress = "127.0.0.1:7440"

// readTimeout is how long a browser may take to say what it wants.
const readTimeout = 10 * time.Second

// serving are the flags of what serves pages.
type serving struct {
	db, address string
	network     bool
}

// NewServe makes the command.
func NewServe(s *ui.Env) *cobra.Command {
	o := &serving{}
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "serve the pages of all recorded runs to a browser on this machine",
		Long: `Serves the list of recorded runs, which can be searched, and of each run, or of several beside one another, the page that
agentsim report writes. The list follows what is recorded meanwhile. The database is only read, and no request changes
anything. Other machines are served only with --network, which asks nobody for a password. Ctrl-C ends it.`,
		Example: `  agentsim serve
  agentsim serve --db runs.db --listen 127.0.0.1:0`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error { return serve(s, o) },
	}
	f := cmd.Flags()
	rundb.Flag(s, f, &o.db, "the `file` that runs are recorded in")
	f.StringVar(&o.address, "listen", usualAddress, "the `address` to serve at; port 0 takes a free one")
	f.BoolVar(&o.network, "network", false, "serve at an address that other machines reach: whoever does can read every run")
	return cmd
}

func serve(s *ui.Env, o *serving) error {
	host, _, err := net.SplitHostPort(o.address)
	if err != nil {
		return ui.Failf(ui.Usage, "--listen %s: write host:port, such as %s", o.address, usualAddress)
	}
	if ip := net.ParseIP(host); !o.network && host != "localhost" && (ip == nil || !ip.IsLoopback()) {
		return ui.Failf(ui.Usage, "--listen %s: other machines reach that address; with --network it is served to whoever does", o.address)
	}
	db, err := rundb.Open(o.db)
	if err != nil {
		return err
	}
	defer db.Close()
	_, all, err := db.List(sqlite.Listing{})
	if err != nil {
		return err
	}
	at, err := net.Listen("tcp", o.address)
	if err != nil {
		return ui.Failf(ui.Operating, "cannot serve at %s: %w; --listen 127.0.0.1:0 takes a free port", o.address, err)
	}
	defer at.Close()
	server := &http.Server{ReadHeaderTimeout: readTimeout, ReadTimeout: readTimeout, MaxHeaderBytes: 1 << 16}
	pages := &pages{s: s, db: db, at: rundb.At(s, o.db), stop: func() { server.Close() }}
	if !o.network {
		pages.hosts = ownNames(at.Addr().String())
	}
	server.Handler = pages
	s.Printf("http://%s/   %s, %s; Ctrl-C ends it\n", at.Addr(), o.db, ui.Plural(all, "run"))
	if err := server.Serve(at); !errors.Is(err, http.ErrServerClosed) {
		return ui.Failf(ui.Operating, "cannot serve: %w", err)
	}
	return pages.ended
}

// ownNames are the names by which this machine's own browsers reach an address. A page of
// another site can have its own name lead there; it cannot have one of these.
func ownNames(address string) map[string]bool {
	_, port, _ := net.SplitHostPort(address)
	return map[string]bool{address: true, "localhost:" + port: true, "127.0.0.1:" + port: true, "[::1]:" + port: true}
}

// pages answers requests, one after the other.
type pages struct {
	s     *ui.Env
	db    *sqlite.DB
	at    string          // the flag that names the database
	hosts map[string]bool // nil for any
	stop  func()

	mu    sync.Mutex
	ended error // why serving ended, nil while it goes on
}

// policy lets a page's own files be used, and nothing else.
const policy = "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

// ServeHTTP answers a request; those of other sites are refused.
func (p *pages) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Security-Policy", policy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Cache-Control", "no-store")
	origin := r.Header.Get("Origin")
	switch {
	case p.hosts != nil && !p.hosts[r.Host]:
		http.Error(w, "this server has another name", http.StatusMisdirectedRequest)
	case origin != "" && origin != "http://"+r.Host:
		http.Error(w, "pages of other sites are not answered", http.StatusForbidden)
	case r.Method != http.MethodGet && r.Method != http.MethodHead:
		h.Set("Allow", "GET, HEAD")
		http.Error(w, "nothing here can be changed", http.StatusMethodNotAllowed)
	default:
		p.answer(w, r)
	}
}

// answer writes a page whole, or an error.
func (p *pages) answer(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	var out bytes.Buffer
	typ, err := "text/html; charset=utf-8", error(nil)
	switch {
	case r.URL.Path == "/":
		err = p.list(&out, r.URL.Query())
	case r.URL.Path == "/runs":
		err = p.runs(&out, r.URL.Query()["run"])
	case r.URL.Path == "/state":
		typ = "text/plain; charset=utf-8"
		err = p.state(&out)
	case files[r.URL.Path] != nil:
		typ = files[r.URL.Path].typ
		out.WriteString(files[r.URL.Path].text)
	default:
		http.NotFound(w, r)
		return
	}
	if err != nil {
		p.fail(w, err)
		return
	}
	w.Header().Set("Content-Type", typ)
	w.Header().Set("Content-Length", strconv.Itoa(out.Len()))
	w.Write(out.Bytes())
}

// fail says what is wrong. A signal that came meanwhile ends the serving.
func (p *pages) fail(w http.ResponseWriter, err error) {
	status := http.StatusInternalServerError
	switch code := ui.Classify(err); {
	case code == ui.Interrupted:
		p.ended = err
		p.stop()
	case code == ui.Usage || errors.Is(err, sqlite.ErrNoRun) || errors.Is(err, sqlite.ErrAmbiguous):
		status = http.StatusNotFound
	}
	http.Error(w, strings.TrimSpace(err.Error()), status)
}

// runs writes the page of runs.
func (p *pages) runs(w io.Writer, prefixes []string) error {
	if err := countOf(prefixes); err != nil {
		return err
	}
	made, err := reportOf(p.s, p.db, p.at, prefixes)
	if err != nil {
		return err
	}
	return page.Served(w, made.title, made.answer, made.pages...)
}
