-- ---------------------------------------------------------------------------
-- gpu_array_sum: the sum of one array
-- ---------------------------------------------------------------------------

@each element_type array_function
@	function = gpu_array_sum
@	cost = 1000
@	comment = ${sum_of} the elements of an array

