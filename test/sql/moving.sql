-- gpu_array_moving_sum, _avg, _min, _max, gpu_array_cummax and gpu_array_cummin:
-- as the aggregates over a window of unnest().
\set ECHO none
\set QUIET on
BEGIN;
SELECT plan(197);

-- Arrays that core adds exactly: with and without NULLs, of lengths around the
-- sizes of tiles and batches.  In those with k = 9, most are NULL, in long runs.
CREATE TABLE series AS
	SELECT n, k, array_agg(CASE WHEN k = 9 AND i / 10 % 10 < 8 OR k IN (1, 5) AND (i * 7919 + n) % (k + 1) = 0 THEN NULL
						   ELSE (i * 104729 + n) % 1999 - 900 END ORDER BY i) AS i4
	FROM unnest(ARRAY[1, 2, 7, 100, 1023, 1025, 4097]) n, unnest(ARRAY[0, 1, 5, 9]) k, generate_series(1, n) i
	GROUP BY n, k;
CREATE TABLE every_type AS
	SELECT n, k, i4, i4::smallint[] AS i2, i4::bigint[] AS i8, i4::real[] AS f4, i4::float8[] AS f8 FROM series;
CREATE TEMP TABLE columns AS SELECT unnest(ARRAY['i2', 'i4', 'i8', 'f4', 'f8']) AS c;

