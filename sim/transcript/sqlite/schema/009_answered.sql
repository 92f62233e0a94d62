-- Schema 10: calls are those that were answered, wherever they are counted; failed
-- are the requests beside them that ended in an API error. calls of runs recorded
-- before counts both.

DROP VIEW cost_by_agent;
DROP VIEW hit_rate_by_structure;

-- cost_by_agent: who spent what.
CREATE VIEW cost_by_agent AS
SELECT run, lineage, type, structure, sum(status = 'ok') AS calls, sum(status = 'error') AS failed, sum(prompt) AS prompt, sum(read) AS read,
  sum(written) AS written, sum(input) AS input, sum(output) AS output, sum(cost) AS cost,
  sum(cost) / 1e12 AS usd, sum(cost_uncached) / 1e12 AS usd_without_cache
FROM calls GROUP BY run, lineage;

-- hit_rate_by_structure: the share of prompt tokens that came from the cache.
CREATE VIEW hit_rate_by_structure AS
SELECT run, structure, sum(status = 'ok') AS calls, sum(status = 'error') AS failed, sum(prompt) AS prompt, sum(read) AS read,
  CASE WHEN sum(prompt) > 0 THEN sum(read) * 1.0 / sum(prompt) END AS hit_rate,
  sum(miss <> '') AS missed, sum(cost) AS cost, sum(cost) / 1e12 AS usd
FROM calls GROUP BY run, structure;
