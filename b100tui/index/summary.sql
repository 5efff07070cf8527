-- One row of facts for each run in `pending`; the run rows are made of these.
WITH size AS (
    SELECT run, width, height, count(*) AS n
    FROM step
    WHERE width IS NOT NULL AND height IS NOT NULL AND run IN (SELECT run FROM pending)
    GROUP BY ALL
),
sizes AS (
    SELECT run, list([width, height, n] ORDER BY n DESC, width DESC, height DESC) AS sizes
    FROM size
    GROUP BY run
),
steps AS (
    SELECT run, list(step ORDER BY step) AS steps,
        count(*) FILTER (status = 'ok') AS fine,
        count(*) FILTER (status = 'unreadable') AS unreadable,
        count(*) FILTER (status = 'refused') AS refused,
        sum(cost_usd) AS cost_usd,
        string_agg(DISTINCT prompt, chr(10)) AS prompts
    FROM step
    WHERE run IN (SELECT run FROM pending)
    GROUP BY run
),
scored AS (
    SELECT s.run, count(s.value) AS valid, count(DISTINCT s.metric) AS metrics,
        bool_or(s.differs) AS differs
    FROM score s
    JOIN step USING (run, step)
    WHERE step.status = 'ok' AND s.run IN (SELECT run FROM pending)
    GROUP BY s.run
),
failing AS (
    SELECT g.run, g.metric, g.gap, CASE m.direction WHEN 'higher' THEN g.raw_gap ELSE -g.raw_gap END AS corrected
    FROM gap g
    JOIN metric m ON m.metric = g.metric
    WHERE g.failure AND g.run IN (SELECT run FROM pending)
),
worst AS (
    SELECT run, metric, coalesce(gap, corrected) AS gap
    FROM failing
    QUALIFY row_number() OVER (
        PARTITION BY run ORDER BY gap IS NULL, gap DESC, corrected DESC, metric
    ) = 1
),
texts AS (
    SELECT run, count(*) AS n FROM section WHERE run IN (SELECT run FROM pending) GROUP BY run
),
marks AS (
    SELECT run, count(*) AS n FROM mark WHERE run IN (SELECT run FROM pending) GROUP BY run
)
SELECT r.run, r.image, r.recipe, r.setting, r.editor, r.editor_kind, r.repeat, r.labels, r.model,
    r.steps_planned, r.parent, r.simulated, r.stopped, r.folder, r.duplicates, r.sort_key,
    s.steps, coalesce(s.fine, 0), coalesce(s.unreadable, 0), coalesce(s.refused, 0), s.cost_usd,
    s.prompts, z.sizes, coalesce(c.valid, 0), coalesce(c.metrics, 0), coalesce(c.differs, false),
    w.metric, w.gap, coalesce(t.n, 0), coalesce(k.n, 0)
FROM run r
LEFT JOIN steps s ON s.run = r.run
LEFT JOIN sizes z ON z.run = r.run
LEFT JOIN scored c ON c.run = r.run
LEFT JOIN worst w ON w.run = r.run
LEFT JOIN texts t ON t.run = r.run
LEFT JOIN marks k ON k.run = r.run
WHERE r.run IN (SELECT run FROM pending)
ORDER BY r.sort_key;
