-- The rows of an export, typed, from JSON lines into one Parquet file.
COPY (
    SELECT *
    FROM read_json(
        $source,
        format = 'newline_delimited',
        columns = {
            run: 'VARCHAR', image: 'VARCHAR', recipe: 'VARCHAR', setting: 'VARCHAR',
            editor: 'VARCHAR', repeat: 'BIGINT', step: 'BIGINT', metric: 'VARCHAR',
            value: 'DOUBLE', error: 'VARCHAR', message: 'VARCHAR', metric_version: 'VARCHAR',
            simulated: 'BOOLEAN'
        }
    )
) TO $target (FORMAT parquet, COMPRESSION zstd);
