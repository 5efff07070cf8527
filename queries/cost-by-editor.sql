-- name: cost-by-editor
-- about: what each editor cost, and the seconds a step took
SELECT coalesce(s.editor, r.editor) AS editor, count(DISTINCT s.run) AS runs, count(*) AS steps,
    count(s.cost_usd) AS priced_steps, round(sum(s.cost_usd), 4) AS usd,
    round(avg(s.cost_usd), 4) AS usd_a_step, round(median(s.seconds), 2) AS median_seconds
FROM step s
JOIN run_summary r ON r.run = s.run
WHERE s.step > 0
GROUP BY ALL
ORDER BY usd DESC NULLS LAST, editor;
