-- Schema 3: recorded sessions. One that was imported is a run like any other: its
-- threads are agents, its requests requests. runs.policy is then 'recorded', and
-- runs.spec is a JSON document of what else is known of the session: format,
-- origin, session, client, start (nanoseconds since 1970), block_tokens, files,
-- threads (thread i is agent i) and skipped.

INSERT INTO miss_reasons VALUES
  ('unexplained', 'nothing in the recording says why');

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
  lost_cost INTEGER NOT NULL,    -- picodollars that those of them cost which were paid for again, less what reading them costs
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

INSERT INTO recorded_causes VALUES
  ('ttl', 'the entry had outlived its TTL', 'the 1h TTL, or a request that keeps it alive before 5 min have passed (1 h, if it was written for that)'),
  ('model', 'another model has another cache', 'the same model for both requests'),
  ('compaction', 'the conversation was compacted', 'a compaction later, or at a moment when the entry had expired anyway'),
  ('tools', 'the API says that the tools had changed', 'the same tools in the same order; new ones behind those that are there (deferred loading)'),
  ('system', 'the API says that the system prompt had changed', 'nothing that varies (dates, git status) in the system prompt; put it into a message'),
  ('history', 'the prompt is shorter than what was expected to be read: earlier messages were rewritten', 'messages that only grow: nothing edited or cleared behind the mark'),
  ('thinking', 'the model''s earlier thinking was taken out at a user turn', 'a model that keeps earlier thinking, or thinking off'),
  ('hidden-request', 'a request that is not in the recording went on from the one before', 'nothing was lost'),
  ('visibility-lag', 'what the request before wrote could not be read yet', 'nothing on the client''s side: the server was slow to show the entry'),
  ('noise', 'nothing in the recording says why', 'nothing that is known: the server dropped the entry, or what changed was not recorded');

-- recorded_misses: each recorded request that read less than it could have; what
-- that cost, and what would have kept it. Where messages were rewritten the cost
-- is an upper bound: what was written then may be new.
CREATE VIEW recorded_misses AS
SELECT c.run, c.n, a.lineage, r.model, c.class, c.cause, k.meaning, c.pred AS after, c.expected, r.read, c.lost,
  c.lost_cost AS cost, c.lost_cost / 1e12 AS usd, k.keep, c.server_reason, c.server_missed
FROM recorded_requests c JOIN requests r ON r.run = c.run AND r.seq = c.request
JOIN agents a ON a.run = r.run AND a.agent = r.agent AND a.activation = r.activation
LEFT JOIN recorded_causes k ON k.cause = c.cause
WHERE r.miss <> '';
