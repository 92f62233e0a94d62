-- Schema 20: what the scenario of an execution expected of its runs. What would have kept
-- the tokens of a recorded request is looked up by an index, and not in all requests.

ALTER TABLE executions ADD COLUMN expects TEXT NOT NULL DEFAULT ''; -- its lines with the names that they may hold, in JSON; '' where nobody said

CREATE INDEX recorded_by_number ON recorded_requests (run, n);

DROP VIEW recorded_misses;
DROP VIEW recorded_keeps;

-- recorded_keeps: by request, the row of recorded_causes that says what would have kept it.
CREATE VIEW recorded_keeps AS
SELECT c.run, c.n, CASE WHEN c.cause = 'ttl' AND
  r.at - CASE WHEN c.user_turn AND r.agent = 0 THEN coalesce(p.ended_at, p.at) ELSE p.at END > 3600000000000 THEN 'ttl-idle' ELSE c.cause END AS cause
FROM recorded_requests c INDEXED BY recorded_by_number JOIN requests r ON r.run = c.run AND r.seq = c.request
LEFT JOIN recorded_requests q INDEXED BY recorded_by_number ON q.run = c.run AND q.n = c.pred
LEFT JOIN requests p ON p.run = q.run AND p.seq = q.request;

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
