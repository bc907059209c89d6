-- ---------------------------------------------------------------------------
-- gpu_array_bucket_sum, _avg, _min, _max, _count: a value for each bucket of
-- `width` consecutive elements of an array, in storage order
-- ---------------------------------------------------------------------------

@each element_type array_positions
@	function = gpu_array_bucket_sum
@	declared = , width integer
@	types = , integer
@	returned = ${result}
@	comment = ${sum_of} each bucket of width consecutive elements

@each element_type array_positions
@	function = gpu_array_bucket_avg
@	declared = , width integer
@	types = , integer
@	returned = ${mean}
@	comment = ${mean_of} each bucket of width consecutive elements

@each element_type array_positions
@	function = gpu_array_bucket_min
@	declared = , width integer
@	types = , integer
@	returned = ${type}
@	comment = least of each bucket of width consecutive elements

@each element_type array_positions
@	function = gpu_array_bucket_max
@	declared = , width integer
@	types = , integer
@	returned = ${type}
@	comment = greatest of each bucket of width consecutive elements

@each element_type array_positions
@	function = gpu_array_bucket_count
@	declared = , width integer
@	types = , integer
@	returned = bigint
@	comment = number of elements that are not NULL in each bucket of width consecutive elements

