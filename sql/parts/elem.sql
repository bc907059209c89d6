
-- ---------------------------------------------------------------------------
-- gpu_elem_sum, gpu_elem_avg and gpu_elem_count: by position, over the rows.
-- They share transitions and state.
-- ---------------------------------------------------------------------------

@table elem_state state | article | name
gpu_elem			| a	| state of sums by position
gpu_elem_extreme	| a	| state of least or greatest elements by position

@each elem_state state

@each element_type transition
@	transition = gpu_elem
@	argument = ${type}[]
@	symbol = ${name}
@	cost = 1000
@	input = the elements of an array, position by position,

@each element_type elem_aggregate
@	what = sum
@	element = ${result}
@	state = gpu_elem
@	comment = ${sum_of} the elements

@-- The type of avg(), besides: numeric for integers.
@table elem_mean name | type | mean
int2	| smallint			| numeric
int4	| integer			| numeric
int8	| bigint			| numeric
float4	| real				| double precision
float8	| double precision	| double precision

@each elem_mean elem_aggregate
@	what = avg
@	element = ${mean}
@	state = gpu_elem
@	comment = exact mean of the elements

@each element_type elem_aggregate
@	what = count
@	element = bigint
@	state = gpu_elem
@	comment = number of elements that are not NULL

-- ---------------------------------------------------------------------------
-- gpu_elem_min and gpu_elem_max
-- ---------------------------------------------------------------------------

@each element_type final
@	function = gpu_elem_extreme_${name}_final
@	result = ${type}[]
@	comment = returns the least or greatest elements of ${type} by position

@each element_type elem_extreme
@	aggregate = gpu_elem_min
@	adjective = least

@each element_type elem_extreme
@	aggregate = gpu_elem_max
@	adjective = greatest
