-- How many of the asked runs and steps have a value, and what one took in seconds, by metric.
SELECT
    metric,
    count(*) FILTER (
        WHERE value IS NOT NULL
        AND run IN (SELECT unnest(?::VARCHAR[]))
        AND step IN (SELECT unnest(?::BIGINT[]))
    ),
    avg(seconds)
FROM score
GROUP BY metric
