-- Functions of numeric besides those in numeric.sql: parts, buckets, moving
-- windows, differences, by position over the rows, and products.  Each has the
-- digits of PostgreSQL's own aggregate.
\set ECHO none
\set QUIET on
BEGIN;
SELECT * FROM no_plan();

-- Random numbers: a fifth NULL, of many magnitudes and numbers of decimals; NaN
-- and infinities in some arrays.
SELECT setseed(0.47);
CREATE FUNCTION pg_temp.cell(special float8, line int) RETURNS numeric LANGUAGE sql VOLATILE AS $$
	SELECT CASE WHEN random() < 0.2 THEN NULL
		WHEN random() < special THEN (ARRAY['NaN', 'Infinity', '-Infinity'])[1 + floor(random() * 3)]::numeric
		WHEN random() < 0.05 THEN round(((random() - 0.5) * 1e6)::numeric, 9 + floor(random() * 5)::int)
		WHEN random() < 0.3 THEN round(floor(random() * 3)::numeric, floor(random() * 3)::int)
		ELSE round(((random() - 0.5) * power(10::float8, floor(random() * 9)))::numeric, 2) END $$;
CREATE TABLE arrays AS
	SELECT i, i % 5 AS g, low, CASE WHEN i % 19 = 0 THEN NULL WHEN n = 0 THEN '{}'
			ELSE format('[%s:%s]=%s', low, low + n - 1, (SELECT array_agg(pg_temp.cell(s, k)) FROM generate_series(1, n) k)) END::numeric[] AS a,
		CASE WHEN i % 17 = 0 THEN NULL WHEN n = 0 THEN '{}'
			ELSE (SELECT array_agg(pg_temp.cell(s, -k)) FROM generate_series(1, n) k) END::numeric[] AS b
	FROM (SELECT i, i % 7 - 3 AS low, CASE WHEN i % 5 = 4 THEN 0.1 ELSE 0 END AS s,
			(ARRAY[0, 1, 2, 7, 40, 300, 1500])[1 + i % 7] AS n FROM generate_series(1, 120) i) q;
CREATE TABLE stored (LIKE arrays);
ALTER TABLE stored ALTER a SET STORAGE EXTERNAL, ALTER b SET STORAGE EXTERNAL;
INSERT INTO stored SELECT * FROM arrays WHERE cardinality(a) = 1500 LIMIT 3;
INSERT INTO arrays SELECT i + 500, g, low, a, b FROM stored;
ALTER TABLE arrays ADD w numeric[]; -- weights, which never add up to zero
UPDATE arrays SET w = ARRAY(SELECT abs(y) + 0.5 FROM unnest(b) WITH ORDINALITY u(y, o) ORDER BY o) WHERE b IS NOT NULL;
ANALYZE arrays;

CREATE FUNCTION pg_temp.rows_of(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	result text;
BEGIN
	EXECUTE format('SELECT string_agg(q::text, '' '' ORDER BY q::text) FROM (%s) q', query) INTO result;
	RETURN result;
END $$;
CREATE FUNCTION pg_temp.same(one text, other text) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
	a text := pg_temp.rows_of(one);
	b text := pg_temp.rows_of(other);
BEGIN
	RETURN a = b AND length(a) > 100;
END $$;

-- Buckets: the aggregate of each.
SELECT ok(pg_temp.same(
		format('SELECT i, gpu_array_bucket_%s(a, %s) FROM arrays WHERE a IS NOT NULL', f, w),
		format('SELECT i, coalesce((SELECT array_agg(v ORDER BY k) FROM (SELECT (o - 1) / %s AS k, %s(x ORDER BY o) AS v
			FROM unnest(a) WITH ORDINALITY u(x, o) GROUP BY 1) q), ''{}'') FROM arrays WHERE a IS NOT NULL', w, f)),
	format('buckets of %s: %s', w, f))
	FROM unnest('{sum,avg,min,max,count}'::text[]) f, unnest(ARRAY[1, 2, 7, 100, 1024, 2147483647]) w;
