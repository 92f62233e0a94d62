-- Schema 6: what the classifier of hand-offs said, and who obeyed what nobody
-- entitled to had said.

CREATE TABLE handoffs (         -- judgements of children's transcripts, ahead of the delivery of their results
  run TEXT NOT NULL,
  seq INTEGER NOT NULL,
  agent INTEGER NOT NULL,       -- that was judged
  at INTEGER NOT NULL,
  activation INTEGER NOT NULL,
  verdict TEXT NOT NULL,        -- flagged, clean, error
  taint TEXT NOT NULL,          -- what the verdict is about; '' where nothing spoke against the agent
  why TEXT NOT NULL,
  PRIMARY KEY (run, seq)
) STRICT, WITHOUT ROWID;

-- injections: each act of obedience and each judgement, in the order of the run.
CREATE VIEW injections AS
SELECT run, seq, (SELECT min(a.lineage) FROM agents a WHERE a.run = x.run AND a.agent = x.agent) AS lineage, what, taint, detail FROM (
  SELECT run, seq, agent, 'obeyed' AS what, substr(detail, 1, instr(detail, ': ') - 1) AS taint, substr(detail, instr(detail, ': ') + 2) AS detail
  FROM findings WHERE rule = 'injection-obeyed'
  UNION ALL
  SELECT run, seq, agent, verdict, taint, why FROM handoffs) x
ORDER BY run, seq;
