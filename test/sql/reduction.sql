-- Least and largest elements, variances and deviations of stored arrays: the
-- device answers, with the bits of the CPU, and leaves to it what it refuses.
-- Where there is no device all are skipped.
\set ECHO none
\set QUIET on
BEGIN;
SELECT no_plan();

\ir is_up.psql
\if :up

-- Arrays of each type, all stored out of line.  By kind: 0 plain, 1 with NULLs, 2
-- with NaN, 3 with infinities, 4 nothing but zeros of both signs, 5 exponents far
-- apart, 6 the ends of the range, 7 two dimensions with lower bounds.
SELECT setseed(0.31);
CREATE FUNCTION pg_temp.special(kind int, o int, r int) RETURNS text LANGUAGE sql VOLATILE AS $$
	SELECT CASE WHEN kind = 1 AND random() < 0.3 THEN 'NULL'
		WHEN kind = 2 AND o % 500 = r % 500 THEN 'NaN'
		WHEN kind = 3 AND o % 700 = r % 700 THEN (ARRAY['Infinity', '-Infinity'])[1 + r / 8 % 2]
		WHEN kind = 4 THEN (ARRAY['-0', '0'])[1 + ((r / 8 % 3 = 0) OR o % 7 = 0)::int] END $$;
CREATE TABLE raw AS
	SELECT r, r % 8 AS kind, o, CASE r % 8 WHEN 4 THEN 0 ELSE floor(random() * 20000 - 10000) END AS i,
		pg_temp.special(r % 8, o, r) AS special
	FROM generate_series(0, 47) r, LATERAL generate_series(1, 1601 + r * 37 % 900) o;
CREATE FUNCTION pg_temp.shaped(a anyarray, r int) RETURNS anyarray LANGUAGE plpgsql AS $$
DECLARE
	n int := cardinality(a) / 2;
BEGIN
	IF r % 8 = 7 THEN
		EXECUTE format('SELECT $1::text::%s', pg_typeof(a)) INTO a USING
			format('[%s:%s][0:1]=', r, r + n - 1) || regexp_replace((a[1:2 * n])::text, '([^,{}]+),([^,{}]+)', '{\1,\2}', 'g');
	END IF;
	RETURN a;
END $$;
CREATE TABLE stored (r int, kind int, i2 int2[], i4 int4[], i8 int8[], f4 float4[], f8 float8[]);
ALTER TABLE stored ALTER i2 SET STORAGE EXTERNAL, ALTER i4 SET STORAGE EXTERNAL, ALTER i8 SET STORAGE EXTERNAL,
	ALTER f4 SET STORAGE EXTERNAL, ALTER f8 SET STORAGE EXTERNAL;
INSERT INTO stored SELECT r, kind, pg_temp.shaped(i2, r), pg_temp.shaped(i4, r), pg_temp.shaped(i8, r),
	pg_temp.shaped(f4, r), pg_temp.shaped(f8, r)
FROM (SELECT r, kind,
		array_agg(CASE WHEN special = 'NULL' THEN NULL WHEN kind = 6 AND o % 3 = 0 THEN (ARRAY[-32768, 32767])[1 + o / 3 % 2] ELSE i END::int2 ORDER BY o) AS i2,
		array_agg(CASE WHEN special = 'NULL' THEN NULL WHEN kind = 6 AND o % 3 = 0 THEN (ARRAY[-2147483648, 2147483647])[1 + o / 3 % 2]
			ELSE i * 200000 END::int4 ORDER BY o) AS i4,
		array_agg(CASE WHEN special = 'NULL' THEN NULL WHEN kind = 6 AND o % 3 = 0 THEN (ARRAY[-9223372036854775808, 9223372036854775807])[1 + o / 3 % 2]
			ELSE i::int8 * 900000000000000 + o END::int8 ORDER BY o) AS i8,
		array_agg(CASE WHEN special = 'NULL' THEN NULL WHEN special IS NOT NULL THEN special::float4
			WHEN kind = 5 THEN ((i + 0.5) * 2.0 ^ (o % 40 - 20))::float4
			WHEN kind = 6 AND o % 3 = 0 THEN (ARRAY['-3e38', '3e38', '1e-45'])[1 + o / 3 % 3]::float4 ELSE (i / 8)::float4 END ORDER BY o) AS f4,
		array_agg(CASE WHEN special = 'NULL' THEN NULL WHEN special IS NOT NULL THEN special::float8
			WHEN kind = 5 THEN (i + 0.1) * 2.0::float8 ^ (o % 400 - 200)
			WHEN kind = 6 AND o % 3 = 0 THEN (ARRAY['-1e150', '1e150', '5e-324'])[1 + o / 3 % 3]::float8 ELSE i / 1000 END ORDER BY o) AS f8
	FROM raw GROUP BY r, kind) q;
