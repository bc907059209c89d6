
-- ---------------------------------------------------------------------------
-- gpu_avg of plain columns and of arrays, by the transitions of gpu_sum: the
-- state of a sum has the number of its inputs
-- ---------------------------------------------------------------------------

@each sum_state final
@	function = gpu_avg_${family}_final
@	result = ${mean}
@	comment = returns the mean of the inputs of ${article} ${name}

@each element_type aggregate
@	aggregate = gpu_avg
@	argument = ${type}
@	transition = gpu_sum
@	state = gpu_sum_${family}
@	finalfunc = gpu_avg_${family}_final
@	comment = mean of all ${type} values: their exact sum, divided once

@each element_type aggregate
@	aggregate = gpu_avg
@	argument = ${type}[]
@	transition = gpu_sum
@	state = gpu_sum_${family}
@	finalfunc = gpu_avg_${family}_final
@	comment = mean of all elements of all ${type} arrays: their exact sum, divided once

-- ---------------------------------------------------------------------------
-- gpu_array_avg: the mean of one array
-- ---------------------------------------------------------------------------

@each element_type array_function
@	function = gpu_array_avg
@	result = ${mean}
@	cost = 1000
@	comment = mean of the elements of an array: their exact sum, divided once
