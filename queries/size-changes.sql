-- name: size-changes
-- about: steps whose picture has another size or aspect than the step before
-- param: most = 200
WITH sized AS (
    SELECT run, step, width, height,
        lag(step) OVER every AS before,
        lag(width) OVER every AS width_before,
        lag(height) OVER every AS height_before
    FROM step
    WHERE width IS NOT NULL AND height IS NOT NULL
    WINDOW every AS (PARTITION BY run ORDER BY step)
)
SELECT z.run, z.step, z.before AS step_before, z.width_before, z.height_before, z.width, z.height,
    round(100.0 * ((z.width / z.height) / (z.width_before / z.height_before) - 1.0), 2)
        AS aspect_change_pct
FROM sized z
JOIN run_summary r ON r.run = z.run
WHERE z.width <> z.width_before OR z.height <> z.height_before
ORDER BY r.sort_key, z.step
LIMIT $most;
