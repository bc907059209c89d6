-- gpu_sum and gpu_array_sum: types, values, and the rules for floats.
\set ECHO none
\set QUIET on
BEGIN;
SELECT plan(76);

-- Every form has the result type of SUM.
SELECT is(pg_typeof(gpu_sum(x::smallint))::text, pg_typeof(sum(x::smallint))::text,
	'type of gpu_sum(smallint)') FROM generate_series(1, 2) x;
SELECT is(pg_typeof(gpu_sum(x::integer))::text, pg_typeof(sum(x::integer))::text,
	'type of gpu_sum(integer)') FROM generate_series(1, 2) x;
SELECT is(pg_typeof(gpu_sum(x::bigint))::text, pg_typeof(sum(x::bigint))::text,
	'type of gpu_sum(bigint)') FROM generate_series(1, 2) x;
SELECT is(pg_typeof(gpu_sum(x::real))::text, pg_typeof(sum(x::real))::text,
	'type of gpu_sum(real)') FROM generate_series(1, 2) x;
SELECT is(pg_typeof(gpu_sum(x::double precision))::text,
	pg_typeof(sum(x::double precision))::text,
	'type of gpu_sum(double precision)') FROM generate_series(1, 2) x;

-- Integers: the answer of SUM, over extremes and NULLs.
CREATE TEMP TABLE ints AS
	SELECT i, (i * 7919 % 65536 - 32768)::smallint AS a2,
		   ((i::bigint * 2654435761) % 4294967296 - 2147483648)::integer AS a4,
		   CASE i % 3 WHEN 0 THEN 9223372036854775807
					  WHEN 1 THEN -9223372036854775808 + i ELSE i END AS a8,
		   i % 100 AS g
	FROM generate_series(1, 5000) i;
UPDATE ints SET a2 = NULL, a4 = NULL, a8 = NULL WHERE i % 17 = 0;

SELECT is(gpu_sum(a2), sum(a2), 'smallint as SUM') FROM ints;
SELECT is(gpu_sum(a4), sum(a4), 'integer as SUM') FROM ints;
SELECT is(gpu_sum(a8), sum(a8), 'bigint as SUM') FROM ints;
SELECT is(gpu_sum(arr), sum(s)::bigint, 'smallint[] as SUM') FROM
	(SELECT array_agg(a2) AS arr, sum(a2) AS s FROM ints GROUP BY g) q;
SELECT is(gpu_sum(arr), sum(s)::bigint, 'integer[] as SUM') FROM
	(SELECT array_agg(a4) AS arr, sum(a4) AS s FROM ints GROUP BY g) q;
SELECT is(gpu_sum(arr), sum(s), 'bigint[] as SUM') FROM
	(SELECT array_agg(a8) AS arr, sum(a8) AS s FROM ints GROUP BY g) q;
SELECT is(gpu_array_sum(array_agg(a2)), sum(a2), 'one smallint[] as SUM') FROM ints;
SELECT is(gpu_array_sum(array_agg(a4)), sum(a4), 'one integer[] as SUM') FROM ints;
SELECT is(gpu_array_sum(array_agg(a8)), sum(a8), 'one bigint[] as SUM') FROM ints;
SELECT is(gpu_array_sum(ARRAY[9223372036854775807, 9223372036854775807]),
	18446744073709551614::numeric, 'bigint totals go beyond 64 bits');
SELECT is(gpu_array_sum(ARRAY[-9223372036854775808, -9223372036854775808]::bigint[]),
	-18446744073709551616::numeric, '... in both directions');
SELECT is(gpu_sum(a), 9223372036854775807::bigint * 1000::numeric,
	'... through the aggregate')
	FROM (SELECT 9223372036854775807 AS a FROM generate_series(1, 1000)) q;
SELECT is(gpu_sum(x), 0::bigint, 'an intermediate total does not overflow')
	FROM unnest(ARRAY[2147483647, -2147483647]) x;

-- Floats that SUM adds exactly: small integers and their halves.
SELECT is(gpu_sum(x / 2.0::float8), sum(x / 2.0::float8), 'double precision as SUM, where SUM is exact')
	FROM generate_series(1, 1000) x;
SELECT is(gpu_sum((x / 4.0)::real), sum((x / 4.0)::real), 'real as SUM, where SUM is exact')
	FROM generate_series(1, 1000) x;

-- The contract for floats, each case as an array, as an array of real, and as
-- a column in two orders.
CREATE TEMP TABLE cases (name text, input float8[], expected float8);
INSERT INTO cases VALUES
	('cancellation', '{1e16, 1, -1e16}', 1),
	('no intermediate overflow', '{1e38, 3e38, -3e38}', 1e38),
	('NaN', '{1, NaN, 2}', 'NaN'),
	('infinity', '{1, Infinity, 2}', 'Infinity'),
	('minus infinity', '{-Infinity, 1}', '-Infinity'),
	('infinities of both signs', '{Infinity, 1, -Infinity}', 'NaN'),
	('infinity hides overflow', '{-Infinity, 3e38, 3e38}', '-Infinity'),
	('NaN beside infinity', '{Infinity, NaN}', 'NaN'),
	('minus zero alone', '{-0, -0}', '-0'),
	('minus zero and zero', '{-0, 0}', '0'),
	('x - x', '{1.5, -1.5}', '0'),
	('one element', '{0.25}', 0.25);
SELECT is(gpu_array_sum(input)::text, expected::text, name) FROM cases;
SELECT is(gpu_array_sum(input::real[])::text, expected::real::text,
	name || ', real') FROM cases;
SELECT is((SELECT gpu_sum(x)::text FROM unnest(input) x), expected::text,
	name || ', column') FROM cases;
SELECT is((SELECT gpu_sum(x ORDER BY x DESC)::text FROM unnest(input) x),
	expected::text, name || ', ordered') FROM cases;
SELECT is(gpu_array_sum('{1e308, 1e308, -1e308}'::float8[]), 1e308::float8,
	'no intermediate overflow of double precision');
SELECT is(gpu_array_sum('{4.9e-324, 4.9e-324, -1.5e-323}'::float8[]), '-4.9e-324',
	'subnormals');
SELECT is(gpu_array_sum('{1, 1.1102230246251565e-16}'::float8[]), 1::float8,
	'a tie is rounded to even');
SELECT is(gpu_array_sum('{1, 1.1102230246251565e-16, 4.9e-324}'::float8[]),
	1.0000000000000002::float8, 'the smallest bit above a tie decides');
SELECT is(gpu_array_sum('{16777216, 1, 2.220446e-16}'::real[]), 16777218::real,
	'real is rounded once, not by way of double precision');
SELECT is(gpu_array_sum(ARRAY[0.1, 0.2, 0.3]::float8[])::text, '0.6',
	'0.1 + 0.2 + 0.3 is the double next to the sum');
SELECT is(gpu_array_sum(array_fill(0.1::float8, ARRAY[10]))::text, '1',
	'ten times 0.1 is 1');
SELECT is(gpu_sum(a)::text, '100000', 'and a million times 0.1 is 100,000')
	FROM (SELECT array_fill(0.1::float8, ARRAY[1000]) AS a
		  FROM generate_series(1, 1000)) q;

SELECT * FROM finish();
ROLLBACK;
