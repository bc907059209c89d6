@-- An aggregate over arrays whose transition has no inverse: a moving window is
@-- computed anew.  Besides names and comment: the argument; the state, by the
@-- name that its functions begin with, and its bytes; and the final function.
CREATE AGGREGATE ${aggregate}(${argument}) (
	SFUNC = ${aggregate}_accum,
	STYPE = internal,
	SSPACE = ${space},
	FINALFUNC = ${finalfunc},
	COMBINEFUNC = ${state}_combine,
	SERIALFUNC = ${state}_serialize,
	DESERIALFUNC = ${state}_deserialize,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE ${aggregate}(${argument}) IS
	'${comment}';
