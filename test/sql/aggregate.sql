-- gpu_sum as an aggregate: groups, plans, frames, and its laws.
\set ECHO none
\set QUIET on
BEGIN;
SELECT plan(61);

-- Numbers that SUM(numeric) adds exactly, and numbers that only an exact sum
-- adds.  wild has every kind of float.
CREATE TABLE facts AS
	SELECT i, i % 100000 AS g, (i::bigint * 7919 % 20011 - 10000) / 8.0::float8 AS x,
		   (i::bigint * 104729 % 65521)::integer AS y
	FROM generate_series(1, 1000000) i;
CREATE TABLE wild AS
	SELECT i, CASE WHEN i % 101 = 0 THEN NULL
				   WHEN i % 103 = 0 AND i > 1500 THEN 'NaN'
				   WHEN i % 107 = 0 AND i > 1200 THEN 'Infinity'
				   WHEN i % 109 = 0 AND i > 1200 THEN '-Infinity'
				   WHEN i BETWEEN 300 AND 400 THEN '-0'
				   ELSE (CASE WHEN i % 2 = 0 THEN -1 ELSE 1 END) * (1 + i / 4096.0::float8) *
						power(2::float8, i * 7919 % 1800 - 900)
			  END::float8 AS x
	FROM generate_series(1, 2000) i;
ANALYZE facts;
ANALYZE wild;

-- The text of a query's plan.
CREATE FUNCTION pg_temp.plan_of(query text, options text DEFAULT 'COSTS OFF')
RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	line text;
	result text := '';
BEGIN
	FOR line IN EXECUTE format('EXPLAIN (%s) %s', options, query) LOOP
		result := result || line || E'\n';
	END LOOP;
	RETURN result;
END $$;

-- Parallel plans, forced: the partial aggregates' states are serialized.
SET LOCAL parallel_setup_cost = 0;
SET LOCAL parallel_tuple_cost = 0;
SET LOCAL min_parallel_table_scan_size = 0;
SET LOCAL max_parallel_workers_per_gather = 2;
CREATE TABLE arrays AS
	SELECT g, array_agg(x) AS f8, array_agg(x::real) AS f4, array_agg(y::bigint) AS i8,
		   array_agg(y) AS i4, array_agg((y % 1000)::smallint) AS i2
	FROM facts WHERE i <= 100000 GROUP BY g % 1000, g HAVING true;
ANALYZE arrays;
CREATE TEMP TABLE columns AS SELECT unnest(ARRAY['f8', 'f4', 'i8', 'i4', 'i2']) AS c;
SELECT matches(pg_temp.plan_of(format('SELECT gpu_sum(%I) FROM arrays', c)),
	'Finalize Aggregate.*Gather.*Partial Aggregate', c || '[]: parallel plan') FROM columns;
SELECT matches(pg_temp.plan_of('SELECT gpu_sum(x) FROM facts'),
	'Finalize Aggregate.*Gather.*Partial Aggregate', 'column: parallel plan');
SET LOCAL enable_sort = off;
SELECT matches(pg_temp.plan_of('SELECT g, gpu_sum(x) FROM facts GROUP BY 1'),
	'Finalize .*Gather.*Partial HashAggregate', 'groups: parallel plan');
RESET enable_sort;

CREATE FUNCTION pg_temp.both_ways(query text) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
	parallel text;
	serial text;
BEGIN
	PERFORM set_config('max_parallel_workers_per_gather', '2', true);
	EXECUTE query INTO parallel;
	PERFORM set_config('max_parallel_workers_per_gather', '0', true);
	EXECUTE query INTO serial;
	PERFORM set_config('max_parallel_workers_per_gather', '2', true);
	RETURN parallel = serial;
END $$;
SELECT ok(pg_temp.both_ways(format('SELECT gpu_sum(%I) FROM arrays', c)),
	c || '[]: the parallel answer is the serial one') FROM columns;
SELECT ok(pg_temp.both_ways('SELECT gpu_sum(x) FROM wild WHERE i < 1200'),
	'column of wild exponents: the parallel answer is the serial one');
