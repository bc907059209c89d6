-- What a database has that uses gpuagg, before its server is upgraded: stored
-- arrays, views on the functions, values that the functions made.
--	:version	of the extension;	:reader		a role
CREATE EXTENSION gpuagg VERSION :'version';

CREATE TABLE series (
	id int PRIMARY KEY,
	x float8[], r real[], s smallint[], i int[], b bigint[],
	total float8 GENERATED ALWAYS AS (gpu_array_sum(x)) STORED,
	CHECK (gpu_array_sum(s) >= 0));
ALTER TABLE series ALTER x SET STORAGE EXTERNAL;
-- The sums of x are not those of any order of additions that round.
INSERT INTO series
SELECT id, array_agg(CASE n % 500 WHEN 7 THEN 1e300 WHEN 8 THEN -1e300 ELSE n * id / 10.0::float8 END ORDER BY n),
	array_agg((n / 7.0)::real), array_agg((n % 100)::smallint ORDER BY n),
	array_agg((n * 7919 % 20011 * id)::int ORDER BY n), array_agg(n * 1000000007::bigint ORDER BY n)
FROM generate_series(1, 40) id, generate_series(1, 5000) n GROUP BY id;
CREATE INDEX by_sum ON series (gpu_array_sum(i));

CREATE VIEW totals AS
SELECT id % 4 AS part, gpu_sum(x) AS x, gpu_sum(r) AS r, gpu_sum(s) AS s, gpu_sum(i) AS i, gpu_sum(b) AS b, gpu_sum(total) AS total
FROM series GROUP BY 1;
CREATE VIEW so_far AS
SELECT id, gpu_cumsum(gpu_array_sum(x)) OVER w AS total, gpu_sum(total) OVER (w ROWS 2 PRECEDING) AS three
FROM series WINDOW w AS (ORDER BY id);
CREATE VIEW elements AS
SELECT id, n, t.total FROM series, gpu_cumsum(x) WITH ORDINALITY AS t(total, n);
CREATE FUNCTION total() RETURNS float8 LANGUAGE sql BEGIN ATOMIC SELECT gpu_sum(x) FROM series; END;
CREATE MATERIALIZED VIEW kept AS
SELECT id, gpu_array_cumsum(x) AS x, gpu_array_cumsum(i, true) AS i, gpu_array_sum(r) AS r FROM series;
CREATE TABLE stored AS TABLE kept;

CREATE ROLE :reader;
GRANT EXECUTE ON FUNCTION gpuagg_cache_clear() TO :reader;
GRANT SELECT ON totals TO :reader;
LOAD 'gpuagg';
ALTER ROLE :reader SET gpuagg.allow_device = off;
SELECT format('ALTER DATABASE %I SET gpuagg.min_gpu_size = 0', current_database()) \gexec

-- The first release has no exactsum.
SELECT :'version' <> '0.1.0' AS has_exactsum \gset
\if :has_exactsum
CREATE TABLE sums (id int PRIMARY KEY, s exactsum, UNIQUE (s));
INSERT INTO sums SELECT id, gpu_array_state(x) + gpu_array_state(b) FROM series;
INSERT INTO sums SELECT 100 + n, x::exactsum FROM unnest('{-0,NaN,Infinity,5e-324,-1e308,0.1}'::float8[]) WITH ORDINALITY u(x, n);
CREATE TABLE by_hash (s exactsum) PARTITION BY HASH (s);
CREATE TABLE by_hash_0 PARTITION OF by_hash FOR VALUES WITH (MODULUS 2, REMAINDER 0);
CREATE TABLE by_hash_1 PARTITION OF by_hash FOR VALUES WITH (MODULUS 2, REMAINDER 1);
INSERT INTO by_hash SELECT s FROM sums;
CREATE VIEW all_sums AS SELECT gpu_merge(s) AS s, gpu_count(gpu_merge(s)) AS n FROM sums WHERE id <= 100;
\endif
