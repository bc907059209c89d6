@-- A plain function.  Besides names and comment: its arguments and its symbol.
CREATE FUNCTION ${name}(${arguments}) RETURNS ${result}
	AS 'MODULE_PATHNAME', '${symbol}'
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION ${name}(${arguments}) IS
	'${comment}';
