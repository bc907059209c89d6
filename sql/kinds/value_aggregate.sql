@-- An aggregate whose state is its result, over a column or over arrays: every
@-- engine can combine it.  Besides names and comment: the type of the argument;
@-- the transition; the function that combines states; and further options, each
@-- after a comma.
CREATE AGGREGATE ${aggregate}(${argument}) (
	SFUNC = ${transition},
	STYPE = ${type},
	COMBINEFUNC = ${combine},
	PARALLEL = SAFE${options}
);
COMMENT ON AGGREGATE ${aggregate}(${argument}) IS
	'${comment}';
