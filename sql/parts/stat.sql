-- ---------------------------------------------------------------------------
-- Statistics of the session, and the devices
-- ---------------------------------------------------------------------------

CREATE FUNCTION gpuagg_session_stat(
	OUT engine text, OUT implementation text, OUT reason text,
	OUT arrays bigint, OUT elements bigint, OUT bytes bigint,
	OUT hits bigint, OUT misses bigint, OUT device_ms double precision,
	OUT waiting_ms double precision) RETURNS SETOF record
	AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE STRICT PARALLEL RESTRICTED
	ROWS 3;
COMMENT ON FUNCTION gpuagg_session_stat() IS
	'arrays and elements computed in this session, by engine, and why by the CPU';

CREATE VIEW gpuagg_session_stat AS SELECT * FROM gpuagg_session_stat();
COMMENT ON VIEW gpuagg_session_stat IS
	'arrays and elements computed in this session, by engine, and why by the CPU';

CREATE FUNCTION gpuagg_server_stat(
	OUT engine text, OUT reason text, OUT is_failure boolean,
	OUT arrays bigint, OUT elements bigint, OUT bytes bigint,
	OUT hits bigint, OUT misses bigint, OUT device_ms double precision,
	OUT waiting_ms double precision,
	OUT since timestamp with time zone) RETURNS SETOF record
	AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE STRICT PARALLEL RESTRICTED
	ROWS 16;
COMMENT ON FUNCTION gpuagg_server_stat() IS
	'arrays and elements computed by all sessions, by engine, and why by the CPU';

CREATE VIEW gpuagg_server_stat AS SELECT * FROM gpuagg_server_stat();
COMMENT ON VIEW gpuagg_server_stat IS
	'arrays and elements computed by all sessions, by engine, and why by the CPU';

CREATE FUNCTION gpuagg_server_stat_reset() RETURNS void
	AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE STRICT PARALLEL RESTRICTED;
COMMENT ON FUNCTION gpuagg_server_stat_reset() IS
	'reset the statistics of all sessions';

CREATE FUNCTION gpuagg_devices(
	OUT device integer, OUT kind text, OUT name text, OUT id text,
	OUT compute_capability text, OUT multiprocessors integer,
	OUT memory_bytes bigint, OUT free_bytes bigint, OUT budget_bytes bigint,
	OUT used_bytes bigint, OUT driver_cuda text, OUT runtime_cuda text,
	OUT state text, OUT reason text, OUT hint text,
	OUT since timestamp with time zone,
	OUT pid integer, OUT supervisor_pid integer, OUT restarts integer,
	OUT sessions integer, OUT leases integer) RETURNS SETOF record
	AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE STRICT PARALLEL RESTRICTED
	ROWS 1;
COMMENT ON FUNCTION gpuagg_devices() IS
	'the devices that gpuaggd uses, and its state';

CREATE VIEW gpuagg_devices AS SELECT * FROM gpuagg_devices();
COMMENT ON VIEW gpuagg_devices IS
	'the devices that gpuaggd uses, and its state';

