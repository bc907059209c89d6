-- gpu_elem_sum, _avg, _count, _min and _max: each position as the aggregate of
-- the elements there, by unnest() WITH ORDINALITY and GROUP BY.
\set ECHO none
\set QUIET on
BEGIN;
SELECT plan(290);

-- Random arrays of two dimensions with lower bounds, in groups of one shape; some
-- NULL, some with NULLs, the large ones stored out of line.  Arrays of floats have
-- NaN, infinities, -0, and exponents far apart.
SELECT setseed(0.23);
CREATE TABLE arrays AS
	SELECT g, row_number() OVER () AS i,
		   CASE WHEN r % 7 = 0 THEN NULL ELSE format('[%s:%s][-1:1]={%s}', g, g + height - 1,
				(SELECT string_agg(format('{%s,%s,%s}', c[1], c[2], c[3]), ',') FROM (SELECT ARRAY(
					SELECT CASE WHEN r % 3 = 0 AND random() < 0.3 OR h = 1 AND j = 2 THEN 'NULL'
						ELSE floor(random() * 2000 - 1000)::text END FROM generate_series(1, 3) j) AS c
				 FROM generate_series(1, height) h WHERE r = r) q)) END AS t
	FROM (SELECT g, (ARRAY[1, 2, 11, 85, 86, 170, 1700])[g] AS height FROM generate_series(1, 7) g) s,
		generate_series(1, 20) r;
CREATE FUNCTION pg_temp.special(t text, digit int, special text) RETURNS text LANGUAGE sql AS $$
	SELECT regexp_replace(t, format('(?<=[{,])-?\d*%s(?=[,}])', digit), special, 'g') $$;
ALTER TABLE arrays ADD i2 int2[], ADD i4 int4[], ADD i8 int8[], ADD f4 float4[], ADD f8 float8[],
	ADD w8 float8[], ADD n8 int8[];
ALTER TABLE arrays ALTER f8 SET STORAGE EXTERNAL, ALTER i4 SET STORAGE EXTERNAL, ALTER w8 SET STORAGE EXTERNAL;
UPDATE arrays SET i2 = t::int2[], i4 = t::int4[], n8 = t::int8[];
UPDATE arrays SET i8 = regexp_replace(regexp_replace(t, '(?<=[{,])-(?=\d)', '-922337203685477', 'g'),
		'(?<=[{,])(?=\d)', '922337203685477', 'g')::int8[],
	f4 = regexp_replace(t, '(?<=[{,])(-?\d+)(\d)(?=[,}])', '\1.\2', 'g')::float4[],
	f8 = CASE WHEN g IN (2, 4, 6) THEN pg_temp.special(pg_temp.special(pg_temp.special(
			CASE WHEN i % 3 = 0 THEN pg_temp.special(t, 9, '-0') ELSE t END,
			33, 'NaN'), 55, 'Infinity'), 77, '-Infinity') ELSE regexp_replace(t,
			'(?<=[{,])(-?\d+)(\d)(?=[,}])', '\1.\2', 'g') END::float8[],
	w8 = regexp_replace(t, '(?<=[{,])(-?\d+)(\d)(?=[,}])', '\2e\1', 'g')::float8[]
	WHERE i IS NOT NULL;
UPDATE arrays SET w8 = NULL WHERE w8 IS NOT NULL AND g = 1;
ANALYZE arrays;
CREATE TEMP TABLE columns AS SELECT unnest(ARRAY['i2', 'i4', 'i8', 'f4', 'f8', 'w8', 'n8']) AS c;
SELECT cmp_ok(count(*), '>', 10::bigint, 'arrays are stored out of line')
	FROM arrays WHERE pg_column_size(f8) > 8000;

