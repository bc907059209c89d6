@-- A transition over arrays that has no inverse.  Besides the name that it begins
@-- with: the types of the arguments; the symbol that the C function ends in; and
@-- what it does.
CREATE FUNCTION ${aggregate}_accum(internal, ${argument}) RETURNS internal
	AS 'MODULE_PATHNAME', '${aggregate}_accum_${symbol}'
	LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION ${aggregate}_accum(internal, ${argument}) IS
	'${comment}';
