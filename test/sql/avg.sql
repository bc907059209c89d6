-- gpu_avg and gpu_array_avg: of integers as avg(), digit for digit; of floats the
-- exact sum divided by the number of inputs, rounded once.
\set ECHO none
\set QUIET on
BEGIN;
SELECT plan(113);

-- Random arrays, first as text: rows of three elements, a third of them NULL;
-- lower bounds; some arrays NULL, empty, or of nothing but NULLs.  The large ones
-- are stored out of line.  Some arrays of floats have NaN, infinities and -0, and
-- those of double precision span the exponents.
SELECT setseed(0.17);
CREATE FUNCTION pg_temp.cell() RETURNS text LANGUAGE sql VOLATILE AS $$
	SELECT CASE WHEN random() < 0.33 THEN 'NULL' ELSE floor(random() * 2000 - 1000)::text END $$;
CREATE TEMP TABLE texts AS
	SELECT i, CASE WHEN i % 19 = 0 THEN NULL WHEN i % 17 = 0 THEN '{}'
			WHEN i % 23 = 0 THEN '{NULL,NULL}'
			ELSE format('[%s:%s][-1:1]={%s}', i, i + height - 1,
				(SELECT string_agg(format('{%s,%s,%s}', pg_temp.cell(), pg_temp.cell(), pg_temp.cell()), ',')
				 FROM generate_series(1, height))) END AS t
	FROM (SELECT i, floor(power(2, random() * 10))::int AS height FROM generate_series(1, 200) i) q;
CREATE FUNCTION pg_temp.special(t text, digit int, special text) RETURNS text LANGUAGE sql AS $$
	SELECT regexp_replace(t, format('(?<=[{,])-?\d*%s(?=[,}])', digit), special, 'g') $$;
CREATE TABLE arrays AS
	SELECT i, i % 5 AS g, t::int2[] AS i2, t::int4[] AS i4,
		regexp_replace(t, '(?<=\d)(?=[,}])', '123456789012345', 'g')::int8[] AS i8, f::float4[] AS f4,
		regexp_replace(f, '(?<=\d)(?=[,}])', 'e' || i * 37 % 600 - 310, 'g')::float8[] AS f8
	FROM (SELECT i, t, CASE i % 7 WHEN 1 THEN pg_temp.special(t, 3, 'NaN') WHEN 2 THEN pg_temp.special(t, 5, 'Infinity')
			WHEN 3 THEN pg_temp.special(t, 7, '-Infinity') WHEN 4 THEN regexp_replace(t, '(?<=[{,])-?\d+(?=[,}])', '-0', 'g')
			ELSE t END AS f FROM texts) q;
ALTER TABLE arrays ALTER i4 SET STORAGE EXTERNAL, ALTER f8 SET STORAGE EXTERNAL;
INSERT INTO arrays SELECT i + 200, 5, i2, i4, i8, f4, f8 FROM arrays;
ANALYZE arrays;
SELECT cmp_ok(count(*), '>', 10::bigint, 'arrays are stored out of line')
	FROM arrays WHERE pg_column_size(f8) > 8000;

-- The mean of floats, by numeric arithmetic: all digits of the sum, and enough of
-- the quotient that casting it to double precision is the only rounding.
CREATE FUNCTION pg_temp.mean_of(inputs float8[]) RETURNS float8 LANGUAGE sql AS $$
	SELECT CASE WHEN bool_or(x IN ('NaN', 'Infinity', '-Infinity')) THEN
			avg(x) FILTER (WHERE x IN ('NaN', 'Infinity', '-Infinity'))
		WHEN bool_and(x::text = '-0') THEN '-0'
		ELSE (round(sum(x::exactsum::numeric) FILTER (WHERE x NOT IN ('NaN', 'Infinity', '-Infinity')), 1300)
			/ count(x))::float8 END
	FROM unnest(inputs) x $$;
CREATE AGGREGATE pg_temp.exact_avg(float8) (
	SFUNC = array_append, STYPE = float8[], FINALFUNC = pg_temp.mean_of);
CREATE TEMP TABLE columns (c text, reference text);
INSERT INTO columns VALUES ('i2', 'avg'), ('i4', 'avg'), ('i8', 'avg'), ('f4', 'pg_temp.exact_avg'),
	('f8', 'pg_temp.exact_avg');

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

