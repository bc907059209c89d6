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

