-- gpu_array_bucket_sum, _avg, _min, _max and _count: as the aggregates of core,
-- grouped by position.
\set ECHO none
\set QUIET on
BEGIN;
SELECT plan(142);

-- Arrays that core adds exactly; in those with k = 9, most are NULL, in long runs.
CREATE TABLE every_type AS
	SELECT n, k, i4, i4::smallint[] AS i2, i4::bigint[] AS i8, i4::real[] AS f4, i4::float8[] AS f8
	FROM (SELECT n, k, array_agg(CASE WHEN k = 9 AND i / 10 % 10 < 8 OR k IN (1, 5) AND (i * 7919 + n) % (k + 1) = 0 THEN NULL
						   ELSE (i * 104729 + n) % 1999 - 900 END ORDER BY i) AS i4
		FROM unnest(ARRAY[1, 2, 7, 100, 1023, 1025, 5000]) n, unnest(ARRAY[0, 1, 5, 9]) k, generate_series(1, n) i
		GROUP BY n, k) q;
CREATE TEMP TABLE columns AS SELECT unnest(ARRAY['i2', 'i4', 'i8', 'f4', 'f8']) AS c;
CREATE FUNCTION pg_temp.like_core(f text, c text, width int) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	good bigint;
	total bigint;
BEGIN
	EXECUTE format('SELECT count(*), count(*) FILTER (WHERE gpu_array_bucket_%1$s(%2$I, %3$s)::text = s::text AND
			pg_typeof(gpu_array_bucket_%1$s(%2$I, %3$s)) = pg_typeof(s))
		FROM (SELECT %2$I, ARRAY(SELECT %1$s(x) FROM unnest(%2$I) WITH ORDINALITY u(x, o)
				GROUP BY (o - 1) / %3$s ORDER BY (o - 1) / %3$s) AS s
			  FROM every_type) q', f, c, width) INTO total, good;
	RETURN good || ' of ' || total;
END $$;
SELECT is(pg_temp.like_core(f, c, width), '28 of 28', format('%s of %s, %s wide', f, c, width))
	FROM columns, unnest(ARRAY['sum', 'avg', 'min', 'max', 'count']) f, unnest(ARRAY[1, 7, 1000, 2147483647]) width;

-- Laws: exact sums of the buckets add up to that of the array.
CREATE TABLE wild AS
	SELECT s, array_agg(CASE WHEN i % 37 = 0 THEN NULL
		ELSE (CASE WHEN i % 2 = 0 THEN -1 ELSE 1 END) * (1 + i / 4096.0::float8) *
			 power(2::float8, i * 7919 % s - s / 2) END ORDER BY i) AS a
	FROM unnest(ARRAY[1, 30, 100, 180, 1900]) s, generate_series(1, 700) i GROUP BY s;
SELECT is(count(*) FILTER (WHERE t::text IS DISTINCT FROM gpu_array_sum(a[(o - 1) * w + 1:o * w])::text OR
		m IS DISTINCT FROM gpu_avg(gpu_array_state(a[(o - 1) * w + 1:o * w])) OR
		n IS DISTINCT FROM gpu_array_count(a[(o - 1) * w + 1:o * w])), 0::bigint,
	format('sums, means and counts of parts, exponents over %s', s))
	FROM wild, unnest(ARRAY[1, 3, 50, 699]) w,
		LATERAL unnest(gpu_array_bucket_sum(a, w), gpu_array_bucket_avg(a, w), gpu_array_bucket_count(a, w)) WITH ORDINALITY u(t, m, n, o)
	GROUP BY s ORDER BY s;
