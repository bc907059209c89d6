-- Not for everybody: how much other users store, and how often they read it.
REVOKE ALL ON FUNCTION gpuagg_cache() FROM PUBLIC;
REVOKE ALL ON FUNCTION gpuagg_stat() FROM PUBLIC;
REVOKE ALL ON FUNCTION gpuagg_cache_clear() FROM PUBLIC;
REVOKE ALL ON FUNCTION gpuagg_cache_clear(regclass) FROM PUBLIC;
REVOKE ALL ON FUNCTION gpuagg_stat_reset() FROM PUBLIC;
REVOKE ALL ON FUNCTION gpuagg_server_stat() FROM PUBLIC;
REVOKE ALL ON FUNCTION gpuagg_server_stat_reset() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION gpuagg_cache() TO pg_monitor;
GRANT EXECUTE ON FUNCTION gpuagg_stat() TO pg_monitor;
GRANT SELECT ON gpuagg_cache TO pg_monitor;
GRANT SELECT ON gpuagg_stat TO pg_monitor;
GRANT EXECUTE ON FUNCTION gpuagg_server_stat() TO pg_monitor;
GRANT SELECT ON gpuagg_server_stat TO pg_monitor;

-- Not for everybody: these keep the device busy, and take its memory.
REVOKE ALL ON FUNCTION gpuagg_bench_reduce(bigint, regtype, integer, boolean)
	FROM PUBLIC;
REVOKE ALL ON FUNCTION gpuagg_bench_scan(bigint, regtype, integer, boolean)
	FROM PUBLIC;
GRANT EXECUTE ON FUNCTION
	gpuagg_bench_reduce(bigint, regtype, integer, boolean) TO pg_monitor;
GRANT EXECUTE ON FUNCTION
	gpuagg_bench_scan(bigint, regtype, integer, boolean) TO pg_monitor;

-- For everybody: statistics of the own session, and the devices.
GRANT SELECT ON gpuagg_session_stat TO PUBLIC;
GRANT SELECT ON gpuagg_devices TO PUBLIC;