SELECT ok(pg_temp.both_ways('SELECT gpu_sum(x) FROM wild'),
	'column with NaN and infinities: the parallel answer is the serial one');
SELECT ok(pg_temp.both_ways('SELECT gpu_sum(x) FROM wild WHERE i BETWEEN 300 AND 400'),
	'column of -0: the parallel answer is the serial one');
SELECT ok(pg_temp.both_ways('SELECT gpu_sum(x) FROM wild WHERE x IS NULL') IS NULL,
	'nothing but NULL: NULL in parallel too');
SELECT ok(pg_temp.both_ways($$SELECT string_agg(s::text, ',' ORDER BY k) FROM
	(SELECT i % 7 AS k, gpu_sum(x) AS s FROM wild WHERE i < 1200 GROUP BY 1) q$$),
	'groups: the parallel answer is the serial one');
RESET parallel_setup_cost;
RESET parallel_tuple_cost;
RESET min_parallel_table_scan_size;
RESET max_parallel_workers_per_gather;

-- The cost of a transition over an array makes the planner use workers
-- without being forced.
CREATE TABLE inline (a float8[]);
ALTER TABLE inline ALTER a SET STORAGE PLAIN;
INSERT INTO inline SELECT array_fill(x::float8, ARRAY[900]) FROM generate_series(1, 2000) x;
ANALYZE inline;
SELECT matches(pg_temp.plan_of('SELECT gpu_sum(a) FROM inline'),
	'Gather.*Partial Aggregate', 'parallel plan by cost');

-- Many groups, in memory and spilled.
SET LOCAL max_parallel_workers_per_gather = 0;
SET LOCAL enable_sort = off;
SET LOCAL work_mem = '256MB';
CREATE TEMP TABLE reference AS
	SELECT g, sum(x::numeric)::float8 AS x, sum(y) AS y FROM facts GROUP BY g;
-- (without statistics 19 joins it by a nested loop, which takes ten minutes)
ANALYZE reference;
SELECT matches(pg_temp.plan_of('SELECT g, gpu_sum(x), gpu_sum(y) FROM facts GROUP BY g'),
	'HashAggregate', '100,000 groups: hashed');
SELECT is((SELECT count(*) FROM (SELECT g, gpu_sum(x) AS x, gpu_sum(y) AS y
			FROM facts GROUP BY g) q JOIN reference r USING (g)
		   WHERE q.x = r.x AND q.y = r.y), 100000::bigint,
	'100,000 groups: each right');
-- (a state that the device adds to has the full capacity: 1 kB)
SELECT current_setting('gpuagg.engine') AS engine \gset
SET LOCAL gpuagg.engine = 'auto';
SELECT cmp_ok((regexp_match(pg_temp.plan_of('SELECT g, gpu_sum(x) FROM facts GROUP BY g',
			'ANALYZE, COSTS OFF, TIMING OFF'), 'Memory Usage: (\d+)kB'))[1]::numeric
		* 1024 / 100000, '<', 400::numeric,
	'100,000 groups: less than 400 bytes each, hash table included');
SET LOCAL gpuagg.engine = :'engine';
SET LOCAL work_mem = '1MB';
SET LOCAL hash_mem_multiplier = 1;
SELECT matches(pg_temp.plan_of('SELECT g, gpu_sum(x), gpu_sum(y) FROM facts GROUP BY g',
		'ANALYZE, COSTS OFF, TIMING OFF'),
	'HashAggregate.*Disk Usage', '100,000 groups: spilled');
SELECT is((SELECT count(*) FROM (SELECT g, gpu_sum(x) AS x, gpu_sum(y) AS y
			FROM facts GROUP BY g) q JOIN reference r USING (g)
		   WHERE q.x = r.x AND q.y = r.y), 100000::bigint,
	'100,000 groups: spilled, each right');
RESET work_mem;
RESET hash_mem_multiplier;
RESET enable_sort;
RESET max_parallel_workers_per_gather;

