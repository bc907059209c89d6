-- gpu_min, gpu_max, gpu_array_min and gpu_array_max: as min() and max() over
-- unnest(), but of -0 and 0 always the same one, in whatever order they come.
\set ECHO none
\set QUIET on
BEGIN;
SELECT plan(248);

-- Random arrays, first as text: rows of three elements, a third of them NULL;
-- lower bounds; some arrays NULL, empty, or of nothing but NULLs.  The large ones
-- are stored out of line.  Some arrays of floats have NaN, infinities, or nothing
-- but zeros of both signs.
SELECT setseed(0.19);
CREATE FUNCTION pg_temp.cell() RETURNS text LANGUAGE sql VOLATILE AS $$
	SELECT CASE WHEN random() < 0.33 THEN 'NULL' ELSE floor(random() * 2000 - 1000)::text END $$;
CREATE TEMP TABLE texts AS
	SELECT i, CASE WHEN i % 19 = 0 THEN NULL WHEN i % 17 = 0 THEN '{}'
			WHEN i % 23 = 0 THEN '{NULL,NULL}'
			ELSE format('[%s:%s][-1:1]={%s}', i, i + height - 1,
				(SELECT string_agg(format('{%s,%s,%s}', pg_temp.cell(), pg_temp.cell(), pg_temp.cell()), ',')
				 FROM generate_series(1, height))) END AS t
	FROM (SELECT i, floor(power(2, random() * 9))::int AS height FROM generate_series(1, 200) i) q;
CREATE FUNCTION pg_temp.special(t text, digits text, special text) RETURNS text LANGUAGE sql AS $$
	SELECT regexp_replace(t, format('(?<=[{,])-?\d*[%s](?=[,}])', digits), special, 'g') $$;
-- lz4, the default from 19 on, leaves fewer of them out of line.
SET LOCAL default_toast_compression = pglz;
CREATE TABLE arrays AS
	SELECT i, i % 7 AS g, t::int2[] AS i2, t::int4[] AS i4,
		regexp_replace(t, '(?<=\d)(?=[,}])', '123456789012345', 'g')::int8[] AS i8, f::float4[] AS f4,
		regexp_replace(f, '(?<=\d)(?=[,}])', 'e' || i * 37 % 600 - 310, 'g')::float8[] AS f8
	FROM (SELECT i, t, CASE i % 7 WHEN 1 THEN pg_temp.special(t, '3', 'NaN') WHEN 2 THEN pg_temp.special(t, '5', 'Infinity')
			WHEN 3 THEN pg_temp.special(t, '7', '-Infinity') WHEN 5 THEN pg_temp.special(t, '0-9', 'NaN')
			WHEN 4 THEN pg_temp.special(pg_temp.special(t, '02468', (ARRAY['-0', '0'])[1 + i % 2]),
				'13579', (ARRAY['-0', '0'])[1 + i % 3 % 2])
			ELSE t END AS f FROM texts) q;
ALTER TABLE arrays ALTER i4 SET STORAGE EXTERNAL, ALTER f8 SET STORAGE EXTERNAL;
INSERT INTO arrays SELECT i + 200, 7, i2, i4, i8, f4, f8 FROM arrays;
ANALYZE arrays;
SELECT cmp_ok(count(*), '>', 10::bigint, 'arrays are stored out of line')
	FROM arrays WHERE pg_column_size(f8) > 4000;

-- What to compare with: the first or the last element, where equal ones are in
-- the order of their texts, which tells -0 from 0.  %s is the element.
CREATE TEMP TABLE columns AS SELECT unnest(ARRAY['i2', 'i4', 'i8', 'f4', 'f8']) AS c;
CREATE TEMP TABLE functions (f text, reference text);
INSERT INTO functions VALUES
	('min', '(array_agg(x ORDER BY x, x::text COLLATE "C") FILTER (WHERE x IS NOT NULL))[1]'),
	('max', '(array_agg(x ORDER BY x DESC, x::text COLLATE "C" DESC) FILTER (WHERE x IS NOT NULL))[1]');

