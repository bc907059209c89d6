\echo Use "CREATE EXTENSION gpuagg" to load this file. \quit

-- gpuagg: the current definition.
--
-- The support functions of the aggregates take and give internal states, so
-- they cannot be called by themselves.

-- ---------------------------------------------------------------------------
-- States
-- ---------------------------------------------------------------------------

CREATE FUNCTION gpu_sum_int_combine(internal, internal) RETURNS internal
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION gpu_sum_int_combine(internal, internal) IS
	'adds one integer sum to another';

CREATE FUNCTION gpu_sum_int_serialize(internal) RETURNS bytea
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION gpu_sum_int_serialize(internal) IS
	'writes an integer sum in its canonical form';

CREATE FUNCTION gpu_sum_int_deserialize(bytea, internal) RETURNS internal
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION gpu_sum_int_deserialize(bytea, internal) IS
	'reads a serialized integer sum';

CREATE FUNCTION gpu_sum_float_combine(internal, internal) RETURNS internal
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION gpu_sum_float_combine(internal, internal) IS
	'adds one float sum to another';

CREATE FUNCTION gpu_sum_float_serialize(internal) RETURNS bytea
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION gpu_sum_float_serialize(internal) IS
	'writes a float sum in its canonical form';

CREATE FUNCTION gpu_sum_float_deserialize(bytea, internal) RETURNS internal
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION gpu_sum_float_deserialize(bytea, internal) IS
	'reads a serialized float sum';

CREATE FUNCTION gpu_sum_bigint_final(internal) RETURNS bigint
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION gpu_sum_bigint_final(internal) IS
	'gives a sum of smallint or integer';

CREATE FUNCTION gpu_sum_numeric_final(internal) RETURNS numeric
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION gpu_sum_numeric_final(internal) IS
	'gives a sum of bigint';

CREATE FUNCTION gpu_sum_float4_final(internal) RETURNS real
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION gpu_sum_float4_final(internal) IS
	'gives a sum of real, rounded once';

CREATE FUNCTION gpu_sum_float8_final(internal) RETURNS double precision
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION gpu_sum_float8_final(internal) IS
	'gives a sum of double precision, rounded once';

-- ---------------------------------------------------------------------------
-- gpu_sum of plain columns
-- ---------------------------------------------------------------------------

CREATE FUNCTION gpu_sum_accum(internal, smallint) RETURNS internal
	AS 'MODULE_PATHNAME', 'gpu_sum_accum_int2'
	LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION gpu_sum_accum(internal, smallint) IS
	'adds a value to a sum';

CREATE FUNCTION gpu_sum_remove(internal, smallint) RETURNS internal
	AS 'MODULE_PATHNAME', 'gpu_sum_remove_int2'
	LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION gpu_sum_remove(internal, smallint) IS
	'takes a value out of a sum';

