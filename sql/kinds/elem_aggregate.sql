@-- An aggregate of exact sums by position.  Besides the comment: its name, what
@-- its result is an array of, and the state, by the name that its functions begin
@-- with.
CREATE FUNCTION gpu_elem_${what}_${name}_final(internal) RETURNS ${element}[]
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION gpu_elem_${what}_${name}_final(internal) IS
	'returns the result of gpu_elem_${what} of ${type}';

CREATE AGGREGATE gpu_elem_${what}(${type}[]) (
	SFUNC = gpu_elem_accum,
	STYPE = internal,
	SSPACE = 8192,
	FINALFUNC = gpu_elem_${what}_${name}_final,
	COMBINEFUNC = ${state}_combine,
	SERIALFUNC = ${state}_serialize,
	DESERIALFUNC = ${state}_deserialize,
	MSFUNC = gpu_elem_accum,
	MINVFUNC = gpu_elem_remove,
	MSTYPE = internal,
	MSSPACE = 8192,
	MFINALFUNC = gpu_elem_${what}_${name}_final,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE gpu_elem_${what}(${type}[]) IS
	'${comment} at each position of all ${type} arrays, which have one shape';
