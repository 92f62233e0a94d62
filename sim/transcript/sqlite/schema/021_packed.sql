-- Schema 21: runs recorded with --record packed. Their rows in payloads, nodes, events,
-- requests, breakpoints, tool_calls, tasks, messages, items, findings, handoffs,
-- recorded_requests, recorded_tools, files and schedules are here, compressed, and not
-- there; all else is where it is of any run. agentsim runs unpack RUN lays them out.
-- runs says of each run how many bytes of it are packed. A later step must not change the
-- rows of these tables other than by columns with a default: packed ones keep their columns.

CREATE TABLE packed (
  run TEXT NOT NULL,
  n INTEGER NOT NULL,           -- from 0, in the order of the run's batches
  chunk BLOB NOT NULL,          -- rows, zstd: for each table its name, its columns, how many rows, and the cells, column by column
  PRIMARY KEY (run, n)
) STRICT;

DROP VIEW runs;
CREATE VIEW runs AS
SELECT id, name, variant, seed, policy, semantics,
  spec || coalesce((SELECT s.head || CASE s.tail WHEN '' THEN '' ELSE r.seed || s.tail END FROM specs s WHERE s.sha256 = r.shared), '') AS spec,
  level, owner, outcome, detail, digest, events, ended_at, calls, input, write_5m, write_1h, read, output, cost, cost_uncached, seal,
  (SELECT coalesce(sum(length(chunk)), 0) FROM packed p WHERE p.run = r.id) AS packed -- bytes; where it is not 0 its single rows are packed
FROM run_rows r;
