@-- A window function over a column.
CREATE FUNCTION ${function}(${type}) RETURNS ${result}
	AS 'MODULE_PATHNAME', '${function}_${name}'
	LANGUAGE C IMMUTABLE PARALLEL SAFE WINDOW;
COMMENT ON FUNCTION ${function}(${type}) IS
	'${comment}';
