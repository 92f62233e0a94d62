-- The views that answer the questions people ask. Each takes
-- WHERE run = '…' (or run LIKE '9c1e%').

CREATE TABLE miss_reasons (     -- the closed list of why a request read less than it could have
  reason TEXT PRIMARY KEY,
  meaning TEXT NOT NULL
) STRICT, WITHOUT ROWID;

INSERT INTO miss_reasons VALUES
  ('no-marker', 'the request or the one it follows carried no breakpoint'),
  ('below-minimum', 'the marked prefix is shorter than the model caches'),
  ('undecided', 'the count is within its error of the minimum'),
  ('model', 'another model has another cache'),
  ('salt', 'a setting that is part of no block changed'),
  ('tools', 'the tool definitions differ'),
  ('system', 'the system blocks differ'),
  ('messages', 'the messages differ'),
  ('look-back', 'the entry stands further back than a breakpoint looks'),
  ('not-yet-readable', 'the entry could not be read yet: its response had not begun, or an option let the server lag'),
  ('expired', 'the entry''s TTL was over'),
  ('never-written', 'the earlier request wrote no entry'),
  ('unexplained', 'nothing in the recording says why'),
  ('noise', 'an option of the server let it miss, for nothing in what was sent');

CREATE TABLE recorded_causes (   -- why a recorded request read less or more than expected
  cause TEXT PRIMARY KEY,
  meaning TEXT NOT NULL,
  keep TEXT NOT NULL             -- what would have kept the tokens
) STRICT, WITHOUT ROWID;

-- ttl-idle is no cause of its own: the view recorded_keeps says where it applies.
INSERT INTO recorded_causes VALUES
  ('ttl', 'the entry had outlived its TTL', 'the 1h TTL, or a request that keeps it alive before 5 min have passed'),
  ('model', 'another model has another cache', 'the same model for both requests'),
  ('compaction', 'the conversation was compacted', 'a compaction later, or at a moment when the entry had expired anyway'),
  ('tools', 'the tools had changed, as the API or the bytes of the prompts say', 'the same tools in the same order; new ones behind those that are there (deferred loading)'),
  ('system', 'the system prompt had changed, as the API or the bytes of the prompts say', 'nothing that varies (dates, git status) in the system prompt; put it into a message'),
  ('history', 'earlier messages were rewritten: the bytes of the prompts say so, or the prompt is shorter than what was expected to be read', 'messages that only grow: nothing edited or cleared behind the mark'),
  ('thinking', 'the model''s earlier thinking was taken out at a user turn', 'a model that keeps earlier thinking, or thinking off'),
  ('hidden-request', 'a request that is not in the recording went on from the one before', 'nothing was lost'),
  ('visibility-lag', 'what the request before wrote could not be read yet', 'nothing on the client''s side: the server was slow to show the entry'),
  ('noise', 'nothing in the recording says why', 'nothing that is known: the server dropped the entry, or what changed was not recorded'),
  ('ttl-1h', 'the entry had outlived its TTL of an hour', 'a request that keeps it alive before the hour has passed'),
  ('settings', 'a setting that is in no block was another, such as thinking, effort, speed or tool_choice', 'the same settings from the first request on'),
  ('resume', 'the client was left, or the session taken up again', 'a session that stays open'),
  ('microcompact', 'the client cleared earlier tools'' results', 'a context with room enough, so that nothing is cleared'),
  ('client-version', 'another version of the client has another prompt', 'an update between sessions'),
  ('mcp', 'a tool server was connected again, or its instructions changed', 'tool servers that stay connected, or deferred tools'),
  ('tool-list', 'the list of tools, agents or skills changed', 'lists that are whole before the first request'),
  ('plan-mode', 'plan mode began or ended', 'nothing that is known: what plan mode changes in the prompt is not recorded'),
  ('skill', 'a skill began or ended', 'a skill without a model or effort of its own'),
  ('api-error', 'an attempt at the request had failed', 'nothing on the client''s side'),
  ('ttl-idle', 'the entry had outlived its TTL, and the 1h one too', 'no TTL: it was idle for more than 1h; only requests that keep it alive, where agentsim whatif RUN --keep-alive LONG says that they pay'),
  ('marks', 'the last mark (cache_control) was in front of what the request before had left: nothing behind it is looked up', 'a mark in each request at the block where the one before had its last, or behind it');

-- runs: what is known of each run.
CREATE VIEW runs AS
SELECT id, name, variant, seed, policy, semantics,
  spec || coalesce((SELECT s.head || CASE s.tail WHEN '' THEN '' ELSE r.seed || s.tail END FROM specs s WHERE s.sha256 = r.shared), '') AS spec,
  level, owner, outcome, detail, digest, events, ended_at, calls, input, write_5m, write_1h, read, output, cost, cost_uncached, seal
FROM run_rows r;

-- lines: the canonical transcript, as text.
CREATE VIEW lines AS
SELECT run, seq,
  printf('%d %d.%09ds %d %s %s', seq, at / 1000000000, at % 1000000000, phase,
    CASE agent WHEN -1 THEN '-' ELSE agent END, kind) || text AS line
FROM events;

