-- Schema 14: what the ends of most runs have alike is stored once: which of their
-- metrics are 0, and how often the auditor made a check that found nothing broken.

PRAGMA legacy_alter_table = ON; -- a user's own views go on reading metrics and invariants
ALTER TABLE metrics RENAME TO metric_rows;
ALTER TABLE invariants RENAME TO invariant_rows;
PRAGMA legacy_alter_table = OFF;

CREATE TABLE alike (            -- stored once
  sha256 TEXT NOT NULL PRIMARY KEY, -- of object, the first 128 bits
  object TEXT NOT NULL          -- JSON: units by the metric's name, or checks by the invariant's
) STRICT, WITHOUT ROWID;

CREATE TABLE alike_in (
  run TEXT NOT NULL,
  part TEXT NOT NULL,           -- a scope of metrics, or invariants
  alike TEXT NOT NULL,          -- alike.sha256
  PRIMARY KEY (run, part)
) STRICT, WITHOUT ROWID;

-- metrics: exact integers folded from the events, those that are 0 as well.
CREATE VIEW metrics AS
SELECT run, scope, name, value, unit FROM metric_rows
UNION ALL
SELECT a.run, a.part, j.key, 0, j.value FROM alike_in a JOIN alike o ON o.sha256 = a.alike, json_each(o.object) j WHERE a.part <> 'invariants';

-- invariants: what the auditor checked.
CREATE VIEW invariants AS
SELECT run, name, checks, broken FROM invariant_rows
UNION ALL
SELECT a.run, j.key, j.value, 0 FROM alike_in a JOIN alike o ON o.sha256 = a.alike, json_each(o.object) j WHERE a.part = 'invariants';