-- Do two queries have the same rows?
CREATE FUNCTION pg_temp.same(one text, other text) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
	a text;
	b text;
BEGIN
	EXECUTE format('SELECT string_agg(q::text, '' '' ORDER BY q) FROM (%s) q', one) INTO a;
	EXECUTE format('SELECT string_agg(q::text, '' '' ORDER BY q) FROM (%s) q', other) INTO b;
	RETURN a = b;
END $$;

-- The laws, for each function %2$s and each element type; %1$I is the column of
-- arrays, and %3$s what to compare with.
CREATE TEMP TABLE laws (name text, one text, other text);
INSERT INTO laws VALUES
	('all arrays', 'SELECT gpu_%2$s(%1$I) FROM arrays',
		'SELECT %3$s FROM arrays, unnest(%1$I) x'),
	('GROUP BY', 'SELECT g, gpu_%2$s(%1$I) FROM arrays GROUP BY g',
		'SELECT g, %3$s FROM arrays, unnest(%1$I) x GROUP BY g'),
	('core', 'SELECT g, gpu_%2$s(%1$I) = (SELECT %2$s(x) FROM arrays a, unnest(%1$I) x WHERE a.g = arrays.g) FROM arrays GROUP BY g',
		'SELECT g, true FROM arrays GROUP BY g'),
	('each array', 'SELECT i, gpu_%2$s(%1$I) FROM arrays GROUP BY i',
		'SELECT i, %3$s FROM arrays LEFT JOIN unnest(%1$I) x ON true GROUP BY i'),
	('FILTER', 'SELECT g, gpu_%2$s(%1$I) FILTER (WHERE i %% 3 = 0) FROM arrays GROUP BY g',
		'SELECT g, %3$s FROM arrays, unnest(%1$I) x WHERE i %% 3 = 0 GROUP BY g'),
	('DISTINCT', 'SELECT g, gpu_%2$s(DISTINCT %1$I) FROM arrays GROUP BY g',
		'SELECT g, %3$s FROM arrays, unnest(%1$I) x GROUP BY g'),
	('a moving frame', 'SELECT i, gpu_%2$s(%1$I) OVER (ORDER BY i ROWS 3 PRECEDING) FROM arrays WHERE i <= 200',
		'SELECT a.i, %3$s FROM arrays a JOIN arrays b ON b.i BETWEEN a.i - 3 AND a.i
		 LEFT JOIN unnest(b.%1$I) x ON true WHERE a.i <= 200 GROUP BY a.i'),
	('gpu_array_', 'SELECT i, gpu_array_%2$s(%1$I) FROM arrays WHERE %1$I IS NOT NULL',
		'SELECT i, %3$s FROM arrays LEFT JOIN unnest(%1$I) x ON true WHERE %1$I IS NOT NULL GROUP BY i'),
	('a column', 'SELECT g, gpu_%2$s(x) FROM arrays, unnest(%1$I) x GROUP BY g',
		'SELECT g, %3$s FROM arrays, unnest(%1$I) x GROUP BY g'),
	('a column, sorted', 'SELECT g, gpu_%2$s(x ORDER BY x) FROM arrays, unnest(%1$I) x GROUP BY g',
		'SELECT g, %3$s FROM arrays, unnest(%1$I) x GROUP BY g'),
	('a column in a moving frame',
		'SELECT n, gpu_%2$s(x) OVER (ORDER BY n ROWS 5 PRECEDING)
		 FROM (SELECT row_number() OVER (ORDER BY i, o) AS n, x
			   FROM arrays, unnest(%1$I) WITH ORDINALITY u(x, o) WHERE i < 12 AND o < 40) q',
		'WITH q AS (SELECT row_number() OVER (ORDER BY i, o) AS n, x
			   FROM arrays, unnest(%1$I) WITH ORDINALITY u(x, o) WHERE i < 12 AND o < 40)
		 SELECT a.n, (SELECT %3$s FROM q WHERE n BETWEEN a.n - 5 AND a.n) FROM q a');
SELECT ok(pg_temp.same(format(one, c, f, reference), format(other, c, f, reference)), f || ' of ' || c || ': ' || name)
	FROM laws, columns, functions ORDER BY name, c, f;

-- The contract for floats; as an array, as an array of real, and as a column in
-- three orders.
CREATE TEMP TABLE cases (name text, input float8[], least float8, largest float8);
INSERT INTO cases VALUES
	('NaN', '{1, NaN, 2}', 1, 'NaN'),
	('NaN alone', '{NaN, NULL, NaN}', 'NaN', 'NaN'),
	('NaN and infinity', '{Infinity, NaN}', 'Infinity', 'NaN'),
	('infinities', '{Infinity, 1, -Infinity}', '-Infinity', 'Infinity'),
	('zeros', '{0, -0}', '-0', '0'),
	('zeros in another order', '{-0, 0, -0}', '-0', '0'),
	('minus zero alone', '{-0, -0}', '-0', '-0'),
	('zero alone', '{0, 0}', '0', '0'),
	('minus zero and more', '{-0, 1, 0}', '-0', '1'),
	('zero and less', '{-0, -1, 0}', '-1', '0'),
	('one element', '{0.25}', 0.25, 0.25);
SELECT is(gpu_array_min(input)::text || ' ' || gpu_array_max(input), least || ' ' || largest, name) FROM cases;
SELECT is(gpu_array_min(input::real[])::text || ' ' || gpu_array_max(input::real[]), least || ' ' || largest,
	name || ', real') FROM cases;
SELECT is((SELECT gpu_min(x)::text || ' ' || gpu_max(x) FROM unnest(input) x), least || ' ' || largest,
	name || ', column') FROM cases;
SELECT is((SELECT gpu_min(x ORDER BY o DESC)::text || ' ' || gpu_max(x ORDER BY o DESC)
		FROM unnest(input) WITH ORDINALITY u(x, o)), least || ' ' || largest, name || ', column from its end') FROM cases;
SELECT is((SELECT gpu_min(x::real)::text || ' ' || gpu_max(x::real) FROM unnest(input) x), least || ' ' || largest,
	name || ', column of real') FROM cases;
SELECT is(gpu_array_min(a)::text || ' ' || gpu_array_max(a), '-1.7976931348623157e+308 1.7976931348623157e+308', 'the ends')
	FROM (VALUES ('{4.9e-324, 1.7976931348623157e308, -1.7976931348623157e308}'::float8[])) v(a);
SELECT is(gpu_array_min(a)::text || ' ' || gpu_array_max(a), '-5e-324 5e-324', 'subnormals')
	FROM (VALUES ('{0, 4.9e-324, -4.9e-324, -0}'::float8[])) v(a);
SELECT is(gpu_min(x)::text || ' ' || gpu_max(x), '-9223372036854775808 9223372036854775807', 'the ends of bigint')
	FROM unnest(ARRAY[9223372036854775807, 0, -9223372036854775808]) x;

-- A NaN of any bits gives one with the usual bits.
SELECT is(float8send(r), float8send('NaN'), 'the bits of NaN: ' || name)
	FROM (SELECT 'min of a column' AS name, gpu_min(-x) AS r FROM (VALUES ('NaN'::float8)) v(x)
		UNION ALL SELECT 'max of a column', gpu_max(-x) FROM (VALUES ('NaN'::float8), (1)) v(x)
		UNION ALL SELECT 'min of an array', gpu_array_min(ARRAY[-'NaN'::float8])
		UNION ALL SELECT 'max of arrays', gpu_max(ARRAY[-'NaN'::float8, 1])) q;

-- Types as min and max have them.
SELECT is(pg_typeof(gpu_min(NULL::int2))::text || pg_typeof(gpu_max(NULL::int4)) || pg_typeof(gpu_min(NULL::int8[]))
		|| pg_typeof(gpu_max(NULL::float4[])) || pg_typeof(gpu_array_min(NULL::float8[])),
	'smallintintegerbigintrealdouble precision', 'types of the elements');

-- The same with each setting of the engine; arrays are counted with the reason.
SELECT current_setting('gpuagg.engine') AS engine \gset
CREATE FUNCTION pg_temp.answers_by(engine text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	PERFORM set_config('gpuagg.engine', engine, true), set_config('gpuagg.min_gpu_size', '0', true);
	RETURN (SELECT string_agg(q::text, ' ' ORDER BY q) FROM (SELECT g, gpu_min(i2), gpu_max(i4),
		gpu_min(i8), gpu_max(f4), gpu_min(f8), sum(gpu_array_min(i4)), gpu_min(i) FROM arrays GROUP BY g) q);
END $$;
SELECT is(pg_temp.answers_by(engine), pg_temp.answers_by('cpu'), engine || ' gives the answers of cpu')
	FROM unnest(ARRAY['auto', :'engine']) engine;
CREATE FUNCTION pg_temp.counted(query text, reason_text text) RETURNS numeric LANGUAGE plpgsql AS $$
DECLARE
	n bigint := coalesce((SELECT sum(arrays) FROM gpuagg_session_stat WHERE reason IS NOT DISTINCT FROM reason_text), 0);
BEGIN
	EXECUTE query;
	RETURN coalesce((SELECT sum(arrays) FROM gpuagg_session_stat WHERE reason IS NOT DISTINCT FROM reason_text), 0) - n;
END $$;
\ir is_up.psql
\if :up
SET LOCAL gpuagg.engine = gpu;
CREATE TEMP TABLE counts AS SELECT pg_temp.counted(query, NULL) AS device, pg_temp.counted(query, 'not computed by the device') AS cpu
	FROM (VALUES ('SELECT gpu_min(i4), gpu_array_max(array_agg(i)) FROM arrays WHERE i4 IS NOT NULL')) v(query);
SELECT is(device + cpu, (SELECT count(i4) + 1 FROM arrays)::numeric, 'arrays are counted') FROM counts;
SELECT cmp_ok(device, '>', 10::numeric, '... stored ones of the device') FROM counts;
\else
SELECT skip('there is no device', 2);
\endif
SET LOCAL gpuagg.engine = cpu;
SELECT is(pg_temp.counted('SELECT gpu_min(i4) FROM arrays', 'gpuagg.engine is cpu'), count(i4)::numeric,
	'... as those of the CPU where the setting says so') FROM arrays;
SET LOCAL gpuagg.engine = :'engine';

-- Parallel plans, forced: the states are combined.
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
SELECT matches(pg_temp.plan_of(format('SELECT gpu_%s(%I) FROM arrays', f, c)),
	'Finalize Aggregate.*Gather.*Partial Aggregate', f || ' of ' || c || '[]: parallel plan') FROM columns, functions;
SELECT ok(pg_temp.same(format('SELECT gpu_%s(%I) FROM arrays WHERE g <> 1 AND g <> 5', f, c),
		format('SELECT %s FROM arrays, unnest(%I) x WHERE g <> 1 AND g <> 5', reference, c)),
	f || ' of ' || c || '[]: the parallel answer') FROM columns, functions;
CREATE TABLE plain AS SELECT x::int2 AS i2, x AS i4, x::int8 AS i8, (x / 8.0)::float4 AS f4,
		CASE WHEN x % 7 = 0 THEN '-0' WHEN x % 7 = 1 THEN '0' ELSE x END::float8 AS f8
	FROM generate_series(0, 20000) x;
ANALYZE plain;
SELECT matches(pg_temp.plan_of(format('SELECT gpu_%s(%I) FROM plain', f, c)),
	'Finalize Aggregate.*Gather.*Partial Aggregate', f || ' of ' || c || ': parallel plan') FROM columns, functions;
SELECT ok(pg_temp.same(format('SELECT gpu_%s(%I) FROM plain', f, c),
		format('SELECT %s FROM (SELECT %I AS x FROM plain) q', reference, c)),
	f || ' of ' || c || ': the parallel answer') FROM columns, functions;
RESET parallel_setup_cost;
RESET parallel_tuple_cost;
RESET min_parallel_table_scan_size;
RESET max_parallel_workers_per_gather;

-- An index has the answer for a column of integers; for floats it does not know
-- -0 from 0.
SELECT format('CREATE INDEX ON plain (%I)', c) FROM columns \gexec
SELECT matches(pg_temp.plan_of(format('SELECT gpu_%s(%I) FROM plain', f, c)), 'Limit.*Index Only Scan',
	f || ' of ' || c || ' by an index') FROM columns, functions WHERE c ^@ 'i';
SELECT ok(pg_temp.same(format('SELECT gpu_%s(%I) FROM plain', f, c), format('SELECT %s(%I) FROM plain', f, c)),
	f || ' of ' || c || ' by an index: the answer') FROM columns, functions WHERE c ^@ 'i';
SELECT doesnt_match(pg_temp.plan_of(format('SELECT gpu_%s(%I) FROM plain', f, c)), 'Limit',
	f || ' of ' || c || ' by all rows') FROM columns, functions WHERE c ^@ 'f';

-- Without input it is NULL.
SELECT is(gpu_min(i4), NULL, 'no rows') FROM arrays WHERE false;
SELECT is(gpu_max(a), NULL, 'NULL, an empty array, and an array of NULLs')
	FROM (VALUES (NULL), ('{}'::float8[]), ('{NULL,NULL}')) v(a);
SELECT is(gpu_max(x), NULL, 'a column of NULLs') FROM (VALUES (NULL::float8), (NULL)) v(x);
SELECT is(gpu_array_min('{}'::real[]), NULL, 'an empty array');
SELECT is(gpu_array_max('{NULL}'::int[]), NULL, 'an array of NULL');

-- Of one array, in the forms in which it can come.
CREATE FUNCTION pg_temp.expanded(n int) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	a int[] := array_fill(1, ARRAY[n]);
BEGIN
	a[n / 2] := NULL;
	a[n] := n;
	RETURN gpu_array_min(a) || ' ' || gpu_array_max(a);
END $$;
SELECT is(pg_temp.expanded(n), '1 ' || n, 'an array of ' || n || ' in PL/pgSQL')
	FROM unnest(ARRAY[3, 100, 100000]) n;
CREATE TEMP TABLE compressed AS SELECT array_fill(i, ARRAY[50000]) || NULL || i AS a FROM generate_series(1, 3) i;
SELECT cmp_ok(max(pg_column_size(a)), '<', 20000, 'compressed arrays') FROM compressed;
SELECT is(gpu_min(a) || ' ' || gpu_max(a), '1 3', '... are searched') FROM compressed;
CREATE TABLE long (a float8[]);
ALTER TABLE long ALTER a SET STORAGE EXTERNAL;
INSERT INTO long SELECT array_agg(CASE WHEN x = 399999 THEN -1 ELSE x END::float8 ORDER BY x) FROM generate_series(1, 400000) x;
SELECT is(gpu_min(a) || ' ' || gpu_max(a), '-1 400000', 'a long stored array') FROM long;
SELECT is(gpu_array_min(ARRAY[1.5, 1.25]), 1.25, 'of numeric');

-- The catalog.
SELECT is(count(*) FILTER (WHERE aggtranstype = p.prorettype AND aggfinalfn = 0)
		|| ' ' || count(*) FILTER (WHERE aggtranstype = 'internal'::regtype AND aggserialfn <> 0 AND aggdeserialfn <> 0
			AND aggtransspace > 0 AND aggfinalmodify = 'r'), '16 20',
	'aggregates of columns and of numeric, whose state is a value, and of arrays') FROM pg_aggregate a
	JOIN pg_proc p ON p.oid = a.aggfnoid
	WHERE p.proname IN ('gpu_min', 'gpu_max') AND p.proparallel = 's' AND aggcombinefn <> 0 AND p.provolatile = 'i';

SELECT * FROM finish();
ROLLBACK;
