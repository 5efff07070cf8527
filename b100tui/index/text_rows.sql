-- One row for each document of the text index, for the runs named in `stale`. A prompt that is
-- repeated step after step is one place, at the first of them; -1 is its section number.
WITH place AS (
    SELECT run, step, section, title, text FROM section
    UNION ALL
    SELECT run, step, -1, '', prompt
    FROM (
        SELECT run, step, prompt
        FROM step
        WHERE prompt IS NOT NULL AND run IN (SELECT run FROM stale)
        QUALIFY prompt IS DISTINCT FROM lag(prompt) OVER (PARTITION BY run ORDER BY step)
    )
)
SELECT r.run, r.image, r.setting, r.recipe, r.editor, r.model, p.step, p.section, p.title, p.text
FROM place p
JOIN run r ON r.run = p.run
WHERE r.run IN (SELECT run FROM stale)
ORDER BY r.sort_key, p.step, p.section;
