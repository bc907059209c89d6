-- exactmoments: what variances are made of, as values.
\set ECHO none
\set QUIET on
\set vectors `cat test/data/exactmoments.csv`
BEGIN;
SELECT no_plan();

-- SQLSTATE, message, detail and hint of the error that a query ends with.
CREATE FUNCTION pg_temp.error_of(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	message text;
	detail text;
	hint text;
BEGIN
	EXECUTE query;
	RETURN 'none';
EXCEPTION WHEN OTHERS THEN
	GET STACKED DIAGNOSTICS message = MESSAGE_TEXT, detail = PG_EXCEPTION_DETAIL, hint = PG_EXCEPTION_HINT;
	RETURN concat_ws('|', SQLSTATE, message, nullif(detail, ''), nullif(hint, ''));
END $$;

-- Floats over the whole range, integers, and arrays of both.
SELECT setseed(0.4);
CREATE TABLE numbers AS
	SELECT i, i % 7 AS g, CASE WHEN i % 50 = 0 THEN NULL ELSE (random() - 0.5) * power(2::float8, floor((random() - 0.5) * (10 + i % 4 * 300))) END AS x,
		   ((random() - 0.5) * power(2::float8, i % 63))::int8 AS n
	FROM generate_series(1, 2000) i;
CREATE TABLE arrays AS SELECT g, array_agg(x ORDER BY i) AS a, array_agg(n ORDER BY i) AS b FROM numbers GROUP BY g;
CREATE TABLE specials AS SELECT * FROM (VALUES
	('zero', '{0}'::float8[]), ('minus zero', '{-0,-0}'), ('infinity', '{Infinity,1}'), ('both infinities', '{Infinity,-Infinity}'),
	('NaN', '{NaN,1}'), ('smallest', '{5e-324,0}'), ('largest', '{1.7976931348623157e308,1}'), ('far apart', '{1e300,1,1e-300,-1e300}'),
	('a tenth', '{0.1}')) s(name, a);

-- The bytes of version 1 are for ever.
CREATE TABLE vectors AS
	SELECT n, split_part(line, ',', 1) AS inputs, ('\x' || split_part(line, ',', 2))::exactmoments AS m,
		split_part(line, ',', 3) AS var_pop, split_part(line, ',', 4) AS stddev_samp
	FROM string_to_table(btrim(:'vectors', E'\n'), E'\n') WITH ORDINALITY t(line, n) WHERE n > 1;
SELECT cmp_ok(count(*), '>', 50::bigint, 'vectors') FROM vectors;
SELECT is(string_agg(inputs, '; '), NULL, 'inputs have the bytes of their vector')
	FROM vectors WHERE m <> (SELECT gpu_moments_state(x::float8 ORDER BY random()) FROM string_to_table(inputs, ' ') x);
SELECT is(string_agg(inputs, '; '), NULL, 'the bytes have the variance of their vector')
	FROM vectors WHERE var_pop <> 'overflow' AND gpu_var_pop(m) IS DISTINCT FROM var_pop::float8;
SELECT is(string_agg(inputs, '; '), NULL, '... and the deviation')
	FROM vectors WHERE stddev_samp <> 'overflow' AND coalesce(gpu_stddev_samp(m)::text, 'NULL') IS DISTINCT FROM coalesce(nullif(stddev_samp, 'NULL')::float8::text, 'NULL');
SELECT is(count(*) FILTER (WHERE pg_temp.error_of(format('SELECT gpu_var_pop(%L::exactmoments)', m)) LIKE '22003|%'), count(*), count(*) || ' are out of range')
	FROM vectors WHERE var_pop = 'overflow';

-- Text.
SELECT is(m::text::exactmoments, m, 'text and back: ' || name) FROM (SELECT name, gpu_array_moments_state(a) AS m FROM specials) q;
SELECT is(x::exactmoments, x::float8::exactmoments, 'a number as text: ' || x) FROM unnest('{1.25,-0,1e-320,NaN,-Infinity, 7 }'::text[]) x;
SELECT is(pg_temp.error_of(format('SELECT %L::exactmoments', text)), error, 'text: ' || text)
	FROM (VALUES ('', '22P02|invalid input syntax for type exactmoments: ""'),
		('1e400', '22003|"1e400" is out of range for type double precision'),
		('\xe5', '22P02|invalid input syntax for type exactmoments: "\xe5"|The bytes are no exactmoments of a known version.|'
			'A later version of gpuagg may have written it, or it was damaged on its way.'),
		('\xe5g', '22023|invalid hexadecimal digit: "g"')) t(text, error);
SELECT matches(pg_temp.error_of(format('SELECT %L::exactmoments', '1'::exactsum)), '^22P02', 'an exactsum is another type');

-- Every truncation, and every change of a byte: refused, or other moments.
CREATE FUNCTION pg_temp.verdict(m text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	RETURN CASE WHEN m::exactmoments::text = m AND coalesce(gpu_stddev_pop(m::exactmoments), 0) NOT IN (-1) THEN 'sound' ELSE 'changed' END;
EXCEPTION WHEN invalid_text_representation OR numeric_value_out_of_range OR invalid_parameter_value THEN
	RETURN 'refused';
END $$;
CREATE TABLE texts AS SELECT gpu_moments_state(x)::text AS t FROM unnest('{1e300,1,-1e-300,NaN,Infinity,-0}'::float8[]) x
	UNION ALL SELECT gpu_moments_state(x)::text FROM unnest('{1,5,-3}'::int[]) x;
SELECT is(array_agg(DISTINCT pg_temp.verdict(left(t, n))), '{refused}', 'cut off anywhere')
	FROM texts, generate_series(2, length(t) - 1) n;
SELECT ok(array_agg(DISTINCT v) <@ '{refused,sound}', 'any byte changed')
	FROM (SELECT pg_temp.verdict('\x' || encode(set_byte(b, n, get_byte(b, n) # bit), 'hex')) AS v
		FROM (SELECT decode(substr(t, 3), 'hex') AS b FROM texts) q, generate_series(0, octet_length(b) - 1) n,
			unnest(ARRAY[1, 16, 128, 255]) bit) q;
SELECT is(pg_temp.verdict('\x' || repeat('00', 100000)), 'refused', 'a long text');
-- 2 inputs with the sum 10 have squares of 50 at least: 49 is refused.
SELECT is(array_agg(pg_temp.verdict(replace(m::text, '0000032000000000', lpad(to_hex(k), 7, '0') || '000000000')) ORDER BY k),
	'{refused,sound,sound}', 'squares that are too small for their sum')
	FROM (SELECT gpu_array_moments_state('{5,5}'::int[]) AS m) q, generate_series(49, 51) k;

-- Of columns and arrays; integers are the floats of their values.
SELECT is(gpu_moments_state(a), (SELECT gpu_moments_state(x) FROM numbers), 'arrays as a column') FROM arrays;
SELECT is(gpu_moments_state(b), (SELECT gpu_moments_state(n) FROM numbers), 'arrays of bigint as a column') FROM arrays;
SELECT is(gpu_moments_state(n), gpu_moments_state(n::float8), 'bigint as double precision') FROM numbers WHERE abs(n) < 2 ^ 53;
SELECT is(gpu_moments_state(n::int4), gpu_moments_state(n::float4), 'integer as real') FROM numbers WHERE abs(n) < 2 ^ 24;
SELECT is(gpu_moments_state(n::int2), gpu_moments_state(n), 'smallint as bigint') FROM numbers WHERE abs(n) < 2 ^ 15;
SELECT is(gpu_array_moments_state(a, 3, 7), gpu_array_moments_state(a[3:7]), 'a part of an array') FROM arrays WHERE g = 1;
SELECT is(gpu_array_moments_state('{}'::float8[]), NULL, 'no elements');
SELECT is(gpu_moments_state(x), NULL, 'no rows') FROM numbers WHERE false;
SELECT is(gpu_stddev_pop(gpu_moments_state(x)), gpu_stddev_pop(x), 'the deviation is that of the inputs') FROM numbers;
SELECT is((gpu_var_samp(m), gpu_var_pop(m), gpu_stddev_samp(m), gpu_stddev_pop(m), gpu_variance(m), gpu_stddev(m))::text,
	(SELECT (var_samp(n)::float8, var_pop(n)::float8, stddev_samp(n)::float8, stddev_pop(n)::float8, variance(n)::float8, stddev(n)::float8)::text
		FROM (SELECT n::numeric(40, 20) AS n FROM numbers) q), 'all six')
	FROM (SELECT gpu_moments_state(n) AS m FROM numbers) q;
SELECT is((gpu_count(m), gpu_avg(m), m::exactsum)::text, (SELECT (count(x), gpu_avg(gpu_sum_state(x)), gpu_sum_state(x))::text FROM numbers), 'number, mean and sum')
	FROM (SELECT gpu_moments_state(x) AS m FROM numbers) q;
SELECT is((gpu_var_samp(m), gpu_var_pop(m), gpu_avg(m))::text, '(,0,7)', 'one input') FROM (SELECT '7'::exactmoments AS m) q;
SELECT is((gpu_count(m), gpu_var_samp(m), gpu_var_pop(m), gpu_avg(m), (m::exactsum)::float8)::text, '(0,,,,)', 'no input') FROM (SELECT '7'::exactmoments - '7' AS m) q;
SELECT is((-7)::smallint::exactmoments + 8::integer::exactmoments + 0.5::real::exactmoments + 9::bigint::exactmoments,
	gpu_array_moments_state('{-7,8,0.5,9}'::float8[]), 'casts from all types');
SELECT is(9223372036854775807::exactmoments, gpu_array_moments_state('{9223372036854775807}'::int8[]), 'bigint is exact');
SELECT is(gpu_var_pop(gpu_moments_state(n)), 21267647932558653966460912964485513216::numeric::float8, 'the ends of bigint')
	FROM (VALUES ('-9223372036854775808'::bigint), (0), ('-9223372036854775808'), (0)) v(n);

-- Merged, in any grouping and order; parallel.
CREATE TABLE parts AS SELECT i / 20 AS i, g, gpu_moments_state(x) AS m FROM numbers WHERE x IS NOT NULL GROUP BY 1, 2;
ANALYZE parts;
SELECT is(gpu_merge(m ORDER BY random()), (SELECT gpu_moments_state(x) FROM numbers), 'merged') FROM parts;
SELECT is(count(*) FILTER (WHERE moving IS DISTINCT FROM again), 0::bigint, 'a moving frame is that of its rows')
	FROM (SELECT r, gpu_merge(m) OVER (ORDER BY r ROWS 3 PRECEDING) AS moving FROM (SELECT row_number() OVER (ORDER BY i, g) AS r, m FROM parts) p) f,
		LATERAL (SELECT gpu_merge(m) AS again FROM (SELECT row_number() OVER (ORDER BY i, g) AS r, m FROM parts) p WHERE p.r BETWEEN f.r - 3 AND f.r) l
	WHERE r <= 60;
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
SELECT matches(pg_temp.plan_of('SELECT gpu_merge(m) FROM parts'), 'Finalize Aggregate.*Gather.*Partial Aggregate', 'a parallel plan');
SELECT is(gpu_merge(m), (SELECT gpu_moments_state(a) FROM arrays), 'the parallel answer') FROM parts;
RESET parallel_setup_cost;
RESET parallel_tuple_cost;
RESET min_parallel_table_scan_size;
RESET max_parallel_workers_per_gather;

-- Arithmetic.
SELECT is(m + t - t, m, 'what was added is taken away: ' || name)
	FROM (SELECT name, gpu_array_moments_state(a) AS m FROM specials) q, (SELECT gpu_array_moments_state('{NaN,Infinity,-0,1e-310}'::float8[]) AS t) r;
SELECT is(pg_temp.error_of($$SELECT '3'::exactmoments - '5'::exactmoments$$),
	'22003|exactmoments is not part of the one that it is subtracted from|The difference of a and b has the inputs of a without '
	'those of b.', 'other inputs');
SELECT throws_ok($$SELECT '3'::exactmoments + '4' - 'NaN'$$, '22003', NULL, 'a NaN that is not there');
SELECT throws_ok($$SELECT '3'::exactmoments - ('1'::exactmoments + '2')$$, '22003', NULL, 'more inputs');
SELECT throws_ok($$SELECT ('1'::exactmoments + '1') - '-5'$$, '22003', NULL, 'an input too large');
CREATE TABLE many AS SELECT ('\xe50301' || '0080000000000000' || repeat('00', 36))::exactmoments AS m;
SELECT is(gpu_count(m + m), 1::bigint << 56, 'as many inputs as there can be') FROM many;
SELECT is(pg_temp.error_of('SELECT m + m + m FROM many'), '22003|exactmoments has too many inputs|There can be 2^56.', 'too many');

-- Equality, order, hashing.
CREATE TABLE keys AS SELECT (i % 100)::float8::exactmoments AS m, i FROM generate_series(1, 1000) i;
SELECT is(count(DISTINCT m), 100::bigint, 'DISTINCT') FROM keys;
SELECT is((a = a, a <> b, a < b OR b < a, a <= a, a >= b OR b >= a, a > b OR b > a), (true, true, true, true, true, true), 'comparisons')
	FROM (SELECT '1'::exactmoments AS a, '2'::exactmoments AS b) q;
SET LOCAL enable_sort = off;
SELECT is((SELECT count(*) FROM (SELECT m FROM keys GROUP BY m) q), 100::bigint, 'hashed groups');
RESET enable_sort;
SET LOCAL enable_hashjoin = off;
SET LOCAL enable_nestloop = off;
SELECT is((SELECT count(*) FROM keys a JOIN keys b USING (m)), 10000::bigint, 'merge join');
SET LOCAL enable_hashjoin = on;
SET LOCAL enable_mergejoin = off;
SELECT is((SELECT count(*) FROM keys a JOIN keys b USING (m)), 10000::bigint, 'hash join');
RESET enable_nestloop;
RESET enable_mergejoin;
CREATE INDEX ON keys (m);
CREATE INDEX ON keys USING hash (m);
ANALYZE keys;
SET LOCAL enable_seqscan = off;
SELECT is((SELECT count(*) FROM keys WHERE m = '7'), 10::bigint, 'by an index');
RESET enable_seqscan;

-- Rollups.
CREATE TABLE daily (day int PRIMARY KEY, m exactmoments NOT NULL);
INSERT INTO daily SELECT i / 100, gpu_moments_state(x) FROM numbers WHERE i <= 1550 AND x IS NOT NULL GROUP BY 1;
INSERT INTO daily AS t SELECT i / 100, gpu_moments_state(x) FROM numbers WHERE i > 1550 AND x IS NOT NULL GROUP BY 1
	ON CONFLICT (day) DO UPDATE SET m = t.m + excluded.m;
SELECT is(gpu_merge(m), (SELECT gpu_moments_state(x) FROM numbers), 'ON CONFLICT DO UPDATE') FROM daily;

-- Binary copies, and a stored value that is damaged.
SELECT is(length(exactmoments_send(m)), (length(m::text) - 2) / 2, 'the bytes') FROM (SELECT gpu_array_moments_state(a) AS m FROM arrays WHERE g = 1) q;
SELECT cmp_ok(max(pg_column_size(m)), '<=', 120, 'moments of prices are small')
	FROM (SELECT gpu_moments_state((random() * 1000)::numeric(9, 2)::float8) AS m FROM generate_series(1, 5000) i GROUP BY i % 10) q;

-- It shares the state of variances.
CREATE TEMP TABLE before AS SELECT sum(arrays) AS arrays FROM gpuagg_session_stat;
SELECT gpu_moments_state(b) AS m, gpu_var_samp(b) AS v FROM arrays \gset result_
SELECT is(sum(arrays) - (SELECT arrays FROM before), (SELECT count(b) FROM arrays)::numeric, 'variances and their moments read an argument once')
	FROM gpuagg_session_stat;

SELECT * FROM finish();
ROLLBACK;
