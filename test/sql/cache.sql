-- cache: the resident arrays, in views, and their removal.
--
-- Where there is no device the views are empty; the rest is skipped then.
\set ECHO none
\set QUIET on
BEGIN;
SET LOCAL client_min_messages = warning;
SELECT plan(61);

-- Columns and comments.
SELECT is((SELECT string_agg(attname || ' ' || atttypid::regtype, ', ' ORDER BY attnum)
	FROM pg_attribute WHERE attrelid = 'gpuagg_cache'::regclass AND attnum > 0),
	'device integer, database name, relation regclass, toast_relation oid, entries bigint, bytes bigint, '
	'packed_bytes bigint, hits bigint, last_use timestamp with time zone', 'the columns of gpuagg_cache');
SELECT is((SELECT string_agg(attname || ' ' || atttypid::regtype, ', ' ORDER BY attnum)
	FROM pg_attribute WHERE attrelid = 'gpuagg_stat'::regclass AND attnum > 0),
	'requests bigint, arrays bigint, hits bigint, misses bigint, streamed bigint, evictions bigint, '
	'bytes_in bigint, bytes_out bigint, device_ms double precision, cache_entries bigint, cache_used bigint, '
	'cache_plain bigint, cache_allocated bigint, cache_size bigint, host_used bigint, host_size bigint, since timestamp with time zone', 'the columns of gpuagg_stat');
SELECT is((SELECT count(*) FROM pg_depend d
	WHERE d.refclassid = 'pg_extension'::regclass AND d.deptype = 'e' AND
		d.refobjid = (SELECT oid FROM pg_extension WHERE extname = 'gpuagg') AND
		d.classid IN ('pg_proc'::regclass, 'pg_class'::regclass) AND
		coalesce(obj_description(d.objid, d.classid::regclass::name), '') = ''), 0::bigint,
	'every function and view has a comment');

-- Permissions.
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
SELECT is(pg_temp.outcome(role, query), outcome, role || ': ' || query)
	FROM unnest(ARRAY['SELECT FROM gpuagg_cache', 'SELECT FROM gpuagg_cache()', 'SELECT FROM gpuagg_stat',
		'SELECT FROM gpuagg_stat()', 'SELECT FROM gpuagg_server_stat', 'SELECT FROM gpuagg_server_stat()']) query,
		(VALUES ('gpuagg_test_user', '42501'), ('gpuagg_test_monitor', 'done')) r(role, outcome);
SELECT is(pg_temp.outcome(role, query), '42501', role || ': ' || query)
	FROM unnest(ARRAY['SELECT gpuagg_cache_clear()', 'SELECT gpuagg_cache_clear(''pg_class''::regclass)',
		'SELECT gpuagg_stat_reset()', 'SELECT gpuagg_server_stat_reset()']) query,
		unnest(ARRAY['gpuagg_test_user', 'gpuagg_test_monitor']) role;
SELECT is(pg_temp.outcome('gpuagg_test_user', query), 'done', 'for everybody: ' || query)
	FROM unnest(ARRAY['SELECT FROM gpuagg_devices', 'SELECT FROM gpuagg_session_stat']) query;

SET LOCAL gpuagg.engine = gpu;
SET LOCAL gpuagg.min_gpu_size = 0;
\ir is_up.psql
\if :up
SELECT gpuagg_cache_clear() \g /dev/null
SELECT is_empty('SELECT * FROM gpuagg_cache', 'nothing is resident');
SELECT is((SELECT cache_entries + cache_used + cache_allocated FROM gpuagg_stat), 0::bigint, 'and the counters agree');
SELECT cmp_ok((SELECT cache_size FROM gpuagg_stat), '>', 0::bigint, 'though there is memory');
SELECT gpuagg_stat_reset(), clock_timestamp() AS reset_at \gset
SELECT ok((SELECT requests + arrays + hits + misses + streamed + evictions + bytes_in + bytes_out = 0 AND
	since BETWEEN :'reset_at'::timestamptz - interval '10 s' AND clock_timestamp() + interval '10 s'
	FROM gpuagg_stat), 'the counters begin with 0');

