-- Aggregates, functions and running totals of numeric: the digits of
-- PostgreSQL's own aggregates over unnest.
\set ECHO none
\set QUIET on
BEGIN;
SELECT plan(243);

-- Random numbers: a fifth NULL, of all magnitudes and numbers of decimals; with
-- NaN and infinities only for special > 0, which would make all sums alike.
SELECT setseed(0.22);
CREATE FUNCTION pg_temp.cell(special float8, line int) RETURNS text LANGUAGE sql VOLATILE AS $$
	SELECT CASE WHEN random() < 0.2 THEN 'NULL'
		WHEN random() < special THEN (ARRAY['NaN', 'Infinity', '-Infinity'])[1 + floor(random() * 3)]
		WHEN random() < 0.1 THEN round(0::numeric, floor(random() * 5)::int)::text
		WHEN random() < 0.02 THEN ((random() - 0.5)::numeric * 10::numeric ^ floor((random() - 0.5) * 150)::int)::text
		ELSE round(((random() - 0.5) * power(10::float8, floor(random() * 18)))::numeric, floor(random() * 9)::int)::text END $$;

-- Arrays of rows of three, with lower bounds; some NULL, empty, or of nothing but
-- NULLs.  Some are inline, some compressed, some stored out of line.
CREATE TABLE arrays AS
	SELECT i, i % 7 AS g, CASE WHEN i % 19 = 0 THEN NULL WHEN i % 17 = 0 THEN '{}'
			WHEN i % 23 = 0 THEN '{NULL,NULL}'
			ELSE format('[%s:%s][-1:1]={%s}', i, i + height - 1,
				(SELECT string_agg(format('{%s,%s,%s}', pg_temp.cell(s, r), pg_temp.cell(s, r), pg_temp.cell(s, r)), ',')
				 FROM generate_series(1, height) r)) END::numeric[] AS a
	FROM (SELECT i, CASE WHEN i % 7 = 6 THEN 0.2 ELSE 0 END AS s,
				floor(power(2, random() * 7))::int AS height FROM generate_series(1, 400) i) q;
CREATE TABLE stored (LIKE arrays);
ALTER TABLE stored ALTER a SET STORAGE EXTERNAL;
INSERT INTO stored SELECT i, g, (SELECT array_agg(round(((random() - 0.5) * 1000)::numeric, i + 0 * k)) FROM generate_series(1, i * 900) k)
	FROM generate_series(1, 5) i CROSS JOIN generate_series(1, 2) g;
INSERT INTO arrays SELECT 700 + i * g, 3, a FROM stored WHERE i > 1;
INSERT INTO arrays SELECT 1000 + i, 4, array_fill(i + 0.5, ARRAY[5000]) || NULL::numeric FROM generate_series(1, 3) i;
ANALYZE arrays;
CREATE TEMP TABLE storage AS SELECT count(*) FILTER (WHERE size < 127) AS short,
		count(*) FILTER (WHERE size BETWEEN 127 AND 2000) AS inline, count(*) FILTER (WHERE size < raw / 4) AS compressed,
		count(*) FILTER (WHERE size > 10000) AS external
	FROM (SELECT pg_column_size(a) AS size, (SELECT sum(pg_column_size(x) + 3) FROM unnest(a) x) AS raw FROM arrays) q;
SELECT cmp_ok(short, '>', 5::bigint, 'arrays with a short header') FROM storage;
SELECT cmp_ok(inline, '>', 5::bigint, 'inline arrays') FROM storage;
SELECT cmp_ok(compressed, '>=', 3::bigint, 'compressed arrays') FROM storage;
SELECT cmp_ok(external, '>', 3::bigint, 'arrays stored out of line') FROM storage;