-- calls: one row for each call of the model, tokens and cost.
CREATE VIEW calls AS
SELECT r.run, r.n, r.seq, a.lineage, a.type, a.structure, r.call, r.attempt, r.at / 1e9 AS at_seconds, r.model,
  r.input + r.write_5m + r.write_1h + r.read AS prompt, r.read, r.write_5m + r.write_1h AS written, r.input,
  r.output, r.status, r.stop, r.miss, r.cost, r.cost_uncached, r.cost / 1e12 AS usd
FROM requests r JOIN agents a USING (run, agent, activation);

-- In what counts calls, calls are those that were answered; failed are the requests
-- beside them that ended in an API error.

-- cost_by_agent: who spent what.
CREATE VIEW cost_by_agent AS
SELECT run, lineage, type, structure, sum(status = 'ok') AS calls, sum(status = 'error') AS failed, sum(prompt) AS prompt, sum(read) AS read,
  sum(written) AS written, sum(input) AS input, sum(output) AS output, sum(cost) AS cost,
  sum(cost) / 1e12 AS usd, sum(cost_uncached) / 1e12 AS usd_without_cache
FROM calls GROUP BY run, lineage;

-- hit_rate_by_structure: the share of prompt tokens that came from the cache.
CREATE VIEW hit_rate_by_structure AS
SELECT run, structure, sum(status = 'ok') AS calls, sum(status = 'error') AS failed, sum(prompt) AS prompt, sum(read) AS read,
  CASE WHEN sum(prompt) > 0 THEN sum(read) * 1.0 / sum(prompt) END AS hit_rate,
  sum(miss <> '') AS missed, sum(cost) AS cost, sum(cost) / 1e12 AS usd
FROM calls GROUP BY run, structure;

-- why_missed: each request that read less than it could have, and why. after is
-- the number of the request whose prefix it should have read.
CREATE VIEW why_missed AS
SELECT r.run, r.n, r.seq, a.lineage, a.structure, r.call, r.miss AS reason, m.meaning, r.expected, r.read, r.lost,
  r.miss_pos AS first_position, r.miss_byte AS first_byte,
  (SELECT e.n FROM requests e WHERE e.run = r.run AND e.head = r.expected_from AND e.seq < r.seq
   ORDER BY e.seq DESC LIMIT 1) AS after
FROM requests r JOIN agents a USING (run, agent, activation) LEFT JOIN miss_reasons m ON m.reason = r.miss
WHERE r.miss <> '';

-- child_saw: what stood in the first request of each agent that another one
-- spawned, block by block; cached tells what came from the cache. The chain is
-- walked inside the row, so naming a run and a lineage walks one chain only.
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

-- metrics: exact integers folded from the events, those that are 0 as well.
CREATE VIEW metrics AS
SELECT a.run, a.part AS scope, j.key AS name, coalesce(a.figures ->> j.key, 0) AS value, j.value AS unit
FROM alike_in a JOIN alike o ON o.sha256 = a.alike, json_each(o.object) j WHERE a.part <> 'invariants';

-- invariants: what the auditor checked.
CREATE VIEW invariants AS
SELECT run, name, checks, broken FROM invariant_rows
UNION ALL
SELECT a.run, j.key, j.value, 0 FROM alike_in a JOIN alike o ON o.sha256 = a.alike, json_each(o.object) j WHERE a.part = 'invariants';

-- injections: each act of obedience and each judgement, in the order of the run.
CREATE VIEW injections AS
SELECT run, seq, (SELECT min(a.lineage) FROM agents a WHERE a.run = x.run AND a.agent = x.agent) AS lineage, what, taint, detail FROM (
  SELECT run, seq, agent, 'obeyed' AS what, substr(detail, 1, instr(detail, ': ') - 1) AS taint, substr(detail, instr(detail, ': ') + 2) AS detail
  FROM findings WHERE rule = 'injection-obeyed'
  UNION ALL
  SELECT run, seq, agent, verdict, taint, why FROM handoffs) x
ORDER BY run, seq;

-- recorded_keeps: by request, the row of recorded_causes that says what would have kept it.
CREATE VIEW recorded_keeps AS
SELECT c.run, c.n, CASE WHEN c.cause = 'ttl' AND
  r.at - CASE WHEN c.user_turn AND r.agent = 0 THEN coalesce(p.ended_at, p.at) ELSE p.at END > 3600000000000 THEN 'ttl-idle' ELSE c.cause END AS cause
FROM recorded_requests c JOIN requests r ON r.run = c.run AND r.seq = c.request
LEFT JOIN requests p ON p.run = c.run AND p.n = c.pred;

-- recorded_misses: each recorded request that read less than it could have; what
-- that cost, and what would have kept it. Where messages were rewritten the cost
-- is an upper bound: what was written then may be new.
CREATE VIEW recorded_misses AS
SELECT c.run, c.n, a.lineage, r.model, c.class, c.cause, k.meaning, c.pred AS after, c.expected, r.read, c.lost,
  c.lost_cost AS cost, c.lost_cost / 1e12 AS usd, k.keep, c.server_reason, c.server_missed
FROM recorded_requests c JOIN requests r ON r.run = c.run AND r.seq = c.request
JOIN agents a ON a.run = r.run AND a.agent = r.agent AND a.activation = r.activation
JOIN recorded_keeps w ON w.run = c.run AND w.n = c.n
LEFT JOIN recorded_causes k ON k.cause = w.cause
WHERE r.miss <> '';
