-- Every score with its run's facts, failed ones with their reason.
SELECT s.run, r.image, r.recipe, r.setting, r.editor, r.repeat, s.step, s.metric, s.value,
    s.error, s.message, s.metric_version, coalesce(s.simulated, false)
FROM score s
JOIN run_summary r ON r.run = s.run
ORDER BY r.sort_key, s.step, s.metric;
