-- (metric, step, sd over repeats of the raw gap) of some runs, absurd scores left out.
-- Parameters: metrics, the least and the most of each, reference step, runs.
WITH asked AS (
    SELECT unnest(?::VARCHAR[]) AS metric, unnest(?::DOUBLE[]) AS least, unnest(?::DOUBLE[]) AS most
)
SELECT s.metric, s.step, stddev_samp(s.value - f.value)
FROM score s
JOIN asked a ON a.metric = s.metric AND s.value BETWEEN a.least AND a.most
JOIN score f ON f.run = s.run AND f.metric = s.metric AND f.step = ?
    AND f.value BETWEEN a.least AND a.most
WHERE s.run IN (SELECT unnest(?))
GROUP BY s.metric, s.step
HAVING count(*) > 1
