@-- The form of a function from an array to an array of the same shape for a part
@-- of it, as array_part.sql.
CREATE FUNCTION ${function}(
	${type}[], first integer, last integer, exclusive boolean DEFAULT false)
	RETURNS ${result}[]
	AS 'MODULE_PATHNAME', '${function}_${name}'
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION ${function}(${type}[], integer, integer, boolean) IS
	'${comment}';
ALTER FUNCTION ${function}(${type}[], boolean) SUPPORT gpu_array_part_support;
