-- gpu_var_samp, gpu_var_pop, gpu_stddev_samp, gpu_stddev_pop, gpu_variance and
-- gpu_stddev, and those of one array: integers as PostgreSQL's own aggregates,
-- digit for digit; floats as exact arithmetic in numeric, rounded once.
\set ECHO none
\set QUIET on
BEGIN;
SELECT no_plan();

-- Random arrays: rows of three elements, some NULL; lower bounds; some arrays
-- NULL, empty, or of nothing but NULLs; large ones out of line, some compressed;
-- the ends of the range; far from zero, and of few different values.
SELECT setseed(0.23);
CREATE FUNCTION pg_temp.cell(i int, bits int) RETURNS text LANGUAGE sql VOLATILE AS $$
	SELECT CASE WHEN random() < 0.2 THEN 'NULL'
		WHEN i % 7 = 0 THEN (ARRAY[power(2::numeric, bits) - 1, - power(2::numeric, bits)])[1 + floor(random() * 2)]::numeric(20, 0)::text
		WHEN i % 5 = 0 THEN (power(2::numeric, bits) - 1 - floor(random() * 3)::int)::numeric(20, 0)::text
		ELSE floor((random() - 0.5) * power(2::float8, (i * 13 % (bits + 1))))::numeric::text END $$;
CREATE FUNCTION pg_temp.random_array(i int, bits int) RETURNS text LANGUAGE sql VOLATILE AS $$
	SELECT CASE WHEN i % 19 = 0 THEN NULL WHEN i % 17 = 0 THEN '{}' WHEN i % 23 = 0 THEN '{NULL,NULL}'
		ELSE format('[%s:%s][-1:1]={%s}', i, i + height - 1,
			(SELECT string_agg(format('{%s,%s,%s}', pg_temp.cell(i, bits), pg_temp.cell(i, bits), pg_temp.cell(i, bits)), ',')
			 FROM generate_series(1, height))) END
	FROM (SELECT floor(power(2, random() * 9))::int AS height) q $$;
-- Floats are multiples of 2^-40; every 11th array has NaN, infinity or -0, too.
CREATE FUNCTION pg_temp.random_floats(i int, bits int) RETURNS text LANGUAGE sql VOLATILE AS $$
	SELECT CASE WHEN i % 19 = 0 THEN NULL WHEN i % 17 = 0 THEN '{}' WHEN i % 23 = 0 THEN '{NULL,NULL}'
		ELSE format('[%s:%s][0:1]={%s}', i, i + height - 1,
			(SELECT string_agg(format('{%s,%s}', CASE WHEN random() < 0.2 THEN 'NULL' ELSE x::text END,
				CASE WHEN i % 11 = 0 AND random() < 0.1 THEN (ARRAY['NaN', 'Infinity', '-Infinity', '-0'])[1 + i % 4] ELSE y::text END), ',')
			 FROM (SELECT floor((random() - 0.5) * power(2::float8, i * 13 % bits + 1)) / 1099511627776 AS x,
				CASE WHEN i % 7 = 0 THEN 1048576 - floor(random() * 4096) / 1099511627776 ELSE floor(random() * 100) / 8 END AS y
				FROM generate_series(1, height)) q)) END
	FROM (SELECT floor(power(2, random() * 9))::int AS height) q $$;
CREATE TABLE arrays AS
	SELECT i, i % 4 AS g, pg_temp.random_array(i, 15)::int2[] AS i2, pg_temp.random_array(i, 31)::int4[] AS i4,
		   pg_temp.random_array(i, 63)::int8[] AS i8, pg_temp.random_floats(i, 20)::real[] AS f4,
		   pg_temp.random_floats(i, 60)::float8[] AS f8
	FROM generate_series(1, 80) i;
ALTER TABLE arrays ALTER i4 SET STORAGE EXTERNAL, ALTER f8 SET STORAGE EXTERNAL;
INSERT INTO arrays SELECT i + 80, 5, i2, i4, i8, f4, f8 FROM arrays;
ANALYZE arrays;