SELECT ok(pg_temp.same(
		format('SELECT i, gpu_array_bucket_%s(a, 3, p, p + 9) FROM arrays, generate_series(-4, 30, 17) p WHERE a IS NOT NULL', f),
		format('SELECT i, gpu_array_bucket_%s((SELECT a[p:p + 9]), 3) FROM arrays, generate_series(-4, 30, 17) p WHERE a IS NOT NULL', f)),
	'buckets of a part: ' || f) FROM unnest('{sum,avg,min,max,count}'::text[]) f;
SELECT is(array_lower(gpu_array_bucket_sum('[5:7]={1,2,3}'::numeric[], 2), 1), 1, 'their lower bound is 1');
SELECT throws_ok(format('SELECT gpu_array_bucket_%s(ARRAY[1.5], 0)', f), '22023', NULL, f || ' of buckets without a width')
	FROM unnest('{sum,avg,min,max,count}'::text[]) f;

-- Moving windows: the aggregate OVER (ROWS n PRECEDING).
SELECT ok(pg_temp.same(
		format('SELECT i, gpu_array_moving_%s(a, %s) FROM arrays WHERE a IS NOT NULL', f, n),
		format('SELECT i, CASE WHEN a = ''{}'' THEN a ELSE format(''[%%s:%%s]=%%s'', array_lower(a, 1), array_upper(a, 1), (SELECT array_agg(v ORDER BY o)
			FROM (SELECT o, %s(x) OVER (ORDER BY o ROWS %s PRECEDING) AS v FROM unnest(a) WITH ORDINALITY u(x, o)) q))::numeric[] END
			FROM arrays WHERE a IS NOT NULL', f, n)),
	format('moving window of %s preceding: %s', n, f))
	FROM unnest('{sum,avg,min,max}'::text[]) f, unnest(ARRAY[0, 1, 6, 99, 2147483647]) n;
SELECT ok(pg_temp.same(
		format('SELECT i, gpu_array_cum%s(a) FROM arrays WHERE a IS NOT NULL', f),
		format('SELECT i, gpu_array_moving_%s(a, 2147483647) FROM arrays WHERE a IS NOT NULL', f)), 'cum' || f)
	FROM unnest('{min,max}'::text[]) f;
SELECT ok(pg_temp.same(
		format('SELECT i, gpu_array_moving_%s(a, 2, p, p + 9) FROM arrays, generate_series(-4, 30, 17) p WHERE a IS NOT NULL', f),
		format('SELECT i, gpu_array_moving_%s((SELECT a[p:p + 9]), 2) FROM arrays, generate_series(-4, 30, 17) p WHERE a IS NOT NULL', f)),
	'moving window of a part: ' || f) FROM unnest('{sum,avg,min,max}'::text[]) f;
SELECT is(gpu_array_moving_sum('[0:1][4:5]={{1.5,2},{NULL,0.25}}'::numeric[], 1)::text, '[0:1][4:5]={{1.5,3.5},{2,0.25}}',
	'the shape is kept');
SELECT is(gpu_array_moving_avg('{NULL,NULL,1.0}'::numeric[], 1)::text, '{NULL,NULL,1.00000000000000000000}', 'NULLs alone are NULL');
SELECT throws_ok(format('SELECT gpu_array_moving_%s(ARRAY[1.5], -1)', f), '22023', NULL, f || ' of a window of less than nothing')
	FROM unnest('{sum,avg,min,max}'::text[]) f;

-- Of equal elements the last one counts, as for the aggregate.
SELECT is(gpu_array_moving_min('{1.0,1.00,2,1.000}'::numeric[], 1)::text, '{1.0,1.00,1.00,1.000}', 'the digits of a moving least element');
SELECT is(gpu_array_cummax('{2.0,2.00,1,2}'::numeric[])::text, '{2.0,2.00,2.00,2}', '... and of the greatest so far');

-- Differences.
SELECT ok(pg_temp.same('SELECT i, gpu_array_delta(a) FROM arrays WHERE a IS NOT NULL',
		'SELECT i, CASE WHEN a = ''{}'' THEN a ELSE format(''[%s:%s]=%s'', array_lower(a, 1), array_upper(a, 1), (SELECT array_agg(v ORDER BY o)
			FROM (SELECT o, x - lag(x) OVER (ORDER BY o) AS v FROM unnest(a) WITH ORDINALITY u(x, o)) q))::numeric[] END
		FROM arrays WHERE a IS NOT NULL'), 'differences');
