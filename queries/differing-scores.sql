-- name: differing-scores
-- about: scores of the same bytes and metric that were measured twice with different values
-- param: most = 200
SELECT run, step, metric, value, lowest, highest, highest - lowest AS spread
FROM score
WHERE differs
ORDER BY spread DESC, run, step, metric
LIMIT $most;