-- What to compare with: PostgreSQL's aggregates of integers, and aggregates of
-- floats that compute with all digits.
CREATE FUNCTION pg_temp.exact(a float8[], is_sample boolean, is_root boolean) RETURNS float8 LANGUAGE sql AS $$
	SELECT CASE WHEN n <= is_sample::int THEN NULL WHEN n > count THEN 'NaN'
		ELSE (CASE WHEN is_root THEN sqrt(q) ELSE q END)::float8 END
	FROM (SELECT n, count, round(n * squares - total * total, 150) / nullif(n * (n - is_sample::int), 0) / power(2::numeric, 80) AS q
		FROM (SELECT count(x) AS n, count(v) AS count, sum(v::numeric) AS total, sum(v::numeric * v) AS squares
			FROM (SELECT x, CASE WHEN x NOT IN ('NaN', 'Infinity', '-Infinity') THEN (x * 1099511627776)::int8 END AS v
				FROM unnest(a) x) e) s) t $$;
CREATE FUNCTION pg_temp.exact_var_samp(a float8[]) RETURNS float8 LANGUAGE sql AS 'SELECT pg_temp.exact(a, true, false)';
CREATE FUNCTION pg_temp.exact_var_pop(a float8[]) RETURNS float8 LANGUAGE sql AS 'SELECT pg_temp.exact(a, false, false)';
CREATE FUNCTION pg_temp.exact_stddev_samp(a float8[]) RETURNS float8 LANGUAGE sql AS 'SELECT pg_temp.exact(a, true, true)';
CREATE FUNCTION pg_temp.exact_stddev_pop(a float8[]) RETURNS float8 LANGUAGE sql AS 'SELECT pg_temp.exact(a, false, true)';
DO $$
DECLARE
	f text;
BEGIN
	FOREACH f IN ARRAY ARRAY['var_samp', 'var_pop', 'variance', 'stddev_samp', 'stddev_pop', 'stddev'] LOOP
		EXECUTE format('CREATE AGGREGATE pg_temp.exact_of_%s(float8) (SFUNC = array_append, STYPE = float8[], INITCOND = ''{}'', FINALFUNC = pg_temp.exact_%s)',
			f, CASE f WHEN 'variance' THEN 'var_samp' WHEN 'stddev' THEN 'stddev_samp' ELSE f END);
	END LOOP;
END $$;
CREATE TABLE columns AS SELECT * FROM (VALUES ('i2', ''), ('i4', ''), ('i8', ''), ('f4', 'pg_temp.exact_of_'), ('f8', 'pg_temp.exact_of_')) v(c, p);
CREATE TABLE functions AS
	SELECT unnest(ARRAY['var_samp', 'var_pop', 'variance', 'stddev_samp', 'stddev_pop', 'stddev']) AS f;
SELECT cmp_ok(count(*), '>', 10::bigint, 'arrays are stored out of line') FROM arrays WHERE pg_column_size(i4) > 2000;

-- Do two queries have the same rows, as text?
CREATE FUNCTION pg_temp.same(one text, other text) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
	a text;
	b text;
BEGIN
	EXECUTE format('SELECT string_agg(q::text, '' '' ORDER BY q::text) FROM (%s) q', one) INTO a;
	EXECUTE format('SELECT string_agg(q::text, '' '' ORDER BY q::text) FROM (%s) q', other) INTO b;
	RETURN a = b;
END $$;

