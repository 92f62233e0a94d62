-- Schema 9: what a run's rows add up to, so that a row that was changed, lost or
-- added later is noticed.

ALTER TABLE runs ADD COLUMN seal TEXT NOT NULL DEFAULT ''; -- '' until it has ended, and where it was recorded before schema 9; else a
-- version and, for each table with rows of the run, how many there are and the sum of their hashes (xxh3, 128 bits), order apart