-- Do two queries have the same rows, digit by digit?
CREATE FUNCTION pg_temp.rows_of(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	result text;
BEGIN
	EXECUTE format('SELECT string_agg(q::text, '' '' ORDER BY q::text) FROM (%s) q', query) INTO result;
	RETURN result;
END $$;
CREATE FUNCTION pg_temp.same(one text, other text) RETURNS boolean LANGUAGE sql AS $$
	SELECT pg_temp.rows_of(one) = pg_temp.rows_of(other) $$;

-- The law for each aggregate f: gpu_f is f over unnest.
CREATE TEMP TABLE functions AS SELECT unnest(ARRAY['sum', 'count', 'avg', 'min', 'max', 'var_samp', 'var_pop',
	'variance', 'stddev_samp', 'stddev_pop', 'stddev']) AS f;
CREATE TEMP TABLE laws (name text, one text, other text);
INSERT INTO laws VALUES
	('all arrays', 'SELECT gpu_$f(a) FROM arrays WHERE g < 6', 'SELECT $f(x) FROM arrays, unnest(a) x WHERE g < 6'),
	('each array', 'SELECT i, gpu_$f(a) FROM arrays GROUP BY i',
		'SELECT i, $f(x) FROM arrays LEFT JOIN unnest(a) x ON true GROUP BY i'),
	('GROUPING SETS', 'SELECT g, i % 2, gpu_$f(a) FROM arrays GROUP BY GROUPING SETS ((g), (i % 2), ())',
		'SELECT g, i % 2, $f(x) FROM arrays LEFT JOIN unnest(a) x ON true GROUP BY GROUPING SETS ((g), (i % 2), ())'),
	('FILTER', 'SELECT gpu_$f(a) FILTER (WHERE i % 3 = 0) FROM arrays WHERE g < 6',
		'SELECT $f(x) FROM arrays, unnest(a) x WHERE i % 3 = 0 AND g < 6'),
	('a moving frame', 'SELECT i, gpu_$f(a) OVER (ORDER BY i ROWS 3 PRECEDING) FROM arrays WHERE i <= 200',
		'SELECT a.i, (SELECT $f(x ORDER BY b.i, o) FROM arrays b, unnest(b.a) WITH ORDINALITY u(x, o)
			WHERE b.i BETWEEN a.i - 3 AND a.i) FROM arrays a WHERE i <= 200'),
	('gpu_array_$f', 'SELECT i, gpu_array_$f(a) FROM arrays WHERE a IS NOT NULL',
		'SELECT i, (SELECT $f(x) FROM unnest(a) x) FROM arrays WHERE a IS NOT NULL'),
	('a column', 'SELECT g, gpu_$f(x) FROM arrays, unnest(a) x GROUP BY ROLLUP (g)',
		'SELECT g, $f(x) FROM arrays, unnest(a) x GROUP BY ROLLUP (g)'),
	('a column in a moving frame',
		'SELECT i, o, gpu_$f(x) OVER (ORDER BY i, o ROWS BETWEEN 5 PRECEDING AND 2 FOLLOWING)
		 FROM arrays, unnest(a) WITH ORDINALITY u(x, o) WHERE i < 70',
		'SELECT i, o, $f(x) OVER (ORDER BY i, o ROWS BETWEEN 5 PRECEDING AND 2 FOLLOWING)
		 FROM arrays, unnest(a) WITH ORDINALITY u(x, o) WHERE i < 70');
SELECT ok(pg_temp.same(replace(one, '$f', f), replace(other, '$f', f)), f || ': ' || replace(name, '$f', f))
	FROM laws, functions ORDER BY name, f;
SELECT cmp_ok(count(DISTINCT s), '>', 250::bigint, 'the sums differ') FROM (SELECT gpu_array_sum(a) AS s FROM arrays) q;

-- Parallel plans, forced.  Of equal numbers, the least may have any decimals.
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
CREATE TABLE numbers AS SELECT i, g, x FROM arrays, unnest(a) x WHERE i < 300;
ANALYZE numbers;
SELECT matches(pg_temp.plan_of(format('SELECT gpu_%s(a) FROM arrays', f)),
	'Finalize Aggregate.*Gather.*Partial Aggregate', f || ' of arrays: parallel plan') FROM functions;
SELECT matches(pg_temp.plan_of(format('SELECT gpu_%s(x) FROM numbers', f)),
	'Finalize Aggregate.*Gather.*Partial Aggregate', f || ' of a column: parallel plan') FROM functions;
SELECT ok(pg_temp.same(format('SELECT trim_scale(gpu_%s(a)) FROM arrays WHERE g < 6', f),
		format('SELECT trim_scale(%s(x)) FROM arrays, unnest(a) x WHERE g < 6', f)),
	f || ' of arrays: the parallel answer') FROM functions WHERE f <> 'count';
SELECT ok(pg_temp.same(format('SELECT g, trim_scale(gpu_%s(x)) FROM numbers GROUP BY g', f),
		format('SELECT g, trim_scale(%s(x)) FROM numbers GROUP BY g', f)),
	f || ' of a column: the parallel answer') FROM functions WHERE f <> 'count';
SELECT is(gpu_count(a), (SELECT count(x) FROM arrays, unnest(a) x), 'count of arrays: the parallel answer') FROM arrays;
RESET parallel_setup_cost;
RESET parallel_tuple_cost;
RESET min_parallel_table_scan_size;
RESET max_parallel_workers_per_gather;

-- Running totals: those of SUM() OVER, as arrays of the same shape and as rows.
CREATE TEMP TABLE totals AS SELECT i, a,
		ARRAY(SELECT sum(x) OVER (ORDER BY o ROWS UNBOUNDED PRECEDING) FROM unnest(a) WITH ORDINALITY u(x, o) ORDER BY o) AS inclusive,
		ARRAY(SELECT coalesce(sum(x) OVER (ORDER BY o ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0)
			  FROM unnest(a) WITH ORDINALITY u(x, o) ORDER BY o) AS exclusive
	FROM arrays WHERE a IS NOT NULL;
SELECT is(count(*) FILTER (WHERE ARRAY(SELECT unnest(gpu_array_cumsum(a)))::text IS DISTINCT FROM inclusive::text), 0::bigint,
	'arrays') FROM totals;
SELECT is(count(*) FILTER (WHERE ARRAY(SELECT unnest(gpu_array_cumsum(a, true)))::text IS DISTINCT FROM exclusive::text),
	0::bigint, 'arrays, exclusive') FROM totals;
SELECT is(count(*) FILTER (WHERE array_dims(gpu_array_cumsum(a)) IS DISTINCT FROM array_dims(a)
		OR array_dims(gpu_array_cumsum(a, exclusive => true)) IS DISTINCT FROM array_dims(a)), 0::bigint,
	'their dimensions and lower bounds') FROM totals;
SELECT is(count(*) FILTER (WHERE ARRAY(SELECT gpu_cumsum(a))::text IS DISTINCT FROM inclusive::text), 0::bigint,
	'rows') FROM totals;
SELECT is(count(*) FILTER (WHERE ARRAY(SELECT gpu_cumsum(a, true))::text IS DISTINCT FROM exclusive::text), 0::bigint,
	'rows, exclusive') FROM totals;
SELECT is(count(*) FILTER (WHERE ARRAY(SELECT t FROM gpu_cumsum(a) WITH ORDINALITY u(t, o) ORDER BY o)::text
		IS DISTINCT FROM inclusive::text), 0::bigint, 'rows in FROM') FROM totals;
SELECT is(count(*) FILTER (WHERE ARRAY(SELECT t FROM gpu_cumsum(a, true) WITH ORDINALITY u(t, o) ORDER BY o)::text
		IS DISTINCT FROM exclusive::text), 0::bigint, 'rows in FROM, exclusive') FROM totals;
SELECT is(count(*) FILTER (WHERE w::text IS DISTINCT FROM s::text), 0::bigint, 'window')
	FROM (SELECT gpu_cumsum(x) OVER (PARTITION BY g ORDER BY i, o) AS w,
			sum(x) OVER (PARTITION BY g ORDER BY i, o ROWS UNBOUNDED PRECEDING) AS s
		  FROM arrays, unnest(a) WITH ORDINALITY u(x, o)) q;
SELECT is(gpu_array_cumsum('[-1:0][5:6]={{NULL,2.50},{NULL,4}}'::numeric[])::text, '[-1:0][5:6]={{NULL,2.50},{2.50,6.50}}',
	'NULL before the first element');
SELECT is(gpu_array_cumsum(NULL::numeric[]), NULL, 'NULL gives NULL');
SELECT is(gpu_array_cumsum('{}'::numeric[], true), '{}', 'an empty array gives one');
SELECT is(gpu_array_cumsum('{NULL,NULL}'::numeric[])::text, '{NULL,NULL}', 'NULLs give NULLs');
SELECT is_empty('SELECT gpu_cumsum(NULL::numeric[])', 'NULL gives no rows');
SELECT is_empty('SELECT * FROM gpu_cumsum(''{}''::numeric[], true)', 'nor does an empty array');
SELECT is(array_agg((a, b)::text), '{"(1.5,1)","(4.0,3)","(,6)"}', 'two in one SELECT list')
	FROM (SELECT gpu_cumsum(ARRAY[1.5, 2.5]) AS a, gpu_cumsum(ARRAY[1, 2, 3]) AS b) q;

-- The ends of the range: a sum may pass them on its way, a running total may not.
CREATE TEMP TABLE ends AS SELECT ARRAY[9 * 10::numeric ^ 131071, 9 * 10::numeric ^ 131071, -9 * 10::numeric ^ 131071] AS a;
SELECT is(gpu_array_sum(a), a[1], 'a sum passes the end of the range') FROM ends;
SELECT is(gpu_sum(a), a[1], '... of all arrays, too') FROM ends GROUP BY a;
SELECT is(gpu_sum(x), a[1], '... and of a column') FROM ends, unnest(a) x GROUP BY a;
SELECT throws_ok('SELECT gpu_sum(a || a) FROM ends', '22003');
SELECT throws_ok('SELECT gpu_array_sum(a || a) FROM ends', '22003');
SELECT throws_ok('SELECT gpu_array_cumsum(a) FROM ends', '22003');
SELECT is((gpu_array_cumsum(a[:2], true))[2], a[1], 'exclusive: the last element does not count') FROM ends;
SELECT is(count(*), 1::bigint, 'LIMIT stops before an overflow')
	FROM (SELECT gpu_cumsum(a) FROM ends LIMIT 1) q;

-- An array that PL/pgSQL holds expanded.
CREATE FUNCTION pg_temp.expanded(n int) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	a numeric[] := '{}';
BEGIN
	FOR i IN 1..n LOOP a[i] := i / 8.0; END LOOP;
	a[n / 2] := NULL;
	RETURN concat_ws(' ', gpu_array_sum(a), gpu_array_count(a), gpu_array_avg(a), gpu_array_min(a), gpu_array_max(a),
		gpu_array_stddev(a), md5(gpu_array_cumsum(a)::text), md5((SELECT string_agg(t::text, ',') FROM gpu_cumsum(a, true) t)));
END $$;
CREATE FUNCTION pg_temp.flat(a numeric[]) RETURNS text LANGUAGE sql AS $$
	SELECT concat_ws(' ', sum(x), count(x), avg(x), min(x), max(x), stddev(x),
		(SELECT md5(ARRAY(SELECT sum(x) OVER (ORDER BY o) FROM unnest(a) WITH ORDINALITY u(x, o) ORDER BY o)::text)),
		(SELECT md5(string_agg(t::text, ',')) FROM (SELECT coalesce(sum(x) OVER (ORDER BY o ROWS BETWEEN UNBOUNDED PRECEDING
			AND 1 PRECEDING), 0) AS t FROM unnest(a) WITH ORDINALITY u(x, o) ORDER BY o) q))
	FROM unnest(a) x $$;
SELECT is(pg_temp.expanded(n), pg_temp.flat(array_agg(CASE WHEN i <> n / 2 THEN i / 8.0 END ORDER BY i)),
	'a variable of PL/pgSQL with ' || n) FROM unnest(ARRAY[4, 1023, 1024, 1025, 5000]) n, generate_series(1, n) i GROUP BY n;

-- Which function a call means.
CREATE TEMP TABLE calls (call text, type text);
INSERT INTO calls VALUES ('gpu_sum(ARRAY[1.5, 2.5])', 'numeric'), ('gpu_sum(1.5)', 'numeric'),
	('gpu_sum(1.5::numeric(5,2))', 'numeric'), ('gpu_sum(ARRAY[1.5]::numeric(5,2)[])', 'numeric'),
	('gpu_sum(ARRAY[1, 2])', 'bigint'), ('gpu_sum(ARRAY[1, 2.5])', 'numeric'), ('gpu_sum(1)', 'bigint'),
	('gpu_sum(1::smallint)', 'bigint'), ('gpu_sum(1::bigint)', 'numeric'), ('gpu_sum(1::real)', 'real'),
	('gpu_sum(1::float8)', 'double precision'), ('gpu_sum(ARRAY[1.5]::real[])', 'real'),
	('gpu_sum(ARRAY[1.5]::float8[])', 'double precision'), ('gpu_sum(NULL::numeric)', 'numeric'),
	('gpu_count(1.5)', 'bigint'), ('gpu_array_sum(ARRAY[1.5, 2.5])', 'numeric'), ('gpu_array_sum(ARRAY[1, 2])', 'bigint'),
	('gpu_array_sum(ARRAY[1.5]::real[])', 'real'), ('gpu_array_cumsum(ARRAY[1.5, 2.5])', 'numeric[]'),
	('gpu_array_cumsum(ARRAY[1, 2])', 'bigint[]'), ('gpu_array_cumsum(ARRAY[1.5]::float8[], true)', 'double precision[]');
SELECT is(pg_temp.rows_of(format('SELECT pg_typeof(%s) AS t', call)), format('(%s)', CASE WHEN type LIKE '% %'
	THEN '"' || type || '"' ELSE type END), call) FROM calls;
SELECT throws_ok('SELECT ' || call, '42725', NULL, call || ' is not unique, as PostgreSQL''s')
	FROM unnest(ARRAY['gpu_sum(NULL)', 'sum(NULL)', 'gpu_sum(''{1,2}'')', 'gpu_array_sum(''{1,2}'')']) call;

-- The CPU computes whatever the settings say, and counts it with a reason.
SELECT current_setting('gpuagg.engine') AS engine \gset
CREATE FUNCTION pg_temp.counted(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	was bigint[];
	answer text;
BEGIN
	SELECT ARRAY[arrays, elements, bytes] INTO was FROM gpuagg_session_stat WHERE reason = 'elements are numeric';
	EXECUTE query INTO answer;
	RETURN (SELECT concat_ws(' ', arrays - was[1], elements - was[2], bytes - was[3])
		FROM gpuagg_session_stat WHERE reason = 'elements are numeric');
END $$;
SELECT is(pg_temp.counted('SELECT gpu_array_sum(ARRAY[1.5, NULL, 2.5])'), '1 2 20', 'a sum is counted');
SELECT is(pg_temp.counted('SELECT gpu_array_cumsum(ARRAY[1.5, NULL, 2.5])'), '1 2 20', 'running totals are');
SELECT is(pg_temp.counted('SELECT count(*) FROM gpu_cumsum(ARRAY[1.5, NULL, 2.5], true)'), '1 1 10', '... exclusive ones');
SELECT is(pg_temp.counted('SELECT gpu_array_count(ARRAY[1.5, NULL, 2.5])'), '0 0 0', 'a count reads no elements');
SELECT is(pg_temp.counted('SELECT (gpu_sum(a), gpu_avg(a))::text FROM stored'), (SELECT concat_ws(' ', count(DISTINCT (i, g)), count(x),
	sum(pg_column_size(x) + 3)) FROM stored, unnest(a) x), 'sum and mean share a state');
SELECT is(pg_temp.counted('SELECT (gpu_var_pop(a), gpu_stddev(a), gpu_variance(a))::text FROM stored'), pg_temp.counted(
	'SELECT gpu_var_samp(a) FROM stored'), 'variances and deviations do');
SELECT is(pg_temp.counted('SELECT max(s) FROM (SELECT gpu_sum(ARRAY[i + 0.5]) OVER (ORDER BY i ROWS 50 PRECEDING) AS s
	FROM generate_series(1, 200) i) q'), '349 349 3490', 'elements that leave a frame are removed');
SET LOCAL gpuagg.engine = 'gpu';
SELECT is(gpu_array_sum(ARRAY[1.5, 2.5]), 4.0, 'gpuagg.engine = gpu is no error');
SET LOCAL gpuagg.engine = :'engine';

-- The number of elements needs few blocks of TOAST, however long the array is.
CREATE TABLE long (a numeric[], b numeric[]);
ALTER TABLE long ALTER a SET STORAGE EXTERNAL;
INSERT INTO long SELECT array_agg(x + 0.5), array_fill(1.5, ARRAY[400000]) FROM generate_series(1, 400000) x;
CREATE FUNCTION pg_temp.blocks_of(query text) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
	plan json;
BEGIN
	EXECUTE 'EXPLAIN (ANALYZE, BUFFERS, FORMAT json) ' || query INTO plan;
	RETURN (plan #>> '{0,Plan,Shared Hit Blocks}')::bigint + (plan #>> '{0,Plan,Shared Read Blocks}')::bigint;
END $$;
SELECT cmp_ok(pg_temp.blocks_of(format('SELECT %s(%s) FROM long', f, c)), '<', 30::bigint, f || ' of ' || c || ' reads no elements')
	FROM unnest(ARRAY['gpu_count', 'gpu_array_count']) f, unnest(ARRAY['a', 'b']) c;
SELECT cmp_ok(pg_temp.blocks_of('SELECT gpu_sum(a) FROM long'), '>', 500::bigint, '... a sum does');
SELECT is(gpu_count(a) || ' ' || gpu_count(b) || ' ' || sum(gpu_array_count(b)), '400000 400000 400000', '... and is right') FROM long;

-- A query can be cancelled in the middle of an array: what stands behind the
-- function in one expression is not evaluated, but behind one that does not look.
CREATE SEQUENCE reached;
CREATE FUNCTION pg_temp.cancelled(expression text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	PERFORM setval('reached', 1, false);
	EXECUTE format('SELECT CASE WHEN pg_cancel_backend(pg_backend_pid()) THEN (%s) IS NULL OR nextval(''reached'') > 0 END
		FROM (SELECT array_fill(1.5, ARRAY[5000]) AS a OFFSET 0) q', expression);
	RETURN 'finished';
EXCEPTION WHEN query_canceled THEN
	RETURN CASE WHEN (SELECT is_called FROM reached) THEN 'behind it' ELSE 'within it' END;
END $$;
SELECT is(pg_temp.cancelled(call || '(a)'), 'within it', call || ' looks for a cancelled query')
	FROM unnest(ARRAY['gpu_array_sum', 'gpu_array_stddev', 'gpu_array_max', 'gpu_array_cumsum']) call;
SELECT is(pg_temp.cancelled('cardinality(a)'), 'behind it', 'cardinality() does not');

-- An index has the least value of a column.
CREATE INDEX ON numbers (x);
SET LOCAL enable_seqscan = off;
SELECT matches(pg_temp.plan_of('SELECT gpu_min(x), gpu_max(x) FROM numbers'), 'Limit.*Index.*Limit.*Index', 'an index has the extremes');
RESET enable_seqscan;

-- Without input.
SELECT ok(pg_temp.same(format('SELECT gpu_%s(a) FROM arrays WHERE false', f), format('SELECT %s(x) FROM numbers x WHERE false', 'count')
	) = (f = 'count'), f || ' of no rows: ' || CASE f WHEN 'count' THEN '0' ELSE 'NULL' END) FROM functions;

-- Arrays that are damaged, in the byte order of x86-64 and ARM: a number's length
-- is four times its bytes.
\if :{?test_module}
CREATE FUNCTION broken_array(bytea, numeric[]) RETURNS numeric[] AS :'test_module', 'broken_array' LANGUAGE C STRICT;
CREATE FUNCTION pg_temp.words(VARIADIC w integer[]) RETURNS bytea LANGUAGE sql AS $$
	SELECT string_agg(substring(int4send(x) FROM byte FOR 1), '' ORDER BY o, byte DESC)
	FROM unnest(w) WITH ORDINALITY AS u(x, o), generate_series(1, 4) byte $$;
CREATE TEMP TABLE broken (name text, bytes bytea, state text);
INSERT INTO broken VALUES ('elements of another type', pg_temp.words(1, 0, 701, 1, 1, 0, 0), '42804'),
	('elements that are not there', pg_temp.words(1, 0, 1700, 100, 1, 40, 0, 0), 'XX001'),
	('an element that is too long', pg_temp.words(1, 0, 1700, 1, 1, 400, 0, 0), 'XX001'),
	('an element without its first field', pg_temp.words(1, 0, 1700, 1, 1, 16, 0, 0), 'XX001'),
	('a length of zero', pg_temp.words(1, 0, 1700, 1, 1, 0, 0, 0), 'XX001'),
	('a second element behind the end', pg_temp.words(1, 0, 1700, 2, 1, 48, 0, 0, 0), 'XX001'),
	('an element with a short header', pg_temp.words(1, 0, 1700, 1, 1, 41, 0, 0), 'XX001');
SELECT throws_ok(format('SELECT %s(broken_array(%L, ''{}''))', f, bytes), state, NULL, f || ', array with ' || name)
	FROM broken, unnest(ARRAY['gpu_array_sum', 'gpu_array_cumsum', 'gpu_array_min']) f;
SELECT is(gpu_array_sum(broken_array(pg_temp.words(1, 0, 1700, 1, 1, 32, 32896 + 131072), '{}')), 2.0, 'and a sound one, made the same way');
\else
SELECT skip('the test-only module is not on this server', 22);
\endif

-- The catalog.
SELECT is(count(*), 24::bigint, 'sums, means, variances and deviations are complete') FROM pg_aggregate a
	JOIN pg_proc p ON p.oid = a.aggfnoid
	WHERE p.proname ~ '^gpu_(avg|var|std|sum$)' AND proargtypes[0] IN ('numeric'::regtype, 'numeric[]'::regtype)
	  AND p.proparallel = 's' AND p.prorettype = 'numeric'::regtype
	  AND aggcombinefn <> 0 AND aggserialfn <> 0 AND aggdeserialfn <> 0 AND aggmtransfn <> 0
	  AND aggminvtransfn <> 0 AND aggtransspace > 0 AND aggfinalmodify = 'r'
	  AND aggmfinalmodify = 'r' AND p.provolatile = 'i';

SELECT * FROM finish();
ROLLBACK;
