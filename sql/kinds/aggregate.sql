@-- An aggregate with a moving window, over a column or over arrays.
@--
@-- Besides names and comment: the type of the argument; the transitions and the
@-- state, each by the name that its functions begin with; the bytes of a state
@-- (a column of element_type); and the final function.  Aggregates that differ
@-- only in the final function share a state, so a query with several of them
@-- over one argument runs the transition once.
CREATE AGGREGATE ${aggregate}(${argument}) (
	SFUNC = ${transition}_accum,
	STYPE = internal,
	SSPACE = ${space},
	FINALFUNC = ${finalfunc},
	COMBINEFUNC = ${state}_combine,
	SERIALFUNC = ${state}_serialize,
	DESERIALFUNC = ${state}_deserialize,
	MSFUNC = ${transition}_accum,
	MINVFUNC = ${transition}_remove,
	MSTYPE = internal,
	MSSPACE = ${space},
	MFINALFUNC = ${finalfunc},
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE ${aggregate}(${argument}) IS
	'${comment}';
