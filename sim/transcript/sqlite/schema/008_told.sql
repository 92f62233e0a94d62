-- Schema 8: what lines of a transcript tell of a recorded request's settings and of
-- what happened before it, and the causes that they name.

ALTER TABLE recorded_requests ADD COLUMN told TEXT NOT NULL DEFAULT ''; -- such as thinking:typed effort:high resume@0:12: settings, then events with file (from 0) and line

UPDATE recorded_causes SET keep = 'the 1h TTL, or a request that keeps it alive before 5 min have passed' WHERE cause = 'ttl';

INSERT INTO recorded_causes VALUES
  ('ttl-1h', 'the entry had outlived its TTL of an hour', 'a request that keeps it alive before the hour has passed'),
  ('settings', 'thinking, effort or speed were set otherwise', 'the same settings from the first request on'),
  ('resume', 'the client was left, or the session taken up again', 'a session that stays open'),
  ('microcompact', 'the client cleared earlier tools'' results', 'a context with room enough, so that nothing is cleared'),
  ('client-version', 'another version of the client has another prompt', 'an update between sessions'),
  ('mcp', 'a tool server was connected again, or its instructions changed', 'tool servers that stay connected, or deferred tools'),
  ('tool-list', 'the list of tools, agents or skills changed', 'lists that are whole before the first request'),
  ('plan-mode', 'plan mode began or ended', 'nothing that is known: what plan mode changes in the prompt is not recorded'),
  ('skill', 'a skill began or ended', 'a skill without a model or effort of its own'),
  ('api-error', 'an attempt at the request had failed', 'nothing on the client''s side');
