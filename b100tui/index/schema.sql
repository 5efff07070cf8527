-- Tables of one generation; the live tail makes the same ones in memory.
-- Raw records keep everything that was read; the tables after them are derived from these.
CREATE TABLE meta (key VARCHAR, value VARCHAR);
CREATE TABLE part (path VARCHAR, kind VARCHAR, place BIGINT);
CREATE TABLE trouble (path VARCHAR, reason VARCHAR, source VARCHAR);
CREATE TABLE pending (run VARCHAR);
-- Steps of the pending runs that may not be held against step 1.
CREATE TABLE apart (run VARCHAR, step BIGINT);
CREATE TABLE metric (
    metric VARCHAR, name VARCHAR, backend VARCHAR, direction VARCHAR, low DOUBLE, high DOUBLE,
    needs_reference BOOLEAN, least DOUBLE, most DOUBLE
);
CREATE TABLE run (
    run VARCHAR, image VARCHAR, recipe VARCHAR, setting VARCHAR, editor VARCHAR,
    editor_kind VARCHAR, repeat BIGINT, labels VARCHAR, model VARCHAR, parameters VARCHAR,
    seed_policy VARCHAR, session VARCHAR, steps_planned BIGINT, parent VARCHAR, remedy VARCHAR,
    simulated BOOLEAN, stopped VARCHAR, folder VARCHAR, duplicates VARCHAR,
    sort_key VARCHAR, signature VARCHAR
);
CREATE TABLE step (
    run VARCHAR, step BIGINT, status VARCHAR, reason VARCHAR, path VARCHAR, member VARCHAR,
    bytes BIGINT, mtime_ns BIGINT, width BIGINT, height BIGINT, format VARCHAR, sha256 VARCHAR,
    prompt VARCHAR, editor VARCHAR, model VARCHAR, parameters VARCHAR, seed BIGINT,
    finish_reason VARCHAR, finish_message VARCHAR, cost_usd DOUBLE, seconds DOUBLE,
    started VARCHAR, warnings VARCHAR[], signature VARCHAR
);
CREATE TABLE section (run VARCHAR, step BIGINT, section BIGINT, title VARCHAR, text VARCHAR);
CREATE TABLE score_record (
    part VARCHAR, place BIGINT, run VARCHAR, step BIGINT, metric VARCHAR, metric_version VARCHAR,
    value DOUBLE, error VARCHAR, message VARCHAR, sha256 VARCHAR, path VARCHAR, member VARCHAR,
    bytes BIGINT, mtime_ns BIGINT, reference BIGINT, reference_sha256 VARCHAR, simulated BOOLEAN,
    seconds DOUBLE, host VARCHAR, time VARCHAR
);
CREATE TABLE verdict_record (
    part VARCHAR, place BIGINT, run VARCHAR, step BIGINT, verdict VARCHAR, model VARCHAR,
    content_hash VARCHAR, reply VARCHAR, error VARCHAR, usd DOUBLE, simulated BOOLEAN, time VARCHAR
);
CREATE TABLE mark_record (
    part VARCHAR, place BIGINT, id VARCHAR, run VARCHAR, step BIGINT, mode VARCHAR,
    annotator VARCHAR, time VARCHAR, region BIGINT[], note VARCHAR, undo BOOLEAN, blind BOOLEAN
);
CREATE TABLE score (
    run VARCHAR, step BIGINT, metric VARCHAR, metric_version VARCHAR, value DOUBLE,
    norm DOUBLE, gap DOUBLE, raw_gap DOUBLE, error VARCHAR, message VARCHAR, simulated BOOLEAN,
    seconds DOUBLE, time VARCHAR, differs BOOLEAN, lowest DOUBLE, highest DOUBLE
);
CREATE TABLE verdict (
    run VARCHAR, step BIGINT, verdict VARCHAR, model VARCHAR, reply VARCHAR, error VARCHAR,
    usd DOUBLE, simulated BOOLEAN, time VARCHAR, content_hash VARCHAR
);
CREATE TABLE mark (
    id VARCHAR, run VARCHAR, step BIGINT, mode VARCHAR, annotator VARCHAR, time VARCHAR,
    region BIGINT[], note VARCHAR, blind BOOLEAN
);
CREATE TABLE series (run VARCHAR, metric VARCHAR, steps BIGINT[], "values" DOUBLE[]);
CREATE TABLE gap (
    run VARCHAR, metric VARCHAR, reference BIGINT, i BIGINT, gap DOUBLE, raw_gap DOUBLE,
    failure BOOLEAN
);
-- `item` is the run row as the run list shows it; the other columns are there to be asked.
CREATE TABLE run_summary (
    run VARCHAR, sort_key VARCHAR, steps BIGINT, first_step BIGINT, last_step BIGINT,
    missing BIGINT, sizes BIGINT, width BIGINT, height BIGINT, unreadable BIGINT, refused BIGINT,
    sections BIGINT, coverage DOUBLE, onset BIGINT, limit_step BIGINT, worst_metric VARCHAR,
    worst_gap DOUBLE, cost_usd DOUBLE, image VARCHAR, recipe VARCHAR, setting VARCHAR,
    editor VARCHAR, editor_kind VARCHAR, model VARCHAR, repeat BIGINT, labels VARCHAR,
    parent VARCHAR, simulated BOOLEAN, stopped BOOLEAN, words VARCHAR, item VARCHAR
);
CREATE VIEW normalised AS
SELECT run, step, metric, norm, gap FROM score WHERE norm IS NOT NULL;