-- The laws, for each type and function; %1$I is the column of arrays, %2$s the
-- function's name, %3$s what comes before that of the one to compare with.
CREATE TEMP TABLE laws (name text, one text, other text);
INSERT INTO laws VALUES
	('all arrays', 'SELECT gpu_%2$s(%1$I) FROM arrays',
		'SELECT %3$s%2$s(x) FROM arrays, unnest(%1$I) x'),
	('GROUP BY', 'SELECT g, gpu_%2$s(%1$I) FROM arrays GROUP BY g',
		'SELECT g, %3$s%2$s(x) FROM arrays, unnest(%1$I) x GROUP BY g'),
	('each array', 'SELECT i, gpu_%2$s(%1$I) FROM arrays GROUP BY i',
		'SELECT i, %3$s%2$s(x) FROM arrays LEFT JOIN unnest(%1$I) x ON true GROUP BY i'),
	('FILTER', 'SELECT gpu_%2$s(%1$I) FILTER (WHERE i %% 3 = 0) FROM arrays',
		'SELECT %3$s%2$s(x) FROM arrays, unnest(%1$I) x WHERE i %% 3 = 0'),
	('DISTINCT', 'SELECT gpu_%2$s(DISTINCT %1$I) FROM arrays',
		'SELECT %3$s%2$s(x) FROM arrays, unnest(%1$I) x WHERE i <= 80'),
	('a moving frame', 'SELECT i, gpu_%2$s(%1$I) OVER (ORDER BY i ROWS 3 PRECEDING) FROM arrays WHERE i <= 60',
		'SELECT a.i, %3$s%2$s(x) FROM arrays a JOIN arrays b ON b.i BETWEEN a.i - 3 AND a.i
		 LEFT JOIN unnest(b.%1$I) x ON true WHERE a.i <= 60 GROUP BY a.i'),
	('one array', 'SELECT i, gpu_array_%2$s(%1$I) FROM arrays WHERE %1$I IS NOT NULL',
		'SELECT i, %3$s%2$s(x) FROM arrays LEFT JOIN unnest(%1$I) x ON true WHERE %1$I IS NOT NULL GROUP BY i'),
	('a part of an array', 'SELECT i, gpu_array_%2$s(%1$I, i + 1, i + 5) FROM arrays WHERE %1$I IS NOT NULL AND i <= 80',
		'SELECT i, %3$s%2$s(x) FROM arrays LEFT JOIN unnest(%1$I[i + 1:i + 5][:]) x ON true WHERE %1$I IS NOT NULL AND i <= 80 GROUP BY i'),
	('a slice of an array', 'SELECT i, gpu_array_%2$s(%1$I[i:i + 2]) FROM arrays WHERE %1$I IS NOT NULL AND i <= 80',
		'SELECT i, %3$s%2$s(x) FROM arrays LEFT JOIN unnest(%1$I[i:i + 2][:]) x ON true WHERE %1$I IS NOT NULL AND i <= 80 GROUP BY i'),
	('parts of arrays', 'SELECT g, gpu_%2$s(%1$I, i + 1, i + 5) FROM arrays GROUP BY g',
		'SELECT g, %3$s%2$s(x) FROM arrays, unnest(%1$I[i + 1:i + 5][:]) x GROUP BY g'),
	('a column', 'SELECT g, gpu_%2$s(x) FROM arrays, unnest(%1$I) x GROUP BY g',
		'SELECT g, %3$s%2$s(x) FROM arrays, unnest(%1$I) x GROUP BY g'),
	('a column in a moving frame',
		'SELECT n, gpu_%2$s(x) OVER (ORDER BY n RANGE BETWEEN 9 PRECEDING AND 4 FOLLOWING)
		 FROM (SELECT row_number() OVER (ORDER BY i, o) AS n, x
			   FROM arrays, unnest(%1$I) WITH ORDINALITY u(x, o) WHERE i < 20) q',
		'SELECT n, %3$s%2$s(x) OVER (ORDER BY n RANGE BETWEEN 9 PRECEDING AND 4 FOLLOWING)
		 FROM (SELECT row_number() OVER (ORDER BY i, o) AS n, x
			   FROM arrays, unnest(%1$I) WITH ORDINALITY u(x, o) WHERE i < 20) q');
SELECT ok(bool_and(pg_temp.same(format(one, c, f), format(other, c, f, p))), c || ': ' || name || ', all six')
	FROM laws, columns, functions GROUP BY name, c ORDER BY name, c;
SELECT is(pg_temp.same('SELECT g, gpu_var_pop(i4) FROM arrays GROUP BY g', 'SELECT g, var_pop(x) + 1 FROM arrays, unnest(i4) x GROUP BY g'),
	false, 'what is compared can differ');

-- Few values of any size, where the digits behind the point are many or few.
CREATE TABLE small AS
	SELECT g, floor((random() - 0.5) * power(2::float8, bits + 1))::int8 AS x
	FROM (SELECT g, floor(random() * 63)::int AS bits, 1 + floor(random() * random() * 6)::int AS n FROM generate_series(1, 20000) g) q,
		generate_series(1, n);
SELECT is(count(*) FILTER (WHERE (a, b, c, d)::text IS DISTINCT FROM (e, f, h, i)::text), 0::bigint, 'digits of ' || count(*) || ' small groups')
	FROM (SELECT gpu_var_samp(x) AS a, gpu_var_pop(x) AS b, gpu_stddev_samp(x) AS c, gpu_stddev_pop(x) AS d,
			var_samp(x) AS e, var_pop(x) AS f, stddev_samp(x) AS h, stddev_pop(x) AS i FROM small GROUP BY g) q;

-- Where a deviation that is rounded to some digits, and then to fewer, is wrong:
-- its square is k * (k + 1), so it is just below k + 1/2.
CREATE TABLE pell AS
	WITH RECURSIVE p(x, y) AS (SELECT 3::numeric, 2::numeric UNION ALL SELECT 3 * x + 4 * y, 2 * x + 3 * y FROM p WHERE 2 * x + 3 * y < 9e18)
	SELECT y::int8 AS y FROM p;
SELECT is(count(*) FILTER (WHERE ours::text IS DISTINCT FROM theirs::text), 0::bigint, 'deviations just below the middle of two')
	FROM (SELECT gpu_stddev_samp(x) AS ours, stddev_samp(x) AS theirs FROM pell, unnest(ARRAY[0, y]) x GROUP BY y) q;
SELECT cmp_ok(count(*), '>=', 5::bigint, 'numeric_sqrt() alone would round some of them wrongly')
	FROM (SELECT stddev_samp(x) AS s, var_samp(x) AS v FROM pell, unnest(ARRAY[0, y]) x GROUP BY y) q WHERE round(sqrt(v), scale(s)) <> s;

-- Shifted, permuted, scaled.
SELECT is(gpu_array_var_samp(a), gpu_array_var_samp(b), 'a shift changes nothing')
	FROM (SELECT array_agg(x) AS a, array_agg(x + 9223372036854774807) AS b FROM (SELECT (random() * 1000)::int8 AS x FROM generate_series(1, 5000)) q) r;
SELECT is(gpu_var_pop(x ORDER BY random()), gpu_var_pop(x ORDER BY x), 'a permutation changes nothing') FROM small;
SELECT is(gpu_array_var_pop(array_fill(9223372036854775807, ARRAY[100000])), 0::numeric, 'equal inputs have no variance');
SELECT is(gpu_array_stddev_pop(array_fill('-32768'::int2, ARRAY[200000]) || 32767::int2), s, 'the least smallint, many times')
	FROM (SELECT stddev_pop(x) AS s FROM (SELECT '-32768'::int2 AS x FROM generate_series(1, 200000) UNION ALL SELECT 32767::int2) q) r;
SELECT is(gpu_array_stddev_pop(array_fill('-2147483648'::int4, ARRAY[200000]) || 2147483647), s, 'the least integer, many times')
	FROM (SELECT stddev_pop(x) AS s FROM (SELECT '-2147483648'::int4 AS x FROM generate_series(1, 200000) UNION ALL SELECT 2147483647) q) r;
SELECT is(gpu_array_stddev_pop(array_fill('-9223372036854775808'::int8, ARRAY[200000]) || 9223372036854775807), s, 'the least bigint, many times')
	FROM (SELECT stddev_pop(x) AS s FROM (SELECT '-9223372036854775808'::int8 AS x FROM generate_series(1, 200000) UNION ALL SELECT 9223372036854775807) q) r;

-- Floats: the ends of the range, and what is not finite.
CREATE FUNCTION pg_temp.all_of(a float8[]) RETURNS text LANGUAGE sql AS $$
	SELECT concat_ws(' ', gpu_array_var_samp(a), gpu_array_var_pop(a), gpu_array_stddev_samp(a), gpu_array_stddev_pop(a)) $$;
SELECT is(pg_temp.all_of(a), expected, 'floats: ' || a::text) FROM (VALUES
	('{0.1,0.1,0.1}'::float8[], '0 0 0 0'),
	('{1e16,1,-1e16}', '1e+32 6.666666666666667e+31 1e+16 8.16496580927726e+15'),
	('{1e8,100000001,100000002}', '1 0.6666666666666666 1 0.816496580927726'),
	('{1e-170,3e-170}', '0 0 1.4142135623730951e-170 1.0000000000000002e-170'),
	('{5e-324,0}', '0 0 5e-324 0'),
	('{NaN,1}', 'NaN NaN NaN NaN'), ('{Infinity,1,2}', 'NaN NaN NaN NaN'), ('{-Infinity,-Infinity}', 'NaN NaN NaN NaN'),
	('{NaN}', 'NaN NaN'), ('{-0,0}', '0 0 0 0'), ('{7}', '0 0'), ('{}', '')) v(a, expected);
SELECT is(gpu_array_stddev_pop('{1e300,-1e300}'::float8[]), 1e300::float8, 'a deviation whose variance is out of range');
SELECT is(gpu_array_stddev_pop('{1.7976931348623157e308,-1.7976931348623157e308}'::float8[]), 1.7976931348623157e308::float8, 'the largest deviation');
SELECT throws_ok('SELECT gpu_array_var_pop(''{1e300,-1e300}''::float8[])', '22003', 'value out of range: overflow', 'the variance itself');
SELECT throws_ok('SELECT gpu_stddev_samp(x) FROM unnest(''{1.7976931348623157e308,-1.7976931348623157e308}''::float8[]) x', '22003', NULL,
	'a deviation out of range');
SELECT is(gpu_array_var_samp(a), gpu_array_var_samp(b), 'floats: a shift changes nothing')
	FROM (SELECT array_agg(x) AS a, array_agg(x + 1099511627776) AS b FROM (SELECT floor(random() * 1000) / 8 AS x FROM generate_series(1, 5000)) q) r;
SELECT is(gpu_array_var_pop(a), gpu_array_var_pop(b) / 2 ^ 200, 'floats: a power of two changes the exponent alone')
	FROM (SELECT array_agg(x) AS a, array_agg(x * 2 ^ 100) AS b FROM (SELECT random() AS x FROM generate_series(1, 5000)) q) r;
CREATE TABLE wild AS
	SELECT i, (random() - 0.5) * power(2::float8, i * 7919 % 900 - 450) AS x FROM generate_series(1, 5000) i;
SELECT is(gpu_stddev_pop(x ORDER BY random()), gpu_stddev_pop(x ORDER BY x), 'floats of all sizes: a permutation changes no bit') FROM wild;
SELECT is(gpu_stddev_pop(x), gpu_array_stddev_pop(array_agg(x)), '... nor does an array') FROM wild;
SELECT is(count(*) FILTER (WHERE moving IS DISTINCT FROM again), 0::bigint, '... nor does a moving frame')
	FROM (SELECT i, gpu_stddev_samp(x) OVER (ORDER BY i ROWS 6 PRECEDING) AS moving FROM wild WHERE i <= 500) m,
		LATERAL (SELECT gpu_stddev_samp(x) AS again FROM wild w WHERE w.i BETWEEN m.i - 6 AND m.i) l;
SELECT is(gpu_var_samp(x), gpu_var_samp(x::float8), 'real as double precision') FROM (SELECT x::real FROM wild WHERE abs(x) BETWEEN 1e-30 AND 1e30) q;

-- Sums, means and numbers of one argument beside its variance.
SELECT is((gpu_sum(x), gpu_count(x), gpu_var_pop(x))::text, (SELECT (sum(x), count(x), var_pop(x))::text FROM small), 'sum, count and variance together')
	FROM small;

-- One input, and none.
SELECT is((gpu_var_samp(x), gpu_stddev(x), gpu_var_pop(x)::text, gpu_stddev_pop(x)::text)::text, '(,,0,0)', 'one input')
	FROM (VALUES (7), (NULL)) v(x);
SELECT is((gpu_var_samp(x), gpu_stddev(x), gpu_var_pop(x), gpu_stddev_pop(x))::text, '(,,,)', 'no input') FROM (VALUES (NULL::int8)) v(x);
SELECT is((gpu_var_samp(a), gpu_stddev(a), gpu_var_pop(a), gpu_stddev_pop(a))::text, '(,,,)', 'NULL, an empty array and an array of NULLs')
	FROM (VALUES (NULL), ('{}'::int2[]), ('{NULL,NULL}')) v(a);
SELECT is(gpu_array_var_pop(NULL::int[]), NULL, 'no array');
SELECT is(gpu_array_var_pop('{1,2,3,4}'::int[], 2, NULL), NULL, 'a part without an end');
SELECT is(gpu_array_var_pop('{1,2,3,4}'::int[], 3, 2), NULL, 'a part of nothing');
SELECT is(gpu_array_var_samp('{1,2,3,4}'::int[], -5, 2), 0.5, 'a part that begins before the array');

-- Parallel plans, forced: the states are serialized and combined.
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
SET LOCAL parallel_setup_cost = 0;
SET LOCAL parallel_tuple_cost = 0;
SET LOCAL min_parallel_table_scan_size = 0;
SET LOCAL max_parallel_workers_per_gather = 2;
SELECT matches(pg_temp.plan_of(format('SELECT gpu_stddev(%I) FROM arrays', c)),
	'Finalize Aggregate.*Gather.*Partial Aggregate', c || '[]: parallel plan') FROM columns;
SELECT matches(pg_temp.plan_of('SELECT gpu_stddev(x) FROM small'), 'Finalize Aggregate.*Gather.*Partial Aggregate', 'column: parallel plan');
SELECT ok(pg_temp.same(format('SELECT gpu_var_samp(%I), gpu_stddev_pop(%1$I) FROM arrays', c),
		format('SELECT %2$svar_samp(x), %2$sstddev_pop(x) FROM arrays, unnest(%1$I) x', c, p)),
	c || '[]: the parallel answer is the same') FROM columns;
SELECT ok(pg_temp.same('SELECT g % 9, gpu_var_samp(x) FROM small GROUP BY 1', 'SELECT g % 9, var_samp(x) FROM small GROUP BY 1'),
	'groups of a column: the parallel answer is that of PostgreSQL');
RESET parallel_setup_cost;
RESET parallel_tuple_cost;
RESET min_parallel_table_scan_size;
RESET max_parallel_workers_per_gather;

-- Compressed and expanded arrays.
CREATE TEMP TABLE compressed AS SELECT array_fill(i, ARRAY[50000]) || NULL || i + 1 AS a FROM generate_series(1, 3) i;
SELECT cmp_ok(max(pg_column_size(a)), '<', 20000, 'compressed arrays') FROM compressed;
SELECT ok(pg_temp.same('SELECT gpu_var_samp(a) FROM compressed', 'SELECT var_samp(x) FROM compressed, unnest(a) x'), '... have a variance');
CREATE FUNCTION pg_temp.expanded(n int) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
	a int[] := array_fill(1, ARRAY[n]);
BEGIN
	a[n / 2] := NULL;
	a[n] := 5;
	RETURN gpu_array_var_samp(a) IS NOT DISTINCT FROM (SELECT var_samp(x) FROM unnest(a) x)
		AND gpu_array_var_pop(a, 2, n) IS NOT DISTINCT FROM (SELECT var_pop(x) FROM unnest(a[2:n]) x);
END $$;
SELECT ok(pg_temp.expanded(n), 'an array of ' || n || ' in PL/pgSQL') FROM unnest(ARRAY[2, 100, 100000]) n;

-- Six aggregates of one argument read it once: the device stored arrays.
CREATE TEMP TABLE before AS SELECT reason, arrays FROM gpuagg_session_stat;
SELECT gpu_var_samp(i8), gpu_var_pop(i8), gpu_variance(i8), gpu_stddev_samp(i8), gpu_stddev_pop(i8), gpu_stddev(i8) FROM arrays \gset result_
SELECT is(sum(s.arrays - coalesce(b.arrays, 0)), (SELECT count(i8)::numeric FROM arrays), 'all six share a state')
	FROM gpuagg_session_stat s LEFT JOIN before b ON b.reason IS NOT DISTINCT FROM s.reason;
SELECT ok(bool_and(coalesce(s.reason, '') IN ('', 'not computed by the device', 'not stored out of line', 'gpuaggd is starting', 'no device')),
	'... but those within rows, which the CPU reads') FROM gpuagg_session_stat s LEFT JOIN before b ON b.reason IS NOT DISTINCT FROM s.reason
	WHERE s.arrays > coalesce(b.arrays, 0);

-- The catalog.
SELECT is(count(*), (SELECT 3 * 6 * count(*) FROM columns), 'the aggregates, each complete') FROM pg_aggregate a
	JOIN pg_proc p ON p.oid = a.aggfnoid JOIN functions ON p.proname = 'gpu_' || f
	WHERE p.proparallel = 's' AND p.prorettype IN ('numeric'::regtype, 'double precision'::regtype)
	  AND p.proargtypes[0] NOT IN ('numeric'::regtype, 'numeric[]'::regtype)
	  AND aggcombinefn <> 0 AND aggserialfn <> 0 AND aggdeserialfn <> 0 AND aggmtransfn <> 0
	  AND aggminvtransfn <> 0 AND aggtransspace > 0 AND aggfinalmodify = 'r'
	  AND aggmfinalmodify = 'r' AND p.provolatile = 'i';

SELECT * FROM finish();
ROLLBACK;
