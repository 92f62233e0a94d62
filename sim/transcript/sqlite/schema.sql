-- The record's schema as all steps in schema/ leave it, in which a new file is made.
-- Do not edit it: go test ./sim/transcript/sqlite -run TestSchema -rewrite-schema

CREATE TABLE "run_rows" (
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
, seal TEXT NOT NULL DEFAULT '', shared TEXT NOT NULL DEFAULT '') STRICT;

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
  events INTEGER NOT NULL, expects TEXT NOT NULL DEFAULT '',
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
, class TEXT NOT NULL DEFAULT '') STRICT, WITHOUT ROWID;

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

CREATE TABLE "invariant_rows" (       -- what the auditor checked
  run TEXT NOT NULL,
  name TEXT NOT NULL,
  checks INTEGER NOT NULL,
  broken INTEGER NOT NULL,
  PRIMARY KEY (run, name)
) STRICT, WITHOUT ROWID;

CREATE TABLE "metric_rows" (          -- exact integers folded from the events
  run TEXT NOT NULL,
  scope TEXT NOT NULL,          -- run, type/NAME, agent/LINEAGE
  name TEXT NOT NULL,
  value INTEGER NOT NULL,
  unit TEXT NOT NULL,           -- tokens, ns, picodollars, bytes, count
  PRIMARY KEY (run, scope, name)
) STRICT, WITHOUT ROWID;

