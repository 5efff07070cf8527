-- name: worst-metric-per-run
-- about: for each run the metric that failed most (scored better while the run decayed)
SELECT s.run, s.worst_metric AS metric, m.direction, round(s.worst_gap, 3) AS gap,
    (m.low IS NULL OR m.high IS NULL) AS gap_is_raw
FROM run_summary s
JOIN metric m ON m.metric = s.worst_metric
ORDER BY gap_is_raw, s.worst_gap DESC, s.sort_key;
