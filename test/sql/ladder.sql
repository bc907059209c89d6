-- ladder: the teaching kernels as tables, timed on a device.
--
-- Times are what they are; but all that follows from them, and from what a sum
-- is, can be tested.  Where there is no device the functions are errors.
\set ECHO none
\set QUIET on
BEGIN;
SET LOCAL client_min_messages = warning;
SELECT plan(59);

-- Columns and defaults.
CREATE FUNCTION pg_temp.columns_of(of text) RETURNS text LANGUAGE sql AS $$
	SELECT pg_get_function_arguments(oid) FROM pg_proc WHERE proname = of $$;
SELECT is(pg_temp.columns_of('gpuagg_bench_' || f), 'n bigint DEFAULT 4194304, type regtype DEFAULT ''integer''::regtype, '
	'repeats integer DEFAULT 20, ' || last || ' boolean DEFAULT false, OUT kernel text, OUT elements bigint, '
	'OUT time_ms double precision, OUT gb_per_s double precision, OUT copy_share double precision, '
	'OUT step_speedup double precision, OUT total_speedup double precision, OUT cpu_speedup double precision, '
	'OUT max_error double precision, OUT same_bits boolean', 'the columns of gpuagg_bench_' || f)
	FROM (VALUES ('reduce', 'managed'), ('scan', 'exclusive')) v(f, last);

