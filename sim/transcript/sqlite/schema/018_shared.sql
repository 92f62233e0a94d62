-- Schema 18: a run's row is its own alone. Runs that differ in their seeds share a
-- scenario, and a run's metrics are values beside names and units that runs share.

PRAGMA legacy_alter_table = ON; -- a user's own views go on reading runs
ALTER TABLE runs RENAME TO run_rows;
PRAGMA legacy_alter_table = OFF;
ALTER TABLE run_rows ADD COLUMN shared TEXT NOT NULL DEFAULT ''; -- specs.sha256; '' where spec has all of the scenario

CREATE TABLE specs (            -- stored once
  sha256 TEXT NOT NULL PRIMARY KEY, -- of both, the first 128 bits
  head TEXT NOT NULL,           -- the effective scenario up to its seed, or all of it
  tail TEXT NOT NULL            -- what stands behind the seed; '' where head is all of it
) STRICT, WITHOUT ROWID;

-- runs: what is known of each run.
CREATE VIEW runs AS
SELECT id, name, variant, seed, policy, semantics,
  spec || coalesce((SELECT s.head || CASE s.tail WHEN '' THEN '' ELSE r.seed || s.tail END FROM specs s WHERE s.sha256 = r.shared), '') AS spec,
  level, owner, outcome, detail, digest, events, ended_at, calls, input, write_5m, write_1h, read, output, cost, cost_uncached, seal
FROM run_rows r;

ALTER TABLE alike_in ADD COLUMN figures TEXT NOT NULL DEFAULT '{}'; -- JSON: values by the metric's name, of those that are not 0

-- metrics: exact integers folded from the events, those that are 0 as well.
DROP VIEW metrics;
CREATE VIEW metrics AS
SELECT run, scope, name, value, unit FROM metric_rows -- of runs recorded before schema 18
UNION ALL
SELECT a.run, a.part, j.key, coalesce(a.figures ->> j.key, 0), j.value
FROM alike_in a JOIN alike o ON o.sha256 = a.alike, json_each(o.object) j WHERE a.part <> 'invariants';
