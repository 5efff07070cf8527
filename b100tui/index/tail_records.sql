-- Takes the generation's raw records that concern the runs in `pending` into memory, once.
INSERT INTO score_record
SELECT b.*
FROM base.main.score_record b
WHERE b.part <> 'source'
    AND (
        b.run IN (SELECT run FROM pending)
        OR b.sha256 IN (SELECT sha256 FROM step WHERE run IN (SELECT run FROM pending))
    )
    AND NOT EXISTS (
        SELECT 1 FROM score_record l WHERE l.part = b.part AND l.place = b.place
    );
INSERT INTO verdict_record
SELECT b.*
FROM base.main.verdict_record b
WHERE b.run IN (SELECT run FROM pending)
    AND NOT EXISTS (
        SELECT 1 FROM verdict_record l WHERE l.part = b.part AND l.place = b.place
    );
INSERT INTO mark_record
SELECT b.*
FROM base.main.mark_record b
WHERE b.run IN (SELECT run FROM pending)
    AND NOT EXISTS (
        SELECT 1 FROM mark_record l WHERE l.part = b.part AND l.place = b.place
    );