-- Do two queries have the same rows?
CREATE FUNCTION pg_temp.differ(one text, other text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	a text;
	b text;
BEGIN
	EXECUTE format('SELECT string_agg(q::text, '' '' ORDER BY q::text) FROM (%s) q', one) INTO a;
	EXECUTE format('SELECT string_agg(q::text, '' '' ORDER BY q::text) FROM (%s) q', other) INTO b;
	IF a = b THEN RETURN NULL; END IF;
	RETURN left(a, 300) || ' <> ' || left(b, 300);
END $$;

-- The rows of a result by position, with what makes them from single elements.
-- Sums and means of floats are those of gpu_sum_state(), which is exact.
CREATE TEMP TABLE functions (f text, c text, expected text);
INSERT INTO functions SELECT f, c, format(CASE
		WHEN f = 'count' THEN 'count(x)'
		WHEN f IN ('min', 'max') THEN f || '(x)'
		WHEN c LIKE 'i%%' OR c LIKE 'n%%' THEN f || '(x)'
		WHEN f = 'sum' THEN 'gpu_sum(x)'
		ELSE 'gpu_avg(gpu_sum_state(x))' END) FROM columns, unnest(ARRAY['sum', 'avg', 'count', 'min', 'max']) f;
-- min and max of floats choose among zeros: by the number of -0, and of 0
UPDATE functions SET expected = CASE f
	WHEN 'min' THEN 'CASE WHEN min(x) = 0 AND bool_or(x::text = ''-0'') THEN ''-0'' ELSE min(x) END'
	WHEN 'max' THEN 'CASE WHEN max(x) = 0 AND bool_or(x::text = ''0'') THEN ''0'' ELSE max(x) END' END
	WHERE f IN ('min', 'max') AND c ~ '^[fw]';

-- The law for each function and type: over groups, FILTER, a moving frame.
CREATE TEMP TABLE laws (name text, one text, other text);
INSERT INTO laws VALUES
	('groups',
	 'SELECT g, o, x FROM (SELECT g, gpu_elem_%1$s(%2$I) AS a FROM arrays GROUP BY g) s, unnest(a) WITH ORDINALITY u(x, o)',
	 'SELECT g, o, %3$s FROM arrays, unnest(%2$I) WITH ORDINALITY u(x, o) GROUP BY g, o'),
	('FILTER',
	 'SELECT g, o, x FROM (SELECT g, gpu_elem_%1$s(%2$I) FILTER (WHERE i %% 3 = 1) AS a FROM arrays GROUP BY g) s,
		unnest(a) WITH ORDINALITY u(x, o)',
	 'SELECT g, o, %3$s FROM arrays, unnest(%2$I) WITH ORDINALITY u(x, o) WHERE i %% 3 = 1 GROUP BY g, o'),
	('moving frames',
	 'SELECT i, o, x FROM (SELECT i, gpu_elem_%1$s(%2$I) OVER (PARTITION BY g ORDER BY i ROWS 2 PRECEDING) AS a
		FROM arrays WHERE g <= 5) s, unnest(a) WITH ORDINALITY u(x, o)',
	 'SELECT a.i, o, %3$s FROM arrays a JOIN arrays b ON a.g = b.g AND b.i BETWEEN a.i - 2 AND a.i,
		unnest(b.%2$I) WITH ORDINALITY u(x, o) WHERE a.g <= 5 GROUP BY a.i, o'),
	('shape',
	 'SELECT DISTINCT g, array_dims(gpu_elem_%1$s(%2$I)) FROM arrays GROUP BY g',
	 'SELECT DISTINCT g, d FROM (SELECT g, max(array_dims(%2$I)) AS d FROM arrays GROUP BY g) q');
SELECT is(pg_temp.differ(format(one, f, c, expected), format(other, f, c, expected)), NULL,
	format('gpu_elem_%s of %s: %s', f, c, name)) FROM laws, functions ORDER BY name, f, c;

-- No order of the rows changes a bit.
SELECT is(pg_temp.differ(
	format('SELECT g, gpu_elem_%1$s(%2$I ORDER BY i)::text FROM arrays GROUP BY g', f, c),
	format('SELECT g, gpu_elem_%1$s(%2$I ORDER BY md5(i::text))::text FROM arrays GROUP BY g', f, c)), NULL,
	format('gpu_elem_%s of %s in another order', f, c)) FROM functions;

-- The sum of sums by position is the sum of all: of integers, and of floats where
-- nothing is rounded.
SELECT is(pg_temp.differ(
	format('SELECT g, (SELECT sum(x) FROM unnest(a) x) FROM (SELECT g, gpu_elem_sum(%I) AS a FROM arrays GROUP BY g) s', c),
	format('SELECT g, gpu_sum(%I)%s FROM arrays GROUP BY g', c, CASE WHEN c = 'i8' THEN '' ELSE '::numeric' END)), NULL,
	c || ': sums by position add up to gpu_sum') FROM columns WHERE c ~ '^[in]';
SELECT is(gpu_array_sum(gpu_elem_sum(a)), gpu_sum(a), 'of floats, too')
	FROM (SELECT ARRAY[i / 4.0::float8, -i, i * power(2::float8, 30)] AS a FROM generate_series(1, 100) i) q;

-- Parallel plans, forced: the states are serialized and combined.
CREATE FUNCTION pg_temp.rows_of(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	result text;
BEGIN
	EXECUTE format('SELECT string_agg(q::text, '' '' ORDER BY q::text) FROM (%s) q', query) INTO result;
	RETURN result;
END $$;
CREATE TEMP TABLE serial AS SELECT f, c, query, pg_temp.rows_of(query) AS rows FROM
	(SELECT f, c, format('SELECT g, md5(gpu_elem_%s(%I)::text) FROM arrays GROUP BY g ORDER BY g', f, c) AS query FROM functions) q;
SELECT is(count(rows), 35::bigint, 'all have rows') FROM serial;
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
SELECT matches(pg_temp.plan_of(query), 'Finalize.*Gather.*Partial',
	format('gpu_elem_%s of %s: parallel plan', f, c)) FROM serial;
SELECT is(pg_temp.rows_of(query), rows,
	format('gpu_elem_%s of %s: the same in parallel', f, c)) FROM serial;
RESET parallel_setup_cost;
RESET parallel_tuple_cost;
RESET min_parallel_table_scan_size;
RESET max_parallel_workers_per_gather;

-- By all engines and settings.
SELECT current_setting('gpuagg.engine') AS engine \gset
CREATE FUNCTION pg_temp.with_setting(name text, value text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	PERFORM set_config(name, value, true);
	RETURN (SELECT md5(string_agg(q::text, ' ' ORDER BY g)) FROM (SELECT g, gpu_elem_sum(i2), gpu_elem_avg(i4),
		gpu_elem_sum(i8), gpu_elem_sum(f4), gpu_elem_avg(f8), gpu_elem_sum(w8), gpu_elem_min(f8),
		gpu_elem_max(f4), gpu_elem_min(i2), gpu_elem_max(i8) FROM arrays GROUP BY g) q);
END $$;
SELECT pg_temp.with_setting('gpuagg.cpu_engine', 'auto') AS expected \gset
SELECT is(pg_temp.with_setting('gpuagg.cpu_engine', 'baseline'), :'expected', 'the narrowest vectors');
SET LOCAL gpuagg.cpu_engine = 'auto';
SELECT is(pg_temp.with_setting('gpuagg.engine', engine), :'expected', 'engine ' || engine)
	FROM unnest(ARRAY['cpu', 'auto', :'engine']) engine;
SET LOCAL gpuagg.engine = 'cpu';
CREATE TEMP TABLE before AS SELECT coalesce(sum(arrays), 0) AS n, coalesce(sum(elements), 0) AS elements
	FROM gpuagg_session_stat WHERE reason = 'gpuagg.engine is cpu';
SELECT gpu_elem_sum(i4), gpu_elem_avg(i4), gpu_elem_count(i4) FROM arrays WHERE g = 3 \gset x_
SELECT is(sum(arrays) - (SELECT n FROM before), (SELECT count(i4) FROM arrays WHERE g = 3)::numeric,
	'sum, avg and count share a transition') FROM gpuagg_session_stat WHERE reason = 'gpuagg.engine is cpu';
SELECT is(sum(elements) - (SELECT elements FROM before), (SELECT gpu_count(i4) FROM arrays WHERE g = 3)::numeric
	, 'elements are counted, without NULLs') FROM gpuagg_session_stat WHERE reason = 'gpuagg.engine is cpu';
SET LOCAL gpuagg.engine = 'auto';
SELECT gpu_elem_min(i4) AS least FROM arrays WHERE g = 3 \gset
SELECT cmp_ok(sum(arrays), '>', 0::numeric, 'the reason says that the device has no such function')
	FROM gpuagg_session_stat WHERE reason = 'not computed by the device';
SET LOCAL gpuagg.engine = :'engine';

-- The contract for floats, and the ends of the ranges.
SELECT is(gpu_elem_sum(a)::text, '{1e+308,-0,0,NaN,Infinity,NaN,NULL,5e-324}', 'sums of special elements')
	FROM (VALUES ('{1e308,-0,-0,NaN,Infinity,Infinity,NULL,5e-324}'::float8[]),
		('{1e308,-0,0,1,1,-Infinity,NULL,1e308}'), ('{-1e308,-0,-0,1,NULL,0,NULL,-1e308}')) v(a);
SELECT is(format('%s %s %s', gpu_elem_min(a), gpu_elem_max(a), gpu_elem_count(a)),
	'{-Infinity,-0,1,NaN,NULL} {1,0,NaN,NaN,NULL} {3,3,3,3,0}', 'least, greatest and count of special elements')
	FROM (VALUES ('{1,-0,NaN,NaN,NULL}'::float8[]), ('{-Infinity,0,1,NaN,NULL}'), ('{0,-0,2,NaN,NULL}')) v(a);
SELECT is(format('%s %s', gpu_elem_min(a), gpu_elem_max(a)), '{-Infinity,-0,1} {1,0,NaN}', '... of real')
	FROM (VALUES ('{1,-0,NaN}'::float4[]), ('{-Infinity,0,1}'), ('{0,-0,2}')) v(a);
SELECT throws_ok($$SELECT gpu_elem_sum(a) FROM (VALUES ('{1,1e308}'::float8[]), ('{1,1e308}')) v(a)$$, '22003',
	'value out of range: overflow', 'a sum out of range');
SELECT is(gpu_elem_avg(a)::text, '{1e+308}', '... has a mean')
	FROM (VALUES ('{1e308}'::float8[]), ('{1e308}')) v(a);
SELECT throws_ok($$SELECT gpu_elem_sum(a) FROM (VALUES ('{3e38}'::float4[]), ('{3e38}')) v(a)$$, '22003',
	'value out of range: overflow', 'a sum of real out of range');
SELECT is(gpu_elem_sum(a), '{214748364700,-214748364800}'::bigint[], 'integers beyond 32 bits')
	FROM (SELECT '{2147483647,-2147483648}'::int[] AS a FROM generate_series(1, 100)) q;
SELECT is(gpu_elem_sum(a), '{9223372036854775807000,-9223372036854775808000,0}'::numeric[], 'bigint beyond 64 bits')
	FROM (SELECT '{9223372036854775807,-9223372036854775808,0}'::bigint[] AS a FROM generate_series(1, 1000)) q;

-- Moving frames: whatever leaves one is gone, and then the shape may be another.
CREATE TEMP TABLE wild AS SELECT i, ARRAY[(ARRAY['NaN', 'Infinity', '1', '-0', '1e300', NULL, '-Infinity', '3'])[i % 8 + 1]::float8,
	power(2::float8, i * 37 % 2000 - 1000), NULLIF(i % 5, 0), '-0', 1.0 / i] AS a FROM generate_series(1, 60) i;
SELECT is(count(*) FILTER (WHERE moved IS DISTINCT FROM anew), 0::bigint, 'nothing of what left a frame stays')
	FROM (SELECT format('%s %s %s', gpu_elem_sum(a) OVER w, gpu_elem_avg(a) OVER w, gpu_elem_count(a) OVER w) AS moved,
			(SELECT format('%s %s %s', gpu_elem_sum(b.a), gpu_elem_avg(b.a), gpu_elem_count(b.a))
			 FROM wild b WHERE b.i BETWEEN wild.i - 2 AND wild.i) AS anew
		  FROM wild WINDOW w AS (ORDER BY i ROWS 2 PRECEDING)) q;
SELECT is(count(*) FILTER (WHERE s IS DISTINCT FROM a), 0::bigint, 'frames of one row each, of several shapes')
	FROM (SELECT a, gpu_elem_sum(a) OVER (ORDER BY i ROWS BETWEEN CURRENT ROW AND CURRENT ROW) AS s
		  FROM (SELECT i, array_fill(i::float8, ARRAY[i % 3 + 1, 2], ARRAY[i, 1]) AS a FROM generate_series(1, 9) i) t) q;

-- Without arrays it is NULL, and of empty ones empty.
SELECT is(format('%s,%s,%s,%s,%s', gpu_elem_sum(a), gpu_elem_avg(a), gpu_elem_count(a), gpu_elem_min(a), gpu_elem_max(a)), ',,,,', name)
	FROM (VALUES ('no rows', NULL::float8[], 1), ('NULL arrays', NULL, 2)) v(name, a, k), generate_series(2, k) GROUP BY name;
SELECT is(gpu_elem_sum(a), NULL, 'no rows') FROM (SELECT '{1}'::int[] AS a WHERE false) q;
SELECT is(format('%s,%s,%s,%s,%s', gpu_elem_sum(a), gpu_elem_avg(a), gpu_elem_count(a), gpu_elem_min(a), gpu_elem_max(a)),
	'{},{},{},{},{}', 'empty arrays') FROM (VALUES ('{}'::bigint[]), (NULL), ('{}')) v(a);

-- Arrays that differ in shape.
SELECT throws_ok(format('SELECT gpu_elem_%s(a) FROM (VALUES (%L::%s[]), (%L)) v(a)', f, a, t, b), '2202E',
	'cannot aggregate arrays of different dimensions by position', format('%s of %s: %s and %s', f, t, a, b))
	FROM (VALUES ('{1,2}', '{1,2,3}'), ('{1,2}', '{{1,2}}'), ('{1,2}', '[0:1]={1,2}'), ('{1,2}', '{}'),
		('{{1,2,3},{4,5,6}}', '{{1,2},{3,4},{5,6}}')) v(a, b), (VALUES ('sum', 'int'), ('max', 'real')) w(f, t);

-- In the forms in which arrays come: expanded and compressed.
CREATE FUNCTION pg_temp.expanded(n int) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	a int[] := array_fill(1, ARRAY[n]);
	b float8[] := array_fill(0.5::float8, ARRAY[n]);
	result text;
BEGIN
	a[n / 2] := NULL;
	b[n] := 2;
	SELECT format('%s %s %s', (gpu_elem_sum(a))[n / 2 - 1:n / 2 + 1], (gpu_elem_count(a))[n / 2 - 1:n / 2 + 1],
		(gpu_elem_max(b))[n - 1:n]) INTO result FROM generate_series(1, 3);
	RETURN result;
END $$;
SELECT is(pg_temp.expanded(n), '{3,NULL,3} {3,0,3} {0.5,2}', 'an array of ' || n || ' in PL/pgSQL')
	FROM unnest(ARRAY[10, 1000, 3001]) n;
CREATE TEMP TABLE compressed AS SELECT array_fill(i, ARRAY[50000]) || NULL::int || i AS a FROM generate_series(1, 3) i;
SELECT cmp_ok(max(pg_column_size(a)), '<', 20000, 'compressed arrays') FROM compressed;
SELECT is(s[1] || s[50000:50002], '{6,6,NULL,6}'::bigint[], '... are added') FROM (SELECT gpu_elem_sum(a) AS s FROM compressed) q;
SELECT is((gpu_elem_min(a))[50000:], '{1,NULL,1}'::int[], '... and compared') FROM compressed;

-- The catalog.
SELECT is(count(*), n, format('%s aggregates, each complete', n)) FROM pg_aggregate a
	JOIN pg_proc p ON p.oid = a.aggfnoid, (VALUES ('^gpu_elem_(sum|avg|count)$', 18::bigint), ('^gpu_elem_(min|max)$', 10)) v(name, n)
	WHERE p.proname ~ name AND p.proparallel = 's' AND p.prorettype::regtype::text LIKE '%[]'
	  AND aggcombinefn <> 0 AND aggserialfn <> 0 AND aggdeserialfn <> 0 AND (aggminvtransfn <> 0) = (n = 18)
	  AND aggtransspace > 0 AND aggfinalmodify = 'r' AND p.provolatile = 'i' GROUP BY n;

SELECT * FROM finish();
ROLLBACK;
