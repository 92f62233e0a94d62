-- What lists of runs are searched by, so that the scenarios beside it are not read.
CREATE INDEX runs_listed ON runs (id, name, variant, policy, seed, outcome);