-- The law, for each element type; %1$I is the column of arrays, %2$s what to
-- compare with.
CREATE TEMP TABLE laws (name text, one text, other text);
INSERT INTO laws VALUES
	('all arrays', 'SELECT gpu_avg(%1$I) FROM arrays WHERE i %% 7 > 4',
		'SELECT %2$s(x) FROM arrays, unnest(%1$I) x WHERE i %% 7 > 4'),
	('GROUP BY', 'SELECT i %% 7, gpu_avg(%1$I) FROM arrays GROUP BY 1',
		'SELECT i %% 7, %2$s(x) FROM arrays, unnest(%1$I) x GROUP BY 1'),
	('each array', 'SELECT i, gpu_avg(%1$I) FROM arrays GROUP BY i',
		'SELECT i, %2$s(x) FROM arrays LEFT JOIN unnest(%1$I) x ON true GROUP BY i'),
	('FILTER', 'SELECT i %% 7, gpu_avg(%1$I) FILTER (WHERE i %% 3 = 0) FROM arrays GROUP BY 1',
		'SELECT i %% 7, %2$s(x) FROM arrays, unnest(%1$I) x WHERE i %% 3 = 0 GROUP BY 1'),
	('DISTINCT', 'SELECT i %% 7, gpu_avg(DISTINCT %1$I) FROM arrays WHERE i %% 7 <> 1 GROUP BY 1',
		'SELECT i %% 7, %2$s(x) FROM (SELECT DISTINCT ON (i %% 7, %1$I) i, %1$I FROM arrays) q, unnest(%1$I) x
		 WHERE i %% 7 <> 1 GROUP BY 1'),
	('a moving frame', 'SELECT i, gpu_avg(%1$I) OVER (ORDER BY i ROWS 3 PRECEDING) FROM arrays WHERE i <= 200',
		'SELECT a.i, %2$s(x) FROM arrays a JOIN arrays b ON b.i BETWEEN a.i - 3 AND a.i
		 LEFT JOIN unnest(b.%1$I) x ON true WHERE a.i <= 200 GROUP BY a.i'),
	('gpu_array_avg', 'SELECT i, gpu_array_avg(%1$I) FROM arrays WHERE %1$I IS NOT NULL',
		'SELECT i, %2$s(x) FROM arrays LEFT JOIN unnest(%1$I) x ON true WHERE %1$I IS NOT NULL GROUP BY i'),
	('a column', 'SELECT i %% 7, gpu_avg(x) FROM arrays, unnest(%1$I) x GROUP BY 1',
		'SELECT i %% 7, %2$s(x) FROM arrays, unnest(%1$I) x GROUP BY 1'),
	('a column in a moving frame',
		'SELECT n, gpu_avg(x) OVER (ORDER BY n RANGE BETWEEN 9 PRECEDING AND 4 FOLLOWING)
		 FROM (SELECT row_number() OVER (ORDER BY i, o) AS n, x
			   FROM arrays, unnest(%1$I) WITH ORDINALITY u(x, o) WHERE i < 12) q',
		'SELECT n, %2$s(x) OVER (ORDER BY n RANGE BETWEEN 9 PRECEDING AND 4 FOLLOWING)
		 FROM (SELECT row_number() OVER (ORDER BY i, o) AS n, x
			   FROM arrays, unnest(%1$I) WITH ORDINALITY u(x, o) WHERE i < 12) q');
SELECT ok(pg_temp.same(format(one, c, reference), format(other, c, reference)), c || ': ' || name || ', as ' || reference)
	FROM laws, columns ORDER BY name, c;

-- Floats of all exponents at once, with subnormals and the largest ones.
CREATE TABLE wild AS
	SELECT i, (CASE WHEN i % 2 = 0 THEN -1 ELSE 1 END) * (1 + i / 4096.0::float8)
			* power(2::float8, i * 7919 % 2097 - 1074) AS x
	FROM generate_series(1, 3000) i;
SELECT ok(pg_temp.same('SELECT i % k, gpu_avg(x) FROM wild, generate_series(1, 60) k GROUP BY i % k, k',
	'SELECT i % k, pg_temp.exact_avg(x) FROM wild, generate_series(1, 60) k GROUP BY i % k, k'),
	'floats of all exponents');

-- A permutation changes no bit.
SELECT is(float8send(gpu_avg(x ORDER BY i)), float8send(gpu_avg(x ORDER BY hashint4(i))), 'a permutation') FROM wild;
SELECT is(float8send(gpu_avg(x ORDER BY i)), float8send(gpu_avg(x ORDER BY x)), 'sorted by size') FROM wild;

-- The mean times the number of inputs is the sum, where both can be represented.
SELECT ok(gpu_avg(i / 8.0::float8) * gpu_count(i / 8.0::float8) = gpu_sum(i / 8.0::float8), 'mean * n = sum of floats')
	FROM generate_series(-1000, 7191) i;
SELECT ok(gpu_avg(i) * gpu_count(i) = gpu_sum(i), 'mean * n = sum of integers') FROM generate_series(-1000, 7191) i;

-- The contract at the ends of the range, of -0, and of ties; as an array and as a
-- column.  The sum of the first ones is out of range.
CREATE TEMP TABLE cases (name text, input float8[], expected float8);
INSERT INTO cases VALUES
	('the sum is out of range', '{1e308, 1e308}', 1e308),
	('the largest', '{1.7976931348623157e308, 1.7976931348623157e308, 1.7976931348623157e308}', 1.7976931348623157e308),
	('minus the largest', '{-1.7976931348623157e308, -1.7976931348623157e308}', -1.7976931348623157e308),
	('infinity', '{1, Infinity, 2}', 'Infinity'),
	('infinities of both signs', '{Infinity, 1, -Infinity}', 'NaN'),
	('NaN', '{1, NaN, 2}', 'NaN'),
	('minus zero alone', '{-0, -0}', '-0'),
	('minus zero and zero', '{-0, 0}', '0'),
	('cancellation', '{1e16, 1, -1e16, 0}', 0.25),
	('tenths', '{0.1, 0.2, 0.3}', 0.2),
	('the smallest and 0: a tie, to even', '{4.9e-324, 0}', '0'),
	('two of the smallest and 0', '{4.9e-324, 4.9e-324, 0}', '4.9e-324'),
	('minus the smallest and 0', '{-4.9e-324, 0, 0}', '-0'),
	('a tie, to even', '{1, 1.0000000000000002}', 1),
	('the other tie, to even', '{1.0000000000000002, 1.0000000000000004}', 1.0000000000000004);
SELECT is(gpu_array_avg(input)::text, expected::text, name) FROM cases;
SELECT is((SELECT gpu_avg(x)::text FROM unnest(input) x), expected::text, name || ', column') FROM cases;
SELECT is(gpu_array_avg('{3e38, 3e38}'::real[]), 3e38::real::float8, 'real: the sum is out of range');
SELECT is(gpu_array_avg('{1, 2, 2}'::real[]), 5 / 3::float8, 'the mean of real is double precision');
SELECT is(gpu_avg(a), avg(a), 'bigint at both ends')
	FROM unnest(ARRAY[9223372036854775807, 9223372036854775807, -9223372036854775808, 9223372036854775807]) a;

-- Random totals of 128 bits by divisors of 63, to the bits that are stored: all scales,
-- ties of rounding, and carries.
\if :{?test_module}
CREATE FUNCTION mean_differs(seed bigint, n_cases bigint) RETURNS text AS :'test_module', 'mean_differs' LANGUAGE C STRICT;
SELECT is(mean_differs(seed, 200000), NULL, 'means and totals have the bytes of numeric, seed ' || seed) FROM generate_series(1, 3) seed;
\else
SELECT skip('the test-only module is not on this server', 3);
\endif

-- Types as avg has them.
SELECT is(pg_typeof(gpu_avg(NULL::int2))::text || pg_typeof(gpu_avg(NULL::int4)) || pg_typeof(gpu_avg(NULL::int8))
		|| pg_typeof(gpu_avg(NULL::float4)) || pg_typeof(gpu_avg(NULL::float8)),
	pg_typeof(avg(NULL::int2))::text || pg_typeof(avg(NULL::int4)) || pg_typeof(avg(NULL::int8))
		|| pg_typeof(avg(NULL::float4)) || pg_typeof(avg(NULL::float8)), 'types as those of avg');

-- The same by the CPU and by the device, if the session has one: loaded by the
-- first query, resident for the second.
SELECT current_setting('gpuagg.engine') AS engine \gset
CREATE FUNCTION pg_temp.means_by(engine text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	PERFORM set_config('gpuagg.engine', engine, true), set_config('gpuagg.min_gpu_size', '0', true);
	RETURN (SELECT string_agg(q::text, ' ' ORDER BY q) FROM (SELECT i % 7, gpu_avg(i2), gpu_avg(i4),
		gpu_avg(i8), gpu_avg(f4), gpu_avg(f8), sum(gpu_array_avg(i4)), sum(gpu_array_avg(f8) ORDER BY i)
		FROM arrays GROUP BY 1) q);
END $$;
SELECT is(pg_temp.means_by(engine), pg_temp.means_by('cpu'), name)
	FROM (VALUES ('auto', 'auto gives the means of the CPU'), ('auto', '... again'),
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
SELECT matches(pg_temp.plan_of(format('SELECT gpu_avg(%I) FROM arrays WHERE i %% 7 > 4', c)),
	'Finalize Aggregate.*Gather.*Partial Aggregate', c || '[]: parallel plan') FROM columns;
SELECT ok(pg_temp.same(format('SELECT gpu_avg(%I) FROM arrays WHERE i %% 7 > 4', c),
		format('SELECT %s(x) FROM arrays, unnest(%I) x WHERE i %% 7 > 4', reference, c)),
	c || '[]: the parallel answer') FROM columns;
SELECT is(gpu_avg(i), avg(i), 'column: the parallel answer') FROM arrays;
RESET parallel_setup_cost;
RESET parallel_tuple_cost;
RESET min_parallel_table_scan_size;
RESET max_parallel_workers_per_gather;

-- Without input it is NULL, as avg is.
SELECT is(gpu_avg(i4), NULL, 'no rows') FROM arrays WHERE false;
SELECT is(gpu_avg(a), NULL, 'NULL, an empty array, and an array of NULLs')
	FROM (VALUES (NULL), ('{}'::float8[]), ('{NULL,NULL}')) v(a);
SELECT is(gpu_avg(x), NULL, 'a column of NULLs') FROM (VALUES (NULL::int), (NULL)) v(x);
SELECT is(gpu_array_avg('{}'::real[]), NULL, 'an empty array');

-- Of one array, in the forms in which it can come.
CREATE FUNCTION pg_temp.expanded(n int) RETURNS numeric LANGUAGE plpgsql AS $$
DECLARE
	a int[] := array_fill(1, ARRAY[n]);
BEGIN
	a[n / 2] := NULL;
	a[n] := n;
	RETURN gpu_array_avg(a);
END $$;
SELECT is(pg_temp.expanded(n), (n - 2 + n) / (n - 1)::numeric, 'an array of ' || n || ' in PL/pgSQL')
	FROM unnest(ARRAY[2, 100, 100000]) n;
CREATE TEMP TABLE compressed AS SELECT array_fill(i, ARRAY[50000]) || NULL || i AS a FROM generate_series(1, 3) i;
SELECT cmp_ok(max(pg_column_size(a)), '<', 20000, 'compressed arrays') FROM compressed;
SELECT is(gpu_avg(a), 2::numeric, '... have a mean') FROM compressed;

-- gpu_sum, gpu_avg and gpu_count of one argument read it once.
CREATE TEMP TABLE before AS SELECT sum(arrays) AS arrays FROM gpuagg_session_stat;
SELECT gpu_sum(i8), gpu_avg(i8), gpu_count(i8) FROM arrays WHERE i8 IS NOT NULL \gset
SELECT is(sum(arrays) - (SELECT arrays FROM before), (SELECT count(i8) FROM arrays)::numeric,
	'gpu_sum, gpu_avg and gpu_count share a state') FROM gpuagg_session_stat;

-- The catalog.
SELECT is(count(*), 18::bigint, '18 aggregates, with numeric, each complete') FROM pg_aggregate a
	JOIN pg_proc p ON p.oid = a.aggfnoid
	WHERE p.proname = 'gpu_avg' AND p.proparallel = 's'
	  AND p.prorettype IN ('numeric'::regtype, 'double precision'::regtype)
	  AND aggcombinefn <> 0 AND aggserialfn <> 0 AND aggdeserialfn <> 0 AND aggmtransfn <> 0
	  AND aggminvtransfn <> 0 AND aggtransspace > 0 AND aggfinalmodify = 'r'
	  AND aggmfinalmodify = 'r' AND p.provolatile = 'i';

SELECT * FROM finish();
ROLLBACK;
