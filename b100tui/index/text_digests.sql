-- What the texts of a run are made of, as one hash a run: a step's signature covers its texts.
SELECT run, md5(string_agg(step || ':' || signature, ' ' ORDER BY step)) FROM step GROUP BY run;
