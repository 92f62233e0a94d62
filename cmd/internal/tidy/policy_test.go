package tidy

// The policy of the tree.
//
// DO NOT CHANGE THE DATA BELOW TO FIX A BUILD. It says how the rooms stand to
// one another; a change is a decision, and belongs into DECISIONS.md.
// An exception needs a reason that a reader would accept, and is reported when
// it is no longer needed.

// rooms says which packages of ours each package may import, tests aside. A
// name in capitals stands for the packages of a group. A package that is not
// listed may be imported and import nothing until somebody decides.
const rooms = `
WORDS   = sim/gate sim/vtime sim/rng sim/llm sim/llm/tokens sim/mark sim/excerpt
BESIDE  = sim/fork sim/user sim/coordinator sim/handoff sim/minimal
TOOLS   = sim/workspace sim/permission sim/task sim/tool sim/shell
WORLD   = sim/kernel sim/transcript TOOLS
RECORDED = sim/recording sim/recording/importer sim/recording/player sim/recording/judge sim/recording/whatif sim/recording/toevents sim/recording/profile sim/recording/toscenario
BELOW   = cmd/internal/cluster cmd/internal/forks cmd/internal/loading cmd/internal/ui cmd/internal/rundb cmd/internal/harness metrics/grid metrics/sides WORDS WORLD sim sim/transcript/sqlite scenarios scenarios/expect metrics metrics/report cachemodel cmd/internal/hostdir RECORDED sim/audit sim/agent sim/definition sim/crossover sim/reprice sim/lint sim/wire metrics/plot metrics/stat metrics/realism metrics/baseline metrics/gobench metrics/sharedprefix metrics/junit cachemodel/blocktrace
MODEL   = mockllm mockllm/script mockllm/recorded mockllm/policy mockllm/fault mockllm/latency

sim/gate:              sim/vtime
sim/vtime:
sim/rng:
sim/llm:               sim/vtime sim/rng
sim/llm/tokens:        sim/llm sim/memo
sim/wire:              sim/rng sim/llm
sim/mark:              sim/rng
sim/excerpt:
sim/ahead:
sim/memo:
sim/client:
sim/project:           scenarios/document sim/client sim/definition sim/excerpt sim/permission
sim/kernel:            sim/vtime sim/rng sim/ahead
sim/transcript:        sim/vtime sim/llm
sim/transcript/sqlite: WORDS sim/transcript cachemodel metrics sim/recording
sim/transcript/sqlite/driver: sim/transcript/sqlite
sim/workspace:         sim/memo WORDS
sim/permission:
sim/task:              WORDS sim/transcript
sim/tool:              sim/memo WORDS sim/workspace sim/permission sim/shell sim/team sim/ahead

cachemodel:            sim/vtime sim/rng sim/llm sim/ahead
cachemodel/laws:       cachemodel sim/vtime sim/rng sim/llm
cachemodel/internal/oracle: cachemodel sim/vtime sim/rng sim/llm
cachemodel/blocktrace: cachemodel

sim/recording:          sim/vtime sim/llm
sim/recording/importer: sim/vtime sim/llm sim/recording sim/wire
sim/recording/exporter: sim/vtime sim/llm sim/recording
sim/recording/player:   sim/vtime sim/llm sim/recording cachemodel
sim/recording/judge:    sim/vtime sim/llm sim/recording sim/recording/player cachemodel
sim/recording/whatif:   sim/vtime sim/llm sim/recording sim/recording/player cachemodel scenarios sim sim/transcript sim/crossover sim/recording/toscenario
sim/recording/profile:  sim/memo WORDS sim/recording sim/recording/judge scenarios/document
sim/recording/toevents:    WORDS sim/transcript sim/recording sim/recording/player sim/recording/judge cachemodel
sim/recording/toscenario:  WORDS sim/recording sim/recording/player sim/recording/profile scenarios scenarios/document cachemodel
sim/recording/recordingtest:

scenarios/document:    sim/memo sim/vtime sim/rng sim/llm sim/excerpt
scenarios/upgrade:     scenarios/document
scenarios/expect:      metrics scenarios/document
scenarios:             sim/memo WORDS scenarios/document scenarios/expect sim/client cachemodel mockllm mockllm/fault mockllm/latency sim/permission sim/team sim/transcript sim/recording/profile

mockllm/fault:         WORDS
mockllm/latency:       WORDS
mockllm:               WORDS sim/kernel cachemodel mockllm/fault mockllm/latency sim/ahead
mockllm/script:        sim/memo WORDS scenarios mockllm
mockllm/recorded:      WORDS scenarios mockllm mockllm/script
mockllm/policy:        WORDS scenarios mockllm mockllm/script

sim/team:
sim/mcp:               sim/vtime sim/llm sim/client sim/kernel sim/permission sim/tool
sim/worktree:          sim/shell sim/workspace
sim/plan:              sim/rng sim/permission sim/workspace
sim/agent:             WORDS WORLD sim/mcp sim/plan sim/team sim/worktree sim/ahead
sim/fork:              WORDS WORLD sim/agent
sim/user:              WORDS WORLD sim/agent
sim/coordinator:       WORDS WORLD sim/agent
sim/handoff:           WORDS WORLD sim/agent
sim/minimal:           WORDS WORLD sim/agent
sim/lint:              sim/memo sim/vtime sim/llm sim/mark
sim/audit:             sim/memo WORDS sim/transcript sim/tool sim/permission cachemodel sim/ahead
sim/shell:             sim/vtime sim/workspace
sim/definition:        WORDS WORLD scenarios/document sim/agent sim/client
metrics:               sim/vtime sim/llm sim/transcript cachemodel metrics/sharedprefix
metrics/report:        docs sim/vtime sim/llm metrics cachemodel
docs:
metrics/plot:
metrics/stat:          sim/rng
metrics/realism:       sim/vtime sim/rng sim/recording sim/recording/profile
metrics/sharedprefix:        sim/vtime sim/llm sim/llm/tokens sim/transcript cachemodel
metrics/baseline:      sim/vtime sim/rng sim/excerpt scenarios/document sim/transcript metrics metrics/stat metrics/sharedprefix
metrics/grid:          metrics metrics/stat metrics/baseline metrics/report cachemodel
metrics/sides:         metrics metrics/stat metrics/baseline metrics/report metrics/plot cachemodel
metrics/gobench:       metrics metrics/baseline
metrics/heads:         scenarios/document sim/llm sim/llm/tokens sim/gate sim/tool sim/agent sim/client sim/project sim/permission cachemodel metrics metrics/baseline
metrics/page:          metrics/report
metrics/perfetto:      metrics/page
metrics/sarif:
metrics/junit:

sim:                   sim/memo WORDS WORLD MODEL scenarios sim/client cachemodel cachemodel/laws metrics sim/agent sim/mcp sim/plan BESIDE sim/definition sim/audit
sim/crossover:         sim/memo WORDS WORLD scenarios cachemodel metrics sim sim/recording sim/recording/profile
sim/bridge:            sim/vtime sim/rng sim/kernel sim/gate sim/worktree
sim/bridge/session:    sim/vtime sim/rng sim/llm sim/kernel sim/permission sim/transcript scenarios sim sim/bridge
sim/reprice:           WORDS sim/workspace scenarios cachemodel mockllm/script mockllm/latency sim sim/agent sim/transcript/sqlite

cmd/agentsim:             cmd/internal/cli sim/transcript/sqlite/driver
cmd/internal/ui:          sim sim/transcript sim/transcript/sqlite scenarios metrics metrics/report metrics/page cmd/internal/hostdir
cmd/internal/rundb:       cmd/internal/ui sim/llm sim/llm/tokens sim/vtime cachemodel cmd/internal/hostdir metrics/report scenarios sim sim/kernel sim/workspace sim/transcript/sqlite sim/recording sim/recording/toevents sim/reprice
cmd/internal/harness:     cmd/internal/ui WORDS WORLD sim sim/audit sim/transcript/sqlite scenarios scenarios/expect metrics metrics/report metrics/baseline metrics/grid metrics/sharedprefix cachemodel
cmd/internal/cluster:     cmd/internal/ui cmd/internal/harness sim sim/workspace
cmd/internal/loading:     cmd/internal/ui cmd/internal/hostdir sim/recording sim/recording/importer sim/transcript/sqlite sim/recording/profile scenarios scenarios/expect sim sim/agent sim/definition cmd/internal/harness sim/client sim/project sim/wire cmd/internal/rundb sim/workspace sim/llm sim/transcript cachemodel metrics metrics/report metrics/heads
cmd/internal/forks:        sim/crossover sim/recording sim/recording/profile metrics/report cachemodel
cmd/internal/cli/inspect: BELOW
cmd/internal/cli/whatif:  BELOW
cmd/internal/cli/importing: BELOW
cmd/internal/cli/validate: BELOW
cmd/internal/cli/profile: BELOW
cmd/internal/cli/session: BELOW sim/bridge sim/bridge/session
cmd/internal/cli/lint:    BELOW metrics/sarif
cmd/internal/cli/diff:    BELOW
cmd/internal/cli/cachereplay: BELOW
cmd/internal/cli/dbcheck: BELOW
cmd/internal/cli/crossover: BELOW
cmd/internal/cli/definitions: BELOW
cmd/internal/cli/scenario: BELOW scenarios/upgrade
cmd/internal/cli/bench:   BELOW metrics/sarif
cmd/internal/cli/check:   BELOW sim/client metrics/heads metrics/sarif
cmd/internal/cli/sweep:   BELOW
cmd/internal/cli/compare: BELOW
cmd/internal/cli/run:     BELOW
cmd/internal/cli/replay:  BELOW
cmd/internal/cli/report:  BELOW metrics/page
cmd/internal/cli/runs:    BELOW
cmd/internal/cli/export:  BELOW sim/recording/exporter metrics/page metrics/perfetto cmd/internal/cli/report
cmd/internal/cli/project: BELOW sim/project
cmd/internal/cli/worker:  BELOW
cmd/internal/cli/overview: BELOW sim/client metrics/heads
cmd/internal/cli:         BELOW scenarios/document cmd/internal/cli/inspect cmd/internal/cli/whatif cmd/internal/cli/importing cmd/internal/cli/validate cmd/internal/cli/profile cmd/internal/cli/session cmd/internal/cli/lint cmd/internal/cli/diff cmd/internal/cli/cachereplay cmd/internal/cli/dbcheck cmd/internal/cli/crossover cmd/internal/cli/definitions cmd/internal/cli/scenario cmd/internal/cli/bench cmd/internal/cli/check cmd/internal/cli/sweep cmd/internal/cli/compare cmd/internal/cli/run cmd/internal/cli/replay cmd/internal/cli/report cmd/internal/cli/runs cmd/internal/cli/export cmd/internal/cli/project cmd/internal/cli/worker cmd/internal/cli/overview
cmd/internal/hostdir:     sim/workspace
cmd/internal/tidy:
cmd/internal/statements: sim/recording/recordingtest
cmd/internal/mutants:  cmd/internal/ui WORDS WORLD sim sim/audit scenarios cmd/internal/cli sim/transcript/sqlite/driver
`

