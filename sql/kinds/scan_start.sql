@-- A function from an array of floats to running totals that begin with an exact
@-- sum.  Besides names and comment: what it returns, and what the planner knows.
CREATE FUNCTION ${function}(
	${type}[], start exactsum, exclusive boolean DEFAULT false)
	RETURNS ${returned}
	AS 'MODULE_PATHNAME', '${symbol}'
	LANGUAGE C IMMUTABLE PARALLEL SAFE ${planning};
COMMENT ON FUNCTION ${function}(${type}[], exactsum, boolean) IS
	'${comment}';
