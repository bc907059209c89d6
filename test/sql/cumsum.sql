-- gpu_cumsum and gpu_array_cumsum: rows, arrays and windows of running totals.
\set ECHO none
\set QUIET on
BEGIN;
SELECT plan(111);

-- Arrays whose totals SUM() OVER adds exactly: with and without NULLs, of
-- lengths around the sizes of the CPU engine's blocks.
CREATE TABLE series AS
	SELECT n, k, array_agg(CASE WHEN k > 0 AND (i * 7919 + n) % (k + 1) = 0 THEN NULL
						   ELSE (i * 104729 + n) % 1999 - 900 END ORDER BY i) AS i4
	FROM unnest(ARRAY[1, 2, 7, 8, 9, 511, 512, 513, 1023, 1024, 1025, 3000]) n,
		 unnest(ARRAY[0, 1, 5]) k, generate_series(1, n) i
	GROUP BY n, k;
CREATE TABLE every_type AS
	SELECT n, k, i4, i4::smallint[] AS i2, i4::bigint[] AS i8, i4::real[] AS f4,
		   i4::float8[] AS f8 FROM series;

-- By type: rows, array and the rows of SUM() OVER; inclusive and exclusive.
CREATE FUNCTION pg_temp.by_type(c text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
	good bigint;
	total bigint;
	query text := replace($q$
		SELECT count(*), count(*) FILTER (WHERE
			ARRAY(SELECT gpu_cumsum(a)) IS NOT DISTINCT FROM s AND
			ARRAY(SELECT t FROM gpu_cumsum(a) WITH ORDINALITY u(t, o) ORDER BY o) IS NOT DISTINCT FROM s AND
			gpu_array_cumsum(a) IS NOT DISTINCT FROM s AND
			(gpu_array_cumsum(a))[n] IS NOT DISTINCT FROM gpu_array_sum(a) AND
			gpu_array_cumsum(a, true) IS NOT DISTINCT FROM e AND
			ARRAY(SELECT gpu_cumsum(a, exclusive => true)) IS NOT DISTINCT FROM e)
		FROM (SELECT n, %1$s AS a,
				ARRAY(SELECT sum(x) OVER (ORDER BY o) FROM unnest(%1$s) WITH ORDINALITY u(x, o) ORDER BY o) AS s,
				ARRAY(SELECT coalesce(sum(x) OVER (ORDER BY o ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0)
					  FROM unnest(%1$s) WITH ORDINALITY u(x, o) ORDER BY o) AS e
			  FROM every_type) q$q$, '%1$s', c);
BEGIN
	EXECUTE query INTO total, good;
	RETURN NEXT is(good, total, c || ': rows and arrays as SUM() OVER');
	RETURN NEXT is(total, 36::bigint, c || ': all of them');
	EXECUTE format('SELECT count(*) FILTER (WHERE w IS DISTINCT FROM s) FROM
		(SELECT gpu_cumsum(x) OVER (PARTITION BY n, k ORDER BY o) AS w,
				sum(x) OVER (PARTITION BY n, k ORDER BY o ROWS UNBOUNDED PRECEDING) AS s
		 FROM every_type, unnest(%I) WITH ORDINALITY u(x, o)) q', c) INTO good;
	RETURN NEXT is(good, 0::bigint, c || ': window as SUM() OVER');
	EXECUTE format('SELECT count(*) FROM every_type WHERE pg_typeof(gpu_array_cumsum(%1$I))::text
		<> (pg_typeof(gpu_array_sum(%1$I))::text || ''[]'')', c) INTO good;
	RETURN NEXT is(good, 0::bigint, c || ': type of SUM');
END $$;
SELECT pg_temp.by_type(c) FROM unnest(ARRAY['i2', 'i4', 'i8', 'f4', 'f8']) c;

-- Floats that only an exact sum adds, each prefix against gpu_array_sum.
CREATE TABLE wild AS
	SELECT s, array_agg(CASE WHEN i % 37 = 0 THEN NULL
		ELSE (CASE WHEN i % 2 = 0 THEN -1 ELSE 1 END) * (1 + i / 4096.0::float8) *
			 power(2::float8, i * 7919 % s - s / 2) END ORDER BY i) AS a
	FROM unnest(ARRAY[1, 30, 100, 180, 1900]) s, generate_series(1, 700) i GROUP BY s;
SELECT is(count(*) FILTER (WHERE t::text IS DISTINCT FROM gpu_array_sum(a[:o])::text), 0::bigint,
	'every prefix is the exact sum, exponents over ' || s)
	FROM wild, gpu_cumsum(a) WITH ORDINALITY u(t, o) GROUP BY s ORDER BY s;
SELECT is(count(*) FILTER (WHERE t::text IS DISTINCT FROM gpu_array_sum(a[:o])::text), 0::bigint,
	'every prefix of real is the exact sum, exponents over ' || s)
	FROM (SELECT s, a::real[] AS a FROM wild WHERE s <= 180) w,
		gpu_cumsum(a) WITH ORDINALITY u(t, o) GROUP BY s ORDER BY s;
SELECT is(count(*) FILTER (WHERE w::text IS DISTINCT FROM (gpu_array_cumsum(a))[o]::text), 0::bigint,
	'window as array')
	FROM (SELECT a, o, gpu_cumsum(x) OVER (PARTITION BY s ORDER BY o) AS w
		  FROM wild, unnest(a) WITH ORDINALITY u(x, o)) q;

-- Blocks that end with fractions not yet carried to the level above, for the
-- narrowest engine, whose groups are the longest: the totals behind them.
SET LOCAL gpuagg.cpu_engine = 'baseline';
SELECT is((gpu_array_cumsum(a))[cardinality(a)]::text, gpu_array_sum(a)::text,
	'the last total is the sum')
	FROM (SELECT ARRAY['-0', -power(2::float8, 36), -(1 - power(2::float8, -47))] ||
			array_fill(0::float8, ARRAY[1048576 - 1025]) ||
			ARRAY[0.5::float8, 0.5, 0.5 - power(2::float8, -47)] ||
			array_fill(0::float8, ARRAY[1022 - 33]) || array_fill(0.5::float8, ARRAY[30]) ||
			ARRAY[0::float8, 1] AS a) q;
SELECT is((ARRAY(SELECT gpu_cumsum(a)))[514]::text, gpu_array_sum(a)::text,
	'... as rows')
	FROM (SELECT ARRAY['-0', -(1 - power(2::float8, -47)), power(2::float8, 36), 0.5, 0.5,
			0.5 - power(2::float8, -47)] || array_fill(0::float8, ARRAY[476]) ||
			array_fill(0.5::float8, ARRAY[30]) || ARRAY[0::float8, 1] AS a) q;
SET LOCAL gpuagg.cpu_engine = 'auto';

-- The contract for floats.
CREATE TEMP TABLE cases (name text, input float8[], expected text);
INSERT INTO cases VALUES
	('cancellation', '{1e16, 1, -1e16}', '{1e+16,1e+16,1}'),
	('NaN', '{1, NaN, 2}', '{1,NaN,NaN}'),
	('infinities', '{1, Infinity, 2, -Infinity, 3}', '{1,Infinity,Infinity,NaN,NaN}'),
	('minus infinity', '{1, -Infinity, 2}', '{1,-Infinity,-Infinity}'),
	('minus zeros', '{-0, -0, 0, -0}', '{-0,-0,0,0}'),
	('minus zeros, then a value', '{-0, NULL, 1, -1, -0}', '{-0,-0,1,0,0}'),
	('NULL before the first value', '{NULL, NULL, 1, NULL, 2}', '{NULL,NULL,1,1,3}'),
	('only NULL', '{NULL, NULL}', '{NULL,NULL}'),
	('empty', '{}', '{}');
SELECT is(gpu_array_cumsum(input)::text, expected, name) FROM cases;
SELECT is(gpu_array_cumsum(input::real[])::text, expected, name || ', real') FROM cases;
SELECT is(ARRAY(SELECT gpu_cumsum(input))::text, expected, name || ', rows') FROM cases;
SELECT is(ARRAY(SELECT gpu_cumsum(x) OVER (ORDER BY o) FROM unnest(input) WITH ORDINALITY u(x, o) ORDER BY o)::text,
	expected, name || ', window') FROM cases;
SELECT is(gpu_array_cumsum('{NULL, 1, NULL, -0}'::float8[], true)::text, '{0,0,1,1}',
	'exclusive totals begin with zero and are never NULL');

-- Overflow is reported at its element, and not to a query that stops before it.
SELECT throws_ok($$SELECT gpu_array_cumsum('{1e308, -1e308, 1e308, 1e308}'::float8[])$$, '22003');
SELECT is(gpu_array_cumsum('{1e308, 1e308}'::float8[], true)::text, '{0,1e+308}',
	'exclusive: the last element does not count');
SELECT is((SELECT array_agg(t) FROM (SELECT gpu_cumsum('{1, 1e308, 1e308}'::float8[]) AS t LIMIT 2) q)::text,
	'{1,1e+308}', 'LIMIT stops before an overflow');
SELECT throws_ok($$SELECT gpu_cumsum('{1, 1e308, 1e308}'::float8[])$$, '22003');
SELECT throws_ok($$SELECT gpu_array_cumsum('{3e38, 3e38}'::real[])$$, '22003');
SELECT throws_ok($$SELECT gpu_cumsum(x) OVER (ORDER BY o) FROM unnest('{1e308, 1e308}'::float8[]) WITH ORDINALITY u(x, o)$$, '22003');
-- 19 has IGNORE NULLS, which changes nothing here, and is refused; before, it is a syntax error.
SELECT throws_ok('SELECT gpu_cumsum(x) IGNORE NULLS OVER (ORDER BY o) FROM (VALUES (1, 2), (2, NULL)) v(o, x)',
	CASE WHEN current_setting('server_version_num')::int >= 190000 THEN '0A000' ELSE '42601' END);
SELECT throws_ok('SELECT gpu_sum(x) IGNORE NULLS OVER (ORDER BY o) FROM (VALUES (1, 2), (2, NULL)) v(o, x)',
	CASE WHEN current_setting('server_version_num')::int >= 190000 THEN '42809' ELSE '42601' END);
SELECT is((gpu_array_cumsum(ARRAY[9223372036854775807, 9223372036854775807]))[2],
	18446744073709551614::numeric, 'bigint totals go beyond 64 bits');

-- Shapes.
SELECT is(gpu_array_cumsum('[-1:0][5:6]={{1,2},{NULL,4}}'::integer[])::text,
	'[-1:0][5:6]={{1,3},{3,7}}', 'dimensions and lower bounds stay');
SELECT is(gpu_array_cumsum('[-1:0][5:6]={{NULL,2},{NULL,4}}'::bigint[])::text,
	'[-1:0][5:6]={{NULL,2},{2,6}}', '... of numeric totals, too');
SELECT is(gpu_array_cumsum(NULL::float8[]), NULL, 'NULL gives NULL');
SELECT is_empty('SELECT gpu_cumsum(NULL::float8[])', 'NULL gives no rows');

-- Stored and expanded forms.
CREATE TABLE stored (form text, a float8[]);
INSERT INTO stored SELECT 'short', '{1,NULL,2}';
INSERT INTO stored SELECT 'compressed', array_fill(0.5::float8, ARRAY[1000]);
ALTER TABLE stored ALTER a SET STORAGE EXTERNAL;
INSERT INTO stored SELECT 'out of line', array_agg(nullif(x, 5) / 8.0) FROM generate_series(1, 10000) x;
SELECT is(count(*) FILTER (WHERE t IS DISTINCT FROM w), 0::bigint, form)
	FROM (SELECT form, t, sum(x) OVER (PARTITION BY form ORDER BY o) AS w
		  FROM stored, ROWS FROM (gpu_cumsum(a), unnest(a)) WITH ORDINALITY u(t, x, o)) q
	GROUP BY form ORDER BY form;
CREATE FUNCTION pg_temp.expanded() RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	a float8[] := '{}';
BEGIN
	FOR i IN 1..5 LOOP a[i] := i; END LOOP;
	a[2] := NULL;
	RETURN gpu_array_cumsum(a)::text || (SELECT string_agg(t::text, ',') FROM gpu_cumsum(a) t)
		|| gpu_array_cumsum(a, true)::text;
END $$;
SELECT is(pg_temp.expanded(), '{1,1,4,8,13}1,1,4,8,13{0,1,1,4,8}', 'variable of plpgsql');

-- As rows are used.
SELECT is(array_agg(t ORDER BY o), '{1,3,6}'::bigint[], 'WITH ORDINALITY')
	FROM gpu_cumsum('{1,2,3}'::integer[]) WITH ORDINALITY u(t, o);
SELECT is(count(*), 9::bigint, 'LATERAL, rescanned for each row')
	FROM (VALUES ('{1,2}'::bigint[]), ('{}'), ('{1,NULL,3}'), ('{4,5,6,7}')) v(a), LATERAL gpu_cumsum(a) t;
SELECT is(array_agg((a, b)::text), '{"(1,1)","(3,3)","(6,)"}', 'two in one SELECT list')
	FROM (SELECT gpu_cumsum('{1,2,3}'::integer[]) AS a, gpu_cumsum('{1,2}'::float8[]) AS b) q;
SELECT is(array_agg(t), '{1,3}'::bigint[], 'LIMIT')
	FROM (SELECT gpu_cumsum(ARRAY(SELECT generate_series(1, 100000))) AS t LIMIT 2) q;
DECLARE c SCROLL CURSOR FOR SELECT gpu_cumsum('{1,2,3,4}'::integer[]) AS t;
MOVE FORWARD 3 FROM c;
MOVE BACKWARD 2 FROM c;
FETCH NEXT FROM c \gset again_
CLOSE c;
SELECT is(:again_t::bigint, 3::bigint, 'a cursor goes back');
CREATE FUNCTION pg_temp.rows_of(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	line text;
BEGIN
	EXECUTE 'EXPLAIN ' || query INTO line;
	RETURN substring(line FROM 'rows=(\d+)');
END $$;
SELECT is(pg_temp.rows_of('SELECT * FROM gpu_cumsum(''{1,2,3,4,5,6,7}''::float8[])'), '7',
	'the planner knows the number of rows');
SELECT is(pg_temp.rows_of('SELECT gpu_cumsum(''{1,2,3}''::float8[], true)'), '3',
	'... in a SELECT list, too');

-- A call in FROM.  19 plans it as one in a SELECT list, but for WITH ORDINALITY.
CREATE FUNCTION pg_temp.plan_of(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	line text;
	lines text := '';
BEGIN
	FOR line IN EXECUTE 'EXPLAIN (COSTS OFF) ' || query LOOP lines := lines || line || E'\n'; END LOOP;
	RETURN substring(lines FROM 'ProjectSet|Function Scan');
END $$;
SELECT CASE WHEN current_setting('server_version_num')::int >= 190000 THEN 'ProjectSet' ELSE 'Function Scan' END AS in_from \gset
CREATE TABLE lengths AS SELECT id, array_agg(x::float8 ORDER BY x) AS a
	FROM generate_series(1, 20) id, generate_series(1, 300) x GROUP BY id;
INSERT INTO lengths VALUES (21, '{}'), (22, NULL), (23, '{NULL,1}');
ANALYZE lengths;
SELECT is(pg_temp.plan_of('SELECT * FROM gpu_cumsum(''{1,2,3}''::float8[])'), :'in_from', 'plan of a call in FROM');
SELECT is(pg_temp.plan_of('SELECT * FROM lengths, gpu_cumsum(a)'), :'in_from', '... of a column''s arrays');
SELECT is(pg_temp.plan_of('SELECT * FROM lengths, gpu_cumsum(a) WITH ORDINALITY'), 'Function Scan', '... WITH ORDINALITY');
-- 17 has estimates of arrays' lengths.
SELECT ok(pg_temp.rows_of(query)::int BETWEEN 20 * 200 AND 24 * 300 OR current_setting('server_version_num')::int < 170000,
	'estimated rows: ' || query)
	FROM (VALUES ('SELECT * FROM lengths, gpu_cumsum(a)'), ('SELECT * FROM lengths, LATERAL (SELECT gpu_cumsum(a)) q'),
		('SELECT * FROM lengths, LATERAL (SELECT * FROM (VALUES (1)) v(one), LATERAL (SELECT gpu_cumsum(a)) p) q')) v(query);
SELECT results_eq('SELECT id, x, q FROM lengths LEFT JOIN gpu_cumsum(a, id > 10) q(x) ON x > 2 ORDER BY id, x',
	'SELECT id, x, x FROM lengths LEFT JOIN gpu_cumsum(a, id > 10) WITH ORDINALITY q(x, o) ON x > 2 ORDER BY id, x',
	'outer join, and the row as a whole');
SELECT is(array_agg(id ORDER BY id), '{23}'::int[], 'in a correlated subquery, which reads one row of each')
	FROM lengths WHERE (SELECT x IS NULL FROM gpu_cumsum(a) x LIMIT 1);
SELECT is(sum(x), 20 * (1 + 3.0::float8), 'LIMIT for each array')
	FROM lengths, LATERAL (SELECT x FROM gpu_cumsum(a) x LIMIT 2) q WHERE id <= 20;
SELECT is(count(*), 2::bigint, 'EXISTS') FROM lengths
	WHERE id > 19 AND EXISTS (SELECT FROM gpu_cumsum(a) x WHERE x > 0);
SELECT is((SELECT sum(x) FROM gpu_cumsum(array_agg(o)) x), 10.0, 'the array is an aggregate of the query outside')
	FROM (VALUES (1::bigint), (2), (3)) v(o);
SELECT is((SELECT array_agg(x) FROM gpu_cumsum((SELECT a FROM lengths WHERE id = 23)) x), '{NULL,1}', '... or a subquery');
SET LOCAL plan_cache_mode = force_generic_plan;
PREPARE from_parameter(float8[], boolean) AS SELECT * FROM gpu_cumsum($1, exclusive => $2);
SELECT results_eq($$EXECUTE from_parameter('{1,2,3}', true)$$, 'VALUES (0::float8), (1), (3)', 'parameters of a generic plan');
SELECT is_empty('EXECUTE from_parameter(NULL, true)', '... NULL');
SELECT CASE :'in_from' WHEN 'ProjectSet' THEN results_eq(query, 'VALUES (1::float8), (1e308)', 'LIMIT stops before an overflow')
	ELSE throws_ok(query, '22003') END
	FROM (VALUES ($$SELECT * FROM gpu_cumsum('{1, 1e308, 1e308}'::float8[]) LIMIT 2$$)) v(query);

-- Windows: any frame clause is the frame to the present row.
SELECT is(array_agg(t ORDER BY i), '{1,3,6}'::bigint[], 'the frame clause does not matter')
	FROM (SELECT i, gpu_cumsum(i) OVER (ORDER BY i ROWS BETWEEN 1 FOLLOWING AND 2 FOLLOWING) AS t
		  FROM generate_series(1, 3) i) q;
SELECT is(array_agg(t ORDER BY i), '{1,2,4,6}'::bigint[], 'PARTITION BY')
	FROM (SELECT i, gpu_cumsum(i) OVER (PARTITION BY i % 2 ORDER BY i) AS t FROM generate_series(1, 4) i) q;
SELECT throws_ok('SELECT gpu_cumsum(1)', '42809');
SELECT * FROM finish();
ROLLBACK;