-- Three tables, one of them partitioned; n arrays of m elements.
CREATE TABLE alone (id integer, a float8[]);
CREATE TABLE whole (id integer, a float8[]) PARTITION BY RANGE (id);
CREATE TABLE low PARTITION OF whole FOR VALUES FROM (0) TO (10);
CREATE TABLE high PARTITION OF whole FOR VALUES FROM (10) TO (20);
ALTER TABLE alone ALTER a SET STORAGE EXTERNAL;
ALTER TABLE low ALTER a SET STORAGE EXTERNAL;
ALTER TABLE high ALTER a SET STORAGE EXTERNAL;
INSERT INTO alone SELECT i, array_agg(j * i) FROM generate_series(1, 5) i, generate_series(1, 1000) j GROUP BY i;
INSERT INTO whole SELECT i, array_agg(j * i) FROM generate_series(6, 12) i, generate_series(1, 2000) j GROUP BY i;

SELECT is((SELECT gpu_sum(a) FROM alone), (SELECT sum(x) FROM alone, unnest(a) x), 'the first sum');
SELECT results_eq($$SELECT database, relation, toast_relation, entries FROM gpuagg_cache$$,
	$$SELECT current_database()::name, oid::regclass, reltoastrelid, 5::bigint FROM pg_class WHERE oid = 'alone'::regclass$$,
	'its arrays are resident');
SELECT ok((SELECT bytes BETWEEN 40000 AND 50000 AND last_use BETWEEN clock_timestamp() - interval '1 min'
		AND clock_timestamp() + interval '1 s' FROM gpuagg_cache), 'so many bytes, used just now');
SELECT is((SELECT ARRAY[misses, streamed, evictions, arrays, cache_entries] FROM gpuagg_stat),
	'{5,0,0,0,5}'::bigint[], 'they were loaded, not sent with a request');
SELECT is((SELECT s.hits + c.hits FROM gpuagg_stat s, gpuagg_cache c), 0::bigint, 'which is no hit');
SELECT gpuagg_cache_clear('alone'), gpuagg_stat_reset() \g /dev/null
SELECT is((SELECT count(*) FROM (SELECT gpu_cumsum(a) FROM alone) q), 5000::bigint, 'running totals load them, too');
SELECT is((SELECT ARRAY[s.hits, s.misses, c.hits] FROM gpuagg_stat s, gpuagg_cache c), '{0,5,0}'::bigint[],
	'and that is no hit, either');
SELECT ok((SELECT bytes_in BETWEEN 40000 AND 50000 AND requests > 0 AND device_ms > 0 FROM gpuagg_stat), 'and copied once');
-- Small arrays share a page, or have one each if all arrays are packed: 5 headers,
-- and 1,000 elements of up to 13 bits each.
SELECT ok((SELECT CASE current_setting('gpuagg.cache_packing') WHEN 'always' THEN cache_used BETWEEN 5 * 16 AND 5 * (16 + 1024 * 13 / 8) AND
	cache_allocated = 5 * 262144 ELSE cache_used BETWEEN 40000 AND 50000 AND cache_allocated = 262144 END FROM gpuagg_stat), 'and take so much memory');
SELECT hits AS hits, last_use AS last_use FROM gpuagg_cache \gset
SELECT gpuagg_stat_reset() \g /dev/null
SELECT is((SELECT gpu_sum(a) FROM alone), (SELECT sum(x) FROM alone, unnest(a) x), 'the second sum');
SELECT is((SELECT ARRAY[hits, misses, bytes_in] FROM gpuagg_stat), '{5,0,0}'::bigint[], 'nothing is loaded');
SELECT ok((SELECT hits = :hits + 5 AND last_use > :'last_use' FROM gpuagg_cache), 'used again, so often');
SELECT is((SELECT gpu_sum(a) FROM alone WHERE id = 3), (SELECT sum(x) FROM alone, unnest(a) x WHERE id = 3), 'one of them');
SELECT is((SELECT ARRAY[hits, misses] FROM gpuagg_stat), '{6,0}'::bigint[], 'one more');

