@-- A function of two arrays.  Besides names and comment: the cost of a call.
CREATE FUNCTION ${function}(${type}[], ${type}[]) RETURNS ${result}
	AS 'MODULE_PATHNAME', '${function}_${name}'
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST ${cost};
COMMENT ON FUNCTION ${function}(${type}[], ${type}[]) IS
	'${comment}';
