-- What sqlsmith finds in its database: arrays of all types, stored in all ways,
-- and gpuagg's functions.
\set QUIET on
SET client_min_messages = warning;
CREATE EXTENSION gpuagg;

CREATE TABLE small_arrays AS
	SELECT i AS id, i % 7 AS g,
		array_agg((i * j % 100)::smallint) AS s, array_agg(i * j) AS i, array_agg((i * j)::bigint) AS b,
		array_agg((i / (j + 1.0))::real) AS r, array_agg(sin(i * j)) AS d
	FROM generate_series(1, 50) i, generate_series(0, 20) j GROUP BY i;
INSERT INTO small_arrays VALUES
	(NULL, 1, '{}', '{NULL}', '{9223372036854775807,1}', '{NaN,Infinity}', '{-0,NULL}'),
	(-1, NULL, NULL, '{{1,2},{3,NULL}}', '[5:6]={1,2}', NULL, '{1e308,1e308,-Infinity}');

CREATE TABLE stored_arrays (id integer, g integer, i integer[], b bigint[], d double precision[], r real[]);
ALTER TABLE stored_arrays ALTER i SET STORAGE EXTERNAL, ALTER b SET STORAGE EXTERNAL, ALTER d SET STORAGE EXTERNAL;
INSERT INTO stored_arrays
	SELECT i, i % 3, array_agg(i * j), array_agg((i * j)::bigint), array_agg(i / (j + 1.0)), array_agg(NULLIF(j, 7)::real)
	FROM generate_series(1, 30) i, generate_series(0, 3000) j GROUP BY i;

CREATE TABLE numbers AS
	SELECT i AS id, i % 5 AS g, i::smallint AS s, i::bigint AS b, i::real AS r, i / 3.0::double precision AS d
	FROM generate_series(1, 500) i;
CREATE VIEW sums AS
	SELECT g, gpu_sum(i) AS i, gpu_sum(b) AS b, gpu_sum(d) AS d, gpu_count(d) AS n FROM stored_arrays GROUP BY g;
CREATE VIEW totals AS
	SELECT id, gpu_array_cumsum(d) AS d, gpu_array_sum(b) AS b, gpu_array_count(i) AS n FROM stored_arrays;
ANALYZE;
