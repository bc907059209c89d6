-- engine: the choice of an engine, which does not change results.  These tests
-- run with any engine, also where there is no device.
\set ECHO none
\set QUIET on
BEGIN;
SELECT plan(45);

-- Settings, once the library is loaded.
SELECT gpu_array_sum('{1}'::int[]) AS one \gset
SELECT throws_ok('SET gpuagg.engine = fpga', '22023');
SELECT throws_ok($$SET gpuagg.min_gpu_size = -2$$, '22023');
SELECT throws_ok($$SET gpuagg.request_timeout = 0$$, '22023');
SELECT throws_ok($$SET gpuagg.nonsense = 1$$, '42602');
SELECT throws_ok('SET gpuagg.' || name || ' = ''' || setting || '''', '55P02',
		NULL, name || ' is for the server''s configuration')
	FROM (VALUES ('device', 'none'), ('cache_size', '1GB'), ('cache_packing', 'off'), ('staging_size', '64MB'), ('idle_timeout', '1h'),
		('emulated_faults', '')) s(name, setting);
SELECT is((SELECT string_agg(name || '=' || vartype || ' ' || context, ', ' ORDER BY name)
	FROM pg_settings WHERE name LIKE 'gpuagg.%'),
	'gpuagg.allow_device=bool superuser, gpuagg.cache_packing=enum sighup, gpuagg.cache_size=integer sighup, gpuagg.cpu_engine=string user, gpuagg.device=string sighup, '
	'gpuagg.emulated_faults=string sighup, gpuagg.engine=enum user, gpuagg.idle_timeout=integer sighup, gpuagg.min_gpu_size=integer user, '
	'gpuagg.request_timeout=integer user, gpuagg.staging_size=integer sighup',
	'the settings');

-- Views.
SELECT is((SELECT string_agg(attname || ' ' || atttypid::regtype, ', ' ORDER BY attnum)
	FROM pg_attribute WHERE attrelid = 'gpuagg_session_stat'::regclass AND attnum > 0),
	'engine text, implementation text, reason text, arrays bigint, elements bigint, bytes bigint, '
	'hits bigint, misses bigint, device_ms double precision, waiting_ms double precision',
	'the columns of gpuagg_session_stat');
SELECT is((SELECT string_agg(attname || ' ' || atttypid::regtype, ', ' ORDER BY attnum)
	FROM pg_attribute WHERE attrelid = 'gpuagg_server_stat'::regclass AND attnum > 0),
	'engine text, reason text, is_failure boolean, arrays bigint, elements bigint, bytes bigint, '
	'hits bigint, misses bigint, device_ms double precision, waiting_ms double precision, '
	'since timestamp with time zone',
	'the columns of gpuagg_server_stat');
SELECT is((SELECT count(*) FROM pg_attribute
	WHERE attrelid = 'gpuagg_devices'::regclass AND attnum > 0), 21::bigint,
	'the columns of gpuagg_devices');
SELECT cmp_ok((SELECT count(*) FROM gpuagg_devices), '>=', 1::bigint,
	'gpuagg_devices has a row, whatever there is');
SELECT ok((SELECT bool_and(state IN ('none', 'starting', 'up', 'hung', 'waiting', 'absent', 'failed', 'stopped', 'off')) FROM gpuagg_devices),
	'and a state');

-- Data: stored arrays of all types.  Seven rows, two groups and NULLs.
CREATE TEMP TABLE stored (i int, g int, a2 int2[], a4 int4[], a8 int8[], f4 float4[], f8 float8[]);
ALTER TABLE stored ALTER f8 SET STORAGE EXTERNAL, ALTER a4 SET STORAGE EXTERNAL;
INSERT INTO stored
	SELECT i, i % 2, array_agg(x::int2), array_agg(x), array_agg(x * 1e14::int8),
		array_agg((x / 10.0)::float4), array_agg(x / 10.0 * 10.0 ^ (x % 30))
	FROM generate_series(1, 7) i, LATERAL (SELECT (i * 7919 + j * 10007) % 32768 - 16384 AS x
		FROM generate_series(1, 30000) j) q GROUP BY i;
INSERT INTO stored (i, g) VALUES (8, 0);
UPDATE stored SET f8[5] = NULL, a4[7] = NULL WHERE i = 3;

-- The same results by each choice: auto that sends all it may, auto that sends
-- none, the setting of the session, and the CPU.
CREATE FUNCTION pg_temp.all_of(engine text, size text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE result text;
BEGIN
	PERFORM set_config('gpuagg.engine', engine, true), set_config('gpuagg.min_gpu_size', size, true);
	SELECT concat_ws(' ', gpu_sum(a2), gpu_sum(a4), gpu_sum(a8), gpu_sum(f4), gpu_sum(f8),
		string_agg(gpu_array_sum(f8)::text, ',' ORDER BY i),
		md5(string_agg(gpu_array_cumsum(f8)::text, ',' ORDER BY i)),
		md5(string_agg(gpu_array_cumsum(a8, true)::text, ',' ORDER BY i)))
		INTO result FROM stored;
	RETURN result || (SELECT md5(string_agg(s::text, ',')) FROM (SELECT gpu_cumsum(f8) AS s FROM stored) q)
		|| (SELECT string_agg(g || ' ' || s, ',' ORDER BY g) FROM (SELECT g, gpu_sum(f4) AS s FROM stored GROUP BY g) q);
END $$;
SELECT current_setting('gpuagg.engine') AS engine \gset
SELECT pg_temp.all_of('cpu', '-1') AS by_cpu \gset
SELECT is(pg_temp.all_of(:'engine', '-1'), :'by_cpu', 'the engine of the session gives the bits of the CPU');
SELECT is(pg_temp.all_of('auto', '0'), :'by_cpu', 'auto that sends all stored arrays');
SELECT is(pg_temp.all_of('auto', '100kB'), :'by_cpu', 'auto that sends large ones');
SELECT is(pg_temp.all_of('auto', '-1'), :'by_cpu', 'auto that sends none');
SET LOCAL gpuagg.engine = :'engine';

-- Sums that are not finished, by errors, rollbacks and LIMIT, change no later one.
CREATE FUNCTION pg_temp.fails() RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	PERFORM gpu_sum(f8) / (SELECT 0) FROM stored GROUP BY i, f8;
	RETURN 'it does not';
EXCEPTION WHEN division_by_zero THEN
	RETURN (SELECT gpu_sum(a4)::text FROM stored);
END $$;
SELECT is(pg_temp.fails(), (SELECT sum(x)::text FROM stored, unnest(a4) x),
	'after an error with sums under way') FROM generate_series(1, 3);
CREATE FUNCTION pg_temp.check_row(i int) RETURNS int LANGUAGE plpgsql AS $$
BEGIN
	IF i = 6 THEN RAISE EXCEPTION 'row %', i; END IF;
	RETURN i;
END $$;
SAVEPOINT s;
SELECT throws_ok('SELECT gpu_sum(f8) FROM (SELECT f8, pg_temp.check_row(i) AS r FROM stored OFFSET 0) q WHERE r > 0',
	'P0001', 'row 6', 'an error between two arrays');
ROLLBACK TO s;
SELECT is(pg_temp.all_of(:'engine', '0'), :'by_cpu', 'after a rollback to a savepoint');
SET LOCAL gpuagg.engine = :'engine';
SELECT is((SELECT count(*) FROM (SELECT gpu_cumsum(f8) FROM stored WHERE i = 1 LIMIT 3) q), 3::bigint,
	'running totals that are not all read');
SELECT is(a.s, b.s, 'a sum within a sum') FROM
	(SELECT gpu_sum(gpu_array_sum(f8)) AS s FROM stored) a, (SELECT gpu_sum(x) AS s
		FROM (SELECT gpu_array_sum(f8) AS x FROM stored) q) b;
SELECT is(gpu_sum(f8 ORDER BY i DESC) FILTER (WHERE i < 5), gpu_sum(f8) FILTER (WHERE i < 5), 'ORDER BY and FILTER')
	FROM stored;

-- Two types in turn, and two readers of totals in turn.
SELECT is(gpu_sum(a4)::text || gpu_sum(f4) || gpu_sum(a2) || gpu_sum(f8) || gpu_sum(a8),
	(SELECT gpu_sum(a4) FROM stored)::text || (SELECT gpu_sum(f4) FROM stored)
		|| (SELECT gpu_sum(a2) FROM stored) || (SELECT gpu_sum(f8) FROM stored) || (SELECT gpu_sum(a8) FROM stored),
	'five types in one query') FROM stored;
SELECT is((SELECT md5(string_agg(x || ' ' || y, ',')) FROM (SELECT gpu_cumsum(f8) AS x, gpu_cumsum(a4) AS y FROM stored WHERE i = 2) q),
	(SELECT md5(string_agg(x || ' ' || y, ',')) FROM stored,
		ROWS FROM (unnest(gpu_array_cumsum(f8)), unnest(gpu_array_cumsum(a4))) t(x, y) WHERE i = 2),
	'two series of running totals in turn');

-- Cursors that stay open while other queries run.
DECLARE c CURSOR FOR SELECT gpu_cumsum(a4) FROM stored WHERE i = 1;
FETCH 70000 FROM c \g /dev/null
CLOSE c;
DECLARE d CURSOR FOR SELECT i, gpu_sum(f8) FROM stored GROUP BY i ORDER BY i;
FETCH NEXT FROM d \gset first_
SELECT is((SELECT gpu_sum(a4) FROM stored), (SELECT sum(x) FROM stored, unnest(a4) x), 'while a cursor is open');
FETCH NEXT FROM d \gset second_
CLOSE d;
SELECT is(:'second_gpu_sum'::float8, (SELECT gpu_array_sum(f8) FROM stored WHERE i = 2), 'the cursor continues');

-- A window whose frame moves over arrays, while the device computes.
SELECT is((SELECT string_agg(s::text, ',' ORDER BY i) FROM (SELECT i, gpu_sum(a4) OVER (ORDER BY i ROWS 2 PRECEDING) AS s FROM stored) q),
	(SELECT string_agg(s::text, ',' ORDER BY i) FROM (SELECT i, sum(t) OVER (ORDER BY i ROWS 2 PRECEDING) AS s
		FROM (SELECT i, gpu_array_sum(a4) AS t FROM stored) p) q), 'a moving frame over arrays');

-- Running totals over more rows than are read ahead, with NULLs and partitions.
CREATE TEMP TABLE long_rows AS SELECT k, CASE WHEN k % 7 > 0 THEN k * 3 END AS x FROM generate_series(1, 5000) k;
SELECT is((SELECT md5(string_agg(coalesce(s::text, '-'), ',' ORDER BY k)) FROM (SELECT k, gpu_cumsum(x) OVER (PARTITION BY k % 3 ORDER BY k) AS s FROM long_rows) q),
	(SELECT md5(string_agg(coalesce(s::text, '-'), ',' ORDER BY k)) FROM (SELECT k, sum(x) OVER (PARTITION BY k % 3 ORDER BY k) AS s FROM long_rows) q),
	'a window longer than what is read ahead');
CREATE TEMP SEQUENCE once;
SELECT is((SELECT array_agg(s) FROM (SELECT gpu_cumsum(nextval('once')) OVER (ORDER BY i) AS s FROM generate_series(1, 4) i) q),
	'{1,3,6,10}'::numeric[], 'a volatile argument is evaluated once a row');
SELECT throws_ok('SELECT max(s) FROM (SELECT gpu_cumsum(x) OVER (ORDER BY k) AS s FROM (VALUES (1, 3e38::float4), (2, 3e38), (3, -3e38)) v(k, x)) q',
	'22003', NULL, 'an overflow in a window');
SELECT is((SELECT string_agg(s::text, ' ') FROM (SELECT gpu_cumsum(x) OVER (ORDER BY k) AS s FROM (VALUES (1, 3e38::float4), (2, 3e38), (3, -3e38)) v(k, x) LIMIT 1) q),
	'3e+38', 'which is not reported to a query that stops before it');

-- The counters.
CREATE TEMP TABLE before AS SELECT sum(arrays) AS r, sum(elements) AS e FROM gpuagg_session_stat;
SELECT count(s) AS n FROM (SELECT gpu_sum(f8) AS s FROM stored) q \gset
SELECT is(ARRAY[sum(s.arrays) - b.r, sum(s.elements) - b.e], ARRAY[7, 7 * 30000 - 1]::numeric[],
	'each array and element is counted once') FROM gpuagg_session_stat s, before b GROUP BY b.r, b.e;
TRUNCATE before;
INSERT INTO before SELECT sum(arrays), sum(elements) FROM gpuagg_session_stat;
SELECT gpu_array_bucket_max(f8, 1000) IS NULL AS b, gpu_array_bucket_count(f8, 1000) IS NULL AS c, gpu_array_moving_sum(f8, 3) IS NULL AS m,
	gpu_array_cummax(f8) IS NULL AS x, gpu_array_delta(f8, 1, 10) IS NULL AS d FROM stored WHERE i = 3 \gset
SELECT is(ARRAY[sum(s.arrays) - b.r, sum(s.elements) - b.e], ARRAY[5, 3 * 29999 + 9]::numeric[],
	'NULLs are not, nor elements that are not read') FROM gpuagg_session_stat s, before b GROUP BY b.r, b.e;

-- The choice of auto: by the array's size, and by whether the query waits for
-- each array.  Whether there is a device is asked later.
CREATE TEMP TABLE sized (n int, a float8[]);
ALTER TABLE sized ALTER a SET STORAGE EXTERNAL;
INSERT INTO sized SELECT n, array_fill(1.5::float8, ARRAY[n]) FROM unnest('{5116,5117,8188,8189}'::int[]) n;
CREATE FUNCTION pg_temp.refusals(query text, n int, size text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	was jsonb := (SELECT jsonb_object_agg(reason, arrays) FROM gpuagg_session_stat WHERE engine = 'cpu');
	ignored float8;
BEGIN
	PERFORM set_config('gpuagg.engine', 'auto', true), set_config('gpuagg.min_gpu_size', size, true);
	EXECUTE format('SELECT %s FROM sized WHERE n = %s', query, n) INTO ignored;
	RETURN (SELECT string_agg(reason, ', ') FROM gpuagg_session_stat
		WHERE engine = 'cpu' AND arrays > coalesce((was ->> reason)::bigint, 0) AND reason ~ 'smaller|less than');
END $$;
SELECT is(pg_temp.refusals('gpu_sum(a)', 5116, '40kB'), 'smaller than gpuagg.min_gpu_size', '8 bytes less than gpuagg.min_gpu_size');
SELECT is(pg_temp.refusals('gpu_sum(a)', 5117, '40kB'), NULL, 'just as large');
SELECT is(pg_temp.refusals('gpu_sum(a)', 5117, '-1'), 'smaller than gpuagg.min_gpu_size', 'no size is large enough');
SELECT is(pg_temp.refusals('gpu_array_sum(a)', 8188, '0'), 'less than 64 kB, and not in an aggregate', '8 bytes less than 64 kB, alone');
SELECT is(pg_temp.refusals('gpu_sum(a)', 8188, '0'), NULL, '... in an aggregate');
SELECT is(pg_temp.refusals('gpu_array_sum(a)', 8189, '0'), NULL, '64 kB, alone');

SELECT * FROM finish();
ROLLBACK;
