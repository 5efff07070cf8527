-- name: failures-by-metric
-- about: for each metric and step 5, 10, 20: in how many runs it scored better than the reference
SELECT g.metric, g.i AS step, count(g.raw_gap) AS runs,
    count(*) FILTER (g.failure) AS failures,
    round(count(*) FILTER (g.failure) / nullif(count(g.raw_gap), 0), 3) AS share,
    round(avg(g.gap), 3) AS mean_gap, round(max(g.gap), 3) AS largest_gap
FROM gap g
JOIN metric m ON m.metric = g.metric
WHERE m.direction <> 'unknown'
GROUP BY g.metric, g.i
HAVING count(g.raw_gap) > 0
ORDER BY failures DESC, mean_gap DESC NULLS LAST, g.metric, g.i;
