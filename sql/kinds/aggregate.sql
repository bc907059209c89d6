@-- An aggregate with a moving window, over a column or over arrays.
@--
@-- Besides names and comment: the type of the argument; the symbol that the C
@-- functions end in; the cost of a transition; what a transition adds or removes;
@-- the state, by the name that its functions begin with, and its bytes; and the
@-- final function.
CREATE FUNCTION ${aggregate}_accum(internal, ${argument}) RETURNS internal
	AS 'MODULE_PATHNAME', '${aggregate}_accum_${symbol}'
	LANGUAGE C IMMUTABLE PARALLEL SAFE COST ${cost};
COMMENT ON FUNCTION ${aggregate}_accum(internal, ${argument}) IS
	'adds ${input} to a sum';

CREATE FUNCTION ${aggregate}_remove(internal, ${argument}) RETURNS internal
	AS 'MODULE_PATHNAME', '${aggregate}_remove_${symbol}'
	LANGUAGE C IMMUTABLE PARALLEL SAFE COST ${cost};
COMMENT ON FUNCTION ${aggregate}_remove(internal, ${argument}) IS
	'removes ${input} from a sum';

CREATE AGGREGATE ${aggregate}(${argument}) (
	SFUNC = ${aggregate}_accum,
	STYPE = internal,
	SSPACE = ${space},
	FINALFUNC = ${finalfunc},
	COMBINEFUNC = ${state}_combine,
	SERIALFUNC = ${state}_serialize,
	DESERIALFUNC = ${state}_deserialize,
	MSFUNC = ${aggregate}_accum,
	MINVFUNC = ${aggregate}_remove,
	MSTYPE = internal,
	MSSPACE = ${space},
	MFINALFUNC = ${finalfunc},
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE ${aggregate}(${argument}) IS
	'${comment}';