SELECT is(count(*) FILTER (WHERE t IS DISTINCT FROM s::float8 OR m IS DISTINCT FROM (s * 1e50 / c * 1e-50)::float8), 0::bigint,
	format('as numeric, rounded once, %s wide', w))
	FROM unnest(ARRAY[2, 7, 365]) w, LATERAL (SELECT array_agg((i * 7919 % 100003 - 50000)::float8 * 10::float8 ^ (i % 11) ORDER BY i) AS a
		FROM generate_series(1, 3000) i) q,
		LATERAL (SELECT (o - 1) / w AS k, sum(x) AS s, count(x) AS c FROM unnest(a::numeric[]) WITH ORDINALITY u(x, o) GROUP BY 1) r,
		LATERAL (SELECT (gpu_array_bucket_sum(a, w))[k + 1] AS t, (gpu_array_bucket_avg(a, w))[k + 1] AS m) b
	GROUP BY w ORDER BY w;
SELECT is(count(*), 0::bigint, 'sums of buckets add up to the sum, counts to the count')
	FROM every_type, unnest(ARRAY[1, 3, 100, 5000]) w
	WHERE gpu_array_sum(gpu_array_bucket_sum(f8, w)) IS DISTINCT FROM gpu_array_sum(f8)
		OR gpu_array_sum(gpu_array_bucket_sum(i4, w)) IS DISTINCT FROM gpu_array_sum(i4)
		OR gpu_array_sum(gpu_array_bucket_count(i2, w)) IS DISTINCT FROM gpu_array_count(i2);

-- The contract for floats, and shapes.
SELECT is(is_::text, must, name) FROM (VALUES
	('cancellation', gpu_array_bucket_sum('{1e16,1,-1e16,1e308,1e308,-1e308}'::float8[], 3), '{1,1e+308}'),
	('NaN and infinities', gpu_array_bucket_sum('{1,NaN,Infinity,1,Infinity,-Infinity,-Infinity}'::float8[], 2), '{NaN,Infinity,NaN,-Infinity}'),
	('minus zeros', gpu_array_bucket_sum('{-0,-0,-0,0,NULL,-0}'::float8[], 2), '{-0,0,-0}'),
	('minus zeros of a mean', gpu_array_bucket_avg('{-0,-0,-0,0,NULL,-0}'::float8[], 2), '{-0,0,-0}'),
	('the least zero is -0', gpu_array_bucket_min('{0,-0,-0,0,0,0}'::float8[], 2), '{-0,-0,0}'),
	('the greatest zero is 0', gpu_array_bucket_max('{0,-0,-0,0,-0,-0}'::float8[], 2), '{0,0,-0}'),
	('NaN is the greatest', gpu_array_bucket_max('{NaN,1,Infinity,NaN,-Infinity,NULL}'::float8[], 2), '{NaN,NaN,-Infinity}'),
	('... and the least if alone', gpu_array_bucket_min('{NaN,1,Infinity,NaN,NaN,NULL}'::float8[], 2), '{1,Infinity,NaN}'),
	('only NULL', gpu_array_bucket_sum('{NULL,NULL,NULL}'::float8[], 2), '{NULL,NULL}'),
	('the mean is in range where the sum is not', gpu_array_bucket_avg('{1e308,1e308}'::float8[], 2), '{1e+308}'),
	('storage order, one dimension, lower bound 1', gpu_array_bucket_sum('[-1:0][5:7]={{1,2,NULL},{3,4,5}}'::float8[], 2), '{3,3,9}'),
	('empty', gpu_array_bucket_sum('{}'::float8[], 3), '{}')) v(name, is_, must);
SELECT is(gpu_array_bucket_count('{NULL,NULL,1}'::int[], 2)::text, '{0,1}', 'a bucket of NULLs counts 0');
SELECT is(gpu_array_bucket_sum('{9223372036854775807,9223372036854775807,1}'::bigint[], 2)::text, '{18446744073709551614,1}',
	'totals of bigint go beyond 64 bits');
SELECT is(gpu_array_bucket_sum(NULL::int[], 1), NULL, 'NULL gives NULL');

-- Errors.
SELECT throws_ok(format('SELECT gpu_array_bucket_%s(%L::int[], %s)', f, '{1}', w), '22023', 'width of buckets must be greater than zero')
	FROM unnest(ARRAY['sum', 'avg', 'min', 'max', 'count']) f, unnest(ARRAY[0, -1]) w WHERE w = 0 OR f = 'sum';