// imports says which packages of others are kept to certain rooms. A pattern
// that ends with / covers everything below it, as does a room.
var imports = []struct{ pattern, only, use string }{
	{"database/sql", "sim/transcript/sqlite", "the tables are written by sim/transcript/sqlite"},
	{"database/sql/", "sim/transcript/sqlite", "the tables are written by sim/transcript/sqlite"},
	{"github.com/mattn/go-sqlite3", "sim/transcript/sqlite/driver", "the tables are written by sim/transcript/sqlite"},
	{"github.com/klauspost/compress/", "sim/transcript/sqlite", "packed rows are written by sim/transcript/sqlite"},
	{"os", "cmd/ sim/recording/recordingtest", "take an io.Reader, an io.Writer or a workspace.Snapshot; cmd opens files"},
	{"os/", "cmd/", "only cmd starts programs and listens to signals"},
	{"net", "cmd/", "nothing in the simulated world talks to a network"},
	{"net/", "cmd/ metrics/sarif", "nothing in the simulated world talks to a network; a path is written as a URI"},
	{"syscall", "cmd/", "only cmd touches the machine"},
	{"path/filepath", "cmd/ sim/recording/recordingtest", "package path: paths inside a workspace have forward slashes on every system"},
	{"github.com/spf13/cobra", "cmd/", "commands live in cmd/internal/cli"},
	{"github.com/spf13/pflag", "cmd/ sim/shell", "flags live in cmd/internal/cli; the simulated commands of sim/shell have some too"},
	{"github.com/olekukonko/", "metrics/report", "tables are made by metrics/report"},
	{"log", "", "return an error, or record an event"},
	{"log/", "", "return an error, or record an event"},
	{"time", "cmd/ sim/vtime", "vtime.Instant and vtime.Duration; kernel.Kernel.Now"},
	{"math/rand", "", "a named stream: rng.Key"},
	{"math/rand/", "", "a named stream: rng.Key"},
	{"crypto/rand", "", "a named stream: rng.Key"},
	{"hash/maphash", "", "xxh3: a maphash differs between two runs"},
	{"sync", "cmd/ sim/memo", "one process runs at a time: no lock is needed; wait with a kernel.Signal or kernel.Mailbox"},
	{"sync/", "cmd/ sim/kernel", "one process runs at a time: plain variables do"},
	{"context", "cmd/ sim/transcript/sqlite", "*kernel.Proc: its Abort is the way to cancel"},
	{"unsafe", "", "a plain conversion"},
	{"github.com/nats-io/", "cmd/internal/cluster", "the queue is cmd/internal/cluster's"},
	{"github.com/golang-jwt/jwt/", "sim/bridge", "tokens are decoded by sim/bridge, for their end alone"},
	{"gonum.org/", "metrics metrics/plot metrics/realism metrics/stat", "integers; floats begin in metrics"},
	{"gonum.org/v1/plot", "metrics/plot", "charts are drawn by metrics/plot"},
	{"gonum.org/v1/plot/", "metrics/plot", "charts are drawn by metrics/plot"},
}