-- How many arrays, and how many have what the aggregate gives over the window?
CREATE FUNCTION pg_temp.like_core(f text, c text, preceding int, condition text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	good bigint;
	total bigint;
BEGIN
	EXECUTE format('SELECT count(*), count(*) FILTER (WHERE gpu_array_moving_%1$s(%2$I, %3$s)::text = s::text AND
			pg_typeof(gpu_array_moving_%1$s(%2$I, %3$s)) = pg_typeof(s))
		FROM (SELECT %2$I, ARRAY(SELECT %1$s(x) OVER (ORDER BY o ROWS %3$s PRECEDING)
				FROM unnest(%2$I) WITH ORDINALITY u(x, o) ORDER BY o) AS s
			  FROM every_type WHERE %4$s) q', f, c, preceding, condition) INTO total, good;
	RETURN good || ' of ' || total;
END $$;
SELECT is(pg_temp.like_core(f, c, preceding, 'true'), '28 of 28', format('%s of %s, %s preceding', f, c, preceding))
	FROM columns, unnest(ARRAY['sum', 'avg']) f, unnest(ARRAY[0, 1, 6, 99, 4000, 2147483647]) preceding;
SELECT is(pg_temp.like_core(f, c, preceding, 'n <= 1025'), '24 of 24', format('%s of %s, %s preceding', f, c, preceding))
	FROM columns, unnest(ARRAY['min', 'max']) f, unnest(ARRAY[0, 1, 6, 99]) preceding;
SELECT is(count(*) FILTER (WHERE long IS DISTINCT FROM greatest(short, earlier)), 0::bigint, type || ': the greatest of a long window is that of two shorter ones')
	FROM (SELECT type, long, short, lag(short, 1000) OVER (PARTITION BY k, type ORDER BY o) AS earlier
		FROM (SELECT k, 'i2' AS type, gpu_array_moving_max(i2, 1999)::int[] AS l, gpu_array_moving_max(i2, 999)::int[] AS s FROM every_type WHERE n = 4097
			UNION ALL SELECT k, 'f8', gpu_array_moving_max(f8, 1999)::int[], gpu_array_moving_max(f8, 999)::int[] FROM every_type WHERE n = 4097) t,
			unnest(l, s) WITH ORDINALITY u(long, short, o)) q
	GROUP BY type ORDER BY type;
SELECT is(count(*), 112::bigint, 'windows that never move are the running totals and extremes')
	FROM every_type, LATERAL (VALUES
		(gpu_array_moving_sum(i2, n)::text, gpu_array_cumsum(i2)::text), (gpu_array_moving_sum(i8, 2147483647)::text, gpu_array_cumsum(i8)::text),
		(gpu_array_moving_max(f4, n)::text, gpu_array_cummax(f4)::text), (gpu_array_moving_min(i2, n)::text, gpu_array_cummin(i2)::text)) v(is_, must)
	WHERE is_ IS NOT DISTINCT FROM must;
SELECT is(count(*), 112::bigint, 'the last running extreme is that of the array')
	FROM every_type, LATERAL (VALUES
		((gpu_array_cummax(i2))[n]::text, (SELECT max(x) FROM unnest(i2) x)::text), ((gpu_array_cummin(i8))[n]::text, (SELECT min(x) FROM unnest(i8) x)::text),
		((gpu_array_cummax(f4))[n]::text, (SELECT max(x) FROM unnest(f4) x)::text), ((gpu_array_cummin(f8))[n]::text, (SELECT min(x) FROM unnest(f8) x)::text)) v(is_, must)
	WHERE is_ IS NOT DISTINCT FROM must;

-- Floats that only an exact sum adds: each window against the sum of its
-- elements, and against the difference of exact prefixes.
CREATE TABLE wild AS
	SELECT s, array_agg(CASE WHEN i % 37 = 0 THEN NULL
		ELSE (CASE WHEN i % 2 = 0 THEN -1 ELSE 1 END) * (1 + i / 4096.0::float8) *
			 power(2::float8, i * 7919 % s - s / 2) END ORDER BY i) AS a
	FROM unnest(ARRAY[1, 30, 100, 180, 1900]) s, generate_series(1, 700) i GROUP BY s;
SELECT is(count(*) FILTER (WHERE t::text IS DISTINCT FROM gpu_array_sum(a[greatest(o - p, 1):o])::text OR
		m IS DISTINCT FROM gpu_avg(gpu_array_state(a[greatest(o - p, 1):o]))), 0::bigint,
	format('every sum and mean is the exact one, exponents over %s, %s preceding', s, p))
	FROM wild, unnest(ARRAY[2, 30, 300]) p,
		LATERAL unnest(gpu_array_moving_sum(a, p), gpu_array_moving_avg(a, p)) WITH ORDINALITY u(t, m, o)
	GROUP BY s, p ORDER BY s, p;
SELECT is(count(*) FILTER (WHERE t::text IS DISTINCT FROM gpu_array_sum(a[greatest(o - p, 1):o])::text OR
		m IS DISTINCT FROM gpu_avg(gpu_array_state(a[greatest(o - p, 1):o]))), 0::bigint,
	format('... of real, exponents over %s, %s preceding', s, p))
	FROM (SELECT s, a::real[] AS a FROM wild WHERE s <= 180) w, unnest(ARRAY[2, 300]) p,
		LATERAL unnest(gpu_array_moving_sum(a, p), gpu_array_moving_avg(a, p)) WITH ORDINALITY u(t, m, o)
	GROUP BY s, p ORDER BY s, p;
SELECT is(count(*) FILTER (WHERE t IS DISTINCT FROM (gpu_array_state(a[:o]) - gpu_array_state(a[:o - 9]))::float8), 0::bigint,
	'moving sums are differences of exact prefixes, exponents over ' || s)
	FROM wild, unnest(gpu_array_moving_sum(a, 8)) WITH ORDINALITY u(t, o) WHERE o > 9 GROUP BY s ORDER BY s;
-- numeric has every digit of these; its result is rounded once by the cast.
SELECT is(count(*) FILTER (WHERE t IS DISTINCT FROM s::float8 OR m IS DISTINCT FROM (s * 1e50 / c * 1e-50)::float8), 0::bigint,
	format('as numeric, rounded once, %s preceding', p))
	FROM unnest(ARRAY[1, 6, 52]) p, LATERAL (SELECT array_agg((i * 7919 % 100003 - 50000)::float8 * 10::float8 ^ (i % 11)) AS a
		FROM generate_series(1, 3000) i) q,
		LATERAL (SELECT t, m, sum(x) OVER w AS s, count(x) OVER w AS c
			FROM unnest(a::numeric[], gpu_array_moving_sum(a, p), gpu_array_moving_avg(a, p)) WITH ORDINALITY u(x, t, m, o)
			WINDOW w AS (ORDER BY o ROWS BETWEEN p PRECEDING AND CURRENT ROW)) r
	GROUP BY p ORDER BY p;

-- What enters a window leaves it again.
SELECT is(pg_temp.like_core, '1 of 1', name) FROM (
	SELECT f || ' with NaN and infinities' AS name, (SELECT (gpu)::text = (core)::text)::int || ' of 1' AS like_core
	FROM (SELECT '{1,NaN,2,3,Infinity,4,-Infinity,5,6,NULL,NULL,-Infinity,Infinity,NaN,7,8,9}'::float8[] AS a) s, LATERAL (VALUES
		('sum', gpu_array_moving_sum(a, 1), ARRAY(SELECT sum(x) OVER w FROM unnest(a) WITH ORDINALITY u(x, o) WINDOW w AS (ORDER BY o ROWS 1 PRECEDING))),
		('avg', gpu_array_moving_avg(a, 1), ARRAY(SELECT avg(x) OVER w FROM unnest(a) WITH ORDINALITY u(x, o) WINDOW w AS (ORDER BY o ROWS 1 PRECEDING))),
		('min', gpu_array_moving_min(a, 1), ARRAY(SELECT min(x) OVER w FROM unnest(a) WITH ORDINALITY u(x, o) WINDOW w AS (ORDER BY o ROWS 1 PRECEDING))),
		('max', gpu_array_moving_max(a, 2), ARRAY(SELECT max(x) OVER w FROM unnest(a) WITH ORDINALITY u(x, o) WINDOW w AS (ORDER BY o ROWS 2 PRECEDING)))
		) v(f, gpu, core)) pg_temp;
SELECT is(is_::text, must, name) FROM (VALUES
	('a large element leaves nothing behind', gpu_array_moving_sum('{0.1,1e300,0.2,0.3}'::float8[], 1), '{0.1,1e+300,1e+300,0.5}'),
	('minus zeros', gpu_array_moving_sum('{-0,-0,0,-0,-0,1,-1,-0,NULL,-0}'::float8[], 1), '{-0,-0,0,0,-0,1,0,-1,-0,-0}'),
	('minus zeros of a mean', gpu_array_moving_avg('{-0,-0,0,-0,NULL,-0}'::float8[], 1), '{-0,-0,0,0,-0,-0}'),
	('the least zero is -0', gpu_array_moving_min('{0,-0,0,0}'::float8[], 1), '{0,-0,-0,0}'),
	('the greatest zero is 0', gpu_array_moving_max('{-0,0,-0,-0}'::float8[], 1), '{-0,0,0,-0}'),
	('NaN is the greatest', gpu_array_cummin('{NaN,Infinity,1,-Infinity}'::float8[]), '{NaN,Infinity,1,-Infinity}'),
	('... of all', gpu_array_cummax('{NULL,-Infinity,1,NaN,Infinity,NULL}'::float8[]), '{NULL,-Infinity,1,NaN,NaN,NaN}'),
	('NULL where there is nothing else', gpu_array_moving_avg('{NULL,1,NULL,NULL,3}'::float8[], 1), '{NULL,1,1,NULL,3}'),
	('only NULL', gpu_array_moving_sum('{NULL,NULL}'::float8[], 1), '{NULL,NULL}'),
	('only NULL, running', gpu_array_cummax('{NULL,NULL}'::float8[]), '{NULL,NULL}'),
	('empty', gpu_array_moving_avg('{}'::float8[], 3), '{}'),
	('the mean is in range where the sum is not', gpu_array_moving_avg('{1e308,1e308,-1e308}'::float8[], 1), '{1e+308,1e+308,0}'),
	('the mean is rounded once', gpu_array_moving_avg('{1,1,0.1}'::float8[], 2), '{1,1,0.7}'),
	('shape', gpu_array_moving_sum('[-1:0][5:6]={{1,2},{NULL,4}}'::float8[], 1), '[-1:0][5:6]={{1,3},{2,4}}')) v(name, is_, must);
SELECT is(gpu_array_moving_sum('{9223372036854775807,9223372036854775807,NULL,-1}'::bigint[], 1)::text,
	'{9223372036854775807,18446744073709551614,9223372036854775807,-1}', 'totals of bigint go beyond 64 bits');
SELECT is(gpu_array_moving_avg('[2:4]={9223372036854775807,9223372036854775806,NULL}'::bigint[], 1)::text,
	'[2:4]={9223372036854775807,9223372036854775807,9223372036854775806}', 'means of bigint, with lower bounds');
SELECT is(gpu_array_cummax('[0:1][1:2]={{1,NULL},{3,2}}'::smallint[])::text, '[0:1][1:2]={{1,1},{3,3}}', 'shape of running extremes');
SELECT is(gpu_array_moving_sum(NULL::int[], 1), NULL, 'NULL gives NULL');
SELECT is(gpu_array_moving_sum('{1}'::int[], NULL), NULL, '... each argument');

-- Errors.
SELECT throws_ok($$SELECT gpu_array_moving_$$ || f || $$('{1}'::int[], -1)$$, '22023', 'number of preceding elements must not be negative')
	FROM unnest(ARRAY['sum', 'avg', 'min', 'max']) f;
SELECT throws_ok($$SELECT gpu_array_moving_sum('{1e308, 1e308, -1e308}'::float8[], 2)$$, '22003');
SELECT throws_ok($$SELECT gpu_array_moving_sum('{3e38, 3e38}'::real[], 1)$$, '22003');
SELECT is(gpu_array_moving_sum('{1e308, 0, 1e308, 0}'::float8[], 1)::text, '{1e+308,1e+308,1e+308,1e+308}', 'only a window overflows');

-- Parts: as of the slice, with its shape.
CREATE FUNCTION pg_temp.parts(call text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	good bigint;
	total bigint;
BEGIN
	EXECUTE format('SELECT count(*), count(*) FILTER (WHERE %s IS NOT DISTINCT FROM %s) FROM (VALUES (''{1,NULL,3,2,5,-0}''::float8[]),
		(''[-2:1]={4,1,NULL,7}''), (''{}''), (''{{1,2},{NULL,NULL},{5,1}}''), (''[3:4][0:1]={{1,2},{3,NULL}}''), (NULL)) v(f8),
		LATERAL (SELECT f8::smallint[] AS i2, f8::int[] AS i4, f8::bigint[] AS i8, f8::real[] AS f4) w,
		generate_series(-4, 8) i, generate_series(-4, 8) j',
		replace(call, ')', ', i, j)::text'), regexp_replace(call, '([if][248])(.*)', '\1[i:j]\2::text')) INTO total, good;
	RETURN good || ' of ' || total;
END $$;
SELECT is(pg_temp.parts(call), '1014 of 1014', 'parts: ' || call)
	FROM columns, LATERAL (VALUES ('gpu_array_moving_sum(' || c || ', 1)'), ('gpu_array_moving_avg(' || c || ', 2)'),
		('gpu_array_moving_max(' || c || ', 1)'), ('gpu_array_cummin(' || c || ')')) v(call);
SELECT is(gpu_array_moving_sum('{1,2,3}'::int[], 1, -2147483648, 2147483647)::text, '{1,3,5}', 'parts beyond both ends');

-- Stored, compressed and expanded arrays, and parts of them.
CREATE TABLE stored (form text, a float8[], i int[]);
INSERT INTO stored SELECT 'compressed', array_fill(0.5::float8, ARRAY[9000]), array_fill(7, ARRAY[9000]);
ALTER TABLE stored ALTER a SET STORAGE EXTERNAL, ALTER i SET STORAGE EXTERNAL;
INSERT INTO stored SELECT 'out of line', array_agg(x / 8.0 ORDER BY x), array_agg(x % 1000 ORDER BY x) FROM generate_series(1, 100000) x;
INSERT INTO stored SELECT 'out of line, NULLs', array_agg(nullif(x % 1000, 5) / 8.0 ORDER BY x), array_agg(nullif(x % 1000, 5) ORDER BY x) FROM generate_series(1, 100000) x;
SELECT is(count(*) FILTER (WHERE gpu_array_moving_sum(a, p)::text <> gpu_array_moving_sum(a || '{}'::float8[], p)::text
		OR gpu_array_moving_avg(a, p, 77, 50000)::text <> gpu_array_moving_avg(a[77:50000], p)::text
		OR gpu_array_moving_max(a, p)::text <> gpu_array_moving_max(a || '{}'::float8[], p)::text
		OR gpu_array_moving_sum(i, p, 5000, 60000)::text <> gpu_array_moving_sum(i[5000:60000], p)::text
		OR gpu_array_cummin(i, 4000, 2147483647)::text <> gpu_array_cummin(i[4000:])::text), 0::bigint, form)
	FROM stored, unnest(ARRAY[0, 6, 4095, 65535, 65536, 70000, 99999]) p GROUP BY form ORDER BY form;
SELECT is(count(*) FILTER (WHERE t IS DISTINCT FROM w), 0::bigint, form || ', as core')
	FROM (SELECT form, t, sum(x) OVER (PARTITION BY form ORDER BY o ROWS 30 PRECEDING) AS w
		  FROM stored, unnest(gpu_array_moving_sum(a, 30), a) WITH ORDINALITY u(t, x, o)) q
	GROUP BY form ORDER BY form;
CREATE FUNCTION pg_temp.expanded() RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	a float8[] := '{}';
BEGIN
	FOR i IN 1..5 LOOP a[i] := i; END LOOP;
	a[2] := NULL;
	RETURN gpu_array_moving_sum(a, 1)::text || gpu_array_moving_avg(a, 1, 2, 4)::text || gpu_array_cummax(a)::text;
END $$;
SELECT is(pg_temp.expanded(), '{1,1,3,7,9}{NULL,3,3.5}{1,1,3,4,5}', 'variable of plpgsql');

-- The CPU computes, with any setting and any implementation, the same bits.
CREATE FUNCTION pg_temp.bits() RETURNS text LANGUAGE sql AS $$
	SELECT md5(string_agg(md5(gpu_array_moving_sum(a, 20)::text || gpu_array_moving_avg(a, 20)::text), '' ORDER BY s)) FROM wild $$;
SELECT pg_temp.bits() AS bits \gset
SET LOCAL gpuagg.cpu_engine = 'baseline';
SELECT is(pg_temp.bits(), :'bits', 'the narrowest implementation');
SET LOCAL gpuagg.cpu_engine = 'auto';
SET LOCAL gpuagg.engine = 'cpu';
SELECT coalesce(sum(elements), 0) AS before FROM gpuagg_session_stat WHERE engine = 'cpu' \gset
SELECT is(pg_temp.bits(), :'bits', 'gpuagg.engine = cpu');
SELECT is(sum(elements) - :before, 2 * (SELECT sum(gpu_array_count(a)) FROM wild), 'elements are counted') FROM gpuagg_session_stat WHERE engine = 'cpu';
-- A result without NULLs has no bitmap, even if the argument has one.
SELECT is(pg_column_size(gpu_array_moving_sum('{1,NULL,2}'::int[], 1)), pg_column_size('{1,1,2}'::bigint[]),
	'no bitmap without NULLs');

SELECT * FROM finish();
ROLLBACK;
