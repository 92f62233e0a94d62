-- Schema 5: what a run's scheduling policy chose, where its name does not say so.

CREATE TABLE schedules (
  run TEXT PRIMARY KEY,
  choices TEXT NOT NULL         -- numbers in the ready set, in order: 2,0*15,1 is 2, fifteen times 0, 1
) STRICT, WITHOUT ROWID;
