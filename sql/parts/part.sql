-- ---------------------------------------------------------------------------
-- Of a part of one array: the elements of array[first:last]
-- ---------------------------------------------------------------------------

CREATE FUNCTION gpu_array_part_support(internal) RETURNS internal
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION gpu_array_part_support(internal) IS
	'has the planner call a function of a slice of an array with the bounds';

@each element_type array_part
@	function = gpu_array_sum
@	cost = 1000
@	comment = ${sum_of} the elements of array[first:last]

@each element_type array_part
@	function = gpu_array_count
@	result = bigint
@	cost = 10
@	comment = number of elements of array[first:last] that are not NULL

@each element_type array_part
@	function = gpu_array_avg
@	result = ${mean}
@	cost = 1000
@	comment = mean of the elements of array[first:last]: their exact sum, divided once

@each element_type array_part
@	function = gpu_array_min
@	result = ${type}
@	cost = 1000
@	comment = least of the elements of array[first:last]

@each element_type array_part
@	function = gpu_array_max
@	result = ${type}
@	cost = 1000
@	comment = largest of the elements of array[first:last]

@each element_type array_part
@	function = gpu_array_state
@	result = exactsum
@	cost = 1000
@	comment = exact sum of the elements of array[first:last], not rounded

@each element_type array_scan_part
@	function = gpu_array_cumsum
@	comment = ${totals_of} array[first:last], as an array of the same shape

-- ---------------------------------------------------------------------------
-- Aggregates of a part of each array
-- ---------------------------------------------------------------------------

@each element_type transition
@	transition = gpu_sum
@	argument = ${type}[], integer, integer
@	symbol = ${name}_array
@	cost = 1000
@	input = a part of an array

@each element_type aggregate
@	aggregate = gpu_sum
@	argument = ${type}[], first integer, last integer
@	transition = gpu_sum
@	state = gpu_sum_${family}
@	finalfunc = gpu_sum_${final}_final
@	comment = ${sum_of} all elements of array[first:last] of all ${type} arrays

@each element_type aggregate
@	aggregate = gpu_count
@	argument = ${type}[], first integer, last integer
@	transition = gpu_sum
@	state = gpu_sum_${family}
@	finalfunc = gpu_count_${family}_final
@	comment = number of elements of array[first:last] that are not NULL, of all ${type} arrays

@each element_type aggregate
@	aggregate = gpu_avg
@	argument = ${type}[], first integer, last integer
@	transition = gpu_sum
@	state = gpu_sum_${family}
@	finalfunc = gpu_avg_${family}_final
@	comment = mean of all elements of array[first:last] of all ${type} arrays

@each element_type aggregate
@	aggregate = gpu_sum_state
@	argument = ${type}[], first integer, last integer
@	transition = gpu_sum
@	state = gpu_sum_${family}
@	finalfunc = gpu_sum_state_${family}_final
@	comment = exact sum of all elements of array[first:last] of all ${type} arrays, not rounded

@each extremum state_transition
@	argument = ${type}[], integer, integer
@	symbol = ${name}_array
@	comment = takes the elements of array[first:last] into the ${which}

@each extremum state_aggregate
@	argument = ${type}[], first integer, last integer
@	state = gpu_extremum
@	space = 32
@	finalfunc = gpu_extremum_${name}_final
@	comment = ${which} of all elements of array[first:last] of all ${type} arrays
