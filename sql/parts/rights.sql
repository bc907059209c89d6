-- What others keep in their tables, how much and how often it is read, is not
-- for everybody.
REVOKE ALL ON FUNCTION gpuagg_cache() FROM PUBLIC;
REVOKE ALL ON FUNCTION gpuagg_stat() FROM PUBLIC;
REVOKE ALL ON FUNCTION gpuagg_cache_clear() FROM PUBLIC;
REVOKE ALL ON FUNCTION gpuagg_cache_clear(regclass) FROM PUBLIC;
REVOKE ALL ON FUNCTION gpuagg_stat_reset() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION gpuagg_cache() TO pg_monitor;
GRANT EXECUTE ON FUNCTION gpuagg_stat() TO pg_monitor;
GRANT SELECT ON gpuagg_cache TO pg_monitor;
GRANT SELECT ON gpuagg_stat TO pg_monitor;

-- These keep the device busy, and take its memory.
REVOKE ALL ON FUNCTION gpuagg_bench_reduce(bigint, regtype, integer, boolean)
	FROM PUBLIC;
REVOKE ALL ON FUNCTION gpuagg_bench_scan(bigint, regtype, integer, boolean)
	FROM PUBLIC;
GRANT EXECUTE ON FUNCTION
	gpuagg_bench_reduce(bigint, regtype, integer, boolean) TO pg_monitor;
GRANT EXECUTE ON FUNCTION
	gpuagg_bench_scan(bigint, regtype, integer, boolean) TO pg_monitor;

-- A session's own work, and what there is to work with, are.
GRANT SELECT ON gpuagg_session_stat TO PUBLIC;
GRANT SELECT ON gpuagg_devices TO PUBLIC;