CREATE TABLE miss_reasons (     -- the closed list of why a request read less than it could have
  reason TEXT PRIMARY KEY,
  meaning TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE recorded_requests ( -- what only a recording knows of a request
  run TEXT NOT NULL,
  seq INTEGER NOT NULL,          -- of the event recorded
  n INTEGER NOT NULL,            -- requests.n
  request INTEGER NOT NULL,      -- requests.seq
  id TEXT NOT NULL,              -- the API's message id, or a hash of it
  pred INTEGER NOT NULL,         -- n of the request it goes on from; 0 for none
  version TEXT NOT NULL,         -- of the client
  stop TEXT NOT NULL,            -- as recorded
  user_turn INTEGER NOT NULL,    -- a message of the user caused it, not a tool's result
  compacted INTEGER NOT NULL,    -- the first one after a compaction
  output_known INTEGER NOT NULL, -- 0: requests.output is a lower bound
  writes_known INTEGER NOT NULL, -- 0: the API bills no writes
  billed INTEGER NOT NULL,       -- 0: requests.input is the prompt's size, and nothing is known of its bill
  answer_blocks INTEGER NOT NULL, -- how many blocks the answer has; 0 when unknown
  server_reason TEXT NOT NULL,   -- the API's own diagnosis, such as tools_changed
  server_missed INTEGER NOT NULL, -- tokens that it names
  class TEXT NOT NULL,           -- exact, over, short-near, visibility-lag, static-prefix, zero, first
  cause TEXT NOT NULL,           -- recorded_causes.cause; '' for none
  expected INTEGER NOT NULL,     -- tokens that the request it goes on from had read or written
  lost INTEGER NOT NULL,         -- tokens of them that were not read
  lost_cost INTEGER NOT NULL, told TEXT NOT NULL DEFAULT '', changed TEXT NOT NULL DEFAULT '',    -- picodollars that those of them cost which were paid for again, less what reading them costs
  PRIMARY KEY (run, seq)
) STRICT, WITHOUT ROWID;

CREATE TABLE recorded_tools (    -- tool uses by their recorded names; tool_calls has the rest
  run TEXT NOT NULL,
  seq INTEGER NOT NULL,          -- of the event recorded
  idx INTEGER NOT NULL,          -- tool_calls.idx
  id TEXT NOT NULL,              -- as recorded
  spawned INTEGER NOT NULL,      -- agent that it spawned; -1 for none
  PRIMARY KEY (run, seq, idx)
) STRICT, WITHOUT ROWID;

CREATE TABLE recorded_causes (   -- why a recorded request read less or more than expected
  cause TEXT PRIMARY KEY,
  meaning TEXT NOT NULL,
  keep TEXT NOT NULL             -- what would have kept the tokens
) STRICT, WITHOUT ROWID;

CREATE TABLE schedules (
  run TEXT PRIMARY KEY,
  choices TEXT NOT NULL         -- numbers in the ready set, in order: 2,0*15,1 is 2, fifteen times 0, 1
) STRICT, WITHOUT ROWID;

CREATE TABLE handoffs (         -- judgements of children's transcripts, ahead of the delivery of their results
  run TEXT NOT NULL,
  seq INTEGER NOT NULL,
  agent INTEGER NOT NULL,       -- that was judged
  at INTEGER NOT NULL,
  activation INTEGER NOT NULL,
  verdict TEXT NOT NULL,        -- flagged, clean, error
  taint TEXT NOT NULL,          -- what the verdict is about; '' where nothing spoke against the agent
  why TEXT NOT NULL,
  PRIMARY KEY (run, seq)
) STRICT, WITHOUT ROWID;

CREATE TABLE alike (            -- stored once
  sha256 TEXT NOT NULL PRIMARY KEY, -- of object, the first 128 bits
  object TEXT NOT NULL          -- JSON: units by the metric's name, or checks by the invariant's
) STRICT, WITHOUT ROWID;

CREATE TABLE alike_in (
  run TEXT NOT NULL,
  part TEXT NOT NULL,           -- a scope of metrics, or invariants
  alike TEXT NOT NULL, figures TEXT NOT NULL DEFAULT '{}',          -- alike.sha256
  PRIMARY KEY (run, part)
) STRICT, WITHOUT ROWID;

CREATE TABLE specs (            -- stored once
  sha256 TEXT NOT NULL PRIMARY KEY, -- of both, the first 128 bits
  head TEXT NOT NULL,           -- the effective scenario up to its seed, or all of it
  tail TEXT NOT NULL            -- what stands behind the seed; '' where head is all of it
) STRICT, WITHOUT ROWID;

CREATE TABLE packed (
  run TEXT NOT NULL,
  n INTEGER NOT NULL,           -- from 0, in the order of the run's batches
  chunk BLOB NOT NULL,          -- rows, zstd: for each table its name, its columns, how many rows, and the cells, column by column
  PRIMARY KEY (run, n)
) STRICT;

CREATE INDEX runs_listed ON "run_rows" (id, name, variant, policy, seed, outcome);

CREATE INDEX recorded_by_number ON recorded_requests (run, n);

CREATE VIEW lines AS
SELECT run, seq,
  printf('%d %d.%09ds %d %s %s', seq, at / 1000000000, at % 1000000000, phase,
    CASE agent WHEN -1 THEN '-' ELSE agent END, kind) || text AS line
FROM events;

CREATE VIEW calls AS
SELECT r.run, r.n, r.seq, a.lineage, a.type, a.structure, r.call, r.attempt, r.at / 1e9 AS at_seconds, r.model,
  r.input + r.write_5m + r.write_1h + r.read AS prompt, r.read, r.write_5m + r.write_1h AS written, r.input,
  r.output, r.status, r.stop, r.miss, r.cost, r.cost_uncached, r.cost / 1e12 AS usd
FROM requests r JOIN agents a USING (run, agent, activation);

CREATE VIEW why_missed AS
SELECT r.run, r.n, r.seq, a.lineage, a.structure, r.call, r.miss AS reason, m.meaning, r.expected, r.read, r.lost,
  r.miss_pos AS first_position, r.miss_byte AS first_byte,
  (SELECT e.n FROM requests e WHERE e.run = r.run AND e.head = r.expected_from AND e.seq < r.seq
   ORDER BY e.seq DESC LIMIT 1) AS after
FROM requests r JOIN agents a USING (run, agent, activation) LEFT JOIN miss_reasons m ON m.reason = r.miss
WHERE r.miss <> '';

CREATE VIEW child_saw AS
SELECT c.run, c.lineage, c.structure, n.pos, n.level, n.role, n.kind, n.name, p.bytes,
  n.pos <= coalesce(r.read_to, 0) AS cached, substr(p.content, 1, 200) AS content
FROM agents c
JOIN requests r ON r.run = c.run AND r.seq =
  (SELECT min(f.seq) FROM requests f WHERE f.run = c.run AND f.agent = c.agent)
JOIN json_each((
  WITH RECURSIVE up(hash, parent, depth) AS (
    SELECT hash, parent, 0 FROM nodes WHERE hash = r.head
    UNION ALL
    SELECT nodes.hash, nodes.parent, depth + 1 FROM nodes JOIN up ON nodes.hash = up.parent)
  SELECT json_group_array(hash) FROM (SELECT hash FROM up ORDER BY depth DESC))) chain
JOIN nodes n ON n.hash = chain.value
JOIN payloads p ON p.sha256 = n.payload
WHERE c.parent >= 0 AND c.activation = (SELECT min(o.activation) FROM agents o WHERE o.run = c.run AND o.agent = c.agent);

CREATE VIEW injections AS
SELECT run, seq, (SELECT min(a.lineage) FROM agents a WHERE a.run = x.run AND a.agent = x.agent) AS lineage, what, taint, detail FROM (
  SELECT run, seq, agent, 'obeyed' AS what, substr(detail, 1, instr(detail, ': ') - 1) AS taint, substr(detail, instr(detail, ': ') + 2) AS detail
  FROM findings WHERE rule = 'injection-obeyed'
  UNION ALL
  SELECT run, seq, agent, verdict, taint, why FROM handoffs) x
ORDER BY run, seq;

CREATE VIEW cost_by_agent AS
SELECT run, lineage, type, structure, sum(status = 'ok') AS calls, sum(status = 'error') AS failed, sum(prompt) AS prompt, sum(read) AS read,
  sum(written) AS written, sum(input) AS input, sum(output) AS output, sum(cost) AS cost,
  sum(cost) / 1e12 AS usd, sum(cost_uncached) / 1e12 AS usd_without_cache
FROM calls GROUP BY run, lineage;

CREATE VIEW hit_rate_by_structure AS
SELECT run, structure, sum(status = 'ok') AS calls, sum(status = 'error') AS failed, sum(prompt) AS prompt, sum(read) AS read,
  CASE WHEN sum(prompt) > 0 THEN sum(read) * 1.0 / sum(prompt) END AS hit_rate,
  sum(miss <> '') AS missed, sum(cost) AS cost, sum(cost) / 1e12 AS usd
FROM calls GROUP BY run, structure;

CREATE VIEW invariants AS
SELECT run, name, checks, broken FROM invariant_rows
UNION ALL
SELECT a.run, j.key, j.value, 0 FROM alike_in a JOIN alike o ON o.sha256 = a.alike, json_each(o.object) j WHERE a.part = 'invariants';

CREATE VIEW metrics AS
SELECT run, scope, name, value, unit FROM metric_rows -- of runs recorded before schema 18
UNION ALL
SELECT a.run, a.part, j.key, coalesce(a.figures ->> j.key, 0), j.value
FROM alike_in a JOIN alike o ON o.sha256 = a.alike, json_each(o.object) j WHERE a.part <> 'invariants';

CREATE VIEW recorded_keeps AS
SELECT c.run, c.n, CASE WHEN c.cause = 'ttl' AND
  r.at - CASE WHEN c.user_turn AND r.agent = 0 THEN coalesce(p.ended_at, p.at) ELSE p.at END > 3600000000000 THEN 'ttl-idle' ELSE c.cause END AS cause
FROM recorded_requests c INDEXED BY recorded_by_number JOIN requests r ON r.run = c.run AND r.seq = c.request
LEFT JOIN recorded_requests q INDEXED BY recorded_by_number ON q.run = c.run AND q.n = c.pred
LEFT JOIN requests p ON p.run = q.run AND p.seq = q.request;

CREATE VIEW recorded_misses AS
SELECT c.run, c.n, a.lineage, r.model, c.class, c.cause, k.meaning, c.pred AS after, c.expected, r.read, c.lost,
  c.lost_cost AS cost, c.lost_cost / 1e12 AS usd, k.keep, c.server_reason, c.server_missed
FROM recorded_requests c JOIN requests r ON r.run = c.run AND r.seq = c.request
JOIN agents a ON a.run = r.run AND a.agent = r.agent AND a.activation = r.activation
JOIN recorded_keeps w ON w.run = c.run AND w.n = c.n
LEFT JOIN recorded_causes k ON k.cause = w.cause
WHERE r.miss <> '';

CREATE VIEW runs AS
SELECT id, name, variant, seed, policy, semantics,
  spec || coalesce((SELECT s.head || CASE s.tail WHEN '' THEN '' ELSE r.seed || s.tail END FROM specs s WHERE s.sha256 = r.shared), '') AS spec,
  level, owner, outcome, detail, digest, events, ended_at, calls, input, write_5m, write_1h, read, output, cost, cost_uncached, seal,
  (SELECT coalesce(sum(length(chunk)), 0) FROM packed p WHERE p.run = r.id) AS packed -- bytes; where it is not 0 its single rows are packed
FROM run_rows r;

INSERT INTO miss_reasons VALUES ('below-minimum', 'the marked prefix is shorter than the model caches');
INSERT INTO miss_reasons VALUES ('expired', 'the entry''s TTL was over');
INSERT INTO miss_reasons VALUES ('look-back', 'the entry stands further back than a breakpoint looks');
INSERT INTO miss_reasons VALUES ('messages', 'the messages differ');
INSERT INTO miss_reasons VALUES ('model', 'another model has another cache');
INSERT INTO miss_reasons VALUES ('never-written', 'the earlier request wrote no entry');
INSERT INTO miss_reasons VALUES ('no-marker', 'the request or the one it follows carried no breakpoint');
INSERT INTO miss_reasons VALUES ('noise', 'an option of the server let it miss, for nothing in what was sent');
INSERT INTO miss_reasons VALUES ('not-yet-readable', 'the entry could not be read yet: its response had not begun, or an option let the server lag');
INSERT INTO miss_reasons VALUES ('salt', 'a setting that is part of no block changed');
INSERT INTO miss_reasons VALUES ('system', 'the system blocks differ');
INSERT INTO miss_reasons VALUES ('tools', 'the tool definitions differ');
INSERT INTO miss_reasons VALUES ('undecided', 'the count is within its error of the minimum');
INSERT INTO miss_reasons VALUES ('unexplained', 'nothing in the recording says why');
INSERT INTO recorded_causes VALUES ('api-error', 'an attempt at the request had failed', 'nothing on the client''s side');
INSERT INTO recorded_causes VALUES ('client-version', 'another version of the client has another prompt', 'an update between sessions');
INSERT INTO recorded_causes VALUES ('compaction', 'the conversation was compacted', 'a compaction later, or at a moment when the entry had expired anyway');
INSERT INTO recorded_causes VALUES ('hidden-request', 'a request that is not in the recording went on from the one before', 'nothing was lost');
INSERT INTO recorded_causes VALUES ('history', 'earlier messages were rewritten: the bytes of the prompts say so, or the prompt is shorter than what was expected to be read', 'messages that only grow: nothing edited or cleared behind the mark');
INSERT INTO recorded_causes VALUES ('marks', 'the last mark (cache_control) was in front of what the request before had left: nothing behind it is looked up', 'a mark in each request at the block where the one before had its last, or behind it');
INSERT INTO recorded_causes VALUES ('mcp', 'a tool server was connected again, or its instructions changed', 'tool servers that stay connected, or deferred tools');
INSERT INTO recorded_causes VALUES ('microcompact', 'the client cleared earlier tools'' results', 'a context with room enough, so that nothing is cleared');
INSERT INTO recorded_causes VALUES ('model', 'another model has another cache', 'the same model for both requests');
INSERT INTO recorded_causes VALUES ('noise', 'nothing in the recording says why', 'nothing that is known: the server dropped the entry, or what changed was not recorded');
INSERT INTO recorded_causes VALUES ('plan-mode', 'plan mode began or ended', 'nothing that is known: what plan mode changes in the prompt is not recorded');
INSERT INTO recorded_causes VALUES ('resume', 'the client was left, or the session taken up again', 'a session that stays open');
INSERT INTO recorded_causes VALUES ('settings', 'a setting that is in no block was another, such as thinking, effort, speed or tool_choice', 'the same settings from the first request on');
INSERT INTO recorded_causes VALUES ('skill', 'a skill began or ended', 'a skill without a model or effort of its own');
INSERT INTO recorded_causes VALUES ('system', 'the system prompt had changed, as the API or the bytes of the prompts say', 'nothing that varies (dates, git status) in the system prompt; put it into a message');
INSERT INTO recorded_causes VALUES ('thinking', 'the model''s earlier thinking was taken out at a user turn', 'a model that keeps earlier thinking, or thinking off');
INSERT INTO recorded_causes VALUES ('tool-list', 'the list of tools, agents or skills changed', 'lists that are whole before the first request');
INSERT INTO recorded_causes VALUES ('tools', 'the tools had changed, as the API or the bytes of the prompts say', 'the same tools in the same order; new ones behind those that are there (deferred loading)');
INSERT INTO recorded_causes VALUES ('ttl', 'the entry had outlived its TTL', 'the 1h TTL, or a request that keeps it alive before 5 min have passed');
INSERT INTO recorded_causes VALUES ('ttl-1h', 'the entry had outlived its TTL of an hour', 'a request that keeps it alive before the hour has passed');
INSERT INTO recorded_causes VALUES ('ttl-idle', 'the entry had outlived its TTL, and the 1h one too', 'no TTL: it was idle for more than 1h; only requests that keep it alive, where agentsim whatif RUN --keep-alive LONG says that they pay');
INSERT INTO recorded_causes VALUES ('visibility-lag', 'what the request before wrote could not be read yet', 'nothing on the client''s side: the server was slow to show the entry');
