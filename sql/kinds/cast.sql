@-- A function from one type to another, and the cast that calls it where a value
@-- is assigned.  Besides names and comment: the types and the function's symbol.
CREATE FUNCTION ${function}(${from}) RETURNS ${to}
	AS 'MODULE_PATHNAME', '${symbol}'
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION ${function}(${from}) IS
	'${comment}';
CREATE CAST (${from} AS ${to}) WITH FUNCTION ${function}(${from})
	AS ASSIGNMENT;
COMMENT ON CAST (${from} AS ${to}) IS
	'${comment}';
