-- gpu_array_delta: each element minus the one before it, as x - lag(x).
\set ECHO none
\set QUIET on
BEGIN;
SELECT plan(30);

CREATE TABLE every_type AS
	SELECT n, k, i4, i4::smallint[] AS i2, i4::bigint[] AS i8, i4::real[] AS f4, (i4::float8[]) AS f8
	FROM (SELECT n, k, array_agg(CASE WHEN k > 0 AND (i * 7919 + n) % (k + 1) = 0 THEN NULL
						   ELSE (i * 104729 + n) % 1999 - 900 END ORDER BY i) AS i4
		FROM unnest(ARRAY[1, 2, 7, 4095, 4096, 4097, 9000]) n, unnest(ARRAY[0, 1, 5]) k, generate_series(1, n) i
		GROUP BY n, k) q;
CREATE TEMP TABLE columns AS SELECT unnest(ARRAY['i2', 'i4', 'i8', 'f4', 'f8']) AS c;
CREATE FUNCTION pg_temp.like_core(c text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	good bigint;
	total bigint;
BEGIN
	EXECUTE format('SELECT count(*), count(*) FILTER (WHERE gpu_array_delta(%1$I)::text = s::text AND
			pg_typeof(gpu_array_delta(%1$I)) = pg_typeof(s))
		FROM (SELECT %1$I, ARRAY(SELECT x - lag(x) OVER (ORDER BY o) FROM unnest(%1$I) WITH ORDINALITY u(x, o) ORDER BY o) AS s
			  FROM every_type) q', c) INTO total, good;
	RETURN good || ' of ' || total;
END $$;
SELECT is(pg_temp.like_core(c), '21 of 21', c || ', as x - lag(x)') FROM columns;
SELECT is(count(*), 0::bigint, 'running totals of the differences are the elements, less the first')
	FROM every_type, unnest(gpu_array_cumsum(gpu_array_delta(i8)), i8) WITH ORDINALITY u(s, x, o)
	WHERE k = 0 AND o > 1 AND s <> x - i8[1];

-- The operator's errors, and none where an element is NULL.
SELECT throws_ok(format('SELECT gpu_array_delta(%L::%s[])', a, t), '22003', message, t || ' overflows')
	FROM (VALUES ('smallint', '{-32768,32767}', 'smallint out of range'), ('smallint', '{NULL,1,-32768}', 'smallint out of range'),
		('integer', '{1,-2147483648}', 'integer out of range'), ('bigint', '{-2,9223372036854775807}', 'bigint out of range'),
		('real', '{-3e38,3e38}', 'value out of range: overflow'), ('float8', '{1e308,-1e308}', 'value out of range: overflow')) v(t, a, message);
SELECT is(gpu_array_delta(array_fill(0::smallint, ARRAY[5000]) || '{NULL,-32768,NULL,32767,-1}'::smallint[])::text,
	'{NULL' || repeat(',0', 4999) || ',NULL,NULL,NULL,NULL,-32768}', 'NULL elements do not overflow');
SELECT is(gpu_array_delta('{-32768,-1,NULL,-32768}'::smallint[])::text, '{NULL,32767,NULL,NULL}', '... the first one neither');
SELECT is(gpu_array_delta('{1,NaN,2,Infinity,Infinity,-Infinity,0,-0,0}'::float8[])::text, '{NULL,NaN,NaN,Infinity,NaN,-Infinity,Infinity,-0,0}',
	'NaN, infinities and -0');
SELECT is(gpu_array_delta('{0.1,0.3}'::float8[])::text, (ARRAY[NULL, 0.3::float8 - 0.1::float8])::text, 'rounded as the operator');
SELECT is(gpu_array_delta('[-1:0][5:6]={{1,2},{NULL,4}}'::integer[])::text, '[-1:0][5:6]={{NULL,1},{NULL,NULL}}', 'shape');
SELECT is(gpu_array_delta('{}'::real[])::text, '{}', 'empty');
SELECT is(gpu_array_delta('{7}'::real[])::text, '{NULL}', 'one element');
SELECT is(gpu_array_delta(NULL::real[]), NULL, 'NULL gives NULL');

-- Parts: as of the slice.
CREATE FUNCTION pg_temp.parts(c text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	good bigint;
	total bigint;
BEGIN
	EXECUTE format('SELECT count(*), count(*) FILTER (WHERE gpu_array_delta(%1$I, i, j)::text IS NOT DISTINCT FROM gpu_array_delta(%1$I[i:j])::text)
		FROM (VALUES (''{1,NULL,3,2,5,0}''::float8[]), (''[-2:1]={4,1,NULL,7}''), (''{}''), (''{{1,2},{NULL,NULL},{5,1}}''),
			(''[3:4][0:1]={{1,2},{3,NULL}}''), (NULL)) v(f8),
		LATERAL (SELECT f8::smallint[] AS i2, f8::int[] AS i4, f8::bigint[] AS i8, f8::real[] AS f4) w,
		generate_series(-4, 8) i, generate_series(-4, 8) j', c) INTO total, good;
	RETURN good || ' of ' || total;
END $$;
SELECT is(pg_temp.parts(c), '1014 of 1014', 'parts: ' || c) FROM columns;

-- Stored, compressed and expanded arrays.
CREATE TABLE stored (form text, a float8[]);
INSERT INTO stored SELECT 'compressed', array_fill(0.5::float8, ARRAY[9000]);
ALTER TABLE stored ALTER a SET STORAGE EXTERNAL;
INSERT INTO stored SELECT 'out of line', array_agg(x::float8 * x / 8.0 ORDER BY x) FROM generate_series(1, 50000) x;
INSERT INTO stored SELECT 'out of line, NULLs', array_agg(nullif(x % 100, 5) ORDER BY x) FROM generate_series(1, 50000) x;
SELECT is(count(*) FILTER (WHERE d IS DISTINCT FROM w), 0::bigint, form)
	FROM (SELECT form, d, x - lag(x) OVER (PARTITION BY form ORDER BY o) AS w
		  FROM stored, unnest(gpu_array_delta(a), a) WITH ORDINALITY u(d, x, o)) q
	GROUP BY form ORDER BY form;
SELECT is(count(*) FILTER (WHERE gpu_array_delta(a, 333, 40000)::text <> gpu_array_delta(a[333:40000])::text), 0::bigint, 'parts of them') FROM stored;
CREATE FUNCTION pg_temp.expanded() RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	a int[] := '{}';
BEGIN
	FOR i IN 1..5 LOOP a[i] := i * i; END LOOP;
	a[2] := NULL;
	RETURN gpu_array_delta(a)::text || gpu_array_delta(a, 3, 4)::text;
END $$;
SELECT is(pg_temp.expanded(), '{NULL,NULL,NULL,7,9}{NULL,7}', 'variable of plpgsql');
SELECT * FROM finish();
ROLLBACK;
