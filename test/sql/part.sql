-- Functions and aggregates of a part of an array: f(a, i, j) = f(a[i:j]), for
-- every function of gpuagg that has such a form, and in whatever form the array
-- comes.  Sliced arrays are compared through a subquery, which the planner does
-- not turn into the form with bounds.
\set ECHO none
\set QUIET on
BEGIN;
SELECT * FROM no_plan();

-- Random arrays: one and two dimensions, lower bounds, NULLs; of each shape one
-- in the row, one compressed, one stored, and one stored and compressed.  Arrays
-- of floats have NaN, infinities and -0.
SELECT setseed(0.31);
CREATE TEMP TABLE shapes (s int, n int, low int, width int, nulls float8);
INSERT INTO shapes VALUES (1, 0, 1, 1, 0), (2, 1, 1, 1, 0), (3, 7, 1, 1, 0), (4, 40, -20, 1, 0.3),
	(5, 40, 1, 3, 0), (6, 33, -5, 5, 0.4), (7, 12, -2147483648, 1, 0), (8, 12, 2147483635, 1, 0.2),
	(9, 9, 2147483638, 4, 0.2), (10, 900, 1, 1, 0), (11, 900, -450, 1, 0.5), (12, 600, 7, 2, 0.2),
	(13, 5000, 1, 1, 0), (14, 5000, -2500, 1, 0.3), (15, 2000, -3, 4, 0.01), (16, 17, 1, 1, 1);
CREATE FUNCTION pg_temp.cell(nulls float8, i int) RETURNS text LANGUAGE sql VOLATILE AS $$
	SELECT CASE WHEN random() < nulls THEN 'NULL' ELSE floor(random() * 2000 - 1000)::text END $$;
CREATE FUNCTION pg_temp.row_of(nulls float8, width int, i int) RETURNS text LANGUAGE sql VOLATILE AS $$
	SELECT CASE WHEN width = 1 THEN pg_temp.cell(nulls, i)
		ELSE (SELECT '{' || string_agg(pg_temp.cell(nulls, i + k), ',') || '}' FROM generate_series(1, width) k) END $$;
CREATE FUNCTION pg_temp.text_of(n int, low int, width int, nulls float8) RETURNS text LANGUAGE plpgsql VOLATILE AS $$
BEGIN
	IF n = 0 THEN
		RETURN '{}';
	END IF;
	RETURN (SELECT format('[%s:%s]%s={%s}', low, low + n - 1, CASE WHEN width > 1 THEN format('[-1:%s]', width - 2) END,
			string_agg(pg_temp.row_of(nulls, width, i), ',')) FROM generate_series(1, n) i);
END $$;
CREATE FUNCTION pg_temp.special(t text, digit int, special text) RETURNS text LANGUAGE sql AS $$
	SELECT regexp_replace(t, format('(?<=[{,])-?\d*%s(?=[,}])', digit), special, 'g') $$;
CREATE TABLE arrays (s int, stored text, low int, n int, i2 smallint[], i4 integer[], i8 bigint[],
	f4 real[], f8 float8[], num numeric[]);
CREATE TEMP TABLE texts AS SELECT *, pg_temp.text_of(n, low, width, nulls) AS t FROM shapes;
CREATE FUNCTION pg_temp.fill(stored text) RETURNS void LANGUAGE sql AS $$
	INSERT INTO arrays SELECT s, stored, low, n, t::int2[], t::int4[], t::int8[], f::float4[], f::float8[],
		pg_temp.special(t, 7, '0.125')::numeric[]
	FROM (SELECT *, CASE WHEN s % 3 = 0 THEN t ELSE pg_temp.special(pg_temp.special(pg_temp.special(
			t, 13, 'NaN'), 25, 'Infinity'), 9, '-0') END AS f FROM texts) q $$;
SELECT pg_temp.fill('main') \g /dev/null
ALTER TABLE arrays ALTER i2 SET STORAGE EXTERNAL, ALTER i4 SET STORAGE EXTERNAL, ALTER i8 SET STORAGE EXTERNAL,
	ALTER f4 SET STORAGE EXTERNAL, ALTER f8 SET STORAGE EXTERNAL, ALTER num SET STORAGE EXTERNAL;
