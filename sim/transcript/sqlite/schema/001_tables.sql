-- Schema 1: the tables.
--
-- A run's rows are keyed (run, seq): seq is the number of the event that made
-- the row, so equal runs have equal rows in any file. Nothing is numbered by
-- this file. Instants and durations are nanoseconds of virtual time, sizes are
-- bytes or tokens as named, money is picodollars (1e-12 USD), flags are 0 or 1.
-- nodes and payloads are shared by all runs.

CREATE TABLE runs (
  id TEXT PRIMARY KEY,          -- hash of semantics, effective spec, seed, policy and variant
  name TEXT NOT NULL,           -- of the scenario
  variant TEXT NOT NULL,        -- '' for none
  seed TEXT NOT NULL,           -- unsigned decimal
  policy TEXT NOT NULL,         -- scheduling policy
  semantics INTEGER NOT NULL,   -- version of what runs mean
  spec TEXT NOT NULL,           -- the effective scenario; with files all that a replay needs
  level TEXT NOT NULL,          -- full, calls (no content), sampled:N (one session tree of N), totals: what is recorded of it
  owner INTEGER NOT NULL,       -- executions.n of the execution whose rows these are
  outcome TEXT NOT NULL,        -- running, completed, limit, deadlock, interrupted, crashed
  detail TEXT NOT NULL,
  digest TEXT NOT NULL,         -- of the canonical lines; '' until it has ended
  events INTEGER NOT NULL,
  ended_at INTEGER NOT NULL,    -- instant of the last event
  calls INTEGER NOT NULL,
  input INTEGER NOT NULL,       -- tokens neither read nor written
  write_5m INTEGER NOT NULL,
  write_1h INTEGER NOT NULL,
  read INTEGER NOT NULL,
  output INTEGER NOT NULL,
  cost INTEGER NOT NULL,        -- picodollars
  cost_uncached INTEGER NOT NULL -- the same calls had there been no cache
) STRICT;

CREATE TABLE files (            -- the project a run worked on
  run TEXT NOT NULL,
  path TEXT NOT NULL,
  payload TEXT NOT NULL,        -- payloads.sha256
  PRIMARY KEY (run, path)
) STRICT, WITHOUT ROWID;

CREATE TABLE executions (       -- each time a run was executed
  run TEXT NOT NULL,
  n INTEGER NOT NULL,           -- from 1
  started_at TEXT NOT NULL,     -- wall time, as the caller gave it
  finished_at TEXT NOT NULL,    -- '' while it runs, or when it was killed
  level TEXT NOT NULL,
  status TEXT NOT NULL,         -- as runs.outcome
  digest TEXT NOT NULL,         -- differs from another ended execution's: a bug
  events INTEGER NOT NULL,
  PRIMARY KEY (run, n)
) STRICT, WITHOUT ROWID;

CREATE TABLE agents (           -- one row for each activation of an agent
  run TEXT NOT NULL,
  agent INTEGER NOT NULL,       -- ordinal in the run
  activation INTEGER NOT NULL,
  seq INTEGER NOT NULL,         -- of its start
  id TEXT NOT NULL,
  lineage TEXT NOT NULL,        -- main/12.3: third tool use of main's twelfth call
  parent INTEGER NOT NULL,      -- ordinal; -1 for a root
  type TEXT NOT NULL,
  structure TEXT NOT NULL,      -- root, subagent, fork
  model TEXT NOT NULL,
  depth INTEGER NOT NULL,
  pool_mode TEXT NOT NULL,
  run_mode TEXT NOT NULL,
  async INTEGER NOT NULL,
  source TEXT NOT NULL,
  tool_use TEXT NOT NULL,       -- the tool use that spawned it; '' for a root
  tools TEXT NOT NULL,          -- comma-separated, in order
  context TEXT NOT NULL,        -- what its isolated context was made with, key=value
  started_at INTEGER NOT NULL,
  ended_seq INTEGER,            -- the rest is NULL until it has ended
  ended_at INTEGER,
  status TEXT,                  -- completed, failed, killed, max_turns
  why TEXT,
  turns INTEGER,
  tool_uses INTEGER,
  input INTEGER,                -- consumed by its own calls
  write_5m INTEGER,
  write_1h INTEGER,
  read INTEGER,
  output INTEGER,
  rolled_input INTEGER,         -- consumed by it and all its descendants
  rolled_write_5m INTEGER,
  rolled_write_1h INTEGER,
  rolled_read INTEGER,
  rolled_output INTEGER,
  PRIMARY KEY (run, agent, activation)
) STRICT, WITHOUT ROWID;

