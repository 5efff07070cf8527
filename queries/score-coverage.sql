-- name: score-coverage
-- about: for each metric, how many readable steps have a value and why others have none
WITH fine AS (SELECT count(*) AS n FROM step WHERE status = 'ok')
SELECT s.metric, count(s.value) AS valued, fine.n AS steps,
    round(count(s.value) / fine.n, 4) AS coverage,
    count(*) FILTER (s.value IS NULL) AS failed,
    count(*) FILTER (s.differs) AS differing,
    string_agg(DISTINCT s.error, ', ') FILTER (s.value IS NULL) AS reasons
FROM score s
CROSS JOIN fine
GROUP BY s.metric, fine.n
ORDER BY coverage, s.metric;
