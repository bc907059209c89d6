-- ---------------------------------------------------------------------------
-- exactsum: a sum before it is rounded, as a value
-- ---------------------------------------------------------------------------

CREATE TYPE exactsum;
COMMENT ON TYPE exactsum IS
	'exact sum that is not rounded yet, with the number of its inputs';

@table exactsum_io function | arguments | result | comment
in		| cstring	| exactsum	| reads a number, or what exactsum_out wrote
out		| exactsum	| cstring	| writes the bytes in hexadecimal digits
recv	| internal	| exactsum	| reads the bytes
send	| exactsum	| bytea		| writes the bytes

@each exactsum_io strict_function
@	name = exactsum_${function}
@	symbol = exactsum_${function}

CREATE TYPE exactsum (
	INPUT = exactsum_in,
	OUTPUT = exactsum_out,
	RECEIVE = exactsum_recv,
	SEND = exactsum_send,
	INTERNALLENGTH = VARIABLE,
	ALIGNMENT = int4,
	STORAGE = main
);

@-- To numbers: rounded once from the exact value, or with all digits.
@table exactsum_number type | symbol | comment
double precision	| exactsum_float8	| rounds an exact sum once to double precision
real				| exactsum_float4	| rounds an exact sum once to real
numeric				| exactsum_numeric	| returns an exact sum with all its digits

@each exactsum_number cast
@	function = ${symbol}
@	from = exactsum
@	to = ${type}

@each element_type cast
@	function = exactsum
@	from = ${type}
@	to = exactsum
@	symbol = exactsum_from_${name}
@	comment = makes an exact sum of one ${type}

-- Arithmetic is exact: what is added can be subtracted again.
@table exactsum_function name | arguments | result | comment
exactsum_add			| exactsum, exactsum	| exactsum	| returns the sum of the inputs of both
exactsum_subtract		| exactsum, exactsum	| exactsum	| returns the sum of the inputs of the left without those of the right
exactsum_negate			| exactsum				| exactsum	| returns the sum of the negatives of the inputs
exactsum_cmp			| exactsum, exactsum	| integer	| compares the exact values, NaN last, then the bytes
exactsum_hash			| exactsum				| integer	| hashes an exact sum
exactsum_hash_extended	| exactsum, bigint		| bigint	| hashes an exact sum with a seed

@each exactsum_function strict_function
@	symbol = ${name}

CREATE OPERATOR + (
	LEFTARG = exactsum, RIGHTARG = exactsum, FUNCTION = exactsum_add,
	COMMUTATOR = +
);
COMMENT ON OPERATOR + (exactsum, exactsum) IS 'add the inputs of both';
CREATE OPERATOR - (
	LEFTARG = exactsum, RIGHTARG = exactsum, FUNCTION = exactsum_subtract
);
COMMENT ON OPERATOR - (exactsum, exactsum) IS 'take inputs away';
CREATE OPERATOR - (RIGHTARG = exactsum, FUNCTION = exactsum_negate);
COMMENT ON OPERATOR - (NONE, exactsum) IS 'negate';

@table exactsum_comparison name | operator | commutator | negator | selectivity | more | comment
eq	| =		| =		| <>	| eq		| , HASHES, MERGES	| the same sum of as many inputs
ne	| <>	| <>	| =		| neq		| 					| another sum, or of other inputs
lt	| <		| >		| >=	| scalarlt	| 					| less than
le	| <=	| >=	| >		| scalarle	| 					| less than or equal
gt	| >		| <		| <=	| scalargt	| 					| greater than
ge	| >=	| <=	| <		| scalarge	| 					| greater than or equal

@each exactsum_comparison comparison

CREATE OPERATOR CLASS exactsum_ops DEFAULT FOR TYPE exactsum USING btree AS
	OPERATOR 1 <, OPERATOR 2 <=, OPERATOR 3 =, OPERATOR 4 >=, OPERATOR 5 >,
	FUNCTION 1 exactsum_cmp(exactsum, exactsum);
COMMENT ON OPERATOR CLASS exactsum_ops USING btree IS
	'order of exact sums by their values, then by their inputs';
CREATE OPERATOR CLASS exactsum_ops DEFAULT FOR TYPE exactsum USING hash AS
	OPERATOR 1 =,
	FUNCTION 1 exactsum_hash(exactsum),
	FUNCTION 2 exactsum_hash_extended(exactsum, bigint);
COMMENT ON OPERATOR CLASS exactsum_ops USING hash IS 'hashing of exact sums';

-- ---------------------------------------------------------------------------
-- Exact sums of columns and arrays, of exact sums, and what one of them tells
-- ---------------------------------------------------------------------------

@each sum_state final
@	function = gpu_sum_state_${family}_final
@	result = exactsum
@	comment = returns ${article} ${name} as an exactsum

@each element_type aggregate
@	aggregate = gpu_sum_state
@	argument = ${type}
@	transition = gpu_sum
@	state = gpu_sum_${family}
@	finalfunc = gpu_sum_state_${family}_final
@	comment = exact sum of all ${type} values, not rounded

@each element_type aggregate
@	aggregate = gpu_sum_state
@	argument = ${type}[]
@	transition = gpu_sum
@	state = gpu_sum_${family}
@	finalfunc = gpu_sum_state_${family}_final
@	comment = exact sum of all elements of all ${type} arrays, not rounded

@each element_type array_function
@	function = gpu_array_state
@	result = exactsum
@	cost = 1000
@	comment = exact sum of the elements of an array, not rounded

@-- With a type as its state every engine can combine it.
CREATE AGGREGATE gpu_merge(exactsum) (
	SFUNC = exactsum_add,
	STYPE = exactsum,
	COMBINEFUNC = exactsum_add,
	MSFUNC = exactsum_add,
	MINVFUNC = exactsum_subtract,
	MSTYPE = exactsum,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE gpu_merge(exactsum) IS 'exact sum of all exact sums';

CREATE FUNCTION gpu_cumsum(exactsum, exclusive boolean DEFAULT false)
	RETURNS exactsum
	AS 'MODULE_PATHNAME', 'gpu_cumsum_exactsum'
	LANGUAGE C IMMUTABLE PARALLEL SAFE WINDOW;
COMMENT ON FUNCTION gpu_cumsum(exactsum, boolean) IS
	'exact running totals of exact sums over the rows of a window, not rounded';

@table exactsum_fact function | result | comment
gpu_count	| bigint			| number of inputs of an exact sum
gpu_avg		| double precision	| exact sum divided by the number of its inputs, rounded once

@each exactsum_fact strict_function
@	name = ${function}
@	arguments = exactsum
@	symbol = ${function}_exactsum

