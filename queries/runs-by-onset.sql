-- name: runs-by-onset
-- about: runs in the order in which they broke, the earliest first; those that did not stand last
-- param: most = 50
SELECT run, image, recipe, editor, onset, worst_metric, round(worst_gap, 2) AS worst_gap, last_step
FROM run_summary
ORDER BY onset NULLS LAST, worst_gap DESC NULLS LAST, sort_key
LIMIT $most;
