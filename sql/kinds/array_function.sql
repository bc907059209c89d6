@-- A function of one array.
CREATE FUNCTION ${function}(${type}[]) RETURNS ${result}
	AS 'MODULE_PATHNAME', '${function}_${name}'
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION ${function}(${type}[]) IS
	'${comment}';
