-- ---------------------------------------------------------------------------
-- Resident arrays, and statistics of gpuaggd
-- ---------------------------------------------------------------------------

CREATE FUNCTION gpuagg_cache(
	OUT device integer, OUT database_id oid, OUT toast_relation oid,
	OUT entries bigint, OUT bytes bigint, OUT packed_bytes bigint,
	OUT hits bigint, OUT last_use timestamp with time zone) RETURNS SETOF record
	AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE STRICT PARALLEL RESTRICTED
	ROWS 100;
COMMENT ON FUNCTION gpuagg_cache() IS
	'stored arrays that are resident on devices, by TOAST relation';

CREATE VIEW gpuagg_cache AS
	SELECT c.device, d.datname AS database, r.oid::regclass AS relation,
		c.toast_relation, c.entries, c.bytes, c.packed_bytes, c.hits, c.last_use
	FROM gpuagg_cache() c
	LEFT JOIN pg_catalog.pg_database d ON d.oid = c.database_id
	LEFT JOIN pg_catalog.pg_class r ON r.reltoastrelid = c.toast_relation
		AND d.datname = pg_catalog.current_database();
COMMENT ON VIEW gpuagg_cache IS
	'stored arrays that are resident on devices, by relation';

CREATE FUNCTION gpuagg_cache_clear() RETURNS bigint
	AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE STRICT PARALLEL RESTRICTED;
COMMENT ON FUNCTION gpuagg_cache_clear() IS
	'remove all resident arrays; returns how many there were';

CREATE FUNCTION gpuagg_cache_clear(regclass) RETURNS bigint
	AS 'MODULE_PATHNAME', 'gpuagg_cache_clear_relation'
	LANGUAGE C VOLATILE STRICT PARALLEL RESTRICTED;
COMMENT ON FUNCTION gpuagg_cache_clear(regclass) IS
	'remove the resident arrays of a table and its partitions; returns how many there were';

CREATE FUNCTION gpuagg_stat(
	OUT requests bigint, OUT arrays bigint, OUT hits bigint,
	OUT misses bigint, OUT streamed bigint, OUT evictions bigint,
	OUT bytes_in bigint, OUT bytes_out bigint, OUT device_ms double precision,
	OUT cache_entries bigint, OUT cache_used bigint, OUT cache_plain bigint,
	OUT cache_allocated bigint, OUT cache_size bigint,
	OUT host_used bigint, OUT host_size bigint,
	OUT since timestamp with time zone) RETURNS SETOF record
	AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE STRICT PARALLEL RESTRICTED
	ROWS 1;
COMMENT ON FUNCTION gpuagg_stat() IS
	'statistics of gpuaggd, for all sessions';

CREATE VIEW gpuagg_stat AS SELECT * FROM gpuagg_stat();
COMMENT ON VIEW gpuagg_stat IS
	'statistics of gpuaggd, for all sessions';

CREATE FUNCTION gpuagg_stat_reset() RETURNS void
	AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE STRICT PARALLEL RESTRICTED;
COMMENT ON FUNCTION gpuagg_stat_reset() IS
	'reset the statistics of gpuaggd';

