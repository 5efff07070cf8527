-- name: unreadable-steps
-- about: steps whose picture or sidecar cannot be used, with the reason
-- param: most = 200
SELECT s.run, s.step, s.status, s.path, s.reason
FROM step s
JOIN run_summary r ON r.run = s.run
WHERE s.status <> 'ok'
ORDER BY r.sort_key, s.step
LIMIT $most;
