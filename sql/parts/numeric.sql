-- ---------------------------------------------------------------------------
-- Of numeric: by PostgreSQL's own functions, so with the digits of its results.
-- States of sums and variances are PostgreSQL's, too.
-- ---------------------------------------------------------------------------

@table numeric_sum name | of
sum	| sum of
avg	| mean of

@table numeric_variance name | of | final
var_samp	| sample variance of				| numeric_var_samp
var_pop		| population variance of			| numeric_var_pop
variance	| sample variance of				| numeric_var_samp
stddev_samp	| sample standard deviation of		| numeric_stddev_samp
stddev_pop	| population standard deviation of	| numeric_stddev_pop
stddev		| sample standard deviation of		| numeric_stddev_samp

@table numeric_extreme name | of | choose | operator
min	| least of		| numeric_smaller	| <
max	| greatest of	| numeric_larger	| >

-- ---------------------------------------------------------------------------
-- Aggregates of plain columns
-- ---------------------------------------------------------------------------

@each numeric_sum numeric_aggregate
@	aggregate = gpu_${name}
@	argument = numeric
@	accum = numeric_avg_accum
@	remove = numeric_accum_inv
@	state = numeric_avg
@	finalfunc = numeric_${name}
@	comment = ${of} all numeric values

@each numeric_variance numeric_aggregate
@	aggregate = gpu_${name}
@	argument = numeric
@	accum = numeric_accum
@	remove = numeric_accum_inv
@	state = numeric
@	finalfunc = ${final}
@	comment = ${of} all numeric values

@each numeric_extreme numeric_extreme
@	argument = numeric
@	accum = ${choose}
@	options = , SORTOP = ${operator}
@	comment = ${of} all numeric values

CREATE AGGREGATE gpu_count(numeric) (
	SFUNC = pg_catalog.int8inc_any, STYPE = bigint, INITCOND = '0',
	COMBINEFUNC = pg_catalog.int8pl,
	MSFUNC = pg_catalog.int8inc_any, MINVFUNC = pg_catalog.int8dec_any,
	MSTYPE = bigint, MINITCOND = '0', PARALLEL = SAFE
);
COMMENT ON AGGREGATE gpu_count(numeric) IS
	'number of numeric values that are not NULL';

-- ---------------------------------------------------------------------------
-- Aggregates of arrays
-- ---------------------------------------------------------------------------

@table numeric_array type | name
numeric	| numeric_array

@each numeric_array transition
@	transition = gpu_sum
@	argument = ${type}[]
@	symbol = ${name}
@	cost = 1000
@	input = the elements of an array

@each numeric_array transition
@	transition = gpu_variance
@	argument = ${type}[]
@	symbol = ${name}
@	cost = 1000
@	input = the elements of an array, and their squares,

@each numeric_sum numeric_aggregate
@	aggregate = gpu_${name}
@	argument = numeric[]
@	accum = gpu_sum_accum
@	remove = gpu_sum_remove
@	state = numeric_avg
@	finalfunc = numeric_${name}
@	comment = ${of} all elements of all numeric arrays

@each numeric_variance numeric_aggregate
@	aggregate = gpu_${name}
@	argument = numeric[]
@	accum = gpu_variance_accum
@	remove = gpu_variance_remove
@	state = numeric
@	finalfunc = ${final}
@	comment = ${of} all elements of all numeric arrays

CREATE FUNCTION gpu_min_accum(numeric, numeric[]) RETURNS numeric
	AS 'MODULE_PATHNAME', 'gpu_min_accum_numeric'
	LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION gpu_min_accum(numeric, numeric[]) IS
	'returns the least of a number and the elements of an array';

CREATE FUNCTION gpu_max_accum(numeric, numeric[]) RETURNS numeric
	AS 'MODULE_PATHNAME', 'gpu_max_accum_numeric'
	LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION gpu_max_accum(numeric, numeric[]) IS
	'returns the greatest of a number and the elements of an array';

@each numeric_extreme numeric_extreme
@	argument = numeric[]
@	accum = gpu_${name}_accum
@	options =
@	comment = ${of} all elements of all numeric arrays

-- The number of elements needs the head of an array alone, hence the cost.
CREATE FUNCTION gpu_count_accum(bigint, numeric[]) RETURNS bigint
	AS 'MODULE_PATHNAME', 'gpu_count_accum_numeric'
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION gpu_count_accum(bigint, numeric[]) IS
	'adds the number of elements of an array to a count';

CREATE FUNCTION gpu_count_remove(bigint, numeric[]) RETURNS bigint
	AS 'MODULE_PATHNAME', 'gpu_count_remove_numeric'
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION gpu_count_remove(bigint, numeric[]) IS
	'removes the number of elements of an array from a count';

CREATE AGGREGATE gpu_count(numeric[]) (
	SFUNC = gpu_count_accum, STYPE = bigint, INITCOND = '0',
	COMBINEFUNC = int8pl, MSFUNC = gpu_count_accum,
	MINVFUNC = gpu_count_remove, MSTYPE = bigint, MINITCOND = '0',
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE gpu_count(numeric[]) IS
	'number of elements that are not NULL, of all numeric arrays';

-- ---------------------------------------------------------------------------
-- Functions of one array
-- ---------------------------------------------------------------------------

@table numeric_function function | type | name | result | cost | of
gpu_array_sum			| numeric | numeric | numeric	| 1000	| sum of the elements of
gpu_array_avg			| numeric | numeric | numeric	| 1000	| mean of the elements of
gpu_array_min			| numeric | numeric | numeric	| 1000	| least element of
gpu_array_max			| numeric | numeric | numeric	| 1000	| greatest element of
gpu_array_var_samp		| numeric | numeric | numeric	| 1000	| sample variance of the elements of
gpu_array_var_pop		| numeric | numeric | numeric	| 1000	| population variance of the elements of
gpu_array_variance		| numeric | numeric | numeric	| 1000	| sample variance of the elements of
gpu_array_stddev_samp	| numeric | numeric | numeric	| 1000	| sample standard deviation of the elements of
gpu_array_stddev_pop	| numeric | numeric | numeric	| 1000	| population standard deviation of the elements of
gpu_array_stddev		| numeric | numeric | numeric	| 1000	| sample standard deviation of the elements of
gpu_array_count			| numeric | numeric | bigint	| 10	| number of elements that are not NULL, of

@each numeric_function array_function
@	comment = ${of} an array

-- ---------------------------------------------------------------------------
-- Running totals
-- ---------------------------------------------------------------------------

@table numeric_type type | name | result
numeric | numeric | numeric

@each numeric_type rows_scan
@	function = gpu_cumsum
@	comment = running totals of an array, as rows

@each numeric_type array_scan
@	function = gpu_array_cumsum
@	comment = running totals of an array, as an array of the same shape

@each numeric_type window_function
@	function = gpu_cumsum
@	comment = running totals of the rows of a window

