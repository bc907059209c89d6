-- ---------------------------------------------------------------------------
-- gpu_count of plain columns and of arrays, by the transitions of gpu_sum: the
-- state of a sum has the number of its inputs
-- ---------------------------------------------------------------------------

@each sum_state final
@	function = gpu_count_${family}_final
@	result = bigint
@	comment = returns the number of inputs of ${article} ${name}

@each element_type aggregate
@	aggregate = gpu_count
@	argument = ${type}
@	transition = gpu_sum
@	state = gpu_sum_${family}
@	finalfunc = gpu_count_${family}_final
@	comment = number of ${type} values that are not NULL

@each element_type aggregate
@	aggregate = gpu_count
@	argument = ${type}[]
@	transition = gpu_sum
@	state = gpu_sum_${family}
@	finalfunc = gpu_count_${family}_final
@	comment = number of elements that are not NULL, of all ${type} arrays

-- ---------------------------------------------------------------------------
-- gpu_array_count: of one array; it reads no elements, hence its cost
-- ---------------------------------------------------------------------------

@each element_type array_function
@	function = gpu_array_count
@	result = bigint
@	cost = 10
@	comment = number of elements of an array that are not NULL

