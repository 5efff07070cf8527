-- name: steps-without-reasoning
-- about: steps that came with no reasoning summary, though their run has some
-- param: most = 200
SELECT s.run, s.step, s.status, s.finish_reason
FROM step s
JOIN run_summary r ON r.run = s.run
WHERE s.step > 0
    AND r.sections > 0
    AND (s.run, s.step) NOT IN (SELECT run, step FROM section)
ORDER BY r.sort_key, s.step
LIMIT $most;
