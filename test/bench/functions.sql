-- The extension, and what its benchmark takes from the test-only module.
-- psql variable test_module: the path of the module.
\set QUIET on
SET client_min_messages = warning;
CREATE EXTENSION gpuagg;
CREATE FUNCTION naive_sum_accum(float8, float8[]) RETURNS float8
	AS :'test_module', 'naive_sum_accum' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE AGGREGATE naive_sum(float8[]) (
	SFUNC = naive_sum_accum, STYPE = float8, INITCOND = '0');
CREATE FUNCTION staging_copy_ms(float8[]) RETURNS float8
	AS :'test_module', 'staging_copy_ms' LANGUAGE C STRICT;
CREATE FUNCTION toast_walk(float8[], integer, boolean) RETURNS bigint
	AS :'test_module', 'toast_walk' LANGUAGE C STRICT;
CREATE FUNCTION storage_of(float8[]) RETURNS text
	AS :'test_module', 'storage_of' LANGUAGE C STRICT;
CREATE FUNCTION random_array(n integer, seed bigint) RETURNS float8[]
	AS :'test_module', 'random_array' LANGUAGE C IMMUTABLE STRICT;
CREATE FUNCTION random_decimals(n integer, seed bigint) RETURNS float8[]
	AS :'test_module', 'random_decimals' LANGUAGE C IMMUTABLE STRICT;
CREATE FUNCTION decimal_array(n integer, seed bigint) RETURNS float8[]
	AS :'test_module', 'decimal_array' LANGUAGE C IMMUTABLE STRICT;