ALTER TABLE arrays SET (toast_tuple_target = 128);
SELECT pg_temp.fill('stored') \g /dev/null
INSERT INTO arrays SELECT 17, 'NULL';
ANALYZE arrays;
CREATE TEMP TABLE columns AS SELECT * FROM (VALUES ('i2', 'smallint'), ('i4', 'integer'), ('i8', 'bigint'),
	('f4', 'real'), ('f8', 'double precision'), ('num', 'numeric')) v(c, type);
SELECT cmp_ok(count(*), '>=', 5::bigint, 'arrays are stored out of line') FROM arrays
	WHERE stored = 'stored' AND pg_column_compression(f8) IS NULL AND pg_column_size(f8) > 4000;
SELECT cmp_ok(count(*), '>', 0::bigint, '... compressed in the row') FROM arrays
	WHERE pg_column_compression(i8) IS NOT NULL AND pg_column_size(i8) < 2000;
SELECT cmp_ok(count(*), '>', 1::bigint, '... and compressed') FROM arrays WHERE pg_column_compression(i8) IS NOT NULL AND pg_column_size(i8) > 4000;

-- Bounds: all pairs of these, around the array's own.
CREATE TEMP TABLE bounds AS
	SELECT s, i, j FROM shapes, LATERAL (
		SELECT greatest(least(b, 2147483647), -2147483648)::int FROM unnest(ARRAY[-2147483648, -2147483647, low::bigint - 1, low, low + 1::bigint,
			low + n::bigint / 2, low + n::bigint - 2, low + n::bigint - 1, low + n::bigint,
			2147483646, 2147483647, low + floor(random() * n), low + floor(random() * n), NULL]) b) x(i), LATERAL (
		SELECT greatest(least(b, 2147483647), -2147483648)::int FROM unnest(ARRAY[-2147483648, low::bigint - 1, low,
			low + n::bigint / 3, low + n::bigint - 1, low + n::bigint, 2147483647, low + floor(random() * n), NULL]) b) y(j);

-- Every function with bounds, and the one of the whole array.
CREATE TEMP TABLE functions AS
	SELECT p.proname AS f, p.proargtypes[0]::regtype::text AS type, p.pronargs > 3 AS has_more
	FROM pg_proc p WHERE p.prokind = 'f' AND p.proname LIKE 'gpu\_array\_%' AND p.pronargs >= 3
	  AND p.proargtypes[1] = 'int4'::regtype AND p.proargtypes[2] = 'int4'::regtype;
CREATE TEMP TABLE aggregates AS
	SELECT DISTINCT p.proname AS f FROM pg_proc p
	WHERE p.prokind = 'a' AND p.pronargs = 3 AND p.proargtypes[1] = 'int4'::regtype;
SELECT cmp_ok(count(*), '>=', 20::bigint, 'functions of a part') FROM functions;
SELECT bag_hasnt('SELECT f::text FROM functions GROUP BY f HAVING count(*) <> CASE WHEN f ~ ''state$'' THEN 5 ELSE 6 END',
	'SELECT f::text FROM functions',
	'... for all types');
SELECT cmp_ok(count(*), '>=', 3::bigint, 'aggregates of a part') FROM aggregates;

