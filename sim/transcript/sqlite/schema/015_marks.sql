-- Schema 15: what a recorded request asks to be cached, and for how long, is compared
-- with what the request before had asked for. recorded_requests.changed tells of marks,
-- too: marks: none from block 4 (user text) on, and ttl: block 6 (user text), 1h after 5m.

INSERT INTO recorded_causes VALUES
  ('marks', 'the last mark (cache_control) was in front of what the request before had left: nothing behind it is looked up', 'a mark in each request at the block where the one before had its last, or behind it');
