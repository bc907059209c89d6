-- engines.sql: random queries, each with gpuagg.engine = cpu and = gpu; those of
-- numeric, which the CPU computes always, against PostgreSQL's aggregates.
--
-- psql variables: cases (queries), seed (of the first block).  A block is 500
-- queries over tables that its seed determines.  Prints a line for each
-- difference, and then the number of differences.
\set QUIET on
SET client_min_messages = warning;

-- One random value: an expression of the type, by the family of the case.
CREATE FUNCTION pg_temp.value_of(type text) RETURNS text LANGUAGE sql AS $$
SELECT CASE
	WHEN type LIKE 'float%' THEN format($v$
		(CASE WHEN random() < special THEN
			(ARRAY['NaN', 'Infinity', '-Infinity', '-0', %L, %L, '0', %L])[1 + floor(random() * 8)]::%s
		WHEN family = 0 THEN random() * 2 - 1
		WHEN family = 1 THEN floor(random() * 2000 - 1000)
		WHEN family = 2 THEN floor(random() * 20 - 10) / 100
		WHEN family = 3 THEN (random() - 0.5) * power(2::float8, floor((random() - 0.5) * %s))
		WHEN family = 4 THEN CASE WHEN i %% 2 = 0 THEN 1 ELSE -1 END * power(2::float8, i / 2 %% 60)
		ELSE CASE WHEN random() < 0.5 THEN '-0' ELSE '0' END::float8 END)::%s $v$,
		CASE type WHEN 'float8' THEN '5e-324' ELSE '1e-45' END,
		CASE type WHEN 'float8' THEN '1.7976931348623157e308' ELSE '3.4028235e38' END,
		CASE type WHEN 'float8' THEN '-1.7976931348623157e308' ELSE '-3.4028235e38' END,
		type, CASE type WHEN 'float8' THEN 1900 ELSE 240 END, type)
	WHEN type = 'numeric' THEN $v$
		(CASE WHEN random() < special THEN (ARRAY['NaN', 'Infinity', '-Infinity', '0'])[1 + floor(random() * 4)]::numeric
		WHEN family = 0 THEN round(((random() - 0.5) * 2000)::numeric, 2)
		WHEN family = 1 THEN round((floor(random() * 5) - 2)::numeric, floor(random() * 4)::int)
		WHEN family = 2 THEN (random() - 0.5)::numeric * 10::numeric ^ floor((random() - 0.5) * 300)::int
		WHEN family = 3 THEN round(((random() - 0.5) * power(10::float8, floor(random() * 16)))::numeric, floor(random() * 9)::int)
		WHEN family = 4 THEN CASE WHEN i % 2 = 0 THEN 1 ELSE -1 END * 10::numeric ^ (i / 2 % 60)
		ELSE floor(random() * 3)::numeric * 10::numeric ^ (131071 * floor(random() * 2))::int END) $v$
	ELSE format($v$
		(CASE WHEN family IN (0, 1) THEN floor(random() * 200 - 100)
		WHEN random() < 0.3 THEN (ARRAY[%1$s, -%1$s - 1, 0])[1 + floor(random() * 3)]
		ELSE floor((random() - 0.5) * 2 * %1$s) END)::%2$s $v$,
		CASE type WHEN 'int2' THEN '32767::numeric' WHEN 'int4' THEN '2147483647::numeric'
			ELSE '9223372036854770000::numeric' END, type)
END $$;