-- Permissions; who may call them gets to the arguments.
CREATE ROLE gpuagg_test_user;
CREATE ROLE gpuagg_test_monitor IN ROLE pg_monitor;
CREATE FUNCTION pg_temp.outcome(role text, query text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	PERFORM set_config('role', role, true);
	EXECUTE query;
	PERFORM set_config('role', 'none', true);
	RETURN 'done';
EXCEPTION WHEN OTHERS THEN
	RETURN SQLSTATE;
END $$;
SELECT is(pg_temp.outcome(role, 'SELECT FROM gpuagg_bench_' || f || '(0)'), outcome, role || ': ' || f)
	FROM unnest(ARRAY['reduce', 'scan']) f,
		(VALUES ('gpuagg_test_user', '42501'), ('gpuagg_test_monitor', '22023')) r(role, outcome);

-- Arguments, whether there is a device or not.
SELECT throws_ok('SELECT FROM gpuagg_bench_' || f || '(' || arguments || ')', state, message, f || ': ' || arguments)
	FROM unnest(ARRAY['reduce', 'scan']) f, (VALUES
		('0', '22023', 'invalid number of elements: 0'),
		('-1', '22023', 'invalid number of elements: -1'),
		('1 << 28 | 1', '22023', 'invalid number of elements: 268435457'),
		('9223372036854775807', '22023', 'invalid number of elements: 9223372036854775807'),
		('repeats => 0', '22023', 'invalid number of repeats: 0'),
		('repeats => 1001', '22023', 'invalid number of repeats: 1001'),
		('type => ''smallint''', '22023', 'there is no ladder for type smallint'),
		('type => ''integer[]''', '22023', 'there is no ladder for type integer[]'),
		('type => 0', '22023', 'there is no ladder for type -'),
		('NULL', '22004', 'n must not be null'),
		('type => NULL', '22004', 'type must not be null'),
		('repeats => NULL', '22004', 'repeats must not be null')) a(arguments, state, message);
SELECT throws_ok('SELECT FROM gpuagg_bench_reduce(managed => NULL)', '22004', 'managed must not be null');
SELECT throws_ok('SELECT FROM gpuagg_bench_scan(exclusive => NULL)', '22004', 'exclusive must not be null');

-- The ladder is the device's.
SELECT current_setting('gpuagg.engine') AS engine \gset
SET LOCAL gpuagg.engine = cpu;
SELECT throws_ok('SELECT FROM gpuagg_bench_' || f || '()', '55000',
	'the ladder needs a device: gpuagg.engine is cpu', f || ' by the CPU') FROM unnest(ARRAY['reduce', 'scan']) f;

SET LOCAL gpuagg.engine = gpu;
\ir is_up.psql
SELECT EXISTS (SELECT FROM gpuagg_devices WHERE kind = 'emulated') AS emulated \gset
SET LOCAL gpuagg.engine = :'engine';
\if :up
SELECT used_bytes AS used FROM gpuagg_devices LIMIT 1 \gset
CREATE TEMP TABLE rows (type regtype, ladder text, size float8, row int, kernel text, elements bigint, time_ms float8,
	gb_per_s float8, copy_share float8, step_speedup float8, total_speedup float8, cpu_speedup float8,
	max_error float8, same_bits boolean);
INSERT INTO rows
	SELECT t, ladder, CASE WHEN t IN ('bigint'::regtype, 'double precision') THEN 8 ELSE 4 END, row_number() OVER (), b.*
	FROM unnest('{integer,bigint,real,double precision}'::regtype[]) t, unnest(ARRAY['reduce', 'scan', 'exclusive']) ladder,
		LATERAL (SELECT * FROM gpuagg_bench_reduce(300001, t, 3) WHERE ladder = 'reduce'
			UNION ALL SELECT * FROM gpuagg_bench_scan(300001, t, 3, ladder = 'exclusive') WHERE ladder <> 'reduce') b;
CREATE TEMP VIEW ladders AS SELECT r.*, row_number() OVER w AS place,
		first_value(time_ms) OVER w AS cpu_ms, nth_value(time_ms, 2) OVER w AS copy_ms,
		first_value(gb_per_s * time_ms) OVER w / 1e6 AS cpu_bytes
	FROM rows r WINDOW w AS (PARTITION BY type, ladder ORDER BY row ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING);
CREATE FUNCTION pg_temp.near(a float8, b float8) RETURNS boolean LANGUAGE sql AS
	$$ SELECT abs(a - b) <= 1e-9 * abs(b) $$;

SELECT is((SELECT count(DISTINCT (type, ladder)) FROM rows), 12::bigint, 'all types have all ladders');
SELECT is_empty('SELECT * FROM ladders WHERE (kernel = ''cpu'') <> (place = 1) OR (kernel = ''copy'') <> (place = 2)',
	'the CPU comes first, then the copy');
SELECT is_empty('SELECT type, ladder FROM rows GROUP BY 1, 2 HAVING count(*) < 4 OR count(*) <> count(DISTINCT kernel)',
	'there are kernels in each, with names of their own');
SELECT is_empty('SELECT * FROM rows WHERE elements <> 300001 OR time_ms <= 0 OR gb_per_s <= 0', 'each was timed');
SELECT is_empty($$SELECT * FROM rows WHERE NOT EXISTS (SELECT FROM unnest(ARRAY[1, 2]) passes
	WHERE pg_temp.near(gb_per_s * time_ms * 1e6, passes * 300001 * size))$$, 'rates are of one pass or two');
SELECT is_empty($$SELECT * FROM rows WHERE kernel IN ('cpu', 'copy') AND NOT pg_temp.near(gb_per_s * time_ms * 1e6,
	300001 * size * CASE WHEN kernel = 'cpu' AND ladder = 'reduce' THEN 1 ELSE 2 END)$$, 'of two where they write');
SELECT is_empty($$SELECT * FROM ladders WHERE kernel <> 'cpu' AND NOT pg_temp.near(copy_share * time_ms,
	gb_per_s * time_ms * 1e6 / (2 * 300001 * size) * copy_ms)$$, 'shares are of the copy''s rate');
SELECT is_empty($$SELECT * FROM rows WHERE (copy_share IS NULL) <> (kernel = 'cpu')$$, 'the CPU''s memory is another one');
SELECT is_empty($$SELECT * FROM ladders WHERE kernel <> 'copy' AND NOT pg_temp.near(cpu_speedup * time_ms, cpu_ms)$$,
	'compared with the CPU');
SELECT is_empty($$SELECT * FROM (SELECT *, min(row) FILTER (WHERE total_speedup = 1) OVER (PARTITION BY type, ladder) AS first FROM rows) q
	WHERE (total_speedup IS NULL) <> (first IS NULL OR row < first) OR NOT pg_temp.near(total_speedup * time_ms,
		(SELECT f.time_ms FROM rows f WHERE f.row = first))$$, 'compared with the first step');
SELECT is_empty($$SELECT * FROM rows r WHERE step_speedup IS NOT NULL AND NOT EXISTS (SELECT FROM rows b
	WHERE (b.type, b.ladder) = (r.type, r.ladder) AND b.row < r.row AND pg_temp.near(r.step_speedup * r.time_ms, b.time_ms))$$,
	'compared with a step before');
SELECT is_empty($$SELECT * FROM rows WHERE kernel = 'copy' AND num_nulls(step_speedup, total_speedup, cpu_speedup, max_error, same_bits) < 5$$,
	'a copy adds nothing up');
SELECT is_empty($$SELECT * FROM rows WHERE max_error <> 0 AND type IN ('integer'::regtype, 'bigint')$$, 'integers are exact');
SELECT is_empty($$SELECT * FROM rows WHERE kernel IN ('exact', 'cpu') AND NOT same_bits$$, 'some give the same bits always');
SELECT is_empty($$SELECT * FROM rows WHERE kernel = 'exact' AND max_error <> 0$$, 'the exact one has no error');
SELECT is((SELECT count(*) FROM rows WHERE kernel = 'exact'), 12::bigint, 'and is in each ladder');
SELECT is_empty($$SELECT * FROM rows WHERE kernel = 'cpu' AND type IN ('real'::regtype, 'double precision') AND NOT max_error BETWEEN
	CASE WHEN type = 'real'::regtype THEN 1e-3 ELSE 1e-12 END AND CASE WHEN type = 'real'::regtype THEN 1e3 ELSE 1e-6 END$$,
	'the plain loop rounds');
-- The ladder has its own memory.
SELECT cmp_ok((SELECT used_bytes FROM gpuagg_devices LIMIT 1), '<=', :used::bigint, 'the device''s memory comes back');

-- More elements than the CPU's row has at once.
SELECT is((SELECT max_error FROM gpuagg_bench_reduce(8388608 + 5, 'bigint', 1) WHERE kernel = 'cpu'), 0::float8, 'a long reduction');
SELECT is((SELECT max_error FROM gpuagg_bench_scan(8388608 + 5, 'integer', 1, true) WHERE kernel = 'cpu'), 0::float8, 'a long scan');
SELECT is((SELECT bool_and(max_error = 0 AND same_bits) FROM gpuagg_bench_scan(1, 'real', 2) WHERE kernel <> 'copy'), true, 'one element');

-- In the middle of a query whose sums are under way.
SET LOCAL gpuagg.engine = gpu;
SELECT is((SELECT gpu_sum(x + CASE x WHEN 2500 THEN (SELECT 0 * count(*) FROM gpuagg_bench_reduce(x, repeats => 1)) ELSE 0 END)
	FROM generate_series(1, 5000) x), 12502500::numeric, 'sums under way');
SET LOCAL gpuagg.engine = :'engine';

-- Managed memory, if it is asked for.
SELECT set_eq(format('SELECT kernel FROM gpuagg_bench_reduce(1000, %L, 1, true)', type), ARRAY['cpu', 'copy', 'exact-baseline', 'exact'],
	'the CPU has none: ' || type) FROM unnest('{double precision,real}'::regtype[]) type WHERE :'emulated';
SELECT ok(step_speedup > 0 AND pg_temp.near(step_speedup, total_speedup), 'a second step')
	FROM gpuagg_bench_reduce(100000, 'float8', 3) WHERE kernel = 'exact' AND :'emulated';
SELECT skip('the device is not the emulated one', 3) WHERE NOT :'emulated';
\else
SELECT throws_ok('SELECT FROM gpuagg_bench_reduce()', '55000', NULL, 'no reductions without a device');
SELECT throws_ok('SELECT FROM gpuagg_bench_scan()', '55000', NULL, 'no scans without a device');
SELECT skip('there is no device', 23);
\endif

SELECT * FROM finish();
ROLLBACK;