ANALYZE stored;
SELECT is(count(*), 6::bigint, 'some have two dimensions') FROM stored WHERE array_ndims(f8) = 2 AND array_lower(f8, 1) > 1;

-- What a query gives with an engine, as text.
CREATE FUNCTION pg_temp.rows_by(engine text, query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	result text;
BEGIN
	PERFORM set_config('gpuagg.engine', engine, true);
	EXECUTE format('SELECT string_agg(q::text, '' '' ORDER BY q::text) FROM (%s) q', query) INTO result;
	RETURN result;
END $$;
-- Arrays that are counted with a query: of the device as gpu, of the CPU by the
-- reason; and the stored ones that were resident.
CREATE FUNCTION pg_temp.counted_by(engine_name text, query text, OUT counts jsonb, OUT hits bigint, OUT misses bigint) LANGUAGE plpgsql AS $$
DECLARE
	before jsonb := (SELECT jsonb_object_agg(coalesce(reason, engine), arrays) FROM gpuagg_session_stat);
	was gpuagg_session_stat := (SELECT s FROM gpuagg_session_stat s WHERE engine = 'gpu');
BEGIN
	PERFORM pg_temp.rows_by(engine_name, query);
	counts := (SELECT jsonb_object_agg(name, n) FROM (SELECT coalesce(reason, engine) AS name,
			arrays - coalesce((before ->> coalesce(reason, engine))::bigint, 0) AS n FROM gpuagg_session_stat) q WHERE n > 0);
	SELECT s.hits - was.hits, s.misses - was.misses INTO hits, misses FROM gpuagg_session_stat s WHERE engine = 'gpu';
END $$;

-- The first queries load, the next ones find all arrays; each counts as one.
SELECT is(c::text, '("{""gpu"": 240}",0,240)', 'the first query loads all arrays')
	FROM pg_temp.counted_by('gpu', 'SELECT gpu_min(i2), gpu_min(i4), gpu_min(i8), gpu_min(f4), gpu_min(f8) FROM stored') c;
SELECT is(c::text, '("{""gpu"": 240}",240,0)', 'the largest elements are found of resident arrays')
	FROM pg_temp.counted_by('gpu', 'SELECT gpu_max(i2), gpu_max(i4), gpu_max(i8), gpu_max(f4), gpu_max(f8) FROM stored') c;
SELECT is(c::text, '("{""gpu"": 144}",144,0)', 'and variances of integers')
	FROM pg_temp.counted_by('gpu', 'SELECT gpu_var_pop(i2), gpu_stddev_pop(i2), gpu_var_samp(i4), gpu_variance(i8) FROM stored') c;
SELECT is(c::text, format('("{""gpu"": %s, ""the device cannot compute it exactly"": %s}",48,0)', 48 - refused, refused),
		'variances of ' || t || ': what the device refuses the CPU reads')
	FROM (VALUES ('f4', 18), ('f8', 24)) v(t, refused), LATERAL pg_temp.counted_by('gpu', format('SELECT gpu_var_pop(%I) FROM stored', t)) c;

-- Each function, each type, each way to ask: the bits of the CPU.
CREATE TEMP TABLE columns AS SELECT unnest(ARRAY['i2', 'i4', 'i8', 'f4', 'f8']) AS c;
CREATE TEMP TABLE functions AS SELECT unnest(ARRAY['min', 'max', 'var_samp', 'stddev_pop', 'norm', 'moments_state']) AS f;
CREATE TEMP TABLE laws (name text, query text);
INSERT INTO laws VALUES
	('all rows', 'SELECT gpu_%2$s(%1$I) FROM stored'),
	('GROUP BY', 'SELECT kind, gpu_%2$s(%1$I) FROM stored GROUP BY kind'),
	('each row', 'SELECT r, gpu_%2$s(%1$I) FROM stored GROUP BY r'),
	('ROLLUP', 'SELECT kind, r, gpu_%2$s(%1$I) FROM stored GROUP BY ROLLUP (kind, r)'),
	('FILTER', 'SELECT kind, gpu_%2$s(%1$I) FILTER (WHERE r %% 3 = 0) FROM stored GROUP BY kind'),
	('parts', 'SELECT kind, gpu_%2$s(%1$I, r + 1, r + 900) FROM stored GROUP BY kind'),
	('slices', 'SELECT r, gpu_%2$s(%1$I[10 * r:800]) FROM stored GROUP BY r'),
	('a moving frame', 'SELECT r, gpu_%2$s(%1$I) OVER (PARTITION BY kind ORDER BY r ROWS 2 PRECEDING) FROM stored'),
	('one array', 'SELECT r, gpu_array_%2$s(%1$I) FROM stored'),
	('part of one array', 'SELECT r, gpu_array_%2$s(%1$I, r + 5, 1200) FROM stored'),
	('with a sum', 'SELECT kind, gpu_sum(%1$I), gpu_%2$s(%1$I), gpu_count(%1$I) FROM stored WHERE kind NOT IN (5, 6) GROUP BY kind'),
	('no rows', 'SELECT gpu_%2$s(%1$I) FROM stored WHERE r < 0');
SELECT is(pg_temp.rows_by('gpu', q), pg_temp.rows_by('cpu', q), f || ' of ' || c || ': ' || name)
	FROM laws, columns, functions, format(query, c, f) q WHERE name <> 'slices' OR f <> 'moments_state' ORDER BY name, c, f;

-- NaN has the usual bits, whoever answers.
SELECT is(float8send(gpu_max(f8)), float8send('NaN'), 'the bits of NaN of stored arrays') FROM stored WHERE kind = 2;
SELECT is(float4send(gpu_max(f4)), float4send('NaN'), '... of real') FROM stored WHERE kind = 2;

-- Functions that wait: buckets, each a part of an array, and pairs of arrays.
CREATE TABLE backwards (LIKE stored);
ALTER TABLE backwards ALTER i2 SET STORAGE EXTERNAL, ALTER i4 SET STORAGE EXTERNAL, ALTER i8 SET STORAGE EXTERNAL,
	ALTER f4 SET STORAGE EXTERNAL, ALTER f8 SET STORAGE EXTERNAL;
INSERT INTO backwards SELECT r, kind, ARRAY(SELECT x FROM unnest(i2) WITH ORDINALITY u(x, o) ORDER BY o DESC),
		ARRAY(SELECT x / 200000 % 1000 FROM unnest(i4) WITH ORDINALITY u(x, o) ORDER BY o DESC),
		ARRAY(SELECT x FROM unnest(i8) WITH ORDINALITY u(x, o) ORDER BY o DESC),
		ARRAY(SELECT x FROM unnest(f4) WITH ORDINALITY u(x, o) ORDER BY o DESC),
		ARRAY(SELECT x FROM unnest(f8) WITH ORDINALITY u(x, o) ORDER BY o DESC)
	FROM stored WHERE kind <> 7;
CREATE VIEW pairs AS SELECT s.*, b.i2 AS j2, b.i4 AS j4, b.i8 AS j8, b.f4 AS g4, b.f8 AS g8 FROM stored s JOIN backwards b USING (r);
-- of the pairs with NULLs, one array is resident
CREATE TEMP TABLE pair_columns (x text, y text);
INSERT INTO pair_columns VALUES ('i2', 'j2'), ('i4', 'j4'), ('i8', 'j8'), ('f4', 'g4'), ('f8', 'g8');
SELECT is(c::text, format('("{""gpu"": %s, ""NULL elements"": 12%s}",42,42)', resident,
		CASE WHEN refused > 0 THEN format(', ""the device cannot compute it exactly"": %s', refused) ELSE '' END), 'the missing ones of ' || x || ' are loaded')
	FROM (VALUES ('i2', 'j2', 72, 0), ('i8', 'j8', 72, 0), ('f8', 'g8', 24, 48)) v(x, y, resident, refused),
		LATERAL pg_temp.counted_by('gpu', format('SELECT gpu_array_dot(%I, %I) FROM pairs', x, y)) c;
SELECT is(c::text, '("{""gpu"": 72, ""NULL elements"": 12}",78,6)', 'resident pairs are found')
	FROM pg_temp.counted_by('gpu', 'SELECT gpu_dot(i2, j2) FROM pairs') c;
SELECT is(c::text, '("{""gpu"": 48}",48,0)', name) FROM (VALUES
		('buckets of resident arrays', 'SELECT gpu_array_bucket_avg(f8, 100) FROM stored'),
		('... and of a part of them', 'SELECT gpu_array_bucket_max(i8, 7, r + 3, 1400) FROM stored')) v(name, query),
	LATERAL pg_temp.counted_by('gpu', query) c;
SELECT is(pg_temp.rows_by('gpu', q), pg_temp.rows_by('cpu', q), name || ' of ' || x || ' with ' || y) FROM pair_columns, (VALUES
		('dot', 'SELECT r, gpu_array_dot(%1$I, %2$I) FROM pairs WHERE kind <> 6'),
		('dot of all rows', 'SELECT gpu_dot(%1$I, %2$I) FROM pairs WHERE kind <> 6'),
		('dot and weighted mean', 'SELECT kind, gpu_dot(%1$I, %2$I), gpu_weighted_avg(%1$I, %2$I) FROM pairs WHERE kind NOT IN (4, 6) GROUP BY kind'),
		('weighted mean', 'SELECT r, gpu_array_weighted_avg(%1$I, %2$I) FROM pairs WHERE kind IN (0, 1, 2, 5)'),
		('dot with itself', 'SELECT r, gpu_array_dot(%1$I, %1$I) FROM stored WHERE kind <> 6'),
		('dot with a sum', 'SELECT gpu_sum(%2$I), gpu_dot(%1$I, %2$I), gpu_max(%1$I) FROM pairs WHERE kind <> 6'),
		('a moving frame of dot', 'SELECT r, gpu_dot(%1$I, %2$I) OVER (ORDER BY r ROWS 2 PRECEDING) FROM pairs WHERE kind IN (0, 1, 4)')) v(name, query),
	LATERAL format(query, x, y) q WHERE x <> 'i4' OR name <> 'dot with itself' ORDER BY name, x;
SELECT is(pg_temp.rows_by('gpu', q), pg_temp.rows_by('cpu', q), format('buckets of %s of %s: %s', width, c, f))
	FROM columns, unnest(ARRAY['sum', 'avg', 'min', 'max', 'count']) f, unnest(ARRAY[1, 40, 999, 5000]) width,
		LATERAL format('SELECT r, gpu_array_bucket_%1$s(%2$I, %3$s), gpu_array_bucket_%1$s(%2$I, %3$s, r + 2, 1500)
			FROM stored', f, c, width) q;
CREATE FUNCTION pg_temp.fits(a anyarray) RETURNS bool LANGUAGE plpgsql SET gpuagg.engine = cpu AS $$
BEGIN
	RETURN gpu_array_delta(a) IS NOT NULL;
EXCEPTION WHEN numeric_value_out_of_range THEN
	RETURN false;
END $$;
SELECT is(pg_temp.rows_by('gpu', q), pg_temp.rows_by('cpu', q), format('%s of %s over %s preceding', f, c, preceding))
	FROM columns, unnest(ARRAY['sum', 'avg', 'min', 'max']) f, unnest(ARRAY[0, 7, 62, 63, 300]) preceding,
		LATERAL format('SELECT r, gpu_array_moving_%1$s(%2$I, %3$s), gpu_array_moving_%1$s(%2$I, %3$s, r + 2, 1500)
			FROM stored WHERE kind <> 6 OR %4$L IN (''min'', ''max'')', f, c, preceding, f) q;
SELECT is(pg_temp.rows_by('gpu', q), pg_temp.rows_by('cpu', q), format('%s of %s', f, c))
	FROM columns, unnest(ARRAY['cummax', 'cummin', 'delta']) f,
		LATERAL format('SELECT r, gpu_array_%1$s(%2$I), gpu_array_%1$s(%2$I, r + 2, 1500) FROM stored WHERE %1$L <> ''delta'' OR pg_temp.fits(%2$I)', f, c) q;
SELECT is(pg_temp.rows_by('gpu', q), pg_temp.rows_by('cpu', q), 'delta of small integers')
	FROM (VALUES ('SELECT r, gpu_array_delta(i4), gpu_array_delta(i4, r + 2, 1500) FROM backwards')) v(q);
SELECT is(c::text, format('("{""gpu"": %s%s}",%s,0)', found - refused, CASE WHEN refused > 0 THEN format(', ""%s"": %s', why, refused) ELSE '' END, found), name)
	FROM (VALUES
		('extremes of windows that move', 'SELECT gpu_array_moving_max(i8, 9), gpu_array_moving_min(i8, 9, 3, 1400) FROM stored WHERE kind <> 1 AND r < 41', 0, '', 72),
		('... windows that run', 'SELECT gpu_array_cummax(f4), gpu_array_cummin(i2, 3, 1400) FROM stored WHERE kind <> 1 AND r < 41', 0, '', 72),
		('... differences', 'SELECT gpu_array_delta(f8), gpu_array_delta(f4, 3, 1400) FROM stored WHERE kind = 0 AND r < 41', 0, '', 12),
		('... and sums', 'SELECT gpu_array_moving_sum(i4, 99), gpu_array_moving_sum(i2, 1, 3, 1400) FROM stored WHERE kind <> 1 AND r < 41', 0, '', 72),
		('... differences with NaN are refused', 'SELECT gpu_array_delta(f8) FROM stored WHERE kind IN (0, 2)', 6, 'the device cannot compute it exactly', 12),
		('those with NaN are refused', 'SELECT gpu_array_moving_avg(f8, 1), gpu_array_moving_max(f8, 1) FROM stored WHERE kind IN (0, 2) AND r < 41 OR kind = 2', 6,
			'the device cannot compute it exactly', 24)) v(name, query, refused, why, found),
	LATERAL pg_temp.counted_by('gpu', query) c;
SELECT is(pg_temp.counted_by('gpu', q)::text, format('("{""not computed by the device"": %s}",0,0)', n), q)
	FROM (VALUES ('SELECT gpu_array_moving_sum(i8, 5) FROM stored WHERE kind = 0', 6), ('SELECT gpu_array_moving_avg(i4, 5) FROM stored WHERE kind = 0', 6),
		('SELECT gpu_array_moving_max(f4, 5) FROM stored WHERE kind = 1', 6), ('SELECT gpu_array_cummax(f4) FROM stored WHERE kind = 1', 6), ('SELECT gpu_array_delta(f8, 1, 900) FROM stored WHERE kind = 1', 6),
		('SELECT gpu_array_moving_min(f8, 1100) FROM stored WHERE kind = 0', 6)) v(q, n);
CREATE TEMP TABLE far_apart AS SELECT (array_fill(-2::smallint, ARRAY[9000]) || '{32767}'::smallint[]) || array_fill(5::smallint, ARRAY[9000]) AS a;
ALTER TABLE far_apart ALTER a SET STORAGE EXTERNAL;
UPDATE far_apart SET a = a || 3::smallint;
INSERT INTO backwards (r, kind, f4) VALUES (-1, 9, array_fill(3e38::float4, ARRAY[3000]));
SELECT throws_ok(format('SET LOCAL gpuagg.engine = %s; SELECT gpu_array_bucket_sum(f4, 1000) FROM backwards WHERE kind = 9', e), '22003', NULL,
	'a sum of a bucket out of range: ' || e) FROM unnest(ARRAY['gpu', 'cpu']) e;
SELECT throws_ok(format('SET LOCAL gpuagg.engine = %s; SELECT gpu_array_moving_sum(f4, 2) FROM backwards WHERE kind = 9', e), '22003', NULL,
	'... and of a window that moves: ' || e) FROM unnest(ARRAY['gpu', 'cpu']) e;
SELECT throws_ok(format('SET LOCAL gpuagg.engine = %s; SELECT gpu_array_delta(a) FROM far_apart', e), '22003', 'smallint out of range',
	'... and a difference: ' || e) FROM unnest(ARRAY['gpu', 'cpu']) e;
SELECT throws_ok(format('SET LOCAL gpuagg.engine = %s; SELECT gpu_array_dot(f8, f8[2:]) FROM stored', e), '2202E', NULL,
	'arrays of unequal length: ' || e) FROM unnest(ARRAY['gpu', 'cpu']) e;

-- An array that waits when an error ends its query, or an inner one that is
-- caught, is of no harm to the others.
CREATE FUNCTION pg_temp.fails(query text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	EXECUTE query;
	RETURN 'well';
EXCEPTION WHEN division_by_zero THEN
	RETURN 'caught';
END $$;
CREATE FUNCTION pg_temp.inner_of(r int) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	result text;
BEGIN
	SELECT concat(gpu_min(f8), gpu_var_pop(i8), max(1 / (s.r % 3 - 2))) INTO result FROM stored s WHERE s.r <= inner_of.r;
	RETURN result;
EXCEPTION WHEN division_by_zero THEN
	RETURN 'caught';
END $$;
SET LOCAL gpuagg.engine = gpu;
SELECT is(pg_temp.fails(format('SELECT gpu_%s(%I), max(1 / (r - 30)) FROM stored', f, c)), 'caught', 'an error in the middle of ' || f || ' of ' || c)
	FROM functions, columns WHERE f <> 'moments_state';
SELECT is(pg_temp.rows_by('gpu', q), pg_temp.rows_by('cpu', q), 'queries within a query, some of which fail: ' || c)
	FROM columns, format('SELECT kind, gpu_max(%1$I), gpu_stddev_samp(%1$I), string_agg(pg_temp.inner_of(r), '','' ORDER BY r) FROM stored GROUP BY kind', c) q;

-- Many groups, each with states of its own.
CREATE TABLE many (r int, f8 float8[], i2 int2[]);
ALTER TABLE many ALTER f8 SET STORAGE EXTERNAL;
INSERT INTO many SELECT r, (SELECT array_agg(floor(random() * 1000) / 8 + 0 * (r + x)) FROM generate_series(1, 300) x), array_fill(r::int2, ARRAY[3])
	FROM generate_series(1, 3000) r;
ANALYZE many;
SELECT is(pg_temp.rows_by('gpu', q), pg_temp.rows_by('cpu', q), 'many groups')
	FROM (VALUES ('SELECT r % 2500, gpu_min(f8), gpu_max(f8), gpu_var_samp(f8), gpu_stddev_pop(i2), gpu_max(i2) FROM many GROUP BY r % 2500')) v(q);
SELECT is(c::text, '("{""gpu"": 3000}",3000,0)', 'many variances at a time are answered by the device')
	FROM pg_temp.counted_by('gpu', 'SELECT r, gpu_var_pop(f8) FROM many GROUP BY r') c;

-- Sums and extremes by position, of arrays of one length and of all kinds.  By kind and of all
-- together; of the ends of the range sums would be out of range.
CREATE TABLE lines (LIKE stored INCLUDING STORAGE);
INSERT INTO lines SELECT r, kind, i2[1:1600], i4[1:1600], i8[1:1600], f4[1:1600], f8[1:1600] FROM stored WHERE kind <> 7;
ANALYZE lines;
CREATE TEMP TABLE by_position AS SELECT f, c, q FROM columns, unnest(ARRAY['sum', 'avg', 'count', 'min', 'max']) f, LATERAL (VALUES
		(format('SELECT kind, gpu_elem_%s(%I) FROM lines WHERE kind <> 6 GROUP BY kind', f, c)),
		(format('SELECT gpu_elem_%s(%I) FROM lines WHERE kind NOT IN (1, 6)', f, c)),
		(format('SELECT gpu_elem_%s(%I) FROM lines WHERE kind IN (0, 1, 4)', f, c)),
		(format('SELECT gpu_elem_%s(%I) FROM lines WHERE kind = 6 OR r < 8', CASE f WHEN 'sum' THEN 'avg' ELSE f END, c)),
		(format('SELECT gpu_elem_%s(%I ORDER BY r DESC) FILTER (WHERE kind = 0), gpu_elem_%1$s(%2$I) FILTER (WHERE kind = 5) FROM lines', f, c))) v(q);
SELECT is(pg_temp.rows_by('gpu', q), pg_temp.rows_by('cpu', q), format('gpu_elem_%s of %s: %s', f, c, q)) FROM by_position;
SELECT is(pg_temp.rows_by('gpu', q), pg_temp.rows_by('cpu', q), format('gpu_elem_%s of %s, resident: %s', f, c, q)) FROM by_position;
SELECT is(c::text, '("{""gpu"": 12}",12,0)', 'sums by position of resident arrays')
	FROM pg_temp.counted_by('gpu', 'SELECT kind, gpu_elem_sum(i4) FROM lines WHERE kind IN (0, 4) GROUP BY kind') c;
SELECT is(c::text, '("{""gpu"": 6, ""NULL elements"": 6}",6,0)', 'and those of arrays with NULLs')
	FROM pg_temp.counted_by('gpu', 'SELECT gpu_elem_sum(f8) FROM lines WHERE kind IN (0, 1)') c;

-- Parallel plans: each process asks for the arrays of its rows.
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
SELECT matches(pg_temp.plan_of(format('SELECT gpu_%s(%I) FROM stored', f, c)), 'Finalize Aggregate.*Gather.*Partial Aggregate',
	'parallel plan: ' || f || ' of ' || c) FROM functions, columns;
SELECT is(pg_temp.rows_by('gpu', q), pg_temp.rows_by('cpu', q), 'the parallel answer: ' || f || ' of ' || c)
	FROM functions, columns, format('SELECT gpu_%1$s(%2$I), gpu_%1$s(%2$I, 3, 500) FROM stored WHERE kind <> 2', f, c) q;
SELECT is(pg_temp.rows_by('gpu', q), pg_temp.rows_by('cpu', q), 'groups, in parallel')
	FROM (VALUES ('SELECT r % 25, gpu_min(f8), gpu_max(f8), gpu_var_samp(f8) FROM many GROUP BY r % 25')) v(q);
RESET parallel_setup_cost;
RESET parallel_tuple_cost;
RESET min_parallel_table_scan_size;
RESET max_parallel_workers_per_gather;

-- auto asks for the same arrays, and for no smaller ones.
SET LOCAL gpuagg.min_gpu_size = 0;
SELECT is(c::text, '("{""gpu"": 48}",48,0)', 'auto') FROM pg_temp.counted_by('auto', 'SELECT gpu_min(f8) FROM stored') c;
SET LOCAL gpuagg.min_gpu_size = 100;
SELECT is(c::text, '("{""smaller than gpuagg.min_gpu_size"": 96}",0,0)', 'auto: smaller arrays')
	FROM pg_temp.counted_by('auto', 'SELECT gpu_min(f8), gpu_var_pop(i8) FROM stored') c;
SELECT is(c::text, '("{""not stored out of line"": 96}",0,0)', 'auto: arrays within rows')
	FROM pg_temp.counted_by('auto', 'SELECT gpu_min(f8[1:4] || 1), gpu_var_pop(i8[1:4] || 1::int8) FROM stored') c;
SELECT is(c::text, '("{""not computed by the device"": 96}",0,0)', 'gpu: arrays within rows')
	FROM pg_temp.counted_by('gpu', 'SELECT gpu_min(f8[1:4] || 1), gpu_var_pop(i8[1:4] || 1::int8) FROM stored') c;
\else
SELECT skip('there is no device', 988);
\endif

SELECT * FROM finish();
ROLLBACK;
