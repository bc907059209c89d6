
-- ---------------------------------------------------------------------------
-- gpu_dot and gpu_weighted_avg: their states
-- ---------------------------------------------------------------------------

@table product_state family | article | name | mean
int		| a	| sum of products of integers	| numeric
float	| a	| sum of products of floats		| double precision

@each product_state state
@	state = gpu_product_${family}

@table dot_final final | result | comment
bigint	| bigint			| returns a sum of products of smallint or integer
numeric	| numeric			| returns a sum of products of bigint
float4	| real				| returns a sum of products of real, rounded once
float8	| double precision	| returns a sum of products of double precision, rounded once

@each dot_final final
@	function = gpu_dot_${final}_final

@each product_state final
@	function = gpu_weighted_avg_${family}_final
@	result = ${mean}
@	comment = returns ${article} ${name}, divided by the sum of the weights

@-- As element_type, with the bytes of the states of products.
@table product_type name | type | result | mean | final | family | space
int2	| smallint			| bigint			| numeric			| bigint	| int	| 64
int4	| integer			| bigint			| numeric			| bigint	| int	| 64
int8	| bigint			| numeric			| numeric			| numeric	| int	| 64
float4	| real				| real				| double precision	| float4	| float	| 272
float8	| double precision	| double precision	| double precision	| float8	| float	| 272

-- ---------------------------------------------------------------------------
-- gpu_dot and gpu_weighted_avg of pairs of columns: one transition for both
-- ---------------------------------------------------------------------------

@each product_type transition
@	transition = gpu_dot
@	argument = ${type}, ${type}
@	symbol = ${name}
@	cost = 1
@	input = a product and its second factor

@each product_type aggregate
@	aggregate = gpu_dot
@	argument = ${type}, ${type}
@	transition = gpu_dot
@	state = gpu_product_${family}
@	finalfunc = gpu_dot_${final}_final
@	comment = exact sum of the products of pairs of ${type} values

@each product_type aggregate
@	aggregate = gpu_weighted_avg
@	argument = ${type}, ${type}
@	transition = gpu_dot
@	state = gpu_product_${family}
@	finalfunc = gpu_weighted_avg_${family}_final
@	comment = mean of ${type} values with weights: the exact sum of products, divided by that of weights

-- ---------------------------------------------------------------------------
-- gpu_dot and gpu_weighted_avg of pairs of arrays
-- ---------------------------------------------------------------------------

@each product_type transition
@	transition = gpu_dot
@	argument = ${type}[], ${type}[]
@	symbol = ${name}_array
@	cost = 1000
@	input = the products of the elements of two arrays, and their second factors,

@each product_type aggregate
@	aggregate = gpu_dot
@	argument = ${type}[], ${type}[]
@	transition = gpu_dot
@	state = gpu_product_${family}
@	finalfunc = gpu_dot_${final}_final
@	comment = exact sum of the products of the elements of pairs of ${type} arrays

@each product_type aggregate
@	aggregate = gpu_weighted_avg
@	argument = ${type}[], ${type}[]
@	transition = gpu_dot
@	state = gpu_product_${family}
@	finalfunc = gpu_weighted_avg_${family}_final
@	comment = mean of the elements of ${type} arrays with arrays of weights: exact, divided once

-- ---------------------------------------------------------------------------
-- gpu_array_dot and gpu_array_weighted_avg
-- ---------------------------------------------------------------------------

@each product_type array_pair_function
@	function = gpu_array_dot
@	cost = 1000
@	comment = exact sum of the products of the elements of two arrays

@each product_type array_pair_function
@	function = gpu_array_weighted_avg
@	result = ${mean}
@	cost = 1000
@	comment = mean of the elements of an array with the weights of another: exact, divided once
