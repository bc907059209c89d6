-- ---------------------------------------------------------------------------
-- Of numeric, besides what is in numeric.sql: parts of arrays, from an array to
-- an array, by position over the rows, and products
-- ---------------------------------------------------------------------------

-- ---------------------------------------------------------------------------
-- Of a part of one array, and aggregates of a part of each array
-- ---------------------------------------------------------------------------

@each numeric_function array_part
@	comment = ${of} array[first:last]

@each numeric_type array_scan_part
@	function = gpu_array_cumsum
@	comment = running totals of array[first:last], as an array of the same shape

@each numeric_array transition
@	transition = gpu_sum
@	argument = ${type}[], integer, integer
@	symbol = ${name}
@	cost = 1000
@	input = a part of an array

@each numeric_array transition
@	transition = gpu_variance
@	argument = ${type}[], integer, integer
@	symbol = ${name}
@	cost = 1000
@	input = a part of an array, and the squares of its elements,

@each numeric_sum numeric_aggregate
@	aggregate = gpu_${name}
@	argument = numeric[], first integer, last integer
@	accum = gpu_sum_accum
@	remove = gpu_sum_remove
@	state = numeric_avg
@	finalfunc = numeric_${name}
@	comment = ${of} all elements of array[first:last] of all numeric arrays

@each numeric_variance numeric_aggregate
@	aggregate = gpu_${name}
@	argument = numeric[], first integer, last integer
@	accum = gpu_variance_accum
@	remove = gpu_variance_remove
@	state = numeric
@	finalfunc = ${final}
@	comment = ${of} all elements of array[first:last] of all numeric arrays

@each numeric_extreme numeric_part_accum
@	state = numeric
@	strict =
@	cost = 1000
@	comment = returns the ${of} a number and the elements of array[first:last]

@table numeric_count name | of
count	| number of elements that are not NULL, of

@each numeric_count numeric_part_accum
@	state = bigint
@	strict = STRICT
@	cost = 10
@	comment = adds the ${of} array[first:last] to a count

@each numeric_extreme numeric_extreme
@	argument = numeric[], first integer, last integer
@	accum = gpu_${name}_accum
@	options =
@	comment = ${of} all elements of array[first:last] of all numeric arrays

CREATE FUNCTION gpu_count_remove(bigint, numeric[], integer, integer) RETURNS bigint
	AS 'MODULE_PATHNAME', 'gpu_count_remove_numeric'
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION gpu_count_remove(bigint, numeric[], integer, integer) IS
	'removes the number of elements of array[first:last] from a count';

