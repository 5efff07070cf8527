-- The scores at some steps as numbers: the places of run and metric in the lists given, the
-- step, the value (NaN for none), and a number that differs where the metric's version does.
-- Parameters: runs, metrics, steps.
WITH asked_run AS (
    SELECT unnest(names) AS run, (generate_subscripts(names, 1) - 1)::INTEGER AS place
    FROM (SELECT ?::VARCHAR[] AS names)
),
asked_metric AS (
    SELECT unnest(names) AS metric, (generate_subscripts(names, 1) - 1)::INTEGER AS place
    FROM (SELECT ?::VARCHAR[] AS names)
)
SELECT r.place AS run, m.place AS metric, s.step, s.value,
    hash(coalesce(s.metric_version, '')) AS version
FROM score s JOIN asked_run r USING (run) JOIN asked_metric m USING (metric)
WHERE s.step IN (SELECT unnest(?::BIGINT[]))
