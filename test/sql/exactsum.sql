-- exactsum: sums that are not rounded yet, as values.
\set ECHO none
\set QUIET on
\set vectors `cat test/data/exactsum.csv`
BEGIN;
SELECT plan(180);

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

-- A third of the values is special now and then; exponents over the whole range.
SELECT setseed(0.2);
CREATE FUNCTION pg_temp.number(range int) RETURNS float8 LANGUAGE sql VOLATILE AS $$
	SELECT (random() - 0.5) * power(2::float8, floor((random() - 0.5) * range)) $$;
CREATE TABLE numbers AS
	SELECT i, i % 7 AS g, CASE WHEN i % 50 = 0 THEN NULL ELSE pg_temp.number(10 + i % 4 * 600) END AS x
	FROM generate_series(1, 2000) i;
CREATE TABLE arrays AS SELECT g, array_agg(x ORDER BY i) AS a FROM numbers GROUP BY g;
CREATE TABLE specials AS SELECT * FROM (VALUES
	('nothing', '{}'::float8[]), ('NULL', '{NULL}'), ('zero', '{0}'), ('minus zero', '{-0,-0}'),
	('both zeros', '{0,-0}'), ('infinity', '{Infinity,1}'), ('minus infinity', '{1,-Infinity}'),
	('both infinities', '{Infinity,-Infinity}'), ('NaN', '{NaN,1}'), ('smallest', '{5e-324,5e-324}'),
	('largest', '{1.7976931348623157e308,1}'), ('cancelled', '{1e308,1e308,-1e308,-1e308}'),
	('far apart', '{1e300,1,1e-300,-1e300}'), ('a tenth', '{0.1}')) s(name, a);

-- Casts.
SELECT is(gpu_array_state(a)::float8::text, gpu_array_sum(a)::text, 'double precision: ' || name) FROM specials;
SELECT is(gpu_array_state(a::real[])::real::text, gpu_array_sum(a::real[])::text, 'real: ' || name)
	FROM specials WHERE name NOT IN ('smallest', 'largest', 'cancelled', 'far apart');
SELECT is((SELECT gpu_sum_state(x)::real FROM unnest(ARRAY[1, 2 ^ (-24), 2 ^ (-70)]::float8[]) x),
	1.0000001::real, 'real is rounded from the exact value, not from a double');
SELECT is(count(*) FILTER (WHERE x::exactsum::numeric::float8 IS DISTINCT FROM x), 0::bigint,
	'numeric: each number keeps its value') FROM numbers;
SELECT is(sum(x::exactsum::numeric)::float8, gpu_sum(x), 'and the sum of these is the sum') FROM numbers;
SELECT is(gpu_sum_state(x)::numeric, sum(x::exactsum::numeric), 'numeric has all digits') FROM numbers;
SELECT is(x::exactsum::numeric::text, x, 'numeric: ' || x)
	FROM unnest('{0,-2.5,NaN,Infinity,-Infinity,1024,100000000000000000000}'::text[]) x;
SELECT is(0.1::float8::exactsum::numeric,
	0.1000000000000000055511151231257827021181583404541015625, 'a tenth is no tenth');
SELECT is(length(5e-324::float8::exactsum::numeric::text), 1076, 'the smallest number has 1074 decimals');
SELECT is(9223372036854775807::bigint::exactsum::numeric, 9223372036854775807::numeric, 'bigint is exact');
SELECT is((-9223372036854775808)::bigint::exactsum::numeric, -9223372036854775808::numeric, 'so is the least one');
SELECT is((-7)::smallint::exactsum + 8::integer::exactsum + 0.5::real::exactsum,
	gpu_array_state('{-7,8,0.5}'::float8[]), 'casts from all types');
CREATE TEMP TABLE assigned (s exactsum, x float8);
INSERT INTO assigned VALUES (1.5::float8, 2::exactsum);
SELECT is((s::numeric, x), (1.5::numeric, 2::float8), 'casts where a value is assigned') FROM assigned;
SELECT matches(pg_temp.error_of($$SELECT '1'::exactsum + 1.5::float8$$), '^42883', 'and nowhere else');
SELECT is(pg_temp.error_of($$SELECT ('1e308'::exactsum + '1e308')::float8$$),
	'22003|value out of range: overflow|The exact sum is beyond the range of double precision.', 'out of range');
