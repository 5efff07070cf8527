-- name: verdicts-by-run
-- about: for each run and judge the first step judged yes, and how many answers are missing
SELECT v.run, v.model, min(v.step) FILTER (v.verdict = 'yes') AS first_yes,
    count(*) FILTER (v.verdict = 'yes') AS yes, count(*) FILTER (v.verdict = 'no') AS no,
    count(*) FILTER (v.verdict = 'unparsed') AS unparsed,
    count(*) FILTER (v.verdict IS NULL) AS failed
FROM verdict v
JOIN run_summary r ON r.run = v.run
GROUP BY v.run, v.model, r.sort_key
ORDER BY r.sort_key, v.model;
