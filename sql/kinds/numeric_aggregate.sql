@-- An aggregate of numeric whose state is PostgreSQL's, with a moving window.
@--
@-- Besides names and comment: the type of the argument; the transitions; what the
@-- names of the state's functions begin with; and the final function.
CREATE AGGREGATE ${aggregate}(${argument}) (
	SFUNC = ${accum},
	STYPE = internal,
	SSPACE = 128,
	FINALFUNC = ${finalfunc},
	COMBINEFUNC = ${state}_combine,
	SERIALFUNC = ${state}_serialize,
	DESERIALFUNC = ${state}_deserialize,
	MSFUNC = ${accum},
	MINVFUNC = ${remove},
	MSTYPE = internal,
	MSSPACE = 128,
	MFINALFUNC = ${finalfunc},
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE ${aggregate}(${argument}) IS
	'${comment}';
