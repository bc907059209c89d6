@-- A function from an array to rows, and its support function's name.
CREATE FUNCTION ${function}(${type}[], exclusive boolean DEFAULT false)
	RETURNS SETOF ${result}
	AS 'MODULE_PATHNAME', '${function}_${name}_array'
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE ROWS 100
	SUPPORT ${function}_support;
COMMENT ON FUNCTION ${function}(${type}[], boolean) IS
	'${comment}';
