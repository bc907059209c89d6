@-- The form of a function of one array for a part of it.  The planner turns the
@-- function of a slice, f(a[i:j]), into it.  Besides names and comment: the cost
@-- of a call.  It has the same C function, which gets the bounds by
@-- ga_part_arg() (src/extension/sql/part.h).
CREATE FUNCTION ${function}(${type}[], first integer, last integer)
	RETURNS ${result}
	AS 'MODULE_PATHNAME', '${function}_${name}'
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST ${cost};
COMMENT ON FUNCTION ${function}(${type}[], integer, integer) IS
	'${comment}';
ALTER FUNCTION ${function}(${type}[]) SUPPORT gpu_array_part_support;
