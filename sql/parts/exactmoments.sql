-- ---------------------------------------------------------------------------
-- exactmoments: what variances are made of, as a value
-- ---------------------------------------------------------------------------

CREATE TYPE exactmoments;
COMMENT ON TYPE exactmoments IS
	'number of inputs, and their exact sum and exact sum of squares';

@table exactmoments_io function | arguments | result | comment
in		| cstring		| exactmoments	| reads a number, or what exactmoments_out wrote
out		| exactmoments	| cstring		| writes the bytes in hexadecimal digits
recv	| internal		| exactmoments	| reads the bytes
send	| exactmoments	| bytea			| writes the bytes

@each exactmoments_io strict_function
@	name = exactmoments_${function}
@	symbol = exactmoments_${function}

CREATE TYPE exactmoments (
	INPUT = exactmoments_in,
	OUTPUT = exactmoments_out,
	RECEIVE = exactmoments_recv,
	SEND = exactmoments_send,
	INTERNALLENGTH = VARIABLE,
	ALIGNMENT = int4,
	STORAGE = main
);

@each element_type cast
@	function = exactmoments
@	from = ${type}
@	to = exactmoments
@	symbol = exactmoments_from_${name}
@	comment = makes the exact moments of one ${type}

@table exactmoments_sum type
exactsum

@each exactmoments_sum cast
@	function = ${type}
@	from = exactmoments
@	to = exactsum
@	symbol = exactmoments_exactsum
@	comment = returns the exact sum of the inputs

-- Arithmetic is exact: what is added can be subtracted again.
@table exactmoments_function name | arguments | result | comment
exactmoments_add		| exactmoments, exactmoments	| exactmoments	| returns the moments of the inputs of both
exactmoments_subtract	| exactmoments, exactmoments	| exactmoments	| returns the moments of the inputs of the left without those of the right

@each exactmoments_function strict_function
@	symbol = ${name}

CREATE OPERATOR + (
	LEFTARG = exactmoments, RIGHTARG = exactmoments,
	FUNCTION = exactmoments_add, COMMUTATOR = +
);
COMMENT ON OPERATOR + (exactmoments, exactmoments) IS 'add the inputs of both';
CREATE OPERATOR - (
	LEFTARG = exactmoments, RIGHTARG = exactmoments,
	FUNCTION = exactmoments_subtract
);
COMMENT ON OPERATOR - (exactmoments, exactmoments) IS 'take inputs away';

-- Equal moments have equal bytes; the order is that of the bytes.
@table exactmoments_comparison name | operator | commutator | negator | selectivity | more | comment
eq	| =		| =		| <>	| eq		| , HASHES, MERGES	| the same moments
ne	| <>	| <>	| =		| neq		| 					| other moments
lt	| <		| >		| >=	| scalarlt	| 					| less by bytes
le	| <=	| >=	| >		| scalarle	| 					| less by bytes, or equal
gt	| >		| <		| <=	| scalargt	| 					| greater by bytes
ge	| >=	| <=	| <		| scalarge	| 					| greater by bytes, or equal

@each exactmoments_comparison bytes_comparison
@	type = exactmoments

CREATE FUNCTION exactmoments_cmp(exactmoments, exactmoments) RETURNS integer
	AS 'byteacmp' LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION exactmoments_cmp(exactmoments, exactmoments) IS
	'compares the bytes';
CREATE FUNCTION exactmoments_hash(exactmoments) RETURNS integer
	AS 'hashvarlena' LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION exactmoments_hash(exactmoments) IS 'hashes the bytes';
CREATE FUNCTION exactmoments_hash_extended(exactmoments, bigint)
	RETURNS bigint
	AS 'hashvarlenaextended'
	LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION exactmoments_hash_extended(exactmoments, bigint) IS
	'hashes the bytes with a seed';

CREATE OPERATOR CLASS exactmoments_ops DEFAULT FOR TYPE exactmoments
	USING btree AS
	OPERATOR 1 <, OPERATOR 2 <=, OPERATOR 3 =, OPERATOR 4 >=, OPERATOR 5 >,
	FUNCTION 1 exactmoments_cmp(exactmoments, exactmoments);
COMMENT ON OPERATOR CLASS exactmoments_ops USING btree IS
	'order of exact moments by their bytes';
CREATE OPERATOR CLASS exactmoments_ops DEFAULT FOR TYPE exactmoments
	USING hash AS
	OPERATOR 1 =,
	FUNCTION 1 exactmoments_hash(exactmoments),
	FUNCTION 2 exactmoments_hash_extended(exactmoments, bigint);
COMMENT ON OPERATOR CLASS exactmoments_ops USING hash IS
	'hashing of exact moments';

-- ---------------------------------------------------------------------------
-- Exact moments of columns and arrays, of exact moments, and what they tell
-- ---------------------------------------------------------------------------

@each moments_state final
@	function = gpu_moments_state_${family}_final
@	result = exactmoments
@	comment = returns ${article} ${name} as exactmoments

@each moments_type aggregate
@	aggregate = gpu_moments_state
@	argument = ${type}
@	transition = gpu_moments
@	state = gpu_moments_${family}
@	finalfunc = gpu_moments_state_${family}_final
@	comment = exact moments of all ${type} values

@each moments_type aggregate
@	aggregate = gpu_moments_state
@	argument = ${type}[]
@	transition = gpu_moments
@	state = gpu_moments_${family}
@	finalfunc = gpu_moments_state_${family}_final
@	comment = exact moments of all elements of all ${type} arrays

@each moments_type aggregate
@	aggregate = gpu_moments_state
@	argument = ${type}[], first integer, last integer
@	transition = gpu_moments
@	state = gpu_moments_${family}
@	finalfunc = gpu_moments_state_${family}_final
@	comment = exact moments of all elements of array[first:last] of all ${type} arrays

@each moments_type array_function
@	function = gpu_array_moments_state
@	result = exactmoments
@	cost = 1000
@	comment = exact moments of the elements of an array

@each moments_type array_part
@	function = gpu_array_moments_state
@	result = exactmoments
@	cost = 1000
@	comment = exact moments of the elements of array[first:last]

@-- With a type as its state every engine can combine it.
CREATE AGGREGATE gpu_merge(exactmoments) (
	SFUNC = exactmoments_add,
	STYPE = exactmoments,
	COMBINEFUNC = exactmoments_add,
	MSFUNC = exactmoments_add,
	MINVFUNC = exactmoments_subtract,
	MSTYPE = exactmoments,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE gpu_merge(exactmoments) IS
	'exact moments of the inputs of all exact moments';

@table exactmoments_fact function | result | comment
gpu_count	| bigint			| number of inputs of exact moments
gpu_avg		| double precision	| mean of the inputs, rounded once

@each exactmoments_fact strict_function
@	name = ${function}
@	arguments = exactmoments
@	symbol = ${function}_exactmoments

@each dispersion strict_function
@	name = gpu_${dispersion}
@	arguments = exactmoments
@	result = double precision
@	symbol = gpu_${final}_exactmoments
@	comment = ${meaning} of the inputs, rounded once
