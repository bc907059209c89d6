-- ---------------------------------------------------------------------------
-- gpu_sum of plain columns
-- ---------------------------------------------------------------------------

@each element_type transition
@	transition = gpu_sum
@	argument = ${type}
@	symbol = ${name}
@	cost = 1
@	input = a value

@each element_type aggregate
@	aggregate = gpu_sum
@	argument = ${type}
@	transition = gpu_sum
@	state = gpu_sum_${family}
@	finalfunc = gpu_sum_${final}_final
@	comment = ${sum_of} all ${type} values

-- ---------------------------------------------------------------------------
-- gpu_sum of arrays: a transition reads a whole array, hence its cost
-- ---------------------------------------------------------------------------

@each element_type transition
@	transition = gpu_sum
@	argument = ${type}[]
@	symbol = ${name}_array
@	cost = 1000
@	input = the elements of an array

@each element_type aggregate
@	aggregate = gpu_sum
@	argument = ${type}[]
@	transition = gpu_sum
@	state = gpu_sum_${family}
@	finalfunc = gpu_sum_${final}_final
@	comment = ${sum_of} all elements of all ${type} arrays

