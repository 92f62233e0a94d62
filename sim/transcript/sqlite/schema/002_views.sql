-- Schema 2: the views that answer the questions people ask. Each takes
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
  ('not-yet-readable', 'the entry was being written by a response that had not begun'),
  ('expired', 'the entry''s TTL was over'),
  ('never-written', 'the earlier request wrote no entry');

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

-- cost_by_agent: who spent what.
CREATE VIEW cost_by_agent AS
SELECT run, lineage, type, structure, count(*) AS calls, sum(prompt) AS prompt, sum(read) AS read,
  sum(written) AS written, sum(input) AS input, sum(output) AS output, sum(cost) AS cost,
  sum(cost) / 1e12 AS usd, sum(cost_uncached) / 1e12 AS usd_without_cache
FROM calls GROUP BY run, lineage;

-- hit_rate_by_structure: the share of prompt tokens that came from the cache.
CREATE VIEW hit_rate_by_structure AS
SELECT run, structure, count(*) AS calls, sum(prompt) AS prompt, sum(read) AS read,
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