CREATE TABLE payloads (         -- content, stored once
  sha256 TEXT PRIMARY KEY,      -- first 32 hex digits of the content's SHA-256
  bytes INTEGER NOT NULL,
  content TEXT NOT NULL         -- raw; in a request's bytes text stands JSON-escaped
) STRICT;

CREATE TABLE nodes (            -- blocks, each with all that stands before it
  hash TEXT PRIMARY KEY,        -- of the whole prefix up to here, scope and salts included
  parent TEXT NOT NULL,         -- nodes.hash; '' for a root
  level TEXT NOT NULL,          -- tools, system, messages
  role TEXT NOT NULL,           -- user, assistant, ''
  kind TEXT NOT NULL,           -- tool, text, thinking, tool_use, tool_result, image, document; '' for a border
  name TEXT NOT NULL,           -- of the tool
  pos INTEGER NOT NULL,         -- position of the block, from 1
  head TEXT NOT NULL,           -- a block's bytes are head, content, tail
  payload TEXT NOT NULL,        -- payloads.sha256; '' for a border
  tail TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE events (           -- the canonical transcript; the view lines joins the words
  run TEXT NOT NULL,
  seq INTEGER NOT NULL,
  at INTEGER NOT NULL,
  phase INTEGER NOT NULL,       -- 0 provider, 1 agents
  agent INTEGER NOT NULL,       -- -1 for the run itself
  kind TEXT NOT NULL,
  text TEXT NOT NULL,           -- ' key=value …'
  PRIMARY KEY (run, seq)
) STRICT, WITHOUT ROWID;

CREATE TABLE requests (         -- every call of the model, with its answer
  run TEXT NOT NULL,
  seq INTEGER NOT NULL,
  n INTEGER NOT NULL,           -- number of the request in the run, from 1
  agent INTEGER NOT NULL,
  activation INTEGER NOT NULL,
  call INTEGER NOT NULL,        -- number of the call in the agent, from 0
  attempt INTEGER NOT NULL,
  at INTEGER NOT NULL,
  model TEXT NOT NULL,
  head TEXT NOT NULL,           -- nodes.hash of the last block
  blocks INTEGER NOT NULL,      -- positions
  bytes INTEGER NOT NULL,       -- of the prefix
  status TEXT NOT NULL,         -- ok, error, open
  ended_seq INTEGER,            -- of the response or error
  stop TEXT NOT NULL,           -- stop reason, or the error's type
  answer TEXT NOT NULL,         -- nodes.hash with the answer appended; '' without one
  input INTEGER NOT NULL,
  write_5m INTEGER NOT NULL,
  write_1h INTEGER NOT NULL,
  read INTEGER NOT NULL,
  output INTEGER NOT NULL,
  cost INTEGER NOT NULL,        -- picodollars
  cost_uncached INTEGER NOT NULL,
  read_to INTEGER,              -- position at which the prefix that was read ends; NULL for nothing
  written_to INTEGER,
  undecided INTEGER NOT NULL,   -- marks whose count was within its error of the minimum; the point estimate was billed
  miss TEXT NOT NULL,           -- reason; '' when what was expected was read
  expected INTEGER NOT NULL,    -- tokens that could have been read
  lost INTEGER NOT NULL,        -- tokens of them that were not
  expected_from TEXT NOT NULL,  -- head of the earlier request that should have been read; only for a miss
  miss_pos INTEGER NOT NULL,    -- first position that differs from it; 0 for none
  miss_byte INTEGER NOT NULL,   -- offset of the first byte that differs; -1 for none
  started_at INTEGER,           -- admitted
  began_at INTEGER,             -- first byte
  ended_at INTEGER,
  PRIMARY KEY (run, seq)
) STRICT, WITHOUT ROWID;

CREATE TABLE breakpoints (      -- cache reads and writes at each mark of a request
  run TEXT NOT NULL,
  seq INTEGER NOT NULL,         -- of the request
  idx INTEGER NOT NULL,         -- from 0, in order
  node TEXT NOT NULL,
  pos INTEGER NOT NULL,
  ttl TEXT NOT NULL,            -- 5m, 1h; automatic for the one the API places itself
  reads INTEGER NOT NULL,       -- tokens read by way of this mark: it is the first at or behind read_to
  back INTEGER NOT NULL,        -- how many positions it looked back for them
  writes INTEGER NOT NULL,      -- tokens written; the API gives one figure, it stands at the last mark that wrote
  PRIMARY KEY (run, seq, idx)
) STRICT, WITHOUT ROWID;

CREATE TABLE tool_calls (
  run TEXT NOT NULL,
  seq INTEGER NOT NULL,
  agent INTEGER NOT NULL,
  call INTEGER NOT NULL,        -- of the agent's response that asked for it
  idx INTEGER NOT NULL,         -- among the tool uses of that response
  id TEXT NOT NULL,
  name TEXT NOT NULL,
  cause TEXT NOT NULL,          -- why it had to be made again: lazy, stale, truncated, compaction
  at INTEGER NOT NULL,
  ended_seq INTEGER,            -- NULL when it never ended
  is_error INTEGER,
  removed_by TEXT,              -- the filter layer that took the tool out of the pool
  bytes INTEGER,                -- of the result
  took INTEGER,
  PRIMARY KEY (run, seq)
) STRICT, WITHOUT ROWID;

CREATE TABLE tasks (            -- every change of a task's state
  run TEXT NOT NULL,
  seq INTEGER NOT NULL,
  agent INTEGER NOT NULL,
  at INTEGER NOT NULL,
  task TEXT NOT NULL,
  type TEXT NOT NULL,
  from_state TEXT NOT NULL,
  to_state TEXT NOT NULL,
  activation INTEGER NOT NULL,
  PRIMARY KEY (run, seq)
) STRICT, WITHOUT ROWID;

CREATE TABLE messages (         -- notifications, wake-ups and the user's messages
  run TEXT NOT NULL,
  seq INTEGER NOT NULL,
  agent INTEGER NOT NULL,
  at INTEGER NOT NULL,
  kind TEXT NOT NULL,           -- notification, wake_up, user_message
  task TEXT NOT NULL,
  op TEXT NOT NULL,             -- queued, delivered, dropped; for a wake-up its reason
  place TEXT NOT NULL,
  status TEXT NOT NULL,
  bytes INTEGER NOT NULL,
  prefix INTEGER NOT NULL,      -- tokens a wake-up costs to read again
  PRIMARY KEY (run, seq)
) STRICT, WITHOUT ROWID;

CREATE TABLE items (            -- work items as agents reported them
  run TEXT NOT NULL,
  seq INTEGER NOT NULL,
  agent INTEGER NOT NULL,
  item TEXT NOT NULL,
  outcome TEXT NOT NULL,        -- done, rework, failed, wrong
  missing TEXT NOT NULL,        -- comma-separated
  PRIMARY KEY (run, seq)
) STRICT, WITHOUT ROWID;

CREATE TABLE findings (         -- what a reader should know and is no error
  run TEXT NOT NULL,
  seq INTEGER NOT NULL,
  agent INTEGER NOT NULL,
  rule TEXT NOT NULL,
  detail TEXT NOT NULL,
  PRIMARY KEY (run, seq)
) STRICT, WITHOUT ROWID;

CREATE TABLE invariants (       -- what the auditor checked
  run TEXT NOT NULL,
  name TEXT NOT NULL,
  checks INTEGER NOT NULL,
  broken INTEGER NOT NULL,
  PRIMARY KEY (run, name)
) STRICT, WITHOUT ROWID;

CREATE TABLE metrics (          -- exact integers folded from the events
  run TEXT NOT NULL,
  scope TEXT NOT NULL,          -- run, type/NAME, agent/LINEAGE
  name TEXT NOT NULL,
  value INTEGER NOT NULL,
  unit TEXT NOT NULL,           -- tokens, ns, picodollars, bytes, count
  PRIMARY KEY (run, scope, name)
) STRICT, WITHOUT ROWID;
