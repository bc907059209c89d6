@-- A transition of an aggregate of parts of numeric arrays whose state is a value.
@-- Besides the comment: the type of the state, whether it is strict, the cost.
CREATE FUNCTION gpu_${name}_accum(${state}, numeric[], integer, integer) RETURNS ${state}
	AS 'MODULE_PATHNAME', 'gpu_${name}_accum_numeric'
	LANGUAGE C IMMUTABLE ${strict} PARALLEL SAFE COST ${cost};
COMMENT ON FUNCTION gpu_${name}_accum(${state}, numeric[], integer, integer) IS
	'${comment}';
