CREATE FUNCTION ${function}(
	n bigint DEFAULT 4194304, type regtype DEFAULT 'integer',
	repeats integer DEFAULT 20, ${option} boolean DEFAULT false,
	OUT kernel text, OUT elements bigint, OUT time_ms double precision,
	OUT gb_per_s double precision, OUT copy_share double precision,
	OUT step_speedup double precision, OUT total_speedup double precision,
	OUT cpu_speedup double precision, OUT max_error double precision,
	OUT same_bits boolean) RETURNS SETOF record
	AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL RESTRICTED ROWS ${rows};
COMMENT ON FUNCTION ${function}(bigint, regtype, integer, boolean) IS
	'the classic ${kernels}, each timed on the device';
