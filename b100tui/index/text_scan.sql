-- Every place with words, as a scan needs it; the conditions come after it.
SELECT t.run, t.step, t.section, t.title, t.text, r.image, r.setting, r.recipe, r.editor, r.model
FROM (
    SELECT run, step, section, title, text FROM section
    UNION ALL
    SELECT run, step, -1, '', prompt
    FROM (
        SELECT run, step, prompt
        FROM step
        WHERE prompt IS NOT NULL
        QUALIFY prompt IS DISTINCT FROM lag(prompt) OVER (PARTITION BY run ORDER BY step)
    )
) t
JOIN run_summary r ON r.run = t.run
