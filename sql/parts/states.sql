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

