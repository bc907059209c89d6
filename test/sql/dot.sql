-- gpu_dot, gpu_weighted_avg and gpu_norm, and those of arrays: exact sums of exact
-- products, rounded once; of integers as numeric arithmetic has them.
\set ECHO none
\set QUIET on
BEGIN;
SELECT plan(261);

-- Random pairs of arrays, first as text: rows of three elements, a third of them
-- NULL, and not the same ones in both; some arrays NULL, empty, without NULLs, or
-- of nothing but NULLs.  Lower bounds differ in a pair, lengths do not.  The large
-- ones are stored out of line.
SELECT setseed(0.37);
CREATE FUNCTION pg_temp.cell(i int, is_weight boolean) RETURNS text LANGUAGE sql VOLATILE AS $$
	SELECT CASE WHEN i % 3 > 0 AND random() < 0.33 THEN 'NULL'
		WHEN is_weight OR random() < 0.5 THEN ceil(random() * 180)::text ELSE '-' || ceil(random() * 180) END $$;
CREATE FUNCTION pg_temp.matrix(i int, height int, is_weight boolean) RETURNS text LANGUAGE sql VOLATILE AS $$
	SELECT format('{%s}', string_agg(format('{%s,%s,%s}', pg_temp.cell(i, is_weight), pg_temp.cell(i, is_weight),
		pg_temp.cell(i, is_weight)), ',')) FROM generate_series(1, height) $$;
CREATE TEMP TABLE texts AS
	SELECT i, CASE WHEN i % 19 = 0 THEN NULL WHEN i % 17 = 0 THEN '{}' WHEN i % 23 = 0 THEN '{NULL,NULL}'
			ELSE format('[%s:%s][-1:1]=', i, i + height - 1) || pg_temp.matrix(i, height, false) END AS t,
		CASE WHEN i % 29 = 0 THEN NULL WHEN i % 17 = 0 THEN '{}' WHEN i % 23 = 0 THEN '{3,4}'
			ELSE pg_temp.matrix(i, height, true) END AS u
	FROM (SELECT i, floor(power(2, random() * 8))::int AS height FROM generate_series(1, 120) i) q;
CREATE FUNCTION pg_temp.longer(t text, more text) RETURNS text LANGUAGE sql AS $$
	SELECT regexp_replace(t, '(?<=\d)(?=[,}])', more, 'g') $$;
CREATE TEMP VIEW made AS
	SELECT i, t::int2[] AS i2, t::int4[] AS i4, pg_temp.longer(t, '23456789012345')::int8[] AS i8,
		pg_temp.longer(t, '.3')::float4[] AS f4,
		pg_temp.longer(t, '.1e' || i * 37 % 301 - 150)::float8[] AS f8,
		u::int2[] AS w2, u::int4[] AS w4, pg_temp.longer(u, '98765432109876')::int8[] AS w8,
		pg_temp.longer(u, '.7')::float4[] AS v4,
		pg_temp.longer(u, '.9e' || i * 53 % 301 - 150)::float8[] AS v8
	FROM texts;
CREATE TABLE pairs AS TABLE made WITH NO DATA;
ALTER TABLE pairs ALTER i4 SET STORAGE EXTERNAL, ALTER f8 SET STORAGE EXTERNAL,
	ALTER w4 SET STORAGE EXTERNAL, ALTER v8 SET STORAGE EXTERNAL;
INSERT INTO pairs TABLE made;
INSERT INTO pairs SELECT i + 120, i2, i4, i8, f4, f8, w2, w4, w8, v4, v8 FROM made;
ANALYZE pairs;
SELECT cmp_ok(count(*), '>', 10::bigint, 'arrays are stored out of line')
	FROM pairs WHERE pg_column_size(f8) > 2500;

-- What each result must be, of pairs x and y that are not NULL: numeric arithmetic
-- with all digits of products and sums, and enough of quotients and roots that a
-- cast is the only rounding.
CREATE TEMP TABLE types (x text, y text, dot text, mean text, norm text);
INSERT INTO types
	SELECT v.x, v.y, dot, mean, norm FROM (VALUES ('i2', 'w2'), ('i4', 'w4'), ('i8', 'w8')) v(x, y),
		(VALUES ('sum(x::numeric * y)', 'sum(x::numeric * y) / sum(y::numeric) FILTER (WHERE x IS NOT NULL)',
			'sqrt(round(sum(x::numeric * x), 100))::float8')) e(dot, mean, norm);