-- Clauses.
SELECT is(gpu_sum(DISTINCT x), sum(DISTINCT x), 'DISTINCT') FROM facts WHERE i < 50000;
SELECT is(gpu_sum(x) FILTER (WHERE y % 2 = 0), sum(x) FILTER (WHERE y % 2 = 0), 'FILTER') FROM facts;
SELECT is(gpu_sum(x ORDER BY x), gpu_sum(x ORDER BY y DESC), 'ORDER BY changes nothing')
	FROM facts WHERE i < 50000;
SELECT is(gpu_sum(DISTINCT a), 3::float8, 'DISTINCT arrays')
	FROM (VALUES ('{1,2}'::float8[]), ('{1,2}')) v(a);
SELECT is(array_agg(s ORDER BY k), ARRAY[6, 9, 15]::bigint[], 'GROUPING SETS')
	FROM (SELECT k, gpu_sum(v) FROM (VALUES (1, 2), (1, 4), (2, 9)) t(k, v)
		  GROUP BY GROUPING SETS ((k), ())) q(k, s);
SELECT is(gpu_sum(x), NULL, 'no rows give NULL') FROM facts WHERE false;
SELECT is(gpu_sum(f8), NULL, 'no rows of arrays give NULL') FROM arrays WHERE false;
SELECT is(gpu_sum(a), 3::float8, 'NULL arrays are skipped')
	FROM (VALUES (NULL::float8[]), ('{1,2}'), (NULL)) v(a);

-- Moving frames, where elements are removed again, against the sum of each
-- frame on its own.
CREATE TEMP TABLE kinds AS SELECT t, frame FROM
	unnest(ARRAY['float8', 'real', 'bigint', 'integer', 'smallint']) t,
	unnest(ARRAY['ROWS BETWEEN 100 PRECEDING AND CURRENT ROW',
				 'ROWS BETWEEN 3 PRECEDING AND 2 PRECEDING',
				 'RANGE BETWEEN 10 PRECEDING AND 10 FOLLOWING',
				 'ROWS BETWEEN 20 PRECEDING AND 5 FOLLOWING EXCLUDE CURRENT ROW']) frame;
CREATE FUNCTION pg_temp.frame_sums(frame text, t text) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
	value text := CASE t
		WHEN 'float8' THEN 'x'
		WHEN 'real' THEN 'CASE WHEN abs(x) BETWEEN 1e-30 AND 1e30 OR x = 0 OR abs(x) > 1e308 THEN x::real END'
		ELSE format('CASE WHEN x IS NOT NULL THEN (i * 7919 %% 30011 - 15000)::%s END', t) END;
	result boolean;
BEGIN
	EXECUTE format('SELECT bool_and(moving::text IS NOT DISTINCT FROM gpu_array_sum(frame)::text)
		FROM (SELECT gpu_sum(a) OVER w AS moving, array_agg(a) OVER w AS frame
			  FROM (SELECT i, %s AS a FROM wild) v WINDOW w AS (ORDER BY i %s)) q',
		value, frame) INTO result;
	RETURN result;
END $$;
SELECT ok(pg_temp.frame_sums(frame, t), t || ': ' || frame) FROM kinds ORDER BY t, frame;

-- Moving frames over arrays.
SELECT ok(bool_and(moving::text IS NOT DISTINCT FROM fresh::text), 'arrays in a moving frame')
	FROM (SELECT gpu_sum(ARRAY[x, 1, x]) OVER (ORDER BY i ROWS 5 PRECEDING) AS moving,
				 (SELECT gpu_sum(y) FROM wild v, unnest(ARRAY[v.x, 1, v.x]) y
				  WHERE v.i BETWEEN w.i - 5 AND w.i) AS fresh
		  FROM wild w) q;
SELECT ok(bool_and(moving IS NOT DISTINCT FROM fresh), 'integer arrays in a moving frame')
	FROM (SELECT gpu_sum(ARRAY[i, NULL, -3]) OVER (ORDER BY i ROWS 5 PRECEDING) AS moving,
				 (SELECT gpu_sum(y) FROM wild v, unnest(ARRAY[v.i, NULL, -3]) y
				  WHERE v.i BETWEEN w.i - 5 AND w.i) AS fresh
		  FROM wild w) q;