SELECT is(('1e308'::exactsum + '1e308' - '1e308')::float8, 1e308::float8, 'but not on the way');
SELECT is(('1'::exactsum - '1')::float8, NULL, 'no number without inputs');
SELECT is(('1'::exactsum - '1')::numeric, NULL, 'nor as numeric');

-- Text.
SELECT is(s::text::exactsum, s, 'text and back: ' || name)
	FROM (SELECT name, gpu_array_state(a) AS s FROM specials) q WHERE s IS NOT NULL;
SELECT is(x::exactsum, x::float8::exactsum, 'a number as text: ' || x)
	FROM unnest('{1.25,-0,1e-320,NaN,-Infinity, 7 ,0x10}'::text[]) x;
SELECT is(pg_temp.error_of(format('SELECT %L::exactsum', text)), error, 'text: ' || text)
	FROM (VALUES ('', '22P02|invalid input syntax for type exactsum: ""'),
		('one', '22P02|invalid input syntax for type exactsum: "one"'),
		('1e400', '22003|"1e400" is out of range for type double precision'),
		('\xe5', '22P02|invalid input syntax for type exactsum: "\xe5"|The bytes are no exactsum of a known version.|'
			'A later version of gpuagg may have written it, or it was damaged on its way.'),
		('\xe5g', '22023|invalid hexadecimal digit: "g"')) t(text, error);
