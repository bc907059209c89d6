@-- gpu_elem_min or gpu_elem_max: its transition and the aggregate, which has no
@-- inverse.
CREATE FUNCTION ${aggregate}_accum(internal, ${type}[]) RETURNS internal
	AS 'MODULE_PATHNAME', '${aggregate}_accum_${name}'
	LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION ${aggregate}_accum(internal, ${type}[]) IS
	'takes an array into the ${adjective} elements by position';

CREATE AGGREGATE ${aggregate}(${type}[]) (
	SFUNC = ${aggregate}_accum,
	STYPE = internal,
	SSPACE = 8192,
	FINALFUNC = gpu_elem_extreme_${name}_final,
	COMBINEFUNC = gpu_elem_extreme_combine,
	SERIALFUNC = gpu_elem_extreme_serialize,
	DESERIALFUNC = gpu_elem_extreme_deserialize,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE ${aggregate}(${type}[]) IS
	'${adjective} element at each position of all ${type} arrays, which have one shape';
