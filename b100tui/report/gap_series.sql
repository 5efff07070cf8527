-- Whole series as numbers: place of the run in the list given times the count of metrics plus
-- place of the metric, step and value. Parameters: runs, metrics, count of metrics.
WITH asked_run AS (
    SELECT unnest(names) AS run, (generate_subscripts(names, 1) - 1)::INTEGER AS place
    FROM (SELECT ?::VARCHAR[] AS names)
),
asked_metric AS (
    SELECT unnest(names) AS metric, (generate_subscripts(names, 1) - 1)::INTEGER AS place
    FROM (SELECT ?::VARCHAR[] AS names)
)
SELECT key, unnest(steps) AS step, unnest("values") AS value FROM (
    SELECT r.place * ? + m.place AS key, s.steps, s."values"
    FROM series s JOIN asked_run r USING (run) JOIN asked_metric m USING (metric)
)