-- Partitions are tables; clearing the partitioned table clears them.
SELECT is((SELECT gpu_sum(a) FROM whole), (SELECT sum(x) FROM whole, unnest(a) x), 'a partitioned table');
SELECT is((SELECT string_agg(relation || ' ' || entries, ', ' ORDER BY relation::text) FROM gpuagg_cache),
	'alone 5, high 3, low 4', 'its partitions');
SELECT is(gpuagg_cache_clear('low'), 4::bigint, 'one partition is cleared');
SELECT gpu_sum(a) FROM low \g /dev/null
SELECT is(ARRAY[gpuagg_cache_clear('whole'), gpuagg_cache_clear('whole')], '{7,0}'::bigint[], 'the partitioned table');
SELECT is(ARRAY[gpuagg_cache_clear('pg_class'), gpuagg_cache_clear('gpuagg_cache')], '{0,0}'::bigint[],
	'a table and a view without resident arrays');
SELECT is(gpuagg_cache_clear(1::oid::regclass), 0::bigint, 'a table that is gone');
SELECT is(gpuagg_cache_clear(NULL), NULL, 'NULL is NULL');
SELECT is((SELECT string_agg(relation || ' ' || entries, ', ') FROM gpuagg_cache), 'alone 5', 'the other one stays');
SELECT is((SELECT gpu_sum(a) FROM whole), (SELECT sum(x) FROM whole, unnest(a) x), 'loaded again');
SELECT is(gpuagg_cache_clear(), 12::bigint, 'all are removed');
SELECT is_empty('SELECT * FROM gpuagg_cache', 'and gone');

-- Arrays of each type, and one that is too short to be stored.
CREATE TABLE mixed AS SELECT array_agg(x::int2) a2, array_agg(x) a4, array_agg(x::int8) a8,
	array_agg(x::float4) f4, array_agg(x::float8) f8, '{1,2}'::int[] AS short FROM generate_series(1, 20000) x;
SELECT is((SELECT gpu_sum(a2)::text || gpu_sum(a4) || gpu_sum(a8) || gpu_sum(f4) || gpu_sum(f8) || gpu_sum(short) FROM mixed),
	repeat('200010000', 3) || '2.0001e+08' || '200010000' || '3', 'one of each type');
SELECT is((SELECT entries FROM gpuagg_cache WHERE relation = 'mixed'::regclass), 5::bigint, 'are resident; a short one is not');
SELECT is((SELECT bytes / 1000 FROM gpuagg_cache WHERE relation = 'mixed'::regclass), (20 * (2 + 4 + 8 + 4 + 8))::bigint,
	'by their elements, though they are stored compressed');

-- With auto they are found, or not looked up.
SET LOCAL gpuagg.engine = auto;
SELECT gpuagg_stat_reset() \g /dev/null
SELECT is((SELECT gpu_sum(f8) FROM mixed), 200010000::float8, 'auto');
SET LOCAL gpuagg.min_gpu_size = -1;
SELECT is((SELECT gpu_sum(f8) FROM mixed), 200010000::float8, 'auto that sends none');
SET LOCAL gpuagg.engine = cpu;
SELECT is((SELECT gpu_sum(f8) FROM mixed), 200010000::float8, 'the CPU');
SELECT is((SELECT ARRAY[hits, misses] FROM gpuagg_stat), '{1,0}'::bigint[], 'looked up once');
SELECT gpuagg_cache_clear() \g /dev/null
\else
SELECT is_empty('SELECT * FROM gpuagg_cache', 'nothing is resident without a device');
SELECT is_empty('SELECT * FROM gpuagg_stat', 'and there are no counters');
SELECT is(ARRAY[gpuagg_cache_clear(), gpuagg_cache_clear('pg_class')], '{0,0}'::bigint[], 'nothing is removed');
SELECT lives_ok('SELECT gpuagg_stat_reset()', 'no counter is reset');
SELECT skip('there is no device', 32);
\endif

SELECT * FROM finish();
ROLLBACK;
