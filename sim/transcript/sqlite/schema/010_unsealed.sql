-- Schema 11: runs.seal is '0' where a run was recorded before schema 9, and '' only
-- until it has ended: an ended run without a seal was changed.

UPDATE runs SET seal = '0' WHERE seal = '' AND outcome <> 'running';