-- Laws, by bits: the state's canonical bytes are made visible.
CREATE AGGREGATE pg_temp.state_of(float8) (
	SFUNC = gpu_sum_accum, STYPE = internal, FINALFUNC = gpu_sum_float_serialize);
CREATE AGGREGATE pg_temp.state_of(float8[]) (
	SFUNC = gpu_sum_accum, STYPE = internal, FINALFUNC = gpu_sum_float_serialize);
SELECT is((SELECT pg_temp.state_of(x ORDER BY i) FROM wild),
	(SELECT pg_temp.state_of(x ORDER BY x) FROM wild), 'a permutation changes no bit of the state');
SELECT is((SELECT pg_temp.state_of(x) FROM wild),
	(SELECT pg_temp.state_of(a) FROM (SELECT array_agg(x ORDER BY i) AS a FROM wild GROUP BY i % 7) q),
	'arrays and columns give the same state');
SELECT cmp_ok((SELECT octet_length(pg_temp.state_of(x)) FROM facts), '<', 70,
	'a million plain values make a state of less than 70 bytes');

-- Every implementation of the CPU engine, where the processor has it.
CREATE FUNCTION pg_temp.sum_by(engine text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	PERFORM set_config('gpuagg.cpu_engine', engine, true);
	IF (SELECT DISTINCT implementation FROM gpuagg_session_stat WHERE gpuagg_session_stat.engine = 'cpu') <> engine THEN
		RAISE EXCEPTION 'the engine is not in use';
	END IF;
	RETURN (SELECT string_agg(s, ' ') FROM (
		SELECT gpu_sum(f8)::text || gpu_sum(f4)::text || gpu_sum(i8) || gpu_sum(i4) || gpu_sum(i2) FROM arrays
		UNION ALL
		SELECT gpu_array_sum(array_agg(x))::text FROM wild WHERE i < 1200
		UNION ALL
		SELECT gpu_array_sum(array_agg(x))::text FROM facts WHERE i <= 200000) q(s));
EXCEPTION WHEN invalid_parameter_value THEN
	RETURN NULL;
END $$;
SELECT pg_temp.sum_by('baseline') AS by_baseline \gset
SELECT ok(coalesce(pg_temp.sum_by(engine) = :'by_baseline', true),
	engine || ' gives the bits of baseline, or cannot run here')
	FROM unnest(ARRAY['avx512', 'avx2']) engine;

-- The session's counters.
SET LOCAL gpuagg.cpu_engine = 'auto';
CREATE TEMP TABLE before AS
	SELECT sum(arrays) AS arrays, sum(elements) AS elements FROM gpuagg_session_stat;
SELECT gpu_array_sum('{1,2,NULL,4}'::float8[]) IS NOT NULL AS one \gset
SELECT is(ARRAY[sum(s.arrays) - b.arrays, sum(s.elements) - b.elements], ARRAY[1, 3]::numeric[],
	'gpuagg_session_stat counts an array and its elements')
	FROM gpuagg_session_stat s, before b GROUP BY b.arrays, b.elements;

-- The catalog.
SELECT is(count(*), 18::bigint, '18 aggregates, each complete') FROM pg_aggregate a
	JOIN pg_proc p ON p.oid = a.aggfnoid
	WHERE p.proname = 'gpu_sum' AND p.proparallel = 's' AND aggcombinefn <> 0
	  AND aggserialfn <> 0 AND aggdeserialfn <> 0 AND aggmtransfn <> 0
	  AND aggminvtransfn <> 0 AND aggtransspace > 0 AND aggfinalmodify = 'r'
	  AND aggmfinalmodify = 'r' AND p.provolatile = 'i';
SELECT is_empty($$
	SELECT pg_describe_object(classid, objid, objsubid) FROM pg_depend d
	WHERE refclassid = 'pg_extension'::regclass AND deptype = 'e'
	  AND refobjid = (SELECT oid FROM pg_extension WHERE extname = 'gpuagg')
	  AND classid IN ('pg_proc'::regclass, 'pg_class'::regclass)
	  AND obj_description(objid, classid::regclass::name) IS NULL$$,
	'every object has a comment');

SELECT * FROM finish();
ROLLBACK;
