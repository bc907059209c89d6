-- gpu_count and gpu_array_count: the number of elements that are not NULL, as
-- count() over unnest().
\set ECHO none
\set QUIET on
BEGIN;
SELECT plan(76);

-- Random arrays, first as text: rows of three elements, a third of them NULL;
-- lower bounds; some arrays NULL, empty, or of nothing but NULLs.  The large ones
-- are stored out of line.  Arrays of floats have NaN, infinities and -0.
SELECT setseed(0.17);
CREATE FUNCTION pg_temp.cell() RETURNS text LANGUAGE sql VOLATILE AS $$
	SELECT CASE WHEN random() < 0.33 THEN 'NULL' ELSE floor(random() * 2000 - 1000)::text END $$;
CREATE TEMP TABLE texts AS
	SELECT i, CASE WHEN i % 19 = 0 THEN NULL WHEN i % 17 = 0 THEN '{}'
			WHEN i % 23 = 0 THEN '{NULL,NULL}'
			ELSE format('[%s:%s][-1:1]={%s}', i, i + height - 1,
				(SELECT string_agg(format('{%s,%s,%s}', pg_temp.cell(), pg_temp.cell(), pg_temp.cell()), ',')
				 FROM generate_series(1, height))) END AS t
	FROM (SELECT i, floor(power(2, random() * 12))::int AS height FROM generate_series(1, 200) i) q;
CREATE FUNCTION pg_temp.special(t text, digit int, special text) RETURNS text LANGUAGE sql AS $$
	SELECT regexp_replace(t, format('(?<=[{,])-?\d*%s(?=[,}])', digit), special, 'g') $$;
CREATE TABLE arrays AS
	SELECT i, i % 5 AS g, t::int2[] AS i2, t::int4[] AS i4, t::int8[] AS i8, f::float4[] AS f4,
		   f::float8[] AS f8
	FROM (SELECT i, t, pg_temp.special(pg_temp.special(pg_temp.special(pg_temp.special(
			t, 3, 'NaN'), 5, 'Infinity'), 7, '-Infinity'), 9, '-0') AS f FROM texts) q;
ALTER TABLE arrays ALTER i4 SET STORAGE EXTERNAL, ALTER f8 SET STORAGE EXTERNAL;
INSERT INTO arrays SELECT i + 200, 5, i2, i4, i8, f4, f8 FROM arrays;
ANALYZE arrays;
CREATE TEMP TABLE columns AS SELECT unnest(ARRAY['i2', 'i4', 'i8', 'f4', 'f8']) AS c;
SELECT cmp_ok(count(*), '>', 20::bigint, 'arrays are stored out of line')
	FROM arrays WHERE pg_column_size(f8) > 8000;

-- Do two queries have the same rows?
CREATE FUNCTION pg_temp.same(one text, other text) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
	a text;
	b text;
BEGIN
	EXECUTE format('SELECT string_agg(q::text, '' '' ORDER BY q) FROM (%s) q', one) INTO a;
	EXECUTE format('SELECT string_agg(q::text, '' '' ORDER BY q) FROM (%s) q', other) INTO b;
	RETURN a = b;
END $$;

