-- ---------------------------------------------------------------------------
-- gpu_array_moving_sum, _avg, _min, _max: a value for each element of an array, of it
-- and of some before it; gpu_array_cummax and gpu_array_cummin: of all before it
-- ---------------------------------------------------------------------------

@each element_type array_positions
@	function = gpu_array_moving_sum
@	declared = , preceding integer
@	types = , integer
@	returned = ${result}
@	comment = ${sum_of} each element and so many preceding ones

@each element_type array_positions
@	function = gpu_array_moving_avg
@	declared = , preceding integer
@	types = , integer
@	returned = ${mean}
@	comment = ${mean_of} each element and so many preceding ones

@each element_type array_positions
@	function = gpu_array_moving_min
@	declared = , preceding integer
@	types = , integer
@	returned = ${type}
@	comment = least of each element and so many preceding ones

@each element_type array_positions
@	function = gpu_array_moving_max
@	declared = , preceding integer
@	types = , integer
@	returned = ${type}
@	comment = greatest of each element and so many preceding ones

@each element_type array_positions
@	function = gpu_array_cummin
@	declared = 
@	types = 
@	returned = ${type}
@	comment = least of the elements so far, for each element

@each element_type array_positions
@	function = gpu_array_cummax
@	declared = 
@	types = 
@	returned = ${type}
@	comment = greatest of the elements so far, for each element

