-- ---------------------------------------------------------------------------
-- The ladder of teaching kernels
-- ---------------------------------------------------------------------------

CREATE FUNCTION gpuagg_bench_reduce(
	n bigint DEFAULT 4194304, type regtype DEFAULT 'integer',
	repeats integer DEFAULT 20, managed boolean DEFAULT false,
	OUT kernel text, OUT elements bigint, OUT time_ms double precision,
	OUT gb_per_s double precision, OUT copy_share double precision,
	OUT step_speedup double precision, OUT total_speedup double precision,
	OUT cpu_speedup double precision, OUT max_error double precision,
	OUT same_bits boolean) RETURNS SETOF record
	AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL RESTRICTED ROWS 12;
COMMENT ON FUNCTION gpuagg_bench_reduce(bigint, regtype, integer, boolean) IS
	'the classic reduction kernels, each timed on the device';

CREATE FUNCTION gpuagg_bench_scan(
	n bigint DEFAULT 4194304, type regtype DEFAULT 'integer',
	repeats integer DEFAULT 20, exclusive boolean DEFAULT false,
	OUT kernel text, OUT elements bigint, OUT time_ms double precision,
	OUT gb_per_s double precision, OUT copy_share double precision,
	OUT step_speedup double precision, OUT total_speedup double precision,
	OUT cpu_speedup double precision, OUT max_error double precision,
	OUT same_bits boolean) RETURNS SETOF record
	AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL RESTRICTED ROWS 8;
COMMENT ON FUNCTION gpuagg_bench_scan(bigint, regtype, integer, boolean) IS
	'the classic scan kernels, each timed on the device';

