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