-- The calls that are wrong, of one function and one column; '' if there are none.
CREATE FUNCTION pg_temp.wrong(f text, c text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	result text;
BEGIN
	EXECUTE format('SELECT string_agg(format(''%%s %%s [%%s:%%s]: %%s, %%s, not %%s'', s, stored, i, j, part, slice, other), ''; '')
		FROM (SELECT s, stored, i, j, %1$s(%2$I, i, j)::text AS part, %1$s(%2$I[i:j])::text AS slice,
				%1$s((SELECT %2$I[i:j]))::text AS other
			  FROM arrays JOIN bounds USING (s)) q
		WHERE part IS DISTINCT FROM other OR slice IS DISTINCT FROM other', f, c) INTO result;
	RETURN coalesce(left(result, 500), '');
END $$;
SELECT is(pg_temp.wrong(f, c), '', f || '(' || c || ', i, j)')
	FROM columns JOIN functions ON functions.type = columns.type || '[]' WHERE NOT has_more OR f = 'gpu_array_cumsum'
	ORDER BY f, c;
SELECT is(gpu_array_cumsum(f8, low + 1, low + 5, true), gpu_array_cumsum((SELECT f8[low + 1:low + 5]), true),
	'exclusive totals of a part') FROM arrays WHERE s = 11;
SELECT is(gpu_array_sum(i4, NULL, 3), NULL, 'a bound that is NULL') FROM arrays WHERE s = 3;
SELECT is(gpu_array_count(i4, 3, NULL), NULL, 'the other one') FROM arrays WHERE s = 3 AND stored = 'main';
SELECT is(gpu_array_count(i4, 100, 200), 0::bigint, 'an empty part') FROM arrays WHERE s = 3 AND stored = 'main';

-- Expanded, in PL/pgSQL.
CREATE FUNCTION pg_temp.expanded(n int, nulls boolean) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	a int[] := array_fill(1, ARRAY[n], ARRAY[-3]);
	i int;
	wrong text := '';
BEGIN
	FOR i IN -3 .. n - 4 LOOP
		a[i] := CASE WHEN nulls AND i % 3 = 0 THEN NULL ELSE i END;
	END LOOP;
	FOR i IN -5 .. n LOOP
		IF gpu_array_sum(a, i, i + 5) IS DISTINCT FROM gpu_array_sum((SELECT a[i:i + 5])) OR
			gpu_array_count(a, i, i + 5) IS DISTINCT FROM gpu_array_count((SELECT a[i:i + 5])) OR
			gpu_array_cumsum(a, i, i + 5) IS DISTINCT FROM gpu_array_cumsum((SELECT a[i:i + 5])) OR
			gpu_array_sum(a[i:]) IS DISTINCT FROM gpu_array_sum((SELECT a[i:])) THEN
			wrong := wrong || ' ' || i;
		END IF;
	END LOOP;
	RETURN wrong;
END $$;
SELECT is(pg_temp.expanded(n, nulls), '', format('an array of %s in PL/pgSQL, with NULLs: %s', n, nulls))
	FROM unnest(ARRAY[1, 9, 1000]) n, unnest(ARRAY[false, true]) nulls;

-- Aggregates.
CREATE FUNCTION pg_temp.same(one text, other text) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
	a text;
	b text;
BEGIN
	EXECUTE format('SELECT string_agg(q::text, '' '' ORDER BY q::text) FROM (%s) q', one) INTO a;
	EXECUTE format('SELECT string_agg(q::text, '' '' ORDER BY q::text) FROM (%s) q', other) INTO b;
	RETURN a = b;
END $$;
CREATE TABLE parts AS SELECT row_number() OVER () AS r, s, stored, i, j, i2, i4, i8, f4, f8, num
	FROM arrays JOIN bounds USING (s) WHERE random() < 0.2;
ANALYZE parts;
CREATE TEMP TABLE laws (name text, query text);
INSERT INTO laws VALUES
	('all rows', 'SELECT %1$s(%3$s)::text FROM %2$s'),
	('GROUP BY', 'SELECT s, %1$s(%3$s)::text FROM %2$s GROUP BY s'),
	('FILTER', 'SELECT %1$s(%3$s) FILTER (WHERE s %% 3 = 0)::text FROM %2$s'),
	('a moving frame', 'SELECT r, (%1$s(%3$s) OVER (ORDER BY r ROWS 2 PRECEDING))::text FROM %2$s'),
	('no rows', 'SELECT coalesce(%1$s(%3$s)::text, ''NULL'') FROM %2$s WHERE false');
SELECT ok(pg_temp.same(format(query, f, 'parts', format('%I, i, j', c)),
		format(query, f, format('(SELECT r, s, (SELECT %I[i:j]) AS a FROM parts) q', c), 'a')),
	f || '(' || c || ', i, j): ' || name)
	FROM laws, columns, aggregates WHERE f IN ('gpu_sum', 'gpu_count')
	  AND (name IN ('all rows', 'a moving frame') OR c IN ('i8', 'f8')) ORDER BY f, name, c;
SELECT ok(pg_temp.same(format(query, f, 'parts', format('%I, i, j', c)),
		format(query, f, format('(SELECT r, s, (SELECT %I[i:j]) AS a FROM parts) q', c), 'a')),
	f || '(' || c || ', i, j): ' || name)
	FROM laws, columns, aggregates WHERE f = 'gpu_sum_state' AND name = 'GROUP BY' AND c <> 'num' ORDER BY c;
CREATE TEMP TABLE before AS SELECT sum(arrays) AS arrays FROM gpuagg_session_stat;
SELECT gpu_sum(i8, i, j), gpu_count(i8, i, j) FROM parts \g /dev/null
SELECT is(sum(arrays) - (SELECT arrays FROM before),
		(SELECT count(*) FROM parts WHERE i8 IS NOT NULL AND i IS NOT NULL AND j IS NOT NULL)::numeric,
	'gpu_sum and gpu_count of a part share a state') FROM gpuagg_session_stat;

-- Parallel plans.
SET LOCAL parallel_setup_cost = 0;
SET LOCAL parallel_tuple_cost = 0;
SET LOCAL min_parallel_table_scan_size = 0;
SET LOCAL max_parallel_workers_per_gather = 2;
CREATE FUNCTION pg_temp.plan_of(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	line text;
	result text := '';
BEGIN
	FOR line IN EXECUTE 'EXPLAIN (COSTS OFF, VERBOSE) ' || query LOOP
		result := result || line || E'\n';
	END LOOP;
	RETURN result;
END $$;
SELECT matches(pg_temp.plan_of('SELECT gpu_sum(f8, i, j) FROM parts'),
	'Finalize Aggregate.*Gather.*Partial Aggregate', 'parallel plan');
CREATE TEMP TABLE parallel AS SELECT gpu_sum(f8, i, j) AS f8, gpu_sum(i8, i, j) AS i8, gpu_count(f4, i, j) AS f4 FROM parts;
RESET parallel_setup_cost;
RESET parallel_tuple_cost;
RESET min_parallel_table_scan_size;
RESET max_parallel_workers_per_gather;
SELECT ok((SELECT parallel = q FROM parallel), 'the answer is that of one process')
	FROM (SELECT gpu_sum(f8, i, j) AS f8, gpu_sum(i8, i, j) AS i8, gpu_count(f4, i, j) AS f4 FROM parts) q;

-- What the planner makes of slices.
CREATE FUNCTION pg_temp.output_of(expression text) RETURNS text LANGUAGE sql AS $$
	SELECT substring(pg_temp.plan_of('SELECT ' || expression || ' FROM parts') FROM 'Output: ([^\n]*)') $$;
CREATE DOMAIN bounded AS float8[];
SELECT is(pg_temp.output_of(given), planned, 'the plan of ' || given) FROM (VALUES
	('gpu_array_sum(f8[i:j])', 'gpu_array_sum(f8, i, j)'),
	('gpu_array_sum(f8[i:])', 'gpu_array_sum(f8, i, 2147483647)'),
	('gpu_array_count(i2[:j + 1])',
		'gpu_array_count(i2, ''-2147483648''::integer, CASE WHEN (i2 IS NULL) THEN NULL::integer ELSE (j + 1) END)'),
	('gpu_array_sum((f8[2:9])[i:j + 1])', 'gpu_array_sum((f8[2:9])[i:(j + 1)])'),
	('gpu_array_state(f4[:])', 'gpu_array_state(f4, ''-2147483648''::integer, 2147483647)'),
	('gpu_array_cumsum(i8[2:3])', 'gpu_array_cumsum(i8, 2, 3, false)'),
	('gpu_array_cumsum(i8[2:3], exclusive => true)', 'gpu_array_cumsum(i8, 2, 3, true)'),
	('gpu_array_sum((f8[2:9])[i:j])', 'gpu_array_sum(f8[2:9], i, j)'),
	('gpu_array_sum((f8::bounded)[i:j])', 'gpu_array_sum(((f8)::bounded)::double precision[], i, j)'),
	('gpu_array_sum(f8[1:2][1:1])', 'gpu_array_sum(f8[1:2][1:1])'),
	('gpu_array_sum(f8[i:(random() * 3)::int])', 'gpu_array_sum(f8[i:((random() * ''3''::double precision))::integer])'),
	('gpu_array_sum(f8[i:j], 2, 3)', 'gpu_array_sum(f8[i:j], 2, 3)'),
	('gpu_array_sum(i4[i:j]::float8[])', 'gpu_array_sum((i4[i:j])::double precision[])'),
	('gpu_array_cumsum(f8[i:j], ''1''::exactsum)',
		'gpu_array_cumsum(f8[i:j], ''\x010300000000000000000000000000000001''::exactsum, false)')) v(given, planned)
	WHERE given NOT LIKE '%exactsum%';
SELECT is(gpu_array_sum(f8[i:j]), gpu_array_sum((SELECT f8[i:j])), 'a domain over arrays')
	FROM (SELECT f8::bounded AS f8, -3 AS i, 7 AS j FROM arrays WHERE s = 11 AND stored = 'stored') q;
SELECT is(gpu_array_sum('{1,2,3,4}'::int[], 2, 3), 5::bigint, 'constants');
SELECT is(array_agg(gpu_array_sum(a[6 / n:9 / n])), '{NULL,5}'::bigint[], 'bounds that fail where the array is NULL')
	FROM (VALUES (NULL::int[], 0), ('{1,2,3}', 3)) v(a, n);
PREPARE part(int, int) AS SELECT gpu_array_sum(i4[$1:$2]) FROM arrays WHERE s = 10 AND stored = 'stored';
SELECT results_eq('EXECUTE part(5, 900)', 'SELECT gpu_array_sum((SELECT i4[5:900])) FROM arrays WHERE s = 10 AND stored = ''stored''',
	'parameters');
SELECT ok((SELECT i4 FROM arrays WHERE s = 4 AND stored = 'main') IS NOT NULL AND
	(SELECT gpu_array_sum(i4[-20:(SELECT 5)]) = gpu_array_sum((SELECT i4[-20:5])) FROM arrays WHERE s = 4 AND stored = 'main'),
	'a subquery as a bound');

-- A slice that is a grouping expression is NULL in the rows of other sets, and so
-- is each function of it.
CREATE TABLE grouped (a int[]);
INSERT INTO grouped VALUES ('{1,2,3}'), ('{1,2,4}'), ('{5,6,7}');
CREATE FUNCTION pg_temp.by_sets(expression text, sets text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	result text;
BEGIN
	EXECUTE format('SELECT string_agg(q::text, '' '' ORDER BY q::text)
		FROM (SELECT a[1:2], %s FROM grouped GROUP BY %s) q', expression, sets) INTO result;
	RETURN result;
END $$;
SELECT is(pg_temp.by_sets(expression, sets), result, expression || ' by ' || sets) FROM (VALUES
	('gpu_array_sum(a[1:2])', 'a[1:2]', '("{1,2}",3) ("{5,6}",11)'),
	('gpu_array_sum(a[1:2])', 'GROUPING SETS ((a[1:2]), ())', '("{1,2}",3) ("{5,6}",11) (,)'),
	('gpu_array_count(a[1:2])', 'ROLLUP (a[1:2])', '("{1,2}",2) ("{5,6}",2) (,)'),
	('gpu_array_cumsum(a[1:2])', 'CUBE (a[1:2])', '("{1,2}","{1,3}") ("{5,6}","{5,11}") (,)')) v(expression, sets, result);
SELECT results_eq('SELECT a[1:2] FROM grouped GROUP BY ROLLUP (a[1:2]) HAVING gpu_array_sum(a[1:2]) IS NULL', 'SELECT NULL::int[]',
	'HAVING with a slice that is a grouping expression');
SELECT matches(pg_temp.plan_of('SELECT s, q.total FROM (SELECT s, gpu_array_sum(i4[2:3]) AS total FROM parts OFFSET 0) q
		GROUP BY ROLLUP (s, q.total)'), 'gpu_array_sum\([^\n]*i4, 2, 3\)', 'a slice within a query that is grouped');

-- Rights: a function that may be executed stays so, and one that may not, too.
CREATE ROLE part_reader;
GRANT SELECT ON parts TO part_reader;
REVOKE EXECUTE ON FUNCTION gpu_array_sum(float8[], int, int), gpu_array_count(float8[]) FROM PUBLIC;
SET LOCAL ROLE part_reader;
PREPARE rights AS SELECT gpu_array_sum(f8[1:2]) FROM parts LIMIT 1;
PREPARE no_rights AS SELECT gpu_array_count(f8[1:2]) FROM parts LIMIT 1;
SELECT lives_ok('EXECUTE rights', 'no right to execute the form with bounds');
SELECT throws_ok('EXECUTE no_rights', '42501', NULL, 'no right to execute the function of a slice');
RESET ROLE;

-- A part of a stored array is read without the rest; of one that is compressed by
-- lz4, the default from 19 on, all is.
SET LOCAL default_toast_compression = pglz;
CREATE TABLE long (a float8[], b float8[], c bigint[]);
ALTER TABLE long ALTER a SET STORAGE EXTERNAL, ALTER b SET STORAGE EXTERNAL;
INSERT INTO long SELECT array_agg(x / 8.0), array_agg(nullif(x % 7, 0) / 8.0), array_agg(x * 7919::bigint % 100003) FROM generate_series(1, 400000) x;
CREATE FUNCTION pg_temp.blocks_of(query text) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
	plan json;
BEGIN
	EXECUTE 'EXPLAIN (ANALYZE, BUFFERS, FORMAT json) ' || query INTO plan;
	RETURN (plan #>> '{0,Plan,Shared Hit Blocks}')::bigint + (plan #>> '{0,Plan,Shared Read Blocks}')::bigint;
END $$;
SELECT pg_temp.blocks_of('SELECT gpu_array_sum(c) FROM long') AS compressed \gset
SET LOCAL gpuagg.engine = cpu;
SELECT cmp_ok(pg_temp.blocks_of(format('SELECT %s FROM long', call)), '<', most, call || ' reads what it needs')
	FROM (VALUES ('gpu_array_sum(a, 200000, 200999)', 20::bigint), ('gpu_array_sum(a[200000:200999])', 20),
		('gpu_array_sum(a, 1, 1000)', 20), ('gpu_array_sum(a[399900:])', 20), ('gpu_sum(a, 200000, 200999)', 20),
		('gpu_array_cumsum(a[200000:200999])', 20), ('gpu_array_sum(a, 0, 0)', 10), ('gpu_array_count(a[5:100000])', 10),
		('gpu_array_sum(b, 1, 1000)', 20), ('gpu_array_sum(b, 200000, 200999)', 30), ('gpu_array_sum(a, 200000, 209999)', 40),
		('gpu_array_sum(c, 1, 1000)', :compressed / 4)) v(call, most);
SELECT cmp_ok(pg_temp.blocks_of('SELECT gpu_array_sum((SELECT a[200000:200999])) FROM long'), '>', 300::bigint,
	'a slice that is made reads all');
SELECT is(gpu_array_sum(a, i, i + 999), (SELECT sum(x) FROM unnest(a[i:i + 999]) x), 'a part from ' || i)
	FROM long, unnest(ARRAY[1, 30000, 399500]) i;
SELECT is(gpu_array_sum(b, i, i + 40000), (SELECT sum(x) FROM unnest(b[i:i + 40000]) x), 'a part with NULLs from ' || i)
	FROM long, unnest(ARRAY[1, 30000, 399500]) i;

-- A NULL bound makes a NULL array, whatever the other one is.
SELECT is(ARRAY[gpu_sum(a, -3, NULL), gpu_sum(a, NULL, 1), gpu_min(a, -3, NULL), gpu_max(a, NULL, 1)],
	ARRAY[NULL, NULL, NULL, NULL]::bigint[], 'aggregates skip parts with a NULL bound') FROM (VALUES ('[-3:1]={1,2,4,8,16}'::int[])) v(a);

SELECT * FROM finish();
ROLLBACK;
