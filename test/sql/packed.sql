-- packed: arrays that are resident, and packed there.  What is computed of them is
-- what the CPU computes of the stored ones; the views have the bytes of both.
--
-- Where there is no device the rest is skipped.
\set ECHO none
\set QUIET on
BEGIN;
SET LOCAL client_min_messages = warning;
SELECT plan(96);

-- Decimals with a few others among them, small integers, and NULLs: 200,000
-- elements, which take several pages of the device; and random floats.
CREATE TABLE prices (id integer, f8 float8[], f4 float4[], i8 int8[], i4 int4[], i2 int2[], n8 float8[], r8 float8[]);
ALTER TABLE prices ALTER f8 SET STORAGE EXTERNAL, ALTER f4 SET STORAGE EXTERNAL, ALTER i8 SET STORAGE EXTERNAL, ALTER i4 SET STORAGE EXTERNAL,
	ALTER i2 SET STORAGE EXTERNAL, ALTER n8 SET STORAGE EXTERNAL, ALTER r8 SET STORAGE EXTERNAL;
INSERT INTO prices
	SELECT id, array_agg(CASE WHEN i % 9973 = 0 THEN 1e100 * id ELSE d END ORDER BY i), array_agg((d / 8)::float4 ORDER BY i),
		array_agg(1000000000000 + k ORDER BY i), array_agg(k - 500000 ORDER BY i), array_agg((k % 100)::int2 ORDER BY i),
		array_agg(CASE WHEN i % 3 > 0 THEN d END ORDER BY i), array_agg(sin(i) * exp((i % 40)::float8) ORDER BY i)
	FROM (SELECT id, i, i * 7919 % 1000003 AS k, (i * 104729 % 200003 - 100000) / 100.0::float8 AS d
		FROM generate_series(1, 2) id, generate_series(1::bigint, 200000) i) q
	GROUP BY id;

SET LOCAL gpuagg.min_gpu_size = 0;
\ir is_up.psql
SET LOCAL gpuagg.engine = auto;
\if :up

-- The result of a query by an engine, all bits of it.
SET LOCAL extra_float_digits = 3;
CREATE FUNCTION pg_temp.result(with_engine text, query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	result text;
BEGIN
	PERFORM set_config('gpuagg.engine', with_engine, true);
	EXECUTE query INTO result;
	PERFORM set_config('gpuagg.engine', 'auto', true);
	RETURN result;
END $$;

-- All are resident.
SELECT gpuagg_cache_clear() \g /dev/null
SELECT gpu_sum(f8), gpu_sum(f4), gpu_sum(i8), gpu_sum(i4), gpu_sum(i2), gpu_sum(n8), gpu_sum(r8) FROM prices \g /dev/null
SELECT is((SELECT entries FROM gpuagg_cache WHERE relation = 'prices'::regclass), 14::bigint, 'all arrays are resident');

-- Each function, of each column.
CREATE TEMP TABLE functions (f text);
INSERT INTO functions VALUES
	('gpu_sum(%I)::text'), ('gpu_avg(%I)::text'), ('gpu_count(%I)::text'), ('gpu_min(%I)::text || gpu_max(%I)'),
	('gpu_var_samp(%I)::text || gpu_stddev_pop(%I)'), ('string_agg(gpu_array_sum(%I, 777, 150001)::text, '','' ORDER BY id)'),
	('md5(string_agg(gpu_array_cumsum(%I)::text, '','' ORDER BY id))'), ('md5(gpu_elem_sum(%I)::text)'), ('md5(gpu_elem_max(%I)::text)'),
	('gpu_dot(%I, r8)::text'), ('md5(string_agg(gpu_array_moving_avg(%I, 30)::text, '','' ORDER BY id))'),
	('md5(string_agg(gpu_array_cummax(%I)::text, '','' ORDER BY id))'), ('md5(string_agg(gpu_array_delta(%I)::text, '','' ORDER BY id))');
SELECT is(pg_temp.result('auto', query), pg_temp.result('cpu', query), query)
	FROM (SELECT format('SELECT ' || f || ' FROM prices', c, c) AS query FROM functions,
		unnest(ARRAY['f8', 'f4', 'i8', 'i4', 'i2', 'n8', 'r8']) c WHERE f NOT LIKE 'gpu_dot%' OR c IN ('f8', 'n8', 'r8') ORDER BY c, f) q;

-- What they take.
SELECT ok((SELECT bytes BETWEEN 2 * 200000 * (8 + 4 + 8 + 4 + 2 + 5 + 8)::bigint AND 2 * 200000 * (8 + 4 + 8 + 4 + 2 + 6 + 8)::bigint
	FROM gpuagg_cache WHERE relation = 'prices'::regclass), 'bytes are those of the elements');
SELECT cmp_ok((SELECT packed_bytes FROM gpuagg_cache WHERE relation = 'prices'::regclass), '>', 2 * 200000 * 8::bigint,
	'what cannot be packed takes as much as before');
SELECT cmp_ok((SELECT packed_bytes FROM gpuagg_cache WHERE relation = 'prices'::regclass), '<',
	(SELECT bytes * 7 / 10 FROM gpuagg_cache WHERE relation = 'prices'::regclass), 'and the others less');
SELECT is((SELECT ARRAY[cache_used, cache_plain] FROM gpuagg_stat), (SELECT ARRAY[sum(packed_bytes), sum(bytes)]::bigint[] FROM gpuagg_cache),
	'gpuagg_stat has the same');
SELECT is((SELECT (boot_val, vartype, context)::text FROM pg_settings WHERE name = 'gpuagg.cache_packing'), '(on,enum,sighup)', 'as it is by default');

-- They go as others do.
SELECT is(gpuagg_cache_clear('prices'), 14::bigint, 'all are removed');
SELECT is((SELECT cache_used + cache_plain + cache_allocated FROM gpuagg_stat), 0::bigint, 'and take nothing');
SELECT is(pg_temp.result('auto', 'SELECT gpu_sum(n8)::text FROM prices'), pg_temp.result('cpu', 'SELECT gpu_sum(n8)::text FROM prices'), 'loaded again');
\else
SELECT skip('there is no device', 96);
\endif
SELECT * FROM finish();
ROLLBACK;