// world is the simulated world: there, what the bans name may not be used.
var world = []string{"sim/", "mockllm/", "cachemodel/", "scenarios/"}

// crew is the room that starts goroutines.
const crew = "cmd/internal/harness"

// floats may be used in these rooms only.
var floats = []string{"metrics/", "cmd/"}

// recorders may emit events: the agent layer, the rooms that carry events on,
// and the root, which opens and closes a run.
var recorders = []string{"sim/agent", "sim/fork", "sim/transcript/", "sim", "sim/recording/toevents"}

// Sizes, in lines.
const (
	maxFile     = 500
	maxFunction = 70 // function literals inside are counted by themselves
	maxMethods  = 60 // of a type, with those that it embeds
)

// largeTypes may have more methods than others, and no more than here: what they
// had when the limit was made, rounded up to ten.
var largeTypes = map[string]int{
	"scenarios.checker":        120,
	"sim/transcript/sqlite.DB": 70,
}

// plainMethods need no comment: their names are a promise that every Go reader
// knows, or the interface that they satisfy carries the comment.
var plainMethods = map[string]string{
	"String":      "fmt.Stringer",
	"Error":       "error",
	"Unwrap":      "errors.Unwrap",
	"Is":          "errors.Is",
	"Kind":        "transcript.Body",
	"AppendText":  "transcript.Body, encoding.TextAppender",
	"MarshalJSON": "json.Marshaler",
}

// model is the interface behind which the language model stands: one function
// of the tree calls it.
const (
	modelPackage   = "agentsim/sim/agent"
	modelInterface = "Model"
)

// procWaits are the methods of *kernel.Proc that wait.
var procWaits = []string{"Sleep", "SleepUntil", "Join", "Shield"}

// exceptions lists, by rule, where it does not hold, and why.
var exceptions = []struct{ rule, path, reason string }{
	{"bans", "sim/transcript/sqlite/driver/driver.go", "to import a driver is to choose it, as database/sql has it"},
}
