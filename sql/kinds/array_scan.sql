@-- A function from an array to an array of the same shape.
CREATE FUNCTION ${function}(${type}[], exclusive boolean DEFAULT false)
	RETURNS ${result}[]
	AS 'MODULE_PATHNAME', '${function}_${name}'
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION ${function}(${type}[], boolean) IS
	'${comment}';