CREATE AGGREGATE gpu_sum(smallint) (
	SFUNC = gpu_sum_accum,
	STYPE = internal,
	SSPACE = 40,
	FINALFUNC = gpu_sum_bigint_final,
	COMBINEFUNC = gpu_sum_int_combine,
	SERIALFUNC = gpu_sum_int_serialize,
	DESERIALFUNC = gpu_sum_int_deserialize,
	MSFUNC = gpu_sum_accum,
	MINVFUNC = gpu_sum_remove,
	MSTYPE = internal,
	MSSPACE = 40,
	MFINALFUNC = gpu_sum_bigint_final,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE gpu_sum(smallint) IS
	'sum of all smallint values';

CREATE FUNCTION gpu_sum_accum(internal, integer) RETURNS internal
	AS 'MODULE_PATHNAME', 'gpu_sum_accum_int4'
	LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION gpu_sum_accum(internal, integer) IS
	'adds a value to a sum';

CREATE FUNCTION gpu_sum_remove(internal, integer) RETURNS internal
	AS 'MODULE_PATHNAME', 'gpu_sum_remove_int4'
	LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION gpu_sum_remove(internal, integer) IS
	'takes a value out of a sum';

CREATE AGGREGATE gpu_sum(integer) (
	SFUNC = gpu_sum_accum,
	STYPE = internal,
	SSPACE = 40,
	FINALFUNC = gpu_sum_bigint_final,
	COMBINEFUNC = gpu_sum_int_combine,
	SERIALFUNC = gpu_sum_int_serialize,
	DESERIALFUNC = gpu_sum_int_deserialize,
	MSFUNC = gpu_sum_accum,
	MINVFUNC = gpu_sum_remove,
	MSTYPE = internal,
	MSSPACE = 40,
	MFINALFUNC = gpu_sum_bigint_final,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE gpu_sum(integer) IS
	'sum of all integer values';

CREATE FUNCTION gpu_sum_accum(internal, bigint) RETURNS internal
	AS 'MODULE_PATHNAME', 'gpu_sum_accum_int8'
	LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION gpu_sum_accum(internal, bigint) IS
	'adds a value to a sum';

CREATE FUNCTION gpu_sum_remove(internal, bigint) RETURNS internal
	AS 'MODULE_PATHNAME', 'gpu_sum_remove_int8'
	LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION gpu_sum_remove(internal, bigint) IS
	'takes a value out of a sum';

CREATE AGGREGATE gpu_sum(bigint) (
	SFUNC = gpu_sum_accum,
	STYPE = internal,
	SSPACE = 40,
	FINALFUNC = gpu_sum_numeric_final,
	COMBINEFUNC = gpu_sum_int_combine,
	SERIALFUNC = gpu_sum_int_serialize,
	DESERIALFUNC = gpu_sum_int_deserialize,
	MSFUNC = gpu_sum_accum,
	MINVFUNC = gpu_sum_remove,
	MSTYPE = internal,
	MSSPACE = 40,
	MFINALFUNC = gpu_sum_numeric_final,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE gpu_sum(bigint) IS
	'sum of all bigint values';

CREATE FUNCTION gpu_sum_accum(internal, real) RETURNS internal
	AS 'MODULE_PATHNAME', 'gpu_sum_accum_float4'
	LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION gpu_sum_accum(internal, real) IS
	'adds a value to a sum';

CREATE FUNCTION gpu_sum_remove(internal, real) RETURNS internal
	AS 'MODULE_PATHNAME', 'gpu_sum_remove_float4'
	LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION gpu_sum_remove(internal, real) IS
	'takes a value out of a sum';

CREATE AGGREGATE gpu_sum(real) (
	SFUNC = gpu_sum_accum,
	STYPE = internal,
	SSPACE = 144,
	FINALFUNC = gpu_sum_float4_final,
	COMBINEFUNC = gpu_sum_float_combine,
	SERIALFUNC = gpu_sum_float_serialize,
	DESERIALFUNC = gpu_sum_float_deserialize,
	MSFUNC = gpu_sum_accum,
	MINVFUNC = gpu_sum_remove,
	MSTYPE = internal,
	MSSPACE = 144,
	MFINALFUNC = gpu_sum_float4_final,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE gpu_sum(real) IS
	'exact sum, rounded once, of all real values';

CREATE FUNCTION gpu_sum_accum(internal, double precision) RETURNS internal
	AS 'MODULE_PATHNAME', 'gpu_sum_accum_float8'
	LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION gpu_sum_accum(internal, double precision) IS
	'adds a value to a sum';

CREATE FUNCTION gpu_sum_remove(internal, double precision) RETURNS internal
	AS 'MODULE_PATHNAME', 'gpu_sum_remove_float8'
	LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION gpu_sum_remove(internal, double precision) IS
	'takes a value out of a sum';

CREATE AGGREGATE gpu_sum(double precision) (
	SFUNC = gpu_sum_accum,
	STYPE = internal,
	SSPACE = 144,
	FINALFUNC = gpu_sum_float8_final,
	COMBINEFUNC = gpu_sum_float_combine,
	SERIALFUNC = gpu_sum_float_serialize,
	DESERIALFUNC = gpu_sum_float_deserialize,
	MSFUNC = gpu_sum_accum,
	MINVFUNC = gpu_sum_remove,
	MSTYPE = internal,
	MSSPACE = 144,
	MFINALFUNC = gpu_sum_float8_final,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE gpu_sum(double precision) IS
	'exact sum, rounded once, of all double precision values';

-- ---------------------------------------------------------------------------
-- gpu_sum of arrays: a transition reads a whole array, hence its cost
-- ---------------------------------------------------------------------------

CREATE FUNCTION gpu_sum_accum(internal, smallint[]) RETURNS internal
	AS 'MODULE_PATHNAME', 'gpu_sum_accum_int2_array'
	LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION gpu_sum_accum(internal, smallint[]) IS
	'adds the elements of an array to a sum';

CREATE FUNCTION gpu_sum_remove(internal, smallint[]) RETURNS internal
	AS 'MODULE_PATHNAME', 'gpu_sum_remove_int2_array'
	LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION gpu_sum_remove(internal, smallint[]) IS
	'takes the elements of an array out of a sum';

CREATE AGGREGATE gpu_sum(smallint[]) (
	SFUNC = gpu_sum_accum,
	STYPE = internal,
	SSPACE = 40,
	FINALFUNC = gpu_sum_bigint_final,
	COMBINEFUNC = gpu_sum_int_combine,
	SERIALFUNC = gpu_sum_int_serialize,
	DESERIALFUNC = gpu_sum_int_deserialize,
	MSFUNC = gpu_sum_accum,
	MINVFUNC = gpu_sum_remove,
	MSTYPE = internal,
	MSSPACE = 40,
	MFINALFUNC = gpu_sum_bigint_final,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE gpu_sum(smallint[]) IS
	'sum of all elements of all smallint arrays';

CREATE FUNCTION gpu_sum_accum(internal, integer[]) RETURNS internal
	AS 'MODULE_PATHNAME', 'gpu_sum_accum_int4_array'
	LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION gpu_sum_accum(internal, integer[]) IS
	'adds the elements of an array to a sum';

CREATE FUNCTION gpu_sum_remove(internal, integer[]) RETURNS internal
	AS 'MODULE_PATHNAME', 'gpu_sum_remove_int4_array'
	LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION gpu_sum_remove(internal, integer[]) IS
	'takes the elements of an array out of a sum';

CREATE AGGREGATE gpu_sum(integer[]) (
	SFUNC = gpu_sum_accum,
	STYPE = internal,
	SSPACE = 40,
	FINALFUNC = gpu_sum_bigint_final,
	COMBINEFUNC = gpu_sum_int_combine,
	SERIALFUNC = gpu_sum_int_serialize,
	DESERIALFUNC = gpu_sum_int_deserialize,
	MSFUNC = gpu_sum_accum,
	MINVFUNC = gpu_sum_remove,
	MSTYPE = internal,
	MSSPACE = 40,
	MFINALFUNC = gpu_sum_bigint_final,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE gpu_sum(integer[]) IS
	'sum of all elements of all integer arrays';

CREATE FUNCTION gpu_sum_accum(internal, bigint[]) RETURNS internal
	AS 'MODULE_PATHNAME', 'gpu_sum_accum_int8_array'
	LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION gpu_sum_accum(internal, bigint[]) IS
	'adds the elements of an array to a sum';

CREATE FUNCTION gpu_sum_remove(internal, bigint[]) RETURNS internal
	AS 'MODULE_PATHNAME', 'gpu_sum_remove_int8_array'
	LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION gpu_sum_remove(internal, bigint[]) IS
	'takes the elements of an array out of a sum';

CREATE AGGREGATE gpu_sum(bigint[]) (
	SFUNC = gpu_sum_accum,
	STYPE = internal,
	SSPACE = 40,
	FINALFUNC = gpu_sum_numeric_final,
	COMBINEFUNC = gpu_sum_int_combine,
	SERIALFUNC = gpu_sum_int_serialize,
	DESERIALFUNC = gpu_sum_int_deserialize,
	MSFUNC = gpu_sum_accum,
	MINVFUNC = gpu_sum_remove,
	MSTYPE = internal,
	MSSPACE = 40,
	MFINALFUNC = gpu_sum_numeric_final,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE gpu_sum(bigint[]) IS
	'sum of all elements of all bigint arrays';

CREATE FUNCTION gpu_sum_accum(internal, real[]) RETURNS internal
	AS 'MODULE_PATHNAME', 'gpu_sum_accum_float4_array'
	LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION gpu_sum_accum(internal, real[]) IS
	'adds the elements of an array to a sum';

CREATE FUNCTION gpu_sum_remove(internal, real[]) RETURNS internal
	AS 'MODULE_PATHNAME', 'gpu_sum_remove_float4_array'
	LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION gpu_sum_remove(internal, real[]) IS
	'takes the elements of an array out of a sum';

CREATE AGGREGATE gpu_sum(real[]) (
	SFUNC = gpu_sum_accum,
	STYPE = internal,
	SSPACE = 144,
	FINALFUNC = gpu_sum_float4_final,
	COMBINEFUNC = gpu_sum_float_combine,
	SERIALFUNC = gpu_sum_float_serialize,
	DESERIALFUNC = gpu_sum_float_deserialize,
	MSFUNC = gpu_sum_accum,
	MINVFUNC = gpu_sum_remove,
	MSTYPE = internal,
	MSSPACE = 144,
	MFINALFUNC = gpu_sum_float4_final,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE gpu_sum(real[]) IS
	'exact sum, rounded once, of all elements of all real arrays';

CREATE FUNCTION gpu_sum_accum(internal, double precision[]) RETURNS internal
	AS 'MODULE_PATHNAME', 'gpu_sum_accum_float8_array'
	LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION gpu_sum_accum(internal, double precision[]) IS
	'adds the elements of an array to a sum';

CREATE FUNCTION gpu_sum_remove(internal, double precision[]) RETURNS internal
	AS 'MODULE_PATHNAME', 'gpu_sum_remove_float8_array'
	LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION gpu_sum_remove(internal, double precision[]) IS
	'takes the elements of an array out of a sum';

CREATE AGGREGATE gpu_sum(double precision[]) (
	SFUNC = gpu_sum_accum,
	STYPE = internal,
	SSPACE = 144,
	FINALFUNC = gpu_sum_float8_final,
	COMBINEFUNC = gpu_sum_float_combine,
	SERIALFUNC = gpu_sum_float_serialize,
	DESERIALFUNC = gpu_sum_float_deserialize,
	MSFUNC = gpu_sum_accum,
	MINVFUNC = gpu_sum_remove,
	MSTYPE = internal,
	MSSPACE = 144,
	MFINALFUNC = gpu_sum_float8_final,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE gpu_sum(double precision[]) IS
	'exact sum, rounded once, of all elements of all double precision arrays';

-- ---------------------------------------------------------------------------
-- gpu_array_sum: the sum of one array
-- ---------------------------------------------------------------------------

CREATE FUNCTION gpu_array_sum(smallint[]) RETURNS bigint
	AS 'MODULE_PATHNAME', 'gpu_array_sum_int2'
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION gpu_array_sum(smallint[]) IS
	'sum of the elements of an array';

CREATE FUNCTION gpu_array_sum(integer[]) RETURNS bigint
	AS 'MODULE_PATHNAME', 'gpu_array_sum_int4'
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION gpu_array_sum(integer[]) IS
	'sum of the elements of an array';

CREATE FUNCTION gpu_array_sum(bigint[]) RETURNS numeric
	AS 'MODULE_PATHNAME', 'gpu_array_sum_int8'
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION gpu_array_sum(bigint[]) IS
	'sum of the elements of an array';

CREATE FUNCTION gpu_array_sum(real[]) RETURNS real
	AS 'MODULE_PATHNAME', 'gpu_array_sum_float4'
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION gpu_array_sum(real[]) IS
	'exact sum, rounded once, of the elements of an array';

CREATE FUNCTION gpu_array_sum(double precision[]) RETURNS double precision
	AS 'MODULE_PATHNAME', 'gpu_array_sum_float8'
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION gpu_array_sum(double precision[]) IS
	'exact sum, rounded once, of the elements of an array';

-- ---------------------------------------------------------------------------
-- gpu_cumsum: running totals
-- ---------------------------------------------------------------------------

CREATE FUNCTION gpu_cumsum_support(internal) RETURNS internal
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION gpu_cumsum_support(internal) IS
	'tells the planner how many rows gpu_cumsum gives';

CREATE FUNCTION gpu_cumsum(smallint[], exclusive boolean DEFAULT false)
	RETURNS SETOF bigint
	AS 'MODULE_PATHNAME', 'gpu_cumsum_int2_array'
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE ROWS 100
	SUPPORT gpu_cumsum_support;
COMMENT ON FUNCTION gpu_cumsum(smallint[], boolean) IS
	'running totals of an array, as rows';

CREATE FUNCTION gpu_array_cumsum(smallint[], exclusive boolean DEFAULT false)
	RETURNS bigint[]
	AS 'MODULE_PATHNAME', 'gpu_array_cumsum_int2'
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION gpu_array_cumsum(smallint[], boolean) IS
	'running totals of an array, as an array of the same shape';

CREATE FUNCTION gpu_cumsum(smallint) RETURNS bigint
	AS 'MODULE_PATHNAME', 'gpu_cumsum_int2'
	LANGUAGE C IMMUTABLE PARALLEL SAFE WINDOW;
COMMENT ON FUNCTION gpu_cumsum(smallint) IS
	'running totals of the rows of a window';

CREATE FUNCTION gpu_cumsum(integer[], exclusive boolean DEFAULT false)
	RETURNS SETOF bigint
	AS 'MODULE_PATHNAME', 'gpu_cumsum_int4_array'
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE ROWS 100
	SUPPORT gpu_cumsum_support;
COMMENT ON FUNCTION gpu_cumsum(integer[], boolean) IS
	'running totals of an array, as rows';

CREATE FUNCTION gpu_array_cumsum(integer[], exclusive boolean DEFAULT false)
	RETURNS bigint[]
	AS 'MODULE_PATHNAME', 'gpu_array_cumsum_int4'
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION gpu_array_cumsum(integer[], boolean) IS
	'running totals of an array, as an array of the same shape';

CREATE FUNCTION gpu_cumsum(integer) RETURNS bigint
	AS 'MODULE_PATHNAME', 'gpu_cumsum_int4'
	LANGUAGE C IMMUTABLE PARALLEL SAFE WINDOW;
COMMENT ON FUNCTION gpu_cumsum(integer) IS
	'running totals of the rows of a window';

CREATE FUNCTION gpu_cumsum(bigint[], exclusive boolean DEFAULT false)
	RETURNS SETOF numeric
	AS 'MODULE_PATHNAME', 'gpu_cumsum_int8_array'
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE ROWS 100
	SUPPORT gpu_cumsum_support;
COMMENT ON FUNCTION gpu_cumsum(bigint[], boolean) IS
	'running totals of an array, as rows';

CREATE FUNCTION gpu_array_cumsum(bigint[], exclusive boolean DEFAULT false)
	RETURNS numeric[]
	AS 'MODULE_PATHNAME', 'gpu_array_cumsum_int8'
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION gpu_array_cumsum(bigint[], boolean) IS
	'running totals of an array, as an array of the same shape';

CREATE FUNCTION gpu_cumsum(bigint) RETURNS numeric
	AS 'MODULE_PATHNAME', 'gpu_cumsum_int8'
	LANGUAGE C IMMUTABLE PARALLEL SAFE WINDOW;
COMMENT ON FUNCTION gpu_cumsum(bigint) IS
	'running totals of the rows of a window';

CREATE FUNCTION gpu_cumsum(real[], exclusive boolean DEFAULT false)
	RETURNS SETOF real
	AS 'MODULE_PATHNAME', 'gpu_cumsum_float4_array'
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE ROWS 100
	SUPPORT gpu_cumsum_support;
COMMENT ON FUNCTION gpu_cumsum(real[], boolean) IS
	'exact running totals, each rounded once, of an array, as rows';

CREATE FUNCTION gpu_array_cumsum(real[], exclusive boolean DEFAULT false)
	RETURNS real[]
	AS 'MODULE_PATHNAME', 'gpu_array_cumsum_float4'
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION gpu_array_cumsum(real[], boolean) IS
	'exact running totals, each rounded once, of an array, as an array of the same shape';

CREATE FUNCTION gpu_cumsum(real) RETURNS real
	AS 'MODULE_PATHNAME', 'gpu_cumsum_float4'
	LANGUAGE C IMMUTABLE PARALLEL SAFE WINDOW;
COMMENT ON FUNCTION gpu_cumsum(real) IS
	'exact running totals, each rounded once, of the rows of a window';

CREATE FUNCTION gpu_cumsum(double precision[], exclusive boolean DEFAULT false)
	RETURNS SETOF double precision
	AS 'MODULE_PATHNAME', 'gpu_cumsum_float8_array'
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE ROWS 100
	SUPPORT gpu_cumsum_support;
COMMENT ON FUNCTION gpu_cumsum(double precision[], boolean) IS
	'exact running totals, each rounded once, of an array, as rows';

CREATE FUNCTION gpu_array_cumsum(double precision[], exclusive boolean DEFAULT false)
	RETURNS double precision[]
	AS 'MODULE_PATHNAME', 'gpu_array_cumsum_float8'
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION gpu_array_cumsum(double precision[], boolean) IS
	'exact running totals, each rounded once, of an array, as an array of the same shape';

CREATE FUNCTION gpu_cumsum(double precision) RETURNS double precision
	AS 'MODULE_PATHNAME', 'gpu_cumsum_float8'
	LANGUAGE C IMMUTABLE PARALLEL SAFE WINDOW;
COMMENT ON FUNCTION gpu_cumsum(double precision) IS
	'exact running totals, each rounded once, of the rows of a window';

-- ---------------------------------------------------------------------------
-- What gpuagg did
-- ---------------------------------------------------------------------------

CREATE FUNCTION gpuagg_session_stat(
	OUT engine text, OUT implementation text, OUT reason text,
	OUT requests bigint, OUT elements bigint) RETURNS SETOF record
	AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE STRICT PARALLEL RESTRICTED
	ROWS 3;
COMMENT ON FUNCTION gpuagg_session_stat() IS
	'arrays and elements done in this session, by engine, and why the CPU did them';

CREATE VIEW gpuagg_session_stat AS SELECT * FROM gpuagg_session_stat();
COMMENT ON VIEW gpuagg_session_stat IS
	'arrays and elements done in this session, by engine, and why the CPU did them';

CREATE FUNCTION gpuagg_devices(
	OUT device integer, OUT kind text, OUT name text, OUT id text,
	OUT compute_capability text, OUT multiprocessors integer,
	OUT memory_bytes bigint, OUT free_bytes bigint, OUT budget_bytes bigint,
	OUT used_bytes bigint, OUT driver_cuda text, OUT runtime_cuda text,
	OUT state text, OUT reason text, OUT since timestamp with time zone,
	OUT pid integer, OUT restarts integer,
	OUT sessions integer, OUT windows integer) RETURNS SETOF record
	AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE STRICT PARALLEL RESTRICTED
	ROWS 1;
COMMENT ON FUNCTION gpuagg_devices() IS
	'the devices that gpuaggd uses, and how it is';

CREATE VIEW gpuagg_devices AS SELECT * FROM gpuagg_devices();
COMMENT ON VIEW gpuagg_devices IS
	'the devices that gpuaggd uses, and how it is';

-- ---------------------------------------------------------------------------
-- What is resident on the devices
-- ---------------------------------------------------------------------------

CREATE FUNCTION gpuagg_cache(
	OUT device integer, OUT database_id oid, OUT toast_relation oid,
	OUT entries bigint, OUT bytes bigint, OUT hits bigint,
	OUT last_use timestamp with time zone) RETURNS SETOF record
	AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE STRICT PARALLEL RESTRICTED
	ROWS 100;
COMMENT ON FUNCTION gpuagg_cache() IS
	'stored arrays that are resident on devices, by TOAST relation';

CREATE VIEW gpuagg_cache AS
	SELECT c.device, d.datname AS database, r.oid::regclass AS relation,
		c.toast_relation, c.entries, c.bytes, c.hits, c.last_use
	FROM gpuagg_cache() c
	LEFT JOIN pg_catalog.pg_database d ON d.oid = c.database_id
	LEFT JOIN pg_catalog.pg_class r ON r.reltoastrelid = c.toast_relation
		AND d.datname = pg_catalog.current_database();
COMMENT ON VIEW gpuagg_cache IS
	'stored arrays that are resident on devices, by relation';

CREATE FUNCTION gpuagg_cache_clear() RETURNS bigint
	AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE STRICT PARALLEL RESTRICTED;
COMMENT ON FUNCTION gpuagg_cache_clear() IS
	'forget all resident arrays; returns how many there were';

CREATE FUNCTION gpuagg_cache_clear(regclass) RETURNS bigint
	AS 'MODULE_PATHNAME', 'gpuagg_cache_clear_relation'
	LANGUAGE C VOLATILE STRICT PARALLEL RESTRICTED;
COMMENT ON FUNCTION gpuagg_cache_clear(regclass) IS
	'forget the resident arrays of a table and its partitions; returns how many there were';

CREATE FUNCTION gpuagg_stat(
	OUT requests bigint, OUT arrays bigint, OUT hits bigint,
	OUT misses bigint, OUT streamed bigint, OUT evictions bigint,
	OUT bytes_in bigint, OUT bytes_out bigint, OUT device_ms double precision,
	OUT cache_entries bigint, OUT cache_used bigint, OUT cache_size bigint,
	OUT since timestamp with time zone) RETURNS SETOF record
	AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE STRICT PARALLEL RESTRICTED
	ROWS 1;
COMMENT ON FUNCTION gpuagg_stat() IS
	'what gpuaggd did for all sessions';

CREATE VIEW gpuagg_stat AS SELECT * FROM gpuagg_stat();
COMMENT ON VIEW gpuagg_stat IS
	'what gpuaggd did for all sessions';

CREATE FUNCTION gpuagg_stat_reset() RETURNS void
	AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE STRICT PARALLEL RESTRICTED;
COMMENT ON FUNCTION gpuagg_stat_reset() IS
	'have gpuaggd count from zero again';

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
