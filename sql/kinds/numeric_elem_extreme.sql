@-- gpu_elem_min or gpu_elem_max of numeric: its transition, how states are
@-- combined, and the aggregate.  The state is the array of the elements so far.
CREATE FUNCTION gpu_elem_${name}_accum(numeric[], numeric[]) RETURNS numeric[]
	AS 'MODULE_PATHNAME', 'gpu_elem_${name}_accum_numeric'
	LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION gpu_elem_${name}_accum(numeric[], numeric[]) IS
	'takes an array into the ${of} the elements at each position';

CREATE FUNCTION gpu_elem_${name}_combine(numeric[], numeric[]) RETURNS numeric[]
	AS 'MODULE_PATHNAME', 'gpu_elem_${name}_combine_numeric'
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION gpu_elem_${name}_combine(numeric[], numeric[]) IS
	'returns the ${of} the elements at each position of two arrays';

CREATE AGGREGATE gpu_elem_${name}(numeric[]) (
	SFUNC = gpu_elem_${name}_accum, STYPE = numeric[], PARALLEL = SAFE,
	COMBINEFUNC = gpu_elem_${name}_combine
);
COMMENT ON AGGREGATE gpu_elem_${name}(numeric[]) IS
	'${of} the elements at each position of all numeric arrays, which have one shape';
