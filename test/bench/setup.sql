-- The tables of bench.pl, some of which device.pl uses too.  After functions.sql.
\set QUIET on
SET client_min_messages = warning;

SELECT setseed(0.5);
CREATE TABLE arrays_1m (a float8[]);
ALTER TABLE arrays_1m ALTER a SET STORAGE EXTERNAL;
INSERT INTO arrays_1m
	SELECT (SELECT array_agg(random()) FROM generate_series(1, 1000000) WHERE g > 0)
	FROM generate_series(1, 50) g;

CREATE TABLE array_10m (a float8[]);
ALTER TABLE array_10m ALTER a SET STORAGE EXTERNAL;
INSERT INTO array_10m SELECT array_agg(random()) FROM generate_series(1, 10000000);

CREATE TABLE rows_10m AS SELECT random() AS x FROM generate_series(1, 10000000);
CREATE TABLE rows_1m AS
	SELECT i, i % 100000 AS g, random() AS x FROM generate_series(1, 1000000) i;

CREATE TABLE arrays_100 (a float8[]);
ALTER TABLE arrays_100 ALTER a SET STORAGE PLAIN;
INSERT INTO arrays_100
	SELECT (SELECT array_agg(random()) FROM generate_series(1, 100) WHERE g > 0)
	FROM generate_series(1, 20000) g;
CREATE TABLE arrays_1000 (a float8[]);
ALTER TABLE arrays_1000 ALTER a SET STORAGE PLAIN;
INSERT INTO arrays_1000
	SELECT (SELECT array_agg(random()) FROM generate_series(1, 1000) WHERE g > 0)
	FROM generate_series(1, 20000) g;
VACUUM ANALYZE;