INSERT INTO types
	SELECT v.x, v.y, 'sum(x::exactsum::numeric * y::exactsum::numeric)::' || type,
		'(round(sum(x::exactsum::numeric * y::exactsum::numeric), 2000)
		  / sum(y::exactsum::numeric) FILTER (WHERE x IS NOT NULL))::float8',
		'sqrt(round(sum(x::exactsum::numeric ^ 2), 2000))::float8'
	FROM (VALUES ('f4', 'v4', 'float4'), ('f8', 'v8', 'float8')) v(x, y, type);

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

-- The law, for each element type; %1$I and %2$I are the columns, %3$s what to call,
-- %4$s its arguments, %5$s what to compare with, and %6$s arguments by element.
CREATE TEMP TABLE laws (name text, one text, other text);
INSERT INTO laws VALUES
	('all arrays', 'SELECT gpu_%3$s(%4$s) FROM pairs',
		'SELECT %5$s FROM pairs, unnest(%1$I, %2$I) u(x, y)'),
	('GROUP BY', 'SELECT i %% 7, gpu_%3$s(%4$s) FROM pairs GROUP BY 1',
		'SELECT i %% 7, %5$s FROM pairs, unnest(%1$I, %2$I) u(x, y) GROUP BY 1'),
	('each array', 'SELECT i, gpu_%3$s(%4$s) FROM pairs GROUP BY i',
		'SELECT i, %5$s FROM pairs LEFT JOIN unnest(%1$I, %2$I) u(x, y) ON true GROUP BY i'),
	('FILTER', 'SELECT i %% 7, gpu_%3$s(%4$s) FILTER (WHERE i %% 3 = 0) FROM pairs GROUP BY 1',
		'SELECT i %% 7, %5$s FROM pairs, unnest(%1$I, %2$I) u(x, y) WHERE i %% 3 = 0 GROUP BY 1'),
	('a moving frame', 'SELECT i, gpu_%3$s(%4$s) OVER (ORDER BY i ROWS 3 PRECEDING) FROM pairs WHERE i <= 120',
		'SELECT a.i, %5$s FROM pairs a JOIN pairs b ON b.i BETWEEN a.i - 3 AND a.i
		 LEFT JOIN unnest(b.%1$I, b.%2$I) u(x, y) ON true WHERE a.i <= 120 GROUP BY a.i'),
	('of arrays', 'SELECT i, gpu_array_%3$s(%4$s) FROM pairs WHERE i <= 120',
		'SELECT i, %5$s FROM pairs LEFT JOIN unnest(%1$I, %2$I) u(x, y) ON true WHERE i <= 120 GROUP BY i'),
	('columns', 'SELECT i %% 7, gpu_%3$s(%6$s) FROM pairs, unnest(%1$I, %2$I) u(x, y) WHERE cardinality(%1$I) > 0 GROUP BY 1',
		'SELECT i %% 7, %5$s FROM pairs, unnest(%1$I, %2$I) u(x, y) WHERE cardinality(%1$I) > 0 GROUP BY 1'),
	('columns in a moving frame',
		'SELECT n, gpu_%3$s(%6$s) OVER (ORDER BY n ROWS BETWEEN 9 PRECEDING AND 4 FOLLOWING)
		 FROM (SELECT row_number() OVER (ORDER BY i, o) AS n, x, y
			   FROM pairs, unnest(%1$I, %2$I) WITH ORDINALITY u(x, y, o) WHERE i < 12) q',
		'WITH q AS (SELECT row_number() OVER (ORDER BY i, o) AS n, x, y
			   FROM pairs, unnest(%1$I, %2$I) WITH ORDINALITY u(x, y, o) WHERE i < 12)
		 SELECT m, %5$s FROM (SELECT n AS m FROM q) p JOIN q ON n BETWEEN m - 9 AND m + 4 GROUP BY m');
CREATE TEMP TABLE calls AS
	SELECT x, y, name, arguments, by_element, reference
	FROM types, LATERAL (VALUES ('dot', format('%I, %I', x, y), 'x, y', dot),
		('weighted_avg', format('%I, %I', x, y), 'x, y', mean),
		('norm', format('%I', x), 'x', norm)) v(name, arguments, by_element, reference);
SELECT ok(pg_temp.same(format(l.one, x, y, c.name, arguments, reference, by_element),
		format(l.other, x, y, c.name, arguments, reference, by_element)),
	format('%s: gpu_%s of %s', l.name, c.name, arguments))
	FROM laws l, calls c ORDER BY l.name, c.name, x;

-- dot(a, 1) is the sum, dot(a, a) the square of the norm, the mean times the sum of
-- weights is the dot product.
SELECT ok(bool_and(gpu_array_dot(f8, array_fill(1::float8, ARRAY[cardinality(f8)])) IS NOT DISTINCT FROM gpu_array_sum(f8)),
	'dot(a, 1) = sum(a)') FROM (SELECT ARRAY(SELECT unnest(f8)) AS f8 FROM pairs) q;
SELECT ok(bool_and(gpu_array_dot(a, a) = 25 AND gpu_array_norm(a) = 5), 'dot(a, a) = norm(a)^2')
	FROM (VALUES ('{3,NULL,-4}'::float8[]), ('{{3},{4}}')) v(a);
SELECT is(gpu_array_norm('{3,4}'::int2[]), 5::float8, 'a norm of smallint is double precision');
SELECT is(gpu_array_dot('{1,2}'::int4[], '[5:6]={3,4}'), 11::bigint, 'lower bounds may differ');

-- Columns of all exponents, in any order, and against numeric.
CREATE TABLE wild AS
	SELECT i, (CASE WHEN i % 2 = 0 THEN -1 ELSE 1 END) * (1 + i / 4096.0::float8)
			* power(2::float8, i * 7919 % 1500 - 1000) AS x,
		(1 + i / 8192.0::float8) * power(2::float8, i * 6007 % 1500 - 1000) AS y
	FROM generate_series(1, 1000) i;
SELECT is(float8send(gpu_dot(x, y)), float8send(sum(x::exactsum::numeric * y::exactsum::numeric)::float8),
	'products of all exponents') FROM wild;
SELECT is(float8send(gpu_dot(x, y ORDER BY i)), float8send(gpu_dot(x, y ORDER BY hashint4(i))), 'a permutation') FROM wild;
SELECT is(float8send(gpu_weighted_avg(x, y ORDER BY i)), float8send(gpu_weighted_avg(x, y ORDER BY x)), 'sorted') FROM wild;
SELECT is(gpu_array_dot(array_agg(x ORDER BY i), array_agg(y ORDER BY i)), gpu_dot(x, y), 'arrays as columns') FROM wild;
SELECT is(gpu_array_norm(array_agg(x)), gpu_norm(x), 'norms of arrays as of columns') FROM wild;

-- The contract at the ends of the range, of specials, and of ties.
CREATE TEMP TABLE cases (name text, a float8[], b float8[], dot float8, mean float8);
INSERT INTO cases VALUES
	('products that overflow and cancel', '{1e200, 1e200, 3}', '{1e200, -1e200, 2}', 6, 3),
	('products that underflow', '{1e-200, 1e-200}', '{1e-200, 1e200}', 1, 1e-200),
	('a product of subnormals', '{4.9e-324, 0}', '{4.9e-324, 1}', 0, 0),
	('halves of the smallest', '{4.9e-324, 4.9e-324}', '{0.5, 0.5}', 4.9e-324, 4.9e-324),
	('half of the smallest: a tie', '{4.9e-324, 0}', '{0.5, 0.5}', 0, 0),
	('tenths', '{0.1, 0.2, 0.3}', '{10, 10, 10}', 6, 0.2),
	('cancellation', '{1e16, 1, -1e16}', '{1, 1, 1}', 1, 1 / 3::float8),
	('the low half of a product', '{134217729, -1}', '{134217729, 18014398777917440}', 1, round(1::numeric, 60) / 18014398912135169),
	('infinity', '{Infinity, 1}', '{2, 2}', 'Infinity', 'Infinity'),
	('infinity times minus', '{Infinity, 1}', '{-2, 1}', '-Infinity', 'Infinity'),
	('infinity times 0', '{Infinity, 1}', '{0, 2}', 'NaN', 'NaN'),
	('infinities of both signs', '{Infinity, Infinity}', '{-2, 3}', 'NaN', 'NaN'),
	('an infinite weight', '{2, 1}', '{Infinity, 1}', 'Infinity', 'NaN'),
	('an infinite weight of 0', '{0, 1}', '{1, Infinity}', 'Infinity', 'NaN'),
	('NaN', '{NaN, 1}', '{2, 2}', 'NaN', 'NaN'),
	('a weight of NaN', '{1, 2}', '{NaN, 1}', 'NaN', 'NaN'),
	('minus zero alone', '{-0, 0}', '{1, -1}', '-0', NULL),
	('minus zero alone, with weights', '{-0, -0}', '{1, 1}', '-0', '-0'),
	('minus zero and zero', '{-0, 0}', '{1, 1}', 0, 0),
	('the largest', '{1.7976931348623157e308, 1}', '{1, 0}', 1.7976931348623157e308, 1.7976931348623157e308);
SELECT is(gpu_array_dot(a, b)::text, dot::text, name) FROM cases;
SELECT is((SELECT gpu_dot(x, y)::text FROM unnest(a, b) u(x, y)), dot::text, name || ', columns') FROM cases;
SELECT is(gpu_array_weighted_avg(a, b)::text, mean::text, name || ', mean') FROM cases WHERE mean IS NOT NULL;
SELECT is(gpu_array_norm(ARRAY[3 * 2::float8 ^ 600, 4 * 2::float8 ^ 600]), 5 * 2::float8 ^ 600, 'a norm of squares that overflow');
SELECT is(gpu_array_norm(ARRAY[3 * 2::float8 ^ -600, 4 * 2::float8 ^ -600]), 5 * 2::float8 ^ -600, 'a norm of squares that underflow');
SELECT is(gpu_array_norm('{4.9e-324}'::float8[]), 4.9e-324::float8, 'a norm of the smallest');
SELECT is(gpu_array_norm('{-Infinity, 1}'::float8[]), 'Infinity'::float8, 'a norm of an infinity');
SELECT is(gpu_array_norm('{NaN, Infinity}'::float8[]), 'NaN'::float8, 'a norm of NaN');
SELECT is(gpu_array_norm('{-0}'::float8[])::text, '0', 'a norm of minus zero');
SELECT is(gpu_array_dot('{16777217, -16777216}'::int4[], '{1, 1}'), 1::bigint, 'integers are not rounded');
SELECT is(gpu_array_dot('{0.1}'::real[], '{0.1}'), (0.1::real::float8 * 0.1::real::float8)::real,
	'real is rounded once to real');
SELECT is(gpu_dot(a, a), 4 * 2::numeric ^ 126, 'products of bigint beyond 128 bits')
	FROM unnest(array_fill((-9223372036854775808)::int8, ARRAY[4])) a;
SELECT is(gpu_norm(a), 2::float8 ^ 64, 'and their norm') FROM unnest(array_fill((-9223372036854775808)::int8, ARRAY[4])) a;
SELECT is(gpu_dot(a, b), -3 * (2::numeric ^ 126 - 2::numeric ^ 63), 'and below zero')
	FROM unnest(array_fill((-9223372036854775808)::int8, ARRAY[3]), array_fill(9223372036854775807, ARRAY[3])) u(a, b);

-- Errors.
SELECT throws_ok('SELECT gpu_array_dot(''{1,2}''::int[], ''{1,2,3}'')', '2202E',
	'cannot pair arrays of different dimensions', 'arrays of different lengths');
SELECT throws_ok('SELECT gpu_array_dot(''{1,2}''::float8[], ''{{1},{2}}'')', '2202E', NULL, 'arrays of different shapes');
SELECT throws_ok('SELECT gpu_dot(a, a[2:]) FROM pairs, (VALUES (''{1,2}''::int[])) v(a)', '2202E', NULL,
	'in an aggregate');
SELECT throws_ok('SELECT gpu_array_weighted_avg(''{1}''::float8[], ''{}'')', '2202E', NULL, 'an empty array and another');
SELECT throws_ok('SELECT gpu_array_dot(''{2147483647,2147483647,2147483647}''::int[], ''{2147483647,2147483647,2147483647}'')',
	'22003', 'bigint out of range', 'a sum of products of integer beyond bigint');
SELECT throws_ok('SELECT gpu_array_dot(''{1e200}''::float8[], ''{1e200}'')', '22003', NULL, 'a product out of range');
SELECT throws_ok('SELECT gpu_array_dot(''{1e38}''::real[], ''{1e38}'')', '22003', NULL, '... of real');
SELECT throws_ok('SELECT gpu_array_norm(''{1.7e308,1.7e308}''::float8[])', '22003', NULL, 'a norm out of range');
SELECT throws_ok(format('SELECT gpu_array_weighted_avg(%L::%s[], %L)', '{1,2}', t, '{-1,1}'), '22012', NULL,
	t || ': weights that add up to zero') FROM unnest('{int2,int4,int8,float4,float8}'::text[]) t;
SELECT throws_ok('SELECT gpu_weighted_avg(x, 0::float8) FROM wild', '22012', NULL, 'weights of zero in an aggregate');
SELECT is(gpu_array_weighted_avg('{NaN}'::float8[], '{0}'), 'NaN'::float8, 'NaN has no such error');

-- Without a pair they are NULL.
SELECT is(ARRAY[gpu_dot(i4, w4)::float8, gpu_weighted_avg(i4, w4)::float8, gpu_norm(i4)], '{NULL,NULL,NULL}', 'no rows')
	FROM pairs WHERE false;
SELECT is(ARRAY[gpu_dot(a, b), gpu_weighted_avg(a, b)], '{NULL,NULL}', 'NULL arrays, empty ones, and NULLs')
	FROM (VALUES (NULL, '{1}'), ('{1}', NULL), ('{}', '{}'), ('{NULL,1}'::float8[], '{1,NULL}'::float8[])) v(a, b);
SELECT is(ARRAY[gpu_dot(x, y), gpu_weighted_avg(x, y)::bigint], '{NULL,NULL}', 'columns of which one is NULL')
	FROM (VALUES (NULL, 1), (2, NULL::int)) v(x, y);
SELECT is(ARRAY[gpu_array_dot('{}', '{}'::float8[]), gpu_array_norm('{NULL}'::float8[]),
	gpu_array_dot(NULL, '{1}'::float8[])], '{NULL,NULL,NULL}', 'arrays without elements');

-- Types.
SELECT is(string_agg(DISTINCT format('%s(%s): %s', p.proname, pg_get_function_arguments(p.oid),
		pg_get_function_result(p.oid)), E'\n'), string_agg(DISTINCT format('%s: %s', call, result), E'\n'), 'result types')
	FROM pg_proc p, (SELECT format('%s(%s)', f, CASE WHEN f LIKE '%norm' OR a LIKE '%last%' THEN t || a ELSE t || a || ', ' || t || a END) AS call,
			CASE WHEN f LIKE '%norm' THEN norm WHEN f LIKE '%dot' THEN dot ELSE mean END AS result
		FROM (VALUES ('smallint', 'bigint', 'numeric', 'double precision'), ('integer', 'bigint', 'numeric', 'double precision'),
				('bigint', 'numeric', 'numeric', 'double precision'), ('real', 'real', 'double precision', 'double precision'),
				('double precision', 'double precision', 'double precision', 'double precision'),
				('numeric', 'numeric', 'numeric', 'numeric')) v(t, dot, mean, norm),
			unnest('{gpu_dot,gpu_norm,gpu_weighted_avg,gpu_array_dot,gpu_array_norm,gpu_array_weighted_avg}'::text[]) f,
			unnest(CASE WHEN f LIKE 'gpu_array%' THEN '{[]}'::text[] ELSE '{[],""}' END || CASE WHEN f LIKE '%norm' THEN '[], first integer, last integer' END) a
		WHERE a IS NOT NULL) must
	WHERE p.proname ~ '^gpu_(array_)?(dot|norm|weighted_avg)$';

-- Arrays in the forms in which they can come.
CREATE FUNCTION pg_temp.expanded(n int) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
	a int[] := array_fill(2, ARRAY[n]);
	b int[] := array_fill(3, ARRAY[n]);
BEGIN
	a[n / 2] := NULL;
	b[n] := NULL;
	a[1] := n;
	RETURN gpu_array_dot(a, b) + gpu_array_dot(b, a) + gpu_array_dot(a, ARRAY(SELECT unnest(b)));
END $$;
SELECT is(pg_temp.expanded(n), 3 * (6 * (n - 3) + 3 * n)::bigint, 'arrays of ' || n || ' in PL/pgSQL')
	FROM unnest(ARRAY[4, 100, 100000]) n;
CREATE TEMP TABLE compressed AS
	SELECT array_fill(i, ARRAY[50000]) || NULL::int || i AS a, array_fill(2, ARRAY[50002]) AS b FROM generate_series(1, 3) i;
SELECT cmp_ok(max(pg_column_size(a)), '<', 20000, 'compressed arrays') FROM compressed;
SELECT is(gpu_dot(a, b), 2 * 6 * 50001::bigint, '... are paired') FROM compressed;
SELECT is(gpu_dot(a, array_fill(2, ARRAY[50002])), gpu_dot(b, a), '... with those in memory') FROM compressed;

-- Arrays are counted, and the setting changes no bit.
SELECT current_setting('gpuagg.engine') AS engine \gset
SET LOCAL gpuagg.engine = auto;
CREATE TEMP TABLE before AS SELECT * FROM gpuagg_session_stat;
SELECT gpu_dot(f8, v8) AS dot FROM pairs \gset
SELECT is(sum(s.arrays - coalesce(b.arrays, 0)), 2 * (SELECT count(*) FROM pairs WHERE f8 IS NOT NULL AND v8 IS NOT NULL)::numeric,
	'arrays are counted, each of a pair') FROM gpuagg_session_stat s
	LEFT JOIN before b ON (s.engine, s.reason) IS NOT DISTINCT FROM (b.engine, b.reason);
SET LOCAL gpuagg.engine = cpu;
SELECT is(gpu_dot(f8, v8), :'dot'::float8, 'the same with engine = cpu') FROM pairs;
SET LOCAL gpuagg.engine = :'engine';
SELECT is(gpu_dot(f8, v8), :'dot'::float8, 'the same with the engine of the session') FROM pairs;

-- One transition for both aggregates of a pair.
TRUNCATE before;
INSERT INTO before SELECT * FROM gpuagg_session_stat;
SELECT gpu_dot(i8, w8), gpu_weighted_avg(i8, w8) FROM pairs \gset
SELECT is(sum(arrays) - (SELECT sum(arrays) FROM before),
	2 * (SELECT count(*) FROM pairs WHERE i8 IS NOT NULL AND w8 IS NOT NULL)::numeric,
	'gpu_dot and gpu_weighted_avg share a state') FROM gpuagg_session_stat;

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
SELECT matches(pg_temp.plan_of(format('SELECT gpu_%s(%s) FROM pairs', name, arguments)),
	'Finalize Aggregate.*Gather.*Partial Aggregate', format('gpu_%s(%s): parallel plan', name, arguments)) FROM calls;
SELECT ok(pg_temp.same(format(l.one, x, y, c.name, arguments, reference, by_element),
		format(l.other, x, y, c.name, arguments, reference, by_element)),
	format('gpu_%s(%s): the parallel answer', c.name, arguments))
	FROM laws l, calls c WHERE l.name = 'all arrays';
RESET parallel_setup_cost;
RESET parallel_tuple_cost;
RESET min_parallel_table_scan_size;
RESET max_parallel_workers_per_gather;

-- The catalog.
SELECT is(count(*), 42::bigint, 'all aggregates are complete') FROM pg_aggregate a
	JOIN pg_proc p ON p.oid = a.aggfnoid
	WHERE p.proname IN ('gpu_dot', 'gpu_weighted_avg', 'gpu_norm') AND p.proparallel = 's'
	  AND aggcombinefn <> 0 AND aggserialfn <> 0 AND aggdeserialfn <> 0 AND aggmtransfn <> 0
	  AND aggminvtransfn <> 0 AND aggtransspace > 0 AND aggfinalmodify = 'r'
	  AND aggmfinalmodify = 'r' AND p.provolatile = 'i';

SELECT * FROM finish();
ROLLBACK;
