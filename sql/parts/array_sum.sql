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

