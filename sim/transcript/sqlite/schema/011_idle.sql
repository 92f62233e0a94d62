-- Schema 12: what would have kept the tokens of a recorded request goes by how long
-- they had not been used, too: the 1h lifetime keeps nothing that was idle for longer.

INSERT INTO recorded_causes VALUES
  ('ttl-idle', 'the entry had outlived its TTL, and the 1h one too', 'no TTL: it was idle for more than 1h; only requests that keep it alive, where agentsim whatif RUN --keep-alive LONG says that they pay');

-- recorded_keeps: by request, the row of recorded_causes that says what would have kept it.
CREATE VIEW recorded_keeps AS
SELECT c.run, c.n, CASE WHEN c.cause = 'ttl' AND
  r.at - CASE WHEN c.user_turn AND r.agent = 0 THEN coalesce(p.ended_at, p.at) ELSE p.at END > 3600000000000 THEN 'ttl-idle' ELSE c.cause END AS cause
FROM recorded_requests c JOIN requests r ON r.run = c.run AND r.seq = c.request
LEFT JOIN requests p ON p.run = c.run AND p.n = c.pred;

DROP VIEW recorded_misses;
CREATE VIEW recorded_misses AS
SELECT c.run, c.n, a.lineage, r.model, c.class, c.cause, k.meaning, c.pred AS after, c.expected, r.read, c.lost,
  c.lost_cost AS cost, c.lost_cost / 1e12 AS usd, k.keep, c.server_reason, c.server_missed
FROM recorded_requests c JOIN requests r ON r.run = c.run AND r.seq = c.request
JOIN agents a ON a.run = r.run AND a.agent = r.agent AND a.activation = r.activation
JOIN recorded_keeps w ON w.run = c.run AND w.n = c.n
LEFT JOIN recorded_causes k ON k.cause = w.cause
WHERE r.miss <> '';
