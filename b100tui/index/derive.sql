-- Derives everything about the runs named in `pending` from the raw records.
-- A score says which file it read; that file's hash is thereby known.
UPDATE step SET sha256 = known.sha256
FROM (
    SELECT path, coalesce(member, '') AS member, bytes, mtime_ns, min(sha256) AS sha256
    FROM score_record
    WHERE sha256 IS NOT NULL AND path IS NOT NULL
    GROUP BY ALL
) known
WHERE step.sha256 IS NULL
    AND step.path = known.path
    AND coalesce(step.member, '') = known.member
    AND step.bytes = known.bytes
    AND step.mtime_ns = known.mtime_ns
    AND step.run IN (SELECT run FROM pending);

DELETE FROM score WHERE run IN (SELECT run FROM pending);

-- Scores belong to bytes: equal bytes share them. Records without a hash (imported ones, or
-- those found in the folder) belong to the step they name.
INSERT INTO score
WITH wanted AS (
    SELECT run, step, sha256 FROM step WHERE run IN (SELECT run FROM pending)
),
found AS (
    SELECT w.run, w.step, r.part, r.place, r.metric, r.metric_version, r.value, r.error, r.message,
        r.simulated, r.seconds, r.time
    FROM wanted w
    JOIN score_record r ON r.sha256 = w.sha256
    WHERE r.reference_sha256 IS NULL
    UNION ALL
    SELECT w.run, w.step, r.part, r.place, r.metric, r.metric_version, r.value, r.error, r.message,
        r.simulated, r.seconds, r.time
    FROM wanted w
    JOIN score_record r ON r.sha256 = w.sha256
    JOIN wanted f ON f.run = w.run AND f.step = r.reference AND f.sha256 = r.reference_sha256
    WHERE r.reference_sha256 IS NOT NULL
    UNION ALL
    SELECT w.run, w.step, r.part, r.place, r.metric, r.metric_version, r.value, r.error, r.message,
        r.simulated, r.seconds, r.time
    FROM wanted w
    JOIN score_record r ON r.sha256 IS NULL AND r.run = w.run AND r.step = w.step
),
chosen AS (
    -- The first valid value wins; a later value that differs is flagged, never averaged in.
    SELECT *, min(value) OVER every AS lowest, max(value) OVER every AS highest,
        row_number() OVER (every ORDER BY value IS NULL, time, part, place) AS rank
    FROM found
    WINDOW every AS (PARTITION BY run, step, metric)
),
valued AS (
    -- What cannot be a score stays as it was read, and nothing is made of it.
    SELECT c.*, CASE WHEN c.value BETWEEN m.least AND m.most THEN c.value
            WHEN m.metric IS NULL AND isfinite(c.value) THEN c.value END AS sane,
        CASE m.direction
            WHEN 'higher' THEN 100.0 * ((sane - m.low) / (m.high - m.low))
            WHEN 'lower' THEN 100.0 * (1.0 - (sane - m.low) / (m.high - m.low))
        END AS norm
    FROM chosen c
    LEFT JOIN metric m ON m.metric = c.metric
    WHERE c.rank = 1
),
reference AS (
    SELECT run, metric, sane, norm FROM valued WHERE step = 1
)
SELECT v.run, v.step, v.metric, v.metric_version, v.value, v.norm,
    -- Steps of another phase or size than the reference have scores, but no gap.
    CASE WHEN a.step IS NULL THEN v.norm - f.norm END,
    CASE WHEN a.step IS NULL THEN v.sane - f.sane END, v.error, v.message, v.simulated, v.seconds, v.time,
    coalesce(v.lowest <> v.highest, false), v.lowest, v.highest
FROM valued v
LEFT JOIN reference f ON f.run = v.run AND f.metric = v.metric
LEFT JOIN apart a ON a.run = v.run AND a.step = v.step
ORDER BY v.metric, v.run, v.step;

DELETE FROM series WHERE run IN (SELECT run FROM pending);
INSERT INTO series
SELECT run, metric, list(step ORDER BY step), list(value ORDER BY step)
FROM score
WHERE value IS NOT NULL AND run IN (SELECT run FROM pending)
GROUP BY run, metric
ORDER BY run, metric;

DELETE FROM gap WHERE run IN (SELECT run FROM pending);
INSERT INTO gap
SELECT r.run, r.metric, 1, i.i, s.gap, s.raw_gap,
    CASE m.direction WHEN 'higher' THEN s.raw_gap > 0 WHEN 'lower' THEN s.raw_gap < 0 END
FROM series r
CROSS JOIN (VALUES (5), (10), (20)) i (i)
LEFT JOIN score s ON s.run = r.run AND s.metric = r.metric AND s.step = i.i
LEFT JOIN metric m ON m.metric = r.metric
WHERE r.run IN (SELECT run FROM pending)
ORDER BY r.run, r.metric, i.i;

DELETE FROM verdict WHERE run IN (SELECT run FROM pending);
INSERT INTO verdict
SELECT run, step, verdict, model, reply, error, usd, simulated, time, content_hash
FROM verdict_record
WHERE run IN (SELECT run FROM pending)
QUALIFY row_number() OVER (
    PARTITION BY run, step, model ORDER BY verdict IS NULL, time DESC, part DESC, place DESC
) = 1
ORDER BY run, step, model;

DELETE FROM mark WHERE run IN (SELECT run FROM pending);
INSERT INTO mark
SELECT id, run, step, mode, annotator, time, region, note, blind
FROM mark_record
WHERE run IN (SELECT run FROM pending) AND NOT undo
    AND id NOT IN (SELECT id FROM mark_record WHERE undo)
QUALIFY row_number() OVER (PARTITION BY id ORDER BY time, part, place) = 1
ORDER BY run, step, time;

DELETE FROM run_summary WHERE run IN (SELECT run FROM pending);