CREATE AGGREGATE gpu_count(numeric[], first integer, last integer) (
	SFUNC = gpu_count_accum, STYPE = bigint, INITCOND = '0',
	COMBINEFUNC = int8pl, MSFUNC = gpu_count_accum,
	MINVFUNC = gpu_count_remove, MSTYPE = bigint, MINITCOND = '0',
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE gpu_count(numeric[], integer, integer) IS
	'number of elements of array[first:last] that are not NULL, of all numeric arrays';

-- ---------------------------------------------------------------------------
-- From an array, or from a part of it, to an array
-- ---------------------------------------------------------------------------

@table numeric_positions function | type | name | declared | types | returned | comment
gpu_array_bucket_sum	| numeric | numeric | , width integer		| , integer	| numeric	| sum of each bucket of width consecutive elements
gpu_array_bucket_avg	| numeric | numeric | , width integer		| , integer	| numeric	| mean of each bucket of width consecutive elements
gpu_array_bucket_min	| numeric | numeric | , width integer		| , integer	| numeric	| least of each bucket of width consecutive elements
gpu_array_bucket_max	| numeric | numeric | , width integer		| , integer	| numeric	| greatest of each bucket of width consecutive elements
gpu_array_bucket_count	| numeric | numeric | , width integer		| , integer	| bigint	| number of elements that are not NULL in each bucket of width consecutive elements
gpu_array_moving_sum	| numeric | numeric | , preceding integer	| , integer	| numeric	| sum of each element and so many preceding ones
gpu_array_moving_avg	| numeric | numeric | , preceding integer	| , integer	| numeric	| mean of each element and so many preceding ones
gpu_array_moving_min	| numeric | numeric | , preceding integer	| , integer	| numeric	| least of each element and so many preceding ones
gpu_array_moving_max	| numeric | numeric | , preceding integer	| , integer	| numeric	| greatest of each element and so many preceding ones
gpu_array_cummin		| numeric | numeric | 						| 			| numeric	| least of the elements so far, for each element
gpu_array_cummax		| numeric | numeric | 						| 			| numeric	| greatest of the elements so far, for each element
gpu_array_delta			| numeric | numeric | 						| 			| numeric	| each element minus the one before it

@each numeric_positions array_positions

-- ---------------------------------------------------------------------------
-- gpu_elem_sum, _avg, _count, _min and _max: by position, over the rows.  The
-- first three share transitions and state, which gpu_weighted_avg has, too.
-- ---------------------------------------------------------------------------

@table numeric_sums state | article | name
gpu_numeric_sums	| a	| state of several sums of numeric

@each numeric_sums state

@each numeric_array transition
@	transition = gpu_elem
@	argument = ${type}[]
@	symbol = ${type}
@	cost = 1000
@	input = the elements of an array, position by position,

@table numeric_elem what | type | name | element | comment
sum		| numeric | numeric | numeric	| sum of the elements
avg		| numeric | numeric | numeric	| mean of the elements
count	| numeric | numeric | bigint	| number of elements that are not NULL

@each numeric_elem elem_aggregate
@	state = gpu_numeric_sums

@each numeric_extreme numeric_elem_extreme

-- ---------------------------------------------------------------------------
-- gpu_dot, gpu_weighted_avg and gpu_norm
-- ---------------------------------------------------------------------------

CREATE FUNCTION gpu_norm_numeric_final(internal) RETURNS numeric
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION gpu_norm_numeric_final(internal) IS
	'returns the square root of a sum of squares of numeric';

CREATE FUNCTION gpu_weighted_avg_numeric_final(internal) RETURNS numeric
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION gpu_weighted_avg_numeric_final(internal) IS
	'returns a sum of products of numeric, divided by the sum of the weights';

@table numeric_product aggregate | argument | symbol | cost | input | state | finalfunc | comment
gpu_dot				| numeric, numeric		| numeric		| 10	| a product											| numeric_avg		| numeric_sum						| sum of the products of pairs of numeric values
gpu_dot				| numeric[], numeric[]	| numeric_array	| 1000	| the products of the elements of two arrays		| numeric_avg		| numeric_sum						| sum of the products of the elements of pairs of numeric arrays
gpu_norm			| numeric				| numeric		| 10	| the square of a value								| numeric_avg		| gpu_norm_numeric_final			| Euclidean norm of all numeric values: the root of the sum of squares
gpu_norm			| numeric[]				| numeric_array	| 1000	| the squares of the elements of an array			| numeric_avg		| gpu_norm_numeric_final			| Euclidean norm of all elements of all numeric arrays
gpu_norm			| numeric[], first integer, last integer	| numeric_array	| 1000	| the squares of the elements of a part of an array	| numeric_avg	| gpu_norm_numeric_final	| Euclidean norm of all elements of array[first:last] of all numeric arrays
gpu_weighted_avg	| numeric, numeric		| numeric		| 10	| a product and its second factor					| gpu_numeric_sums	| gpu_weighted_avg_numeric_final	| mean of numeric values with weights
gpu_weighted_avg	| numeric[], numeric[]	| numeric_array	| 1000	| the products of two arrays, and the second array	| gpu_numeric_sums	| gpu_weighted_avg_numeric_final	| mean of the elements of numeric arrays with arrays of weights

@each numeric_product transition
@	transition = ${aggregate}

@each numeric_product numeric_aggregate
@	accum = ${aggregate}_accum
@	remove = ${aggregate}_remove

@each numeric_type array_pair_function
@	function = gpu_array_dot
@	cost = 1000
@	comment = sum of the products of the elements of two arrays

@each numeric_type array_pair_function
@	function = gpu_array_weighted_avg
@	cost = 1000
@	comment = mean of the elements of an array with the weights of another

@each numeric_type array_function
@	function = gpu_array_norm
@	cost = 1000
@	comment = Euclidean norm of an array: the root of the sum of squares

@each numeric_type array_part
@	function = gpu_array_norm
@	cost = 1000
@	comment = Euclidean norm of the elements of array[first:last]
