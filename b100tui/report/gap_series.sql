-- Whole series as numbers: the places of run and metric in the lists given, step and value (NaN
-- for none). Parameters: runs, metrics.
WITH asked_run AS (
    SELECT unnest(names) AS run, (generate_subscripts(names, 1) - 1)::INTEGER AS place
    FROM (SELECT ?::VARCHAR[] AS names)
),
asked_metric AS (
    SELECT unnest(names) AS metric, (generate_subscripts(names, 1) - 1)::INTEGER AS place
    FROM (SELECT ?::VARCHAR[] AS names)
)
SELECT r.place AS run, m.place AS metric, unnest(s.steps) AS step, unnest(s."values") AS value
FROM series s JOIN asked_run r USING (run) JOIN asked_metric m USING (metric)
