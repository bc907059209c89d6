@-- A least or greatest value of numeric.  Besides names and comment: the type of
@-- the argument, the transition, how states are combined, and more options.
CREATE AGGREGATE gpu_${name}(${argument}) (
	SFUNC = ${accum}, STYPE = numeric, PARALLEL = SAFE,
	COMBINEFUNC = ${choose}${options}
);
COMMENT ON AGGREGATE gpu_${name}(${argument}) IS
	'${comment}';