SELECT throws_ok($$SELECT gpu_array_bucket_sum('{1, 1e308, 1e308}'::float8[], 3)$$, '22003');
SELECT throws_ok($$SELECT gpu_array_bucket_sum('{3e38, 3e38}'::real[], 2)$$, '22003');

-- Parts: as of the slice.
CREATE FUNCTION pg_temp.parts(f text, c text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	good bigint;
	total bigint;
BEGIN
	EXECUTE format('SELECT count(*), count(*) FILTER (WHERE gpu_array_bucket_%1$s(%2$I, 2, i, j)::text IS NOT DISTINCT FROM gpu_array_bucket_%1$s(%2$I[i:j], 2)::text)
		FROM (VALUES (''{1,NULL,3,2,5,0}''::float8[]), (''[-2:1]={4,1,NULL,7}''), (''{}''), (''{{1,2,7},{NULL,NULL,NULL},{5,1,0}}''),
			(''[3:4][0:1]={{1,2},{3,NULL}}''), (NULL)) v(f8),
		LATERAL (SELECT f8::smallint[] AS i2, f8::int[] AS i4, f8::bigint[] AS i8, f8::real[] AS f4) w,
		generate_series(-4, 8) i, generate_series(-4, 8) j', f, c) INTO total, good;
	RETURN good || ' of ' || total;
END $$;
SELECT is(string_agg(DISTINCT pg_temp.parts(f, c), ', '), '1014 of 1014', 'parts: ' || f)
	FROM columns, unnest(ARRAY['sum', 'avg', 'min', 'max', 'count']) f GROUP BY f;

-- Stored, compressed and expanded arrays, and parts of them.
CREATE TABLE stored (form text, a float8[]);
INSERT INTO stored SELECT 'compressed', array_fill(0.5::float8, ARRAY[9000]);
ALTER TABLE stored ALTER a SET STORAGE EXTERNAL;
INSERT INTO stored SELECT 'out of line', array_agg(x / 8.0 ORDER BY x) FROM generate_series(1, 100000) x;
INSERT INTO stored SELECT 'out of line, NULLs', array_agg(nullif(x % 1000, 5) / 8.0 ORDER BY x) FROM generate_series(1, 100000) x;
SELECT is(count(*) FILTER (WHERE t IS DISTINCT FROM s OR m IS DISTINCT FROM h), 0::bigint, form)
	FROM (SELECT form, (o - 1) / 777 AS k, sum(x) AS s, max(x) AS h FROM stored, unnest(a) WITH ORDINALITY u(x, o) GROUP BY 1, 2) q
	FULL JOIN (SELECT form, o - 1 AS k, t, m FROM stored, unnest(gpu_array_bucket_sum(a, 777), gpu_array_bucket_max(a, 777)) WITH ORDINALITY u(t, m, o)) r
	USING (form, k) GROUP BY form ORDER BY form;
SELECT is(count(*) FILTER (WHERE gpu_array_bucket_avg(a, 24, 333, 40000)::text <> gpu_array_bucket_avg(a[333:40000], 24)::text
	OR gpu_array_bucket_min(a, 40000, 333, 90000)::text <> gpu_array_bucket_min(a[333:90000], 40000)::text), 0::bigint, 'parts of them') FROM stored;
CREATE FUNCTION pg_temp.expanded() RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	a int[] := '{}';
BEGIN
	FOR i IN 1..1300 LOOP a[i] := i; END LOOP;
	a[2] := NULL;
	RETURN gpu_array_bucket_sum(a, 1000)::text || gpu_array_bucket_min(a, 2, 2, 5)::text || gpu_array_bucket_count(a, 650)::text;
END $$;
SELECT is(pg_temp.expanded(), '{500498,345150}{3,4}{649,650}', 'variable of plpgsql');
SELECT * FROM finish();
ROLLBACK;