SELECT ok(pg_temp.same('SELECT i, gpu_array_delta(a, 2, 20) FROM arrays WHERE a IS NOT NULL',
	'SELECT i, gpu_array_delta((SELECT a[2:20])) FROM arrays WHERE a IS NOT NULL'), '... of a part');

-- Functions of a part, as slices: the planner calls the form with bounds.
SELECT ok(pg_temp.same(format('SELECT i, gpu_array_%s(a, 1, 30) FROM arrays', f), format('SELECT i, %s(a[1:30]) FROM arrays', 'gpu_array_' || f)),
	'a part and a slice: ' || f) FROM unnest('{sum,avg,count,min,max,variance,stddev_pop,cumsum}'::text[]) f;
CREATE FUNCTION pg_temp.plan_of(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	line text;
	result text := '';
BEGIN
	FOR line IN EXECUTE 'EXPLAIN (COSTS OFF, VERBOSE) ' || query LOOP
		result := result || line || E'\n';
	END LOOP;
	RETURN result;
END $$;
SELECT matches(pg_temp.plan_of('SELECT gpu_array_sum(a[1:3]) FROM arrays'), 'gpu_array_sum\(a, 1, 3\)', '... in the plan');

-- Aggregates of a part of each array.
SELECT ok(pg_temp.same(format('SELECT i / 3, gpu_%s(a, 0, 25) FROM arrays GROUP BY 1', f),
		format('SELECT i / 3, gpu_%s((SELECT a[0:25])) FROM arrays GROUP BY 1', f)), 'aggregate of a part: ' || f)
	FROM unnest('{sum,avg,count,min,max,var_samp,var_pop,variance,stddev_samp,stddev_pop,stddev}'::text[]) f;
SELECT ok(pg_temp.same('SELECT i, gpu_count(a, 0, 25) OVER (ORDER BY i ROWS 2 PRECEDING), gpu_sum(a, 0, 25) OVER (ORDER BY i ROWS 2 PRECEDING) FROM arrays',
		'SELECT i, gpu_count(a) OVER (ORDER BY i ROWS 2 PRECEDING), gpu_sum(a) OVER (ORDER BY i ROWS 2 PRECEDING)
		 FROM (SELECT i, (SELECT a[0:25]) AS a FROM arrays) q'), '... in a moving frame');
SELECT is(gpu_sum(a, NULL, 3), NULL, 'a bound that is NULL') FROM arrays;

-- By position over the rows: arrays of one shape.
CREATE TABLE vectors AS
	SELECT i, i % 3 AS g, n, CASE WHEN i % 11 = 0 THEN NULL WHEN n = 0 THEN '{}'
		WHEN n = 6 THEN format('[2:3][-1:1]={{%s,%s,%s},{%s,%s,%s}}', c, c, c, c, c, c) ELSE v::text END::numeric[] AS v
	FROM (SELECT i, n, coalesce(pg_temp.cell(0, i)::text, 'NULL') AS c,
			(SELECT array_agg(pg_temp.cell(CASE WHEN i % 4 = 0 AND n = 50 THEN 0.05 ELSE 0 END, i + k)) FROM generate_series(1, n) k) AS v
		  FROM generate_series(1, 60) i, unnest(ARRAY[0, 1, 6, 50, 1100]) n) q;
ANALYZE vectors;
CREATE TEMP TABLE elems AS SELECT f FROM unnest('{sum,avg,count,min,max}'::text[]) f;
CREATE TEMP TABLE elem_laws (name text, one text, other text);
INSERT INTO elem_laws VALUES
	('all rows', 'SELECT n, ARRAY(SELECT unnest(gpu_elem_$f(v))) FROM vectors GROUP BY n',
		'SELECT n, ARRAY(SELECT $f(x ORDER BY i) FROM vectors w, unnest(v) WITH ORDINALITY u(x, o) WHERE w.n = q.n GROUP BY o ORDER BY o)
		 FROM (SELECT DISTINCT n FROM vectors) q'),
	('groups', 'SELECT n, g, ARRAY(SELECT unnest(gpu_elem_$f(v) FILTER (WHERE i % 2 = 0))) FROM vectors GROUP BY n, g',
		'SELECT n, g, ARRAY(SELECT $f(x ORDER BY i) FROM vectors w, unnest(v) WITH ORDINALITY u(x, o)
			WHERE w.n = q.n AND w.g = q.g AND i % 2 = 0 GROUP BY o ORDER BY o)
		 FROM (SELECT DISTINCT n, g FROM vectors) q'),
	('a moving frame', 'SELECT n, i, ARRAY(SELECT unnest(e)) FROM (SELECT n, i, gpu_elem_$f(v) OVER (PARTITION BY n ORDER BY i ROWS 4 PRECEDING) AS e
			FROM vectors WHERE n < 1000) q',
		'SELECT n, i, ARRAY(SELECT $f(x ORDER BY i) FROM vectors w, unnest(v) WITH ORDINALITY u(x, o)
			WHERE w.n = q.n AND w.i BETWEEN q.i - 4 AND q.i GROUP BY o ORDER BY o) FROM vectors q WHERE n < 1000'),
	('frames of one array', 'SELECT n, i, gpu_elem_$f(v) OVER (PARTITION BY n ORDER BY i ROWS BETWEEN CURRENT ROW AND CURRENT ROW) FROM vectors WHERE n < 1000',
		'SELECT n, i, (SELECT gpu_elem_$f(v) FROM vectors w WHERE w.n = q.n AND w.i = q.i) FROM vectors q WHERE n < 1000');
SELECT ok(pg_temp.same(replace(one, '$f', f), replace(other, '$f', f)), 'gpu_elem_' || f || ': ' || name) FROM elem_laws, elems;
SELECT is(array_dims(gpu_elem_sum(v)) || array_dims(gpu_elem_count(v)) || array_dims(gpu_elem_min(v)), '[2:3][-1:1][2:3][-1:1][2:3][-1:1]',
	'the shape is kept') FROM vectors WHERE n = 6;
SELECT is(gpu_elem_count('{NULL,1.5}'::numeric[])::text || gpu_elem_sum('{NULL,1.5}'::numeric[])::text || gpu_elem_max('{NULL,1.5}'::numeric[])::text,
	'{0,1}{NULL,1.5}{NULL,1.5}', 'NULLs alone');
SELECT is(gpu_elem_sum(v)::text || gpu_elem_count(v)::text || gpu_elem_min(v)::text, '{}{}{}', 'empty arrays') FROM vectors WHERE n = 0;
SELECT ok(gpu_elem_sum(v) IS NULL AND gpu_elem_avg(v) IS NULL AND gpu_elem_count(v) IS NULL AND gpu_elem_max(v) IS NULL, 'no rows')
	FROM vectors WHERE false;
SELECT ok(gpu_elem_sum(v) IS NULL AND gpu_elem_count(v) IS NULL AND gpu_elem_max(v) IS NULL, 'NULL arrays') FROM vectors WHERE i = 11;
SELECT throws_ok(format('SELECT gpu_elem_%s(v) FROM vectors', f), '2202E', NULL, f || ' of arrays of several shapes') FROM elems;
SELECT throws_ok(format('SELECT gpu_elem_%s(v) FROM (VALUES (ARRAY[1.5]), (''[0:0]={1}'')) q(v)', f), '2202E', NULL, f || ': lower bounds differ') FROM elems;

-- Products.  The laws are PostgreSQL's expressions.
CREATE TABLE pairs AS SELECT i, g, o, x, y, z FROM arrays, unnest(a, b, w) WITH ORDINALITY u(x, y, z, o) WHERE a IS NOT NULL AND b IS NOT NULL;
ANALYZE pairs;
CREATE TEMP TABLE products (f text, columns text, arrays text, law text);
INSERT INTO products VALUES ('dot', 'x, y', 'a, b', 'sum(x * y)'), ('norm', 'x', 'a', 'sqrt(sum(x * x))'),
	('weighted_avg', 'x, z', 'a, w', 'sum(x * z) / sum(z) FILTER (WHERE x IS NOT NULL)');
SELECT ok(pg_temp.same(format('SELECT g, gpu_%s(%s) FROM pairs GROUP BY ROLLUP (g)', f, columns),
	format('SELECT g, %s FROM pairs GROUP BY ROLLUP (g)', law)), 'columns: ' || f) FROM products;
SELECT ok(pg_temp.same(format('SELECT i, o, gpu_%s(%s) OVER (ORDER BY i, o ROWS 9 PRECEDING) FROM pairs WHERE i < 20', f, columns),
	format('WITH p AS (SELECT *, row_number() OVER (ORDER BY i, o) AS r FROM pairs WHERE i < 20)
		SELECT i, o, (SELECT %s FROM p WHERE p.r BETWEEN q.r - 9 AND q.r) FROM p q', law)), 'columns in a moving frame: ' || f)
	FROM products;
SELECT ok(pg_temp.same(format('SELECT g, gpu_%s(%s) FROM arrays WHERE a IS NOT NULL AND b IS NOT NULL GROUP BY ROLLUP (g)', f, arrays),
	format('SELECT g, %s FROM pairs GROUP BY ROLLUP (g)', law)), 'arrays: ' || f) FROM products;
SELECT ok(pg_temp.same(format('SELECT i, gpu_%s(%s) OVER (ORDER BY i ROWS 2 PRECEDING) FROM arrays WHERE i < 100 AND a IS NOT NULL AND b IS NOT NULL', f, arrays),
	format('WITH p AS (SELECT i, row_number() OVER (ORDER BY i) AS r FROM arrays WHERE i < 100 AND a IS NOT NULL AND b IS NOT NULL)
		SELECT i, (SELECT %s FROM pairs JOIN p USING (i) WHERE p.r BETWEEN q.r - 2 AND q.r) FROM p q', law)), 'arrays in a moving frame: ' || f)
	FROM products;
SELECT ok(pg_temp.same(format('SELECT i, gpu_array_%s(%s) FROM arrays WHERE a IS NOT NULL AND b IS NOT NULL', f, arrays),
	format('SELECT i, (SELECT %s FROM unnest(a, b, w) u(x, y, z)) FROM arrays WHERE a IS NOT NULL AND b IS NOT NULL', law)), 'gpu_array_' || f) FROM products;
SELECT is(gpu_array_dot(ARRAY[1.5, 2], ARRAY[0.25, 3])::text, '6.375', 'a product');
SELECT is(gpu_array_norm(ARRAY[3.0, 4.0])::text, sqrt(25.00)::text, 'a norm');
SELECT is(ARRAY[gpu_array_dot('{}'::numeric[], '{}'), gpu_array_norm('{NULL}'::numeric[]), gpu_array_weighted_avg('{1,NULL}'::numeric[], '{NULL,1}')],
	'{NULL,NULL,NULL}', 'without pairs they are NULL');
SELECT ok(gpu_dot(x, y) IS NULL AND gpu_norm(x) IS NULL AND gpu_weighted_avg(x, y) IS NULL, 'no rows') FROM pairs WHERE false;
SELECT throws_ok('SELECT gpu_array_dot(ARRAY[1.5], ARRAY[1.5, 2])', '2202E', NULL, 'arrays of different lengths');
SELECT throws_ok('SELECT gpu_array_weighted_avg(ARRAY[1.5, 2], ARRAY[1.0, -1])', '22012', NULL, 'weights that add up to zero');
SELECT throws_ok('SELECT gpu_weighted_avg(x, 0.0) FROM pairs WHERE g < 4', '22012', NULL, '... of rows');

-- Parallel plans, forced.
SET LOCAL parallel_setup_cost = 0;
SET LOCAL parallel_tuple_cost = 0;
SET LOCAL min_parallel_table_scan_size = 0;
SET LOCAL max_parallel_workers_per_gather = 2;
CREATE TEMP TABLE calls (call text, relation text, key text);
INSERT INTO calls SELECT format('gpu_%s(%s)', f, columns), 'pairs', 'g' FROM products;
INSERT INTO calls SELECT format('gpu_%s(%s)', f, arrays), 'arrays', 'g' FROM products;
INSERT INTO calls SELECT format('trim_scale((gpu_elem_%s(v))[25])', f), 'vectors', 'n' FROM elems;
CREATE TEMP TABLE queries AS SELECT call, format('SELECT %s, %s FROM %s GROUP BY 1', key, call, relation) AS query FROM calls;
SET LOCAL max_parallel_workers_per_gather = 0;
CREATE TEMP TABLE serial AS SELECT *, pg_temp.rows_of(query) AS answer FROM queries;
SET LOCAL max_parallel_workers_per_gather = 2;
SELECT matches(pg_temp.plan_of(query), 'Finalize.*Aggregate.*Gather.*Partial.*Aggregate', call || ': parallel plan') FROM serial;
SELECT is(pg_temp.rows_of(query), answer, call || ': the parallel answer') FROM serial;
RESET parallel_setup_cost;
RESET parallel_tuple_cost;
RESET min_parallel_table_scan_size;
RESET max_parallel_workers_per_gather;

-- Expanded arrays, as PL/pgSQL holds them.
CREATE FUNCTION pg_temp.expanded(n int) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	a numeric[] := '{}';
BEGIN
	FOR i IN 1..n LOOP a[i] := (i * 37 % 101) / 8.0; END LOOP;
	a[n / 2] := NULL;
	RETURN md5(concat_ws(' ', gpu_array_bucket_sum(a, 7), gpu_array_bucket_count(a, 7), gpu_array_bucket_max(a, 9), gpu_array_moving_avg(a, 5),
		gpu_array_moving_min(a, 5), gpu_array_cummax(a), gpu_array_delta(a), gpu_array_sum(a, 3, n - 2), gpu_array_dot(a, a),
		gpu_array_norm(a), gpu_array_weighted_avg(a, a), gpu_array_cumsum(a, 3, n - 2)));
END $$;
CREATE FUNCTION pg_temp.flat(a numeric[]) RETURNS text LANGUAGE sql AS $$
	SELECT md5(concat_ws(' ', gpu_array_bucket_sum(a, 7), gpu_array_bucket_count(a, 7), gpu_array_bucket_max(a, 9), gpu_array_moving_avg(a, 5),
		gpu_array_moving_min(a, 5), gpu_array_cummax(a), gpu_array_delta(a), gpu_array_sum(a, 3, cardinality(a) - 2), gpu_array_dot(a, a),
		gpu_array_norm(a), gpu_array_weighted_avg(a, a), gpu_array_cumsum(a, 3, cardinality(a) - 2))) $$;
SELECT is(pg_temp.expanded(n), pg_temp.flat(array_agg(CASE WHEN i <> n / 2 THEN (i * 37 % 101) / 8.0 END ORDER BY i)),
	'a variable of PL/pgSQL with ' || n) FROM unnest(ARRAY[4, 1023, 1025, 5000]) n, generate_series(1, n) i GROUP BY n;

-- They look for a cancelled query in the middle of an array.
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
SELECT is(pg_temp.cancelled(call), 'within it', call || ' looks for a cancelled query') FROM unnest(ARRAY['gpu_array_bucket_sum(a, 9)',
	'gpu_array_bucket_max(a, 9)', 'gpu_array_bucket_count(a, 9)', 'gpu_array_moving_sum(a, 9)', 'gpu_array_moving_max(a, 9)', 'gpu_array_cummin(a)',
	'gpu_array_delta(a)', 'gpu_array_dot(a, a)', 'gpu_array_norm(a)', 'gpu_array_weighted_avg(a, a)', '(SELECT gpu_elem_sum(a))', '(SELECT gpu_elem_min(b) FROM (VALUES (a), (a)) v(b))']) call;

-- What is counted, with the reason.
CREATE FUNCTION pg_temp.counted(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	was bigint[];
	answer text;
BEGIN
	SELECT ARRAY[arrays, elements] INTO was FROM gpuagg_session_stat WHERE reason = 'elements are numeric';
	EXECUTE query INTO answer;
	RETURN (SELECT concat_ws(' ', arrays - was[1], elements - was[2]) FROM gpuagg_session_stat WHERE reason = 'elements are numeric');
END $$;
SELECT is(pg_temp.counted('SELECT gpu_array_bucket_sum(ARRAY[1.5, NULL, 2.5], 2)'), '1 2', 'buckets are counted');
SELECT is(pg_temp.counted('SELECT gpu_array_bucket_count(ARRAY[1.5, NULL, 2.5], 2)'), '0 0', '... but counts read no elements');
SELECT is(pg_temp.counted('SELECT gpu_array_moving_max(ARRAY[1.5, NULL, 2.5], 2)'), '1 2', 'moving windows are counted');
SELECT is(pg_temp.counted('SELECT gpu_array_sum(ARRAY[1.5, NULL, 2.5], 3, 3)'), '1 1', 'parts are counted');
SELECT is(pg_temp.counted('SELECT gpu_array_dot(ARRAY[1.5, NULL, 2.5], ARRAY[1.5, 2, 3])'), '2 5', 'pairs are counted');
SELECT is(pg_temp.counted('SELECT (gpu_elem_sum(v), gpu_elem_avg(v), gpu_elem_count(v))::text FROM vectors WHERE n = 50'),
	pg_temp.counted('SELECT gpu_elem_sum(v)::text FROM vectors WHERE n = 50'), 'sums, means and counts by position share a state');
SELECT is(pg_temp.counted(format('SELECT gpu_elem_%s(v)::text FROM vectors WHERE n = 50', f)),
	pg_temp.counted('SELECT gpu_elem_sum(v)::text FROM vectors WHERE n = 50'), f || ' by position counts each array') FROM unnest('{min,max}'::text[]) f;

-- The state of several sums, serialized.  Each truncation is refused, and so is
-- each change of a byte before PostgreSQL's first state, or it is another sound
-- state.  PostgreSQL trusts the bytes of its own states.
\if :{?test_module}
CREATE FUNCTION reserialize(regprocedure, regprocedure, bytea) RETURNS bytea AS :'test_module', 'reserialize' LANGUAGE C STRICT;
CREATE AGGREGATE pg_temp.state(numeric[]) (SFUNC = gpu_elem_accum, STYPE = internal, FINALFUNC = gpu_numeric_sums_serialize);
CREATE FUNCTION pg_temp.verdict(state bytea) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	RETURN CASE WHEN reserialize('gpu_numeric_sums_deserialize(bytea,internal)', 'gpu_numeric_sums_serialize(internal)', state) = state
		THEN 'sound' ELSE 'changed' END;
EXCEPTION WHEN invalid_binary_representation THEN
	RETURN 'refused';
WHEN protocol_violation OR internal_error OR numeric_value_out_of_range THEN
	RETURN 'refused by PostgreSQL';
END $$;
CREATE TEMP TABLE states AS SELECT n, pg_temp.state(v) AS good, CASE n WHEN 6 THEN 2 WHEN 1 THEN 1 ELSE 0 END AS dims FROM vectors WHERE n IN (0, 1, 6) GROUP BY n
	UNION ALL SELECT 100, pg_temp.state(v), 1 FROM (VALUES ('{1.5,NULL,NaN,-Infinity}'::numeric[])) q(v)
	UNION ALL SELECT 101, pg_temp.state(NULL), NULL;
SELECT is(pg_temp.verdict(good), 'sound', format('a state of %s: there and back', n)) FROM states;
SELECT ok(array_agg(DISTINCT v) <@ '{refused,refused by PostgreSQL}', format('a state of %s, cut off anywhere', n))
	FROM (SELECT n, pg_temp.verdict(substring(good FOR k)) AS v FROM states, generate_series(0, octet_length(good) - 1) k) q GROUP BY n;
SELECT ok(array_agg(DISTINCT v) <@ '{refused,refused by PostgreSQL,sound}' AND bool_or(v LIKE 'refused%'), format('a state of %s, any byte of its head changed', n))
	FROM (SELECT n, pg_temp.verdict(set_byte(good, k, get_byte(good, k) # bit)) AS v
		  FROM states, generate_series(0, least(octet_length(good), CASE WHEN dims > 0 THEN 26 + 16 * dims WHEN dims = 0 THEN 10 ELSE 9 END) - 1) k,
			unnest(ARRAY[1, 16, 128, 255]) bit) q GROUP BY n;
SELECT throws_ok($$SELECT reserialize('gpu_numeric_sums_deserialize(bytea,internal)', 'gpu_numeric_sums_serialize(internal)', '\x63')$$,
	'22P03', 'aggregate state of an unknown version', 'a state of a future version');
\else
SELECT skip('the test-only module is not on this server', 16);
\endif

SELECT * FROM finish();
ROLLBACK;