-- Every truncation, and every change of a byte: refused, or another sum.
CREATE FUNCTION pg_temp.verdict(s text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	RETURN CASE WHEN s::exactsum::text = s THEN 'sound' ELSE 'changed' END;
EXCEPTION WHEN invalid_text_representation OR numeric_value_out_of_range OR invalid_parameter_value THEN
	RETURN 'refused';
END $$;
CREATE TABLE texts AS SELECT gpu_sum_state(x)::text AS t FROM unnest('{1e300,1,-1e-300,NaN,Infinity,-0}'::float8[]) x;
SELECT is(array_agg(DISTINCT pg_temp.verdict(left(t, n))), '{refused}', 'cut off anywhere')
	FROM texts, generate_series(2, length(t) - 1) n;
SELECT ok(array_agg(DISTINCT v) <@ '{refused,sound}', 'any byte changed')
	FROM (SELECT pg_temp.verdict('\x' || encode(set_byte(b, n, get_byte(b, n) # bit), 'hex')) AS v
		FROM (SELECT decode(substr(t, 3), 'hex') AS b FROM texts) q, generate_series(0, octet_length(b) - 1) n,
			unnest(ARRAY[1, 16, 128, 255]) bit) q;
SELECT is(pg_temp.verdict('\x' || repeat('00', 100000)), 'refused', 'a long text');

-- The least and the largest totals of n inputs: below 2^(1024 + b), where n has b bits.
SELECT is(pg_temp.verdict('\xe50101' || lpad(to_hex(n), 16, '0') || repeat('00', 32) || '2001' || limb), verdict, 'limb ' || limb || ' of ' || n)
	FROM (VALUES (1, '0007ffffffffffff', 'sound'), (1, '0008000000000000', 'refused'), (1, 'fff8000000000000', 'sound'),
		(1, 'fff7ffffffffffff', 'refused'), (3, '000fffffffffffff', 'sound'), (3, '0010000000000000', 'refused'),
		(4, '001fffffffffffff', 'sound')) t(n, limb, verdict);

-- One with all 34 limbs has as many bytes as there can be, and is stored so.
CREATE TABLE largest AS SELECT ('\xe50101' || '0100000000000000' || repeat('00', 32) || '0022' || lpad('1', 16, '0') ||
	repeat('0', 32 * 16) || '000007ffffffffff')::exactsum AS s;
SELECT is((octet_length(exactsum_send(s)), pg_column_size(s)), (317, 321), 'the most bytes') FROM largest;

-- The bytes of version 1 are for ever.
CREATE TABLE vectors AS
	SELECT n, split_part(line, ',', 1) AS inputs, ('\x' || split_part(line, ',', 2))::exactsum AS s,
		split_part(line, ',', 3) AS rounded
	FROM string_to_table(btrim(:'vectors', E'\n'), E'\n') WITH ORDINALITY t(line, n) WHERE n > 1;
SELECT cmp_ok(count(*), '>', 50::bigint, 'vectors') FROM vectors;
SELECT is(string_agg(inputs, '; '), NULL, 'inputs have the bytes of their vector')
	FROM vectors WHERE s <> (SELECT gpu_sum_state(x::float8 ORDER BY random()) FROM string_to_table(inputs, ' ') x);
SELECT is(string_agg(inputs, '; '), NULL, 'the bytes have the rounded sum of their vector')
	FROM vectors WHERE rounded <> 'overflow' AND s::float8::text <> rounded;
SELECT is(count(*) FILTER (WHERE pg_temp.error_of(format('SELECT %L::exactsum::float8', s)) LIKE '22003|%'), 2::bigint,
	'or are out of range') FROM vectors WHERE rounded = 'overflow';

-- Sums of columns and arrays.
SELECT is(gpu_sum_state(x)::float8, gpu_sum(x), 'a column') FROM numbers;
SELECT is(gpu_sum_state(a), (SELECT gpu_sum_state(x) FROM numbers), 'arrays') FROM arrays;
SELECT is(gpu_sum_state(a::real[])::real, gpu_sum(a::real[]), 'arrays of real')
	FROM (SELECT ARRAY(SELECT x / 1e5 FROM unnest('{1.1,2.2,3.3,4.4}'::float8[]) x) AS a) q;
SELECT is(gpu_sum_state(x)::numeric, sum(x)::numeric, 'smallint')
	FROM (SELECT (i * 7919 % 60000 - 30000)::smallint AS x FROM generate_series(1, 999) i) q;
SELECT is(gpu_sum_state(x)::numeric, sum(x)::numeric, 'integer')
	FROM (SELECT i * 2000003 AS x FROM generate_series(-999, 999) i WHERE i <> 7) q;
SELECT is(gpu_sum_state(x)::numeric, sum(x), 'bigint, beyond its range')
	FROM (SELECT 9223372036854775807 - i AS x FROM generate_series(1::bigint, 999) i) q;
SELECT is(gpu_array_state(a)::numeric, gpu_array_sum(a), 'an array of bigint')
	FROM (SELECT '{9223372036854775807,9223372036854775807,NULL,-5}'::bigint[] AS a) q;
SELECT is(gpu_array_state('{1,2,3}'::smallint[]), gpu_array_state('{1,2,3}'::real[]), 'the type does not matter');
SELECT is(gpu_sum_state(x), NULL, 'no rows') FROM numbers WHERE x > 'Infinity';
SELECT is(gpu_array_state('{NULL,NULL}'::real[]), NULL, 'nothing but NULLs');
SELECT is(gpu_merge(s), NULL, 'no sums') FROM assigned WHERE s = '7';

-- The law: however rows are split, the merged states have the same bytes.
CREATE FUNCTION pg_temp.split_sum(n_parts int, seed float8) RETURNS exactsum LANGUAGE sql AS $$
	SELECT setseed(seed);
	SELECT gpu_merge(s ORDER BY random()) FROM
		(SELECT gpu_sum_state(x ORDER BY random()) AS s
		 FROM (SELECT x, floor(random() * n_parts) AS part FROM numbers OFFSET 0) q GROUP BY part) p $$;
SELECT is(count(*), 1::bigint, 'one sum of all splits') FROM
	(SELECT DISTINCT pg_temp.split_sum(n, n / 32.0) FROM generate_series(1, 20) n) q;
SELECT is(pg_temp.split_sum(20, 0.5), gpu_sum_state(x), 'the one of the whole') FROM numbers;
SELECT is(gpu_merge(s) FILTER (WHERE g <> 3), (SELECT gpu_sum_state(x) FROM numbers WHERE g <> 3), 'FILTER')
	FROM (SELECT g, gpu_sum_state(x) AS s FROM numbers GROUP BY g) q;

-- Plans: workers, groups, moving frames.
CREATE TABLE parts AS SELECT i, i % 3 AS g, x::exactsum AS s FROM numbers WHERE x IS NOT NULL;
ALTER TABLE parts SET (parallel_workers = 2);
ANALYZE parts;
SET LOCAL parallel_setup_cost = 0;
SET LOCAL parallel_tuple_cost = 0;
SET LOCAL min_parallel_table_scan_size = 0;
CREATE FUNCTION pg_temp.plan_of(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	line text;
	plan text := '';
BEGIN
	FOR line IN EXECUTE 'EXPLAIN (COSTS OFF) ' || query LOOP
		plan := plan || line;
	END LOOP;
	RETURN plan;
END $$;
SELECT matches(pg_temp.plan_of('SELECT gpu_merge(s) FROM parts'), 'Partial Aggregate', 'merged by workers');
SELECT is(gpu_merge(s), (SELECT gpu_sum_state(x) FROM numbers), 'the same bytes by workers') FROM parts;
SELECT is(array_agg(s::text ORDER BY g), (SELECT array_agg(s::text ORDER BY g) FROM
		(SELECT g, gpu_sum_state(s::float8) AS s FROM parts GROUP BY g) q), 'groups, by workers')
	FROM (SELECT g, gpu_merge(s) AS s FROM parts GROUP BY g) q;
SET LOCAL max_parallel_workers_per_gather = 0;
SELECT is(count(*) FILTER (WHERE m IS DISTINCT FROM w), 0::bigint, 'a moving frame')
	FROM (SELECT gpu_merge(s) OVER f AS m, gpu_sum_state(s::float8) OVER f AS w FROM parts
		WINDOW f AS (PARTITION BY g ORDER BY i ROWS BETWEEN 3 PRECEDING AND 2 FOLLOWING)) q;
SELECT is(count(*) FILTER (WHERE m IS DISTINCT FROM w), 0::bigint, 'a frame that is empty at times')
	FROM (SELECT gpu_merge(s) OVER f AS m, gpu_sum_state(s::float8) OVER f AS w FROM parts
		WINDOW f AS (ORDER BY i ROWS BETWEEN 3 PRECEDING AND 2 PRECEDING)) q;
SELECT is(count(DISTINCT s), count(DISTINCT x), 'every row of a growing frame keeps its own value')
	FROM (SELECT gpu_merge(s) OVER (ORDER BY i) AS s, row_number() OVER (ORDER BY i) AS x FROM parts) q;

-- Arithmetic.
SELECT is(gpu_merge(s) FILTER (WHERE i <= 1000) + gpu_merge(s) FILTER (WHERE i > 1000), gpu_merge(s), 'addition') FROM parts;
SELECT is(gpu_merge(s) - gpu_merge(s) FILTER (WHERE i > 1000), gpu_merge(s) FILTER (WHERE i <= 1000), 'subtraction') FROM parts;
SELECT is(s + t - t, s, 'what was added is taken away: ' || name)
	FROM (SELECT name, gpu_array_state(a) AS s FROM specials) q, (SELECT '{NaN,Infinity,-0,1e-310}'::float8[] AS b) r,
		LATERAL (SELECT gpu_array_state(b) AS t) l WHERE s IS NOT NULL AND name IN ('NaN', 'minus zero', 'far apart');
SELECT is((- gpu_array_state(a))::float8::text, (SELECT gpu_sum(-x) FROM unnest(a) x)::text, 'negative: ' || name)
	FROM specials WHERE name IN ('infinity', 'minus zero', 'far apart', 'NaN', 'largest');
SELECT is(- (- s), s, 'twice negative') FROM (SELECT gpu_merge(s) AS s FROM parts) q;
SELECT is(('3'::exactsum + (- '5'::exactsum))::float8, -2::float8, 'a difference of values');
SELECT is(pg_temp.error_of($$SELECT '3'::exactsum - '5'::exactsum$$),
	'22003|exactsum is not part of the one that it is subtracted from|The difference of a and b has the inputs of a '
	'without those of b.|For the difference of the values, with the inputs of both, write a + (- b).', 'other inputs');
SELECT throws_ok($$SELECT '3'::exactsum - ('1'::exactsum + '2')$$, '22003', NULL, 'more inputs');
SELECT throws_ok($$SELECT '3'::exactsum + '4' - 'NaN'$$, '22003', NULL, 'a NaN that is not there');
CREATE TABLE many AS SELECT ('\xe50101' || '0080000000000000' || repeat('00', 34))::exactsum AS s;
SELECT is(gpu_count(s + s), 1::bigint << 56, 'as many inputs as there can be') FROM many;
SELECT is(pg_temp.error_of('SELECT s + s + s FROM many'), '22003|exactsum has too many inputs|There can be 2^56.', 'too many');

-- Order and equality.
SELECT is(string_agg(s::float8::text, ' ' ORDER BY s), '-Infinity -2 -1e-320 0 5e-324 1 1e+300 Infinity NaN', 'order')
	FROM (SELECT x::exactsum AS s FROM unnest('{1e300,NaN,0,-2,Infinity,-1e-320,5e-324,-Infinity,1}'::float8[]) x) q;
SELECT is((a < b, a <= b, a = b, a <> b, a >= b, a > b), (true, true, false, true, false, false), 'less by the smallest number')
	FROM (SELECT '1e308'::exactsum + '0' AS a, '1e308'::exactsum + '5e-324' AS b) q;
SELECT is((a < b, a = b, a > b, a < a, a <= a), (true, false, false, false, true), 'equal values of other inputs are not equal')
	FROM (SELECT '1'::exactsum AS a, '1'::exactsum + '0' AS b) q;
SELECT is((a < b, a = b, (a - 'Infinity')::float8), (true, false, 1::float8), '... and infinite ones keep the sum of the finite inputs')
	FROM (SELECT 'Infinity'::exactsum + '1' AS a, 'Infinity'::exactsum + '2' AS b) q;
CREATE TABLE keys AS SELECT (i % 100)::float8::exactsum AS s, i FROM generate_series(1, 1000) i;
SELECT is(count(DISTINCT s), 100::bigint, 'DISTINCT') FROM keys;
SET LOCAL enable_sort = off;
SELECT is((SELECT count(*) FROM (SELECT s FROM keys GROUP BY s) q), 100::bigint, 'hashed groups');
RESET enable_sort;
SET LOCAL enable_hashjoin = off;
SET LOCAL enable_nestloop = off;
SELECT is((SELECT count(*) FROM keys a JOIN keys b USING (s)), 10000::bigint, 'merge join');
SET LOCAL enable_hashjoin = on;
SET LOCAL enable_mergejoin = off;
SELECT is((SELECT count(*) FROM keys a JOIN keys b USING (s)), 10000::bigint, 'hash join');
RESET enable_nestloop;
RESET enable_mergejoin;
CREATE INDEX ON keys (s);
CREATE INDEX ON keys USING hash (s);
ANALYZE keys;
SET LOCAL enable_seqscan = off;
SELECT is((SELECT count(*) FROM keys WHERE s = '7'), 10::bigint, 'by an index');
SELECT is((SELECT count(*) FROM keys WHERE s > '96.5' AND s < '99'), 20::bigint, 'a range by an index');
RESET enable_seqscan;
CREATE TABLE hashed (s exactsum) PARTITION BY HASH (s);
CREATE TABLE hashed_0 PARTITION OF hashed FOR VALUES WITH (MODULUS 2, REMAINDER 0);
CREATE TABLE hashed_1 PARTITION OF hashed FOR VALUES WITH (MODULUS 2, REMAINDER 1);
INSERT INTO hashed SELECT DISTINCT s FROM keys;
SELECT ok((SELECT count(*) FROM hashed_0) BETWEEN 20 AND 80, 'partitions by hash');

-- Rollups.
CREATE TABLE hourly (day int PRIMARY KEY, s exactsum NOT NULL);
INSERT INTO hourly SELECT day, s FROM (SELECT i / 100 AS day, gpu_sum_state(x) AS s FROM numbers WHERE i <= 1550 AND x IS NOT NULL GROUP BY 1) q;
INSERT INTO hourly AS t SELECT i / 100 AS day, gpu_sum_state(x) FROM numbers WHERE i > 1550 AND x IS NOT NULL GROUP BY 1
	ON CONFLICT (day) DO UPDATE SET s = t.s + excluded.s;
SELECT is(gpu_merge(s), (SELECT gpu_sum_state(x) FROM numbers), 'ON CONFLICT DO UPDATE') FROM hourly;

-- States that workers exchange.
CREATE AGGREGATE pg_temp.sent_sum(float8) (SFUNC = gpu_sum_accum, STYPE = internal, FINALFUNC = gpu_sum_float_serialize);
CREATE AGGREGATE pg_temp.sent_moments(float8) (SFUNC = gpu_moments_accum, STYPE = internal, FINALFUNC = gpu_moments_float_serialize);
CREATE AGGREGATE pg_temp.sent_int_sum(bigint) (SFUNC = gpu_sum_accum, STYPE = internal, FINALFUNC = gpu_sum_int_serialize);
SELECT is(encode(pg_temp.sent_sum(x), 'hex'), ltrim(gpu_sum_state(x)::text, '\x'), 'a state of gpu_sum has the bytes') FROM numbers;
SELECT is(encode(pg_temp.sent_moments(x), 'hex'), ltrim(gpu_moments_state(x)::text, '\x'), '... and one of variances, of exactmoments') FROM numbers;
SELECT is(encode(pg_temp.sent_int_sum(x), 'hex'), '01' || '0000000000000002' || '0000000000000000' || '8000000000000004', '... and one of integers')
	FROM unnest('{9223372036854775807,5}'::bigint[]) x;

-- Facts.
SELECT is(gpu_count(gpu_sum_state(x)), count(x), 'the number of inputs') FROM numbers;
SELECT is(gpu_avg(gpu_array_state(a))::text, m, 'the mean of ' || name) FROM (VALUES
	('a third', '{0,0,1}'::float8[], '0.3333333333333333'), ('the largest', '{1.7976931348623157e308,1.7976931348623157e308}', '1.7976931348623157e+308'),
	('the smallest', '{5e-324,0}', '0'), ('-0', '{-0,-0}', '-0'), ('NaN', '{NaN,1}', 'NaN'), ('infinity', '{Infinity,1}', 'Infinity')) t(name, a, m);
SELECT is(gpu_avg('1'::exactsum - '1'), NULL, 'no mean without inputs');
SELECT cmp_ok(max(pg_column_size(s)), '<=', 80, 'prices are small')
	FROM (SELECT i, array_agg(x) AS a FROM (SELECT i, round((random() * 1000)::numeric, 2)::float8 AS x
		FROM generate_series(1, 20) i, generate_series(1, 500) j) q GROUP BY i) p, LATERAL (SELECT gpu_array_state(a) AS s) l;

-- Running totals after an exact sum: what the totals of both arrays end with.
CREATE FUNCTION pg_temp.halves(c text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
	query text := format($q$
		FROM (SELECT g, %1$s AS a, cardinality(a) AS n, k FROM arrays, unnest(ARRAY[1, 10, 100]) k) q,
			LATERAL (SELECT gpu_array_state(a[:k]) AS s, a[k + 1:] AS b, gpu_array_cumsum(a) AS t,
				gpu_array_cumsum(a, true) AS e) l$q$, c);
	bad bigint;
BEGIN
	EXECUTE 'SELECT count(*) FILTER (WHERE gpu_array_cumsum(b, start => s)::text IS DISTINCT FROM t[k + 1:]::text)' || query INTO bad;
	RETURN NEXT is(bad, 0::bigint, c || ': an array');
	EXECUTE 'SELECT count(*) FILTER (WHERE gpu_array_cumsum(b, s, true)::text IS DISTINCT FROM e[k + 1:]::text)' || query INTO bad;
	RETURN NEXT is(bad, 0::bigint, c || ': an array, exclusive');
	EXECUTE 'SELECT count(*) FILTER (WHERE ARRAY(SELECT gpu_cumsum(b, s))::text IS DISTINCT FROM t[k + 1:]::text)' || query INTO bad;
	RETURN NEXT is(bad, 0::bigint, c || ': rows');
	EXECUTE 'SELECT count(*) FILTER (WHERE ARRAY(SELECT x FROM gpu_cumsum(b, s, exclusive => true) x)::text IS DISTINCT FROM e[k + 1:]::text)' || query INTO bad;
	RETURN NEXT is(bad, 0::bigint, c || ': rows, exclusive');
END $$;
SELECT pg_temp.halves('array_remove(a, NULL)');
SELECT pg_temp.halves('a');
SELECT pg_temp.halves('(SELECT array_agg(CASE WHEN abs(x) < 1e30 AND abs(x) > 1e-30 THEN x END::real ORDER BY o) FROM unnest(a) WITH ORDINALITY u(x, o))');
SELECT is(gpu_array_cumsum('{1,2}'::real[], s), ARRAY[(s + '1')::real, (s + '1' + '2')::real], 'real totals after ' || x)
	FROM unnest('{0.1,1e-300,1e20,-1.00000001,Infinity}'::text[]) x, LATERAL (SELECT x::exactsum AS s) l;
SELECT is(gpu_array_cumsum('{NULL,1,NULL}'::float8[], start => '5'), '{5,6,6}', 'a NULL repeats the start');
SELECT is(gpu_array_cumsum('{NULL,1,NULL}'::float8[], '1'::exactsum - '1'), '{NULL,1,1}', 'but not one without inputs');
SELECT is(gpu_array_cumsum('{1,2}'::float8[], NULL::exactsum, true), '{0,1}', 'no start');
SELECT is(gpu_array_cumsum(NULL::float8[], '1'::exactsum), NULL, 'no array');
SELECT is((SELECT count(*) FROM gpu_cumsum(NULL::float8[], '1'::exactsum)), 0::bigint, 'no array, rows');
SELECT is(gpu_array_cumsum('{1}'::float8[], '1'::exactsum, NULL), NULL, 'neither exclusive nor not');
SELECT is(gpu_array_cumsum('{-0,-0}'::float8[], start => '-0')::text, '{-0,-0}', 'minus zero');
SELECT is(gpu_array_cumsum('{-0,-0}'::float8[], start => '0')::text, '{0,0}', 'zero');
SELECT is(gpu_array_cumsum('{-1e308}'::float8[], s), '{1e308}', 'a start out of range that is not seen')
	FROM (SELECT '1e308'::exactsum + '1e308' AS s) q;
SELECT throws_ok(format('SELECT %s', call), '22003', NULL, 'a start out of range: ' || call) FROM unnest(ARRAY[
	'gpu_array_cumsum(ARRAY[-1e308]::float8[], ''1e308''::exactsum + ''1e308'', true)',
	'gpu_array_cumsum(ARRAY[NULL]::float8[], ''1e308''::exactsum + ''1e308'')',
	'gpu_cumsum(ARRAY[-1e308]::float8[], ''1e308''::exactsum + ''1e308'', true)']) call;

-- Exact sums of rows in a window.
SELECT is(count(*) FILTER (WHERE t IS DISTINCT FROM m), 0::bigint, 'totals of exact sums')
	FROM (SELECT gpu_cumsum(s) OVER w AS t, gpu_merge(s) OVER w AS m FROM parts WINDOW w AS (PARTITION BY g ORDER BY i)) q;
SELECT is(count(*) FILTER (WHERE t IS DISTINCT FROM coalesce(m, '1'::exactsum - '1')), 0::bigint, 'exclusive ones')
	FROM (SELECT gpu_cumsum(s, exclusive => true) OVER w AS t,
			gpu_merge(s) OVER (w ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS m
		FROM parts WINDOW w AS (PARTITION BY g ORDER BY i)) q;
SELECT is(array_agg(t::float8 ORDER BY i), '{NULL,1,1,3}', 'NULLs')
	FROM (SELECT i, gpu_cumsum(s) OVER (ORDER BY i) AS t FROM (VALUES (1, NULL::exactsum), (2, '1'), (3, NULL), (4, '2')) v(i, s)) q;
SELECT is(array_agg(t ORDER BY i), array_agg(m ORDER BY i), 'a value without inputs is a sum, and no NULL')
	FROM (SELECT i, gpu_cumsum(s) OVER w AS t, gpu_merge(s) OVER w AS m
		FROM (VALUES (1, NULL::exactsum), (2, '1'::exactsum - '1'), (3, NULL), (4, '2')) v(i, s) WINDOW w AS (ORDER BY i)) q;
-- Shards: where each begins, and totals that go on.
SELECT is(array_agg(t ORDER BY g, o), (SELECT array_agg(t) FROM
		(SELECT gpu_cumsum(x) AS t FROM (SELECT array_agg(x ORDER BY g, o) AS x FROM arrays, unnest(a) WITH ORDINALITY u(x, o)) w) v),
	'totals over shards')
	FROM (SELECT g, a, gpu_cumsum(gpu_array_state(a), true) OVER (ORDER BY g) AS start FROM arrays) s,
		LATERAL gpu_cumsum(a, start) WITH ORDINALITY u(t, o);

SELECT * FROM finish();
ROLLBACK;
