-- (run, metric, the sd of one step's random part): the MAD of first differences over the steps
-- from the reference on that may be compared with it. Parameters: runs, per run the steps that
-- may not, reference step, metrics.
WITH asked AS (SELECT unnest(?::VARCHAR[]) AS run, unnest(?::BIGINT[][]) AS apart),
kept AS (
    SELECT run, metric, [
        value FOR value, i IN "values"
        IF steps[i] >= ? AND isfinite(value) AND NOT list_contains(apart, steps[i])
    ] AS kept
    FROM series JOIN asked USING (run) WHERE metric IN (SELECT unnest(?))
)
SELECT run, metric,
    1.4826 * list_aggregate([kept[i] - kept[i - 1] FOR i IN range(2, len(kept) + 1)], 'mad')
FROM kept WHERE len(kept) >= 3
