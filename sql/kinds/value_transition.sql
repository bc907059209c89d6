@-- A transition whose state is a value of the element type, NULL before there is
@-- one.  Besides names and comment: the type of the argument; the symbol that the
@-- C function ends in; and the cost.
CREATE FUNCTION ${aggregate}_accum(${type}, ${argument}) RETURNS ${type}
	AS 'MODULE_PATHNAME', '${aggregate}_accum_${symbol}'
	LANGUAGE C IMMUTABLE PARALLEL SAFE COST ${cost};
COMMENT ON FUNCTION ${aggregate}_accum(${type}, ${argument}) IS
	'${comment}';
