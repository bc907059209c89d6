-- What must be the same before and after an upgrade of the server, for a database
-- that make.sql has made.
--	:reader		a role
SET extra_float_digits = 1;
TABLE totals ORDER BY part;
TABLE so_far ORDER BY id;
SELECT id, n, total FROM elements WHERE n IN (1, 7, 4999, 5000) ORDER BY id, n;
SELECT total(), (SELECT gpu_sum(x) FROM kept);
SELECT id, md5(x::text), md5(i::text), r FROM kept ORDER BY id;
SELECT count(*) FROM kept JOIN stored USING (id) WHERE kept = stored;
SELECT count(*) FROM series WHERE total = gpu_array_sum(x);
SELECT count(*) FROM series JOIN kept USING (id) WHERE gpu_array_cumsum(series.x) = kept.x;
SET enable_seqscan = off;
SELECT id FROM series WHERE gpu_array_sum(i) = (SELECT gpu_array_sum(i) FROM series WHERE id = 17);
RESET enable_seqscan;
SELECT has_function_privilege(:'reader', 'gpuagg_cache_clear()', 'EXECUTE'), has_table_privilege(:'reader', 'totals', 'SELECT'),
	has_function_privilege('public', 'gpuagg_cache_clear()', 'EXECUTE');
SELECT coalesce(datname = current_database(), true) AS here, coalesce(rolname = :'reader', true) AS reader, setconfig
FROM pg_db_role_setting LEFT JOIN pg_roles r ON r.oid = setrole LEFT JOIN pg_database d ON d.oid = setdatabase
WHERE coalesce(datname, current_database()) = current_database() AND coalesce(rolname, :'reader') = :'reader' ORDER BY setconfig;
SELECT to_regclass('sums') IS NOT NULL AS has_sums \gset
\if :has_sums
SELECT id, s FROM sums ORDER BY s;
SELECT id FROM sums WHERE s = '5e-324';
SELECT tableoid::regclass, count(*), md5(string_agg(s::text, ',' ORDER BY s)) FROM by_hash GROUP BY 1 ORDER BY 1;
SELECT n, s, s::float8, s::numeric, gpu_avg(s) FROM all_sums;
\endif