-- The law, for each element type; %1$I is the column of arrays.
CREATE TEMP TABLE laws (name text, one text, other text);
INSERT INTO laws VALUES
	('all arrays', 'SELECT gpu_count(%1$I) FROM arrays',
		'SELECT count(x) FROM arrays, unnest(%1$I) x'),
	('GROUP BY', 'SELECT g, gpu_count(%1$I) FROM arrays GROUP BY g',
		'SELECT g, count(x) FROM arrays, unnest(%1$I) x GROUP BY g'),
	('each array', 'SELECT i, gpu_count(%1$I) FROM arrays GROUP BY i',
		'SELECT i, count(x) FROM arrays LEFT JOIN unnest(%1$I) x ON true GROUP BY i'),
	('FILTER', 'SELECT gpu_count(%1$I) FILTER (WHERE i %% 3 = 0) FROM arrays',
		'SELECT count(x) FROM arrays, unnest(%1$I) x WHERE i %% 3 = 0'),
	('DISTINCT', 'SELECT gpu_count(DISTINCT %1$I) FROM arrays',
		'SELECT count(x) FROM arrays, unnest(%1$I) x WHERE i <= 200'),
	('a moving frame', 'SELECT i, gpu_count(%1$I) OVER (ORDER BY i ROWS 3 PRECEDING) FROM arrays WHERE i <= 200',
		'SELECT a.i, count(x) FROM arrays a JOIN arrays b ON b.i BETWEEN a.i - 3 AND a.i
		 LEFT JOIN unnest(b.%1$I) x ON true WHERE a.i <= 200 GROUP BY a.i'),
	('gpu_array_count', 'SELECT i, gpu_array_count(%1$I) FROM arrays WHERE %1$I IS NOT NULL',
		'SELECT i, count(x) FROM arrays LEFT JOIN unnest(%1$I) x ON true WHERE %1$I IS NOT NULL GROUP BY i'),
	('a column', 'SELECT g, gpu_count(x) FROM arrays, unnest(%1$I) x GROUP BY g',
		'SELECT g, count(x) FROM arrays, unnest(%1$I) x GROUP BY g'),
	('a column in a moving frame',
		'SELECT n, gpu_count(x) OVER (ORDER BY n RANGE BETWEEN 9 PRECEDING AND 4 FOLLOWING)
		 FROM (SELECT row_number() OVER (ORDER BY i, o) AS n, x
			   FROM arrays, unnest(%1$I) WITH ORDINALITY u(x, o) WHERE i < 20) q',
		'SELECT n, count(x) OVER (ORDER BY n RANGE BETWEEN 9 PRECEDING AND 4 FOLLOWING)
		 FROM (SELECT row_number() OVER (ORDER BY i, o) AS n, x
			   FROM arrays, unnest(%1$I) WITH ORDINALITY u(x, o) WHERE i < 20) q');
SELECT ok(pg_temp.same(format(one, c), format(other, c)), c || ': ' || name || ', as count')
	FROM laws, columns ORDER BY name, c;

-- The same number by the CPU and by the device, if the session has one: loaded by
-- the first query, resident for the second.
SELECT current_setting('gpuagg.engine') AS engine \gset
CREATE FUNCTION pg_temp.counts_by(engine text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	PERFORM set_config('gpuagg.engine', engine, true), set_config('gpuagg.min_gpu_size', '0', true);
	RETURN (SELECT string_agg(q::text, ' ' ORDER BY q) FROM (SELECT g, gpu_count(i2), gpu_count(i4),
		gpu_count(i8), gpu_count(f4), gpu_count(f8) FROM arrays GROUP BY g) q);
END $$;
SELECT is(pg_temp.counts_by(engine), pg_temp.counts_by('cpu'), name)
	FROM (VALUES ('auto', 'auto gives the counts of the CPU'), ('auto', '... again'),
		(:'engine', 'so does the engine of the session')) v(engine, name);
SET LOCAL gpuagg.engine = :'engine';

-- Parallel plans, forced: the states are serialized and combined.
SET LOCAL parallel_setup_cost = 0;
SET LOCAL parallel_tuple_cost = 0;
SET LOCAL min_parallel_table_scan_size = 0;
SET LOCAL max_parallel_workers_per_gather = 2;
CREATE FUNCTION pg_temp.plan_of(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	line text;
	result text := '';
BEGIN
	FOR line IN EXECUTE 'EXPLAIN (COSTS OFF) ' || query LOOP
		result := result || line || E'\n';
	END LOOP;
	RETURN result;
END $$;
SELECT matches(pg_temp.plan_of(format('SELECT gpu_count(%I) FROM arrays', c)),
	'Finalize Aggregate.*Gather.*Partial Aggregate', c || '[]: parallel plan') FROM columns;
SELECT ok(pg_temp.same(format('SELECT gpu_count(%I) FROM arrays', c),
		format('SELECT count(x) FROM arrays, unnest(%I) x', c)),
	c || '[]: the parallel answer is that of count') FROM columns;
SELECT is(gpu_count(i), count(i), 'column: the parallel answer is that of count') FROM arrays;
RESET parallel_setup_cost;
RESET parallel_tuple_cost;
RESET min_parallel_table_scan_size;
RESET max_parallel_workers_per_gather;

-- Without input it is 0, as count is.
SELECT is(gpu_count(i4), 0::bigint, 'no rows') FROM arrays WHERE false;
SELECT is(gpu_count(a), 0::bigint, 'NULL, an empty array, and an array of NULLs')
	FROM (VALUES (NULL), ('{}'::float8[]), ('{NULL,NULL}')) v(a);
SELECT is(gpu_count(x), 0::bigint, 'a column of NULLs') FROM (VALUES (NULL::int), (NULL)) v(x);

-- Of one array, in the forms in which it can come.
SELECT is(gpu_array_count(NULL::int[]), NULL, 'NULL has no count');
SELECT is(gpu_array_count('{}'::real[]), 0::bigint, 'an empty array');
CREATE FUNCTION pg_temp.expanded(n int) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
	a int[] := array_fill(1, ARRAY[n]);
BEGIN
	a[n / 2] := NULL;
	RETURN gpu_array_count(a);
END $$;
SELECT is(pg_temp.expanded(n), n - 1::bigint, 'an array of ' || n || ' in PL/pgSQL')
	FROM unnest(ARRAY[2, 100, 100000]) n;
CREATE TEMP TABLE compressed AS SELECT array_fill(i, ARRAY[50000]) || NULL || i AS a FROM generate_series(1, 3) i;
SELECT cmp_ok(max(pg_column_size(a)), '<', 20000, 'compressed arrays') FROM compressed;
SELECT is(sum(gpu_array_count(a)), 150003::numeric, '... are counted') FROM compressed;
SELECT throws_ok('SELECT gpu_array_count(ARRAY[''1''])', '42883');
SELECT is(gpu_array_count(a), 3::bigint, 'NaN, infinity and -0 are no NULLs')
	FROM (VALUES ('{NaN, Infinity, -0, NULL}'::float8[])) v(a);

-- It reads no elements: few blocks of TOAST, however long the array is.
CREATE TABLE long (a float8[]);
ALTER TABLE long ALTER a SET STORAGE EXTERNAL;
INSERT INTO long SELECT array_agg(x::float8) FROM generate_series(1, 400000) x;
CREATE FUNCTION pg_temp.blocks_of(query text) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
	plan json;
BEGIN
	EXECUTE 'EXPLAIN (ANALYZE, BUFFERS, FORMAT json) ' || query INTO plan;
	RETURN (plan #>> '{0,Plan,Shared Hit Blocks}')::bigint + (plan #>> '{0,Plan,Shared Read Blocks}')::bigint;
END $$;
SELECT cmp_ok(pg_temp.blocks_of('SELECT gpu_array_count(a) FROM long'), '<', 50::bigint, 'elements are not read');

-- A sum that is out of range has a count.
SELECT is(gpu_count(a), 2::bigint, 'a sum out of range')
	FROM (VALUES ('{1e308, 1e308}'::float8[])) v(a);

-- gpu_sum and gpu_count of one argument read it once.
CREATE TEMP TABLE before AS SELECT sum(arrays) AS arrays FROM gpuagg_session_stat;
SELECT gpu_sum(i8) / nullif(gpu_count(i8), 0) AS mean FROM arrays WHERE i8 IS NOT NULL \gset
SELECT is(sum(arrays) - (SELECT arrays FROM before), (SELECT count(i8) FROM arrays)::numeric,
	'gpu_sum and gpu_count share a state') FROM gpuagg_session_stat;

-- The catalog.
SELECT is(count(*), 15::bigint, 'fifteen aggregates, each complete') FROM pg_aggregate a
	JOIN pg_proc p ON p.oid = a.aggfnoid
	WHERE p.proname = 'gpu_count' AND p.proparallel = 's' AND p.prorettype = 'bigint'::regtype
	  AND aggcombinefn <> 0 AND aggserialfn <> 0 AND aggdeserialfn <> 0 AND aggmtransfn <> 0
	  AND aggminvtransfn <> 0 AND aggtransspace > 0 AND aggfinalmodify = 'r'
	  AND aggmfinalmodify = 'r' AND p.provolatile = 'i';

SELECT * FROM finish();
ROLLBACK;
