-- Every form in which an array can reach gpu_sum and gpu_array_sum.
\set ECHO none
\set QUIET on
BEGIN;
SELECT plan(145);

-- All forms of one type; e is an element that the type's text form takes.
CREATE FUNCTION pg_temp.forms(t text, result text) RETURNS SETOF text
LANGUAGE plpgsql AS $$
DECLARE
	got text;
	form record;
BEGIN
	FOR form IN SELECT * FROM (VALUES
		('NULL', 'NULL', NULL),
		('empty', '''{}''', NULL),
		('one element', '''{7}''', '7'),
		('some', '''{1,2,3}''', '6'),
		('NULL elements', '''{NULL,1,NULL,NULL,NULL,NULL,NULL,NULL,NULL,2,3,NULL}''', '6'),
		('only NULL elements', '''{NULL,NULL}''', NULL),
		('two dimensions', '''{{1,2},{3,4}}''', '10'),
		('three dimensions with NULL', '''{{{1,NULL}},{{3,4}}}''', '8'),
		('other lower bounds', '''[-3:-1][5:6]={{1,2},{3,4},{5,6}}''', '21'),
		('six dimensions', '''{{{{{{1,2}}}}}}''', '3'),
		('a slice', '(''{1,2,3,4,5}''::' || t || '[])[2:4]', '9'),
		('a concatenation', '''{1,2}''::' || t || '[] || ''{3}''::' || t || '[]', '6')
	) AS v(name, expression, expected)
	LOOP
		EXECUTE format('SELECT gpu_array_sum((%s)::%s[])', form.expression, t) INTO got;
		RETURN NEXT is(got, form.expected, t || '[]: ' || form.name);
		EXECUTE format('SELECT gpu_sum((%s)::%s[])', form.expression, t) INTO got;
		RETURN NEXT is(got, form.expected, t || '[] aggregated: ' || form.name);
	END LOOP;
END $$;
SELECT pg_temp.forms('smallint', 'bigint');
SELECT pg_temp.forms('bigint', 'numeric');
SELECT pg_temp.forms('float8', 'float8');

-- Stored forms.  pg_column_size and pg_column_compression show that an array
-- is really stored as the name says.
CREATE TABLE stored (name text, a float8[]);
INSERT INTO stored VALUES ('short', ARRAY[1, 2, 3]),
	('short, NULLs, two dimensions', '{{1,NULL,2},{NULL,3,NULL}}');
INSERT INTO stored SELECT 'compressed in the row', array_fill(0.5::float8, ARRAY[1000]);
ALTER TABLE stored ALTER a SET STORAGE EXTERNAL;
INSERT INTO stored SELECT 'out of line', array_agg(x / 8.0) FROM generate_series(1, 10000) x;
INSERT INTO stored SELECT 'out of line with NULLs',
	array_agg(CASE WHEN x % 3 > 0 THEN x / 8.0 END) FROM generate_series(1, 10000) x;
ALTER TABLE stored ALTER a SET STORAGE EXTENDED;
INSERT INTO stored SELECT 'compressed out of line',
	array_agg(x % 100 / 8.0) FROM generate_series(1, 100000) x;
ALTER TABLE stored ALTER a SET STORAGE PLAIN;
INSERT INTO stored SELECT 'plain', array_agg(x / 8.0) FROM generate_series(1, 500) x;

SELECT cmp_ok(pg_column_size(a), '<', 127, name || ': its header is short')
	FROM stored WHERE name LIKE 'short%';
SELECT ok(pg_column_compression(a) IS NOT NULL AND pg_column_size(a) < 2000,
	name || ': it is') FROM stored WHERE name = 'compressed in the row';
SELECT ok(pg_column_compression(a) IS NULL AND pg_column_size(a) > 20000,
	name || ': it is') FROM stored WHERE name LIKE 'out of line%';
-- (what is larger than 2 kB does not stay in the row; lz4, the default of 19, has 3.5 kB)
SELECT ok(pg_column_compression(a) IS NOT NULL AND pg_column_size(a) > 2100,
	name || ': it is') FROM stored WHERE name = 'compressed out of line';
SELECT is(pg_column_size(a), 4024, name || ': it is')
	FROM stored WHERE name = 'plain';
SELECT is(gpu_array_sum(a), (SELECT sum(x) FROM unnest(a) x), name) FROM stored;
SELECT is((SELECT gpu_sum(a) FROM stored),
	(SELECT sum(x) FROM stored, unnest(a) x), 'all of them aggregated');

-- The same in every type, without and with NULLs, inline and out of line.
CREATE TABLE typed AS SELECT n,
		array_agg(x::smallint) a2, array_agg(x) a4, array_agg(x::bigint) a8,
		array_agg(x::real) f4, array_agg(x::float8) f8
	FROM (VALUES (10), (100), (1000), (10000)) v(n),
		LATERAL (SELECT nullif(i % 1000, 5) FROM generate_series(1, n) i) s(x)
	GROUP BY n;
SELECT is(ARRAY[gpu_sum(a2), gpu_sum(a4), gpu_sum(a8), gpu_sum(f4)::numeric,
		gpu_sum(f8)::numeric],
	array_fill((SELECT sum(x)::numeric FROM typed, unnest(a4) x), ARRAY[5]),
	'every type, stored') FROM typed;

-- Expanded arrays: variables of plpgsql, changed and unchanged, handed on as
-- they are.
CREATE FUNCTION pg_temp.expanded(n integer, with_null boolean) RETURNS SETOF text
LANGUAGE plpgsql AS $$
DECLARE
	f8 float8[] := '{}';
	f4 real[] := '{}';
	i8 bigint[] := '{}';
	i4 integer[] := '{}';
	i2 smallint[] := '{}';
	flat float8[] := '{1,2,NULL,4}';
BEGIN
	FOR i IN 1..n LOOP
		f8[i] := i; f4[i] := i; i8[i] := -i; i4[i] := -i; i2[i] := i % 100;
	END LOOP;
	IF with_null THEN
		f8[2] := NULL; f4[2] := NULL; i8[2] := NULL; i4[2] := NULL; i2[2] := NULL;
	END IF;
	RETURN NEXT is(gpu_array_sum(f8), (SELECT sum(x) FROM unnest(f8) x), format('float8 variable of %s', n));
	RETURN NEXT is(gpu_array_sum(f4), (SELECT sum(x) FROM unnest(f4) x), format('real variable of %s', n));
	RETURN NEXT is(gpu_array_sum(i8), (SELECT sum(x) FROM unnest(i8) x), format('bigint variable of %s', n));
	RETURN NEXT is(gpu_array_sum(i4), (SELECT sum(x) FROM unnest(i4) x), format('integer variable of %s', n));
	RETURN NEXT is(gpu_array_sum(i2), (SELECT sum(x) FROM unnest(i2) x), format('smallint variable of %s', n));
	RETURN NEXT is(gpu_array_sum(flat), 7::float8, 'unchanged variable');
	flat[3] := 3;
	RETURN NEXT is(gpu_array_sum(flat), 10::float8, 'variable after a change');
END $$;
SELECT pg_temp.expanded(3, true);
SELECT pg_temp.expanded(1025, true);

-- A plan may make a constant of such an argument, and then it is flat.  Simple
-- expressions of plpgsql have no plan of that kind, and the results of its
-- functions stay expanded, too.  Each type, without NULLs and with; e is added
-- to each element, and NULL is every so-many-th one.
CREATE FUNCTION pg_temp.filled_by(t text, e numeric, result text) RETURNS text LANGUAGE sql AS $$
	SELECT format($body$
DECLARE
	a %s[] := '{}';
BEGIN
	FOR i IN 1..n LOOP
		a[i] := i %% 100 + %s;
		IF i %% every = 0 THEN a[i] := NULL; END IF;
	END LOOP;
	RETURN %s;
END $body$, t, e, result) $$;
CREATE FUNCTION pg_temp.expanded_of(t text, e numeric) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
	call text;
	got text[];
	flat text[];
BEGIN
	EXECUTE format('CREATE FUNCTION pg_temp.filled(n int, every int) RETURNS %s[] LANGUAGE plpgsql AS %L',
		t, pg_temp.filled_by(t, e, 'a'));
	FOREACH call IN ARRAY '{gpu_array_sum(a),gpu_array_count(a),gpu_array_cumsum(a),"gpu_array_cumsum(a, true)"}'::text[]
	LOOP
		EXECUTE format('CREATE OR REPLACE FUNCTION pg_temp.of_variable(n int, every int) RETURNS text LANGUAGE plpgsql AS %L',
			pg_temp.filled_by(t, e, call));
		EXECUTE format('SELECT array_agg(pg_temp.of_variable(n, every)), array_agg((SELECT (%s)::text
			FROM (SELECT pg_temp.filled(n, every)::text::%s[] AS a OFFSET 0) q))
			FROM (VALUES (5, 9), (5, 2), (3, 1), (2500, 9999), (2500, 7)) v(n, every)', call, t) INTO got, flat;
		RETURN NEXT is(got, flat, format('variables of %s: %s', t, call));
	END LOOP;
	FOREACH call IN ARRAY '{gpu_sum(a),gpu_count(a),sum(gpu_array_sum(a)),sum((SELECT sum(total) FROM gpu_cumsum(a) total))}'::text[]
	LOOP
		EXECUTE format('SELECT array_agg(x) FROM (
			SELECT (%1$s)::text FROM (SELECT pg_temp.filled(n, n %% 4 + 1) AS a FROM generate_series(1, 50) n OFFSET 0) q) q(x)',
			call) INTO got;
		EXECUTE format('SELECT array_agg(x) FROM (
			SELECT (%1$s)::text FROM (SELECT pg_temp.filled(n, n %% 4 + 1)::text::%2$s[] AS a FROM generate_series(1, 50) n OFFSET 0) q) q(x)',
			call, t) INTO flat;
		RETURN NEXT is(got, flat, format('results of a function of %s: %s', t, call));
	END LOOP;
	DROP FUNCTION pg_temp.filled;
END $$;
SELECT pg_temp.expanded_of('smallint', 1);
SELECT pg_temp.expanded_of('integer', 100000);
SELECT pg_temp.expanded_of('bigint', 5000000000);
SELECT pg_temp.expanded_of('real', 0.5);
SELECT pg_temp.expanded_of('float8', 0.1);

-- Types that stand for others.
CREATE DOMAIN positive AS float8 CHECK (VALUE > 0);
CREATE DOMAIN series AS float8[];
SELECT is(gpu_array_sum('{1,2}'::positive[]), 3::float8, 'array of a domain');
SELECT is(gpu_array_sum('{1,2}'::series), 3::float8, 'domain of an array');
SELECT is(gpu_array_sum('1 2 3'::int2vector::int2[]), 6::bigint, 'int2vector');

SELECT * FROM finish();
ROLLBACK;
