@-- An aggregate of exact sums by position.  Besides the comment: its name, and
@-- what its result is an array of.
CREATE FUNCTION gpu_elem_${what}_${name}_final(internal) RETURNS ${element}[]
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION gpu_elem_${what}_${name}_final(internal) IS
	'returns the result of gpu_elem_${what} of ${type}';

CREATE AGGREGATE gpu_elem_${what}(${type}[]) (
	SFUNC = gpu_elem_accum,
	STYPE = internal,
	SSPACE = 8192,
	FINALFUNC = gpu_elem_${what}_${name}_final,
	COMBINEFUNC = gpu_elem_combine,
	SERIALFUNC = gpu_elem_serialize,
	DESERIALFUNC = gpu_elem_deserialize,
	MSFUNC = gpu_elem_accum,
	MINVFUNC = gpu_elem_remove,
	MSTYPE = internal,
	MSSPACE = 8192,
	MFINALFUNC = gpu_elem_${what}_${name}_final,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE gpu_elem_${what}(${type}[]) IS
	'${comment} at each position of all ${type} arrays, which have one shape';