-- The queries; %s is what picks the case's rows.
CREATE TEMP TABLE queries (q int, text text);
INSERT INTO queries VALUES
	(0, 'SELECT gpu_sum(a)::text FROM %s'),
	(1, 'SELECT string_agg(gpu_array_sum(a)::text, '','' ORDER BY r) FROM %s'),
	(2, 'SELECT string_agg(gpu_array_cumsum(a)::text, '','' ORDER BY r) FROM %s'),
	(3, 'SELECT string_agg(gpu_array_cumsum(a, true)::text, '','' ORDER BY r) FROM %s'),
	(4, 'SELECT string_agg(coalesce(c::text, ''-''), '','' ORDER BY r, o) FROM %s, gpu_cumsum(a) WITH ORDINALITY t(c, o)'),
	(5, 'SELECT string_agg(c::text, '','' ORDER BY r) FROM (SELECT r, gpu_cumsum(a, true) AS c FROM %s) t'),
	(6, 'SELECT gpu_sum(x)::text FROM %s, unnest(a) x'),
	(7, 'SELECT string_agg(coalesce(c::text, ''-''), '','' ORDER BY r, o) FROM (SELECT r, o, gpu_cumsum(x) OVER (PARTITION BY g ORDER BY r, o) AS c FROM %s, unnest(a) WITH ORDINALITY u(x, o)) t'),
	(8, 'SELECT string_agg(coalesce(s::text, ''-''), '','' ORDER BY g) FROM (SELECT g, gpu_sum(a) AS s FROM %s GROUP BY g) t'),
	(9, 'SELECT string_agg(coalesce(s::text, ''-''), '','' ORDER BY r) FROM (SELECT r, gpu_sum(a) OVER (ORDER BY r ROWS 1 PRECEDING) AS s FROM %s) t'),
	(10, 'SELECT string_agg(coalesce(s::text, ''-''), '','' ORDER BY g) FROM (SELECT g, gpu_sum(x) AS s FROM %s, unnest(a) x GROUP BY ROLLUP (g)) t'),
	(11, 'SELECT gpu_sum(a)::text || coalesce(gpu_sum(DISTINCT a)::text, ''-'') FROM %s WHERE cardinality(a) > 0'),
	(12, 'SELECT string_agg(n::text, '','' ORDER BY g) FROM (SELECT g, gpu_count(a) AS n FROM %s GROUP BY g) t'),
	(13, 'SELECT string_agg(coalesce(m::text, ''-''), '','' ORDER BY g) || coalesce(string_agg(s::text, '',''), '''') FROM (SELECT g, gpu_avg(a) AS m, sum(gpu_array_avg(a)::float8 ORDER BY r) AS s FROM %s GROUP BY ROLLUP (g)) t'),
	(14, 'SELECT string_agg(concat(g, l, m, n), '','' ORDER BY g) FROM (SELECT g, gpu_min(a) AS l, gpu_max(a) AS m, gpu_max(gpu_array_min(a)) AS n FROM %s GROUP BY ROLLUP (g)) t'),
	(15, 'SELECT string_agg(coalesce(gpu_array_sum(a, r * 7, r * 900)::text, ''-''), '','' ORDER BY r) FROM %s'),
	(16, 'SELECT string_agg(coalesce(s::text, ''-''), '','' ORDER BY g) FROM (SELECT g, gpu_sum(a, r * 3, 5000) AS s FROM %s GROUP BY g) t'),
	(17, 'SELECT string_agg(gpu_array_cumsum(a, r * 5, 3000)::text, '','' ORDER BY r) FROM %s'),
	(18, 'SELECT string_agg(concat_ws(''/'', s, v, n, l, h), '';'' ORDER BY k) FROM (SELECT cardinality(a) AS k, gpu_elem_sum(a) AS s, gpu_elem_avg(a) AS v, gpu_elem_count(a) AS n, gpu_elem_min(a) AS l, gpu_elem_max(a) AS h FROM %s GROUP BY cardinality(a)) t'),
	(19, 'SELECT coalesce(string_agg(concat_ws('' '', d, n, w), '','' ORDER BY g), '''') FROM (SELECT g, gpu_dot(a, a) AS d, gpu_norm(a) AS n, sum(gpu_array_norm(a) ORDER BY r) AS w FROM %s GROUP BY ROLLUP (g)) t'),
	(20, 'SELECT string_agg(gpu_array_moving_sum(a, r * 5)::text || gpu_array_moving_avg(a, r)::text, '','' ORDER BY r) FROM %s'),
	(21, 'SELECT string_agg(gpu_array_moving_min(a, r * r)::text || gpu_array_cummax(a)::text || gpu_array_delta(a, 1, r * 9)::text, '','' ORDER BY r) FROM %s'),
	(22, 'SELECT string_agg(gpu_array_bucket_sum(a, r)::text || gpu_array_bucket_avg(a, r * 7)::text || gpu_array_bucket_max(a, r * 3)::text, '','' ORDER BY r) FROM %s'),
	(23, 'SELECT string_agg(coalesce(v::text, ''-''), '','' ORDER BY g) || coalesce(string_agg(s::text, '',''), '''') FROM (SELECT g, gpu_stddev_samp(a) AS v, sum(gpu_array_stddev_pop(a)::float8 ORDER BY r) AS s FROM %s GROUP BY ROLLUP (g)) t'),
	(24, 'SELECT string_agg(coalesce(m::text, ''-''), '','' ORDER BY r) FROM (SELECT r, gpu_moments_state(a) OVER (ORDER BY r ROWS 1 PRECEDING) AS m FROM %s) t'),
	(25, 'SELECT concat_ws(''/'', gpu_elem_sum(b), gpu_elem_avg(b), gpu_elem_count(b), gpu_elem_min(b), gpu_elem_max(b)) FROM %s'),
	(26, 'SELECT string_agg(concat_ws(''/'', s, v, h), '';'' ORDER BY g) FROM (SELECT g, gpu_elem_sum(b) AS s, gpu_elem_avg(b) AS v, gpu_elem_max(b) AS h FROM %s, generate_series(1, r) GROUP BY ROLLUP (g)) t');

-- Those of numeric, and the same by PostgreSQL's aggregate $f over unnest.  Of
-- equal numbers the least is the last, with its decimals, so the order matters.
CREATE TEMP TABLE numeric_queries AS
SELECT row_number() OVER (ORDER BY one, f) - 1 AS q, replace(one, '$f', f) AS text, replace(other, '$f', f) AS other
FROM unnest(ARRAY['sum', 'count', 'avg', 'min', 'max', 'var_samp', 'var_pop', 'variance', 'stddev_samp', 'stddev_pop', 'stddev']) f,
(VALUES
	('SELECT gpu_$f(a ORDER BY r)::text FROM %s',
		'SELECT $f(x ORDER BY r, o)::text FROM %s, unnest(a) WITH ORDINALITY u(x, o)'),
	('SELECT gpu_$f(x ORDER BY r, o)::text FROM %s, unnest(a) WITH ORDINALITY u(x, o)',
		'SELECT $f(x ORDER BY r, o)::text FROM %s, unnest(a) WITH ORDINALITY u(x, o)'),
	('SELECT string_agg(coalesce(s::text, ''-''), '','' ORDER BY g) FROM (SELECT g, gpu_$f(a ORDER BY r) AS s FROM %s GROUP BY g) t',
		'SELECT string_agg(coalesce(s::text, ''-''), '','' ORDER BY g) FROM (SELECT g, $f(x ORDER BY r, o) AS s
			FROM %s LEFT JOIN unnest(a) WITH ORDINALITY u(x, o) ON true GROUP BY g) t'),
	('SELECT string_agg(coalesce(s::text, ''-''), '','' ORDER BY r) FROM (SELECT r, gpu_$f(a) OVER (ORDER BY r ROWS 1 PRECEDING) AS s FROM %s) t',
		'SELECT string_agg(coalesce(s::text, ''-''), '','' ORDER BY n) FROM (SELECT n, $f(x ORDER BY r, o) AS s
			FROM %s LEFT JOIN unnest(a) WITH ORDINALITY u(x, o) ON true, generate_series(r, least(r + 1, 4)) n GROUP BY n) t'),
	('SELECT string_agg(coalesce(gpu_array_$f(a)::text, ''-''), '','' ORDER BY r) FROM %s WHERE a IS NOT NULL',
		'SELECT string_agg(coalesce((SELECT $f(x) FROM unnest(a) x)::text, ''-''), '','' ORDER BY r) FROM %s WHERE a IS NOT NULL'))
	v(one, other);
INSERT INTO numeric_queries SELECT n + (SELECT count(*) FROM numeric_queries), one, other FROM (VALUES
	(0, 'SELECT string_agg(gpu_array_cumsum(a)::text, '','' ORDER BY r) FROM %s',
		'SELECT string_agg(ARRAY(SELECT sum(x) OVER (ORDER BY o ROWS UNBOUNDED PRECEDING) FROM unnest(a) WITH ORDINALITY u(x, o)
			ORDER BY o)::text, '','' ORDER BY r) FROM %s WHERE a IS NOT NULL'),
	(1, 'SELECT string_agg(coalesce(c::text, ''-''), '','' ORDER BY r, o) FROM %s, gpu_cumsum(a, true) WITH ORDINALITY t(c, o)',
		'SELECT string_agg(c::text, '','' ORDER BY r, o) FROM (SELECT r, o, coalesce(sum(x) OVER (PARTITION BY r ORDER BY o
			ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0) AS c FROM %s, unnest(a) WITH ORDINALITY u(x, o)) t'),
	(2, 'SELECT string_agg(coalesce(c::text, ''-''), '','' ORDER BY r, o) FROM (SELECT r, o, gpu_cumsum(x) OVER (PARTITION BY g ORDER BY r, o) AS c
			FROM %s, unnest(a) WITH ORDINALITY u(x, o)) t',
		'SELECT string_agg(coalesce(c::text, ''-''), '','' ORDER BY r, o) FROM (SELECT r, o, sum(x) OVER (PARTITION BY g ORDER BY r, o
			ROWS UNBOUNDED PRECEDING) AS c FROM %s, unnest(a) WITH ORDINALITY u(x, o)) t')) v(n, one, other);

CREATE FUNCTION pg_temp.answer(engine text, query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE result text;
BEGIN
	PERFORM set_config('gpuagg.engine', engine, true);
	EXECUTE query INTO result;
	RETURN md5(coalesce(result, 'NULL')) || ' ' || left(result, 200);
EXCEPTION WHEN numeric_value_out_of_range THEN
	RETURN SQLSTATE || SQLERRM;
END $$;

-- A block of cases: rows of arrays for each, a of any length and b of one length for
-- all rows, then a query for each.
CREATE FUNCTION pg_temp.block(type text, seed int, n int) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
	wrong bigint := 0;
	k int;
	query text;
	by_cpu text;
	cpu text;
	gpu text;
BEGIN
	PERFORM setseed(((seed * 7919) % 2000003) / 2000003.0);
	EXECUTE format($q$
		CREATE TEMP TABLE cases AS
		SELECT k, r, r %% 3 AS g,
			(SELECT CASE WHEN random() < 0.1 THEN NULL ELSE array_agg(
				CASE WHEN i > 0 AND random() < nulls THEN NULL ELSE %s END) END
			 FROM generate_series(1, floor(power(2, random() * size))::int - 1) i) AS a,
			(SELECT array_agg(CASE WHEN i > 0 AND random() < nulls / 100 THEN NULL ELSE %s END)
			 FROM generate_series(1, floor(power(2, size - 2))::int) i) AS b
		FROM (SELECT k, floor(random() * 6)::int AS family, floor(random() * 14) AS size,
				(ARRAY[0, 0, 0.2])[1 + floor(random() * 3)::int] AS nulls,
				(ARRAY[0, 0, 0.01])[1 + floor(random() * 3)::int] AS special
			  FROM generate_series(1, %s) k) c,
			generate_series(1, 4) r $q$, pg_temp.value_of(type), pg_temp.value_of(type), n);
	CREATE INDEX ON cases (k);
	ANALYZE cases;
	FOR k IN 1 .. n LOOP
		SELECT format(text, rows), format(other, rows) INTO query, by_cpu
			FROM (SELECT q, text, text AS other, count(*) OVER () AS n_queries FROM queries WHERE type <> 'numeric'
				UNION ALL SELECT q, text, other, count(*) OVER () FROM numeric_queries WHERE type = 'numeric') u,
			format('(SELECT * FROM cases WHERE k = %s) f', k) rows WHERE q = (k + seed) % n_queries;
		cpu := pg_temp.answer('cpu', by_cpu);
		gpu := pg_temp.answer('gpu', query);
		IF cpu IS DISTINCT FROM gpu THEN
			wrong := wrong + 1;
			RAISE WARNING 'block % of %, case %: % gives % by the CPU, % by the device',
				seed, type, k, query, cpu, gpu;
		END IF;
	END LOOP;
	DROP TABLE cases;
	RETURN wrong;
END $$;

SELECT set_config('fuzz.wrong', '0', false) \gset
\o /dev/null
SELECT format('SELECT set_config(''fuzz.wrong'', (current_setting(''fuzz.wrong'')::bigint
		+ pg_temp.block(%L, %s, 500))::text, false)', (ARRAY['float8', 'float4', 'int8', 'int4', 'int2', 'numeric'])[1 + b % 6],
		:seed + b)
	FROM generate_series(0, (:cases + 499) / 500 - 1) b \gexec
\o
SELECT ((:cases + 499) / 500 * 500) || ' queries, '
	|| (SELECT arrays FROM gpuagg_session_stat WHERE engine = 'gpu') || ' arrays and '
	|| (SELECT elements FROM gpuagg_session_stat WHERE engine = 'gpu') || ' elements on the '
	|| (SELECT implementation FROM gpuagg_session_stat WHERE engine = 'gpu') || ' device, '
	|| current_setting('fuzz.wrong') || ' wrong';
SELECT current_setting('fuzz.wrong') = '0' AS right \gset
\if :right
\else
	DO $$ BEGIN RAISE EXCEPTION 'there were differences'; END $$;
\endif
