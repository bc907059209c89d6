-- ---------------------------------------------------------------------------
-- Variances and standard deviations.  All of one argument have the same
-- transitions and the same state: the number of inputs, their sum, and the sum
-- of their squares, all exact
-- ---------------------------------------------------------------------------

@table moments_state family | article | name | result
int		| a		| state of integer moments	| numeric
float	| a		| state of float moments	| double precision

@table moments_type name | type | family | space | result | how
int2	| smallint			| int	| 64	| numeric			| 
int4	| integer			| int	| 64	| numeric			| 
int8	| bigint			| int	| 64	| numeric			| 
float4	| real				| float	| 272	| double precision	| , rounded once,
float8	| double precision	| float	| 272	| double precision	| , rounded once,

@table dispersion_final final | returned
var_samp	| sample variance
var_pop		| population variance
stddev_samp	| sample standard deviation
stddev_pop	| population standard deviation

@-- variance and stddev are other names.
@table dispersion dispersion | final | meaning
var_samp	| var_samp		| sample variance
var_pop		| var_pop		| population variance
variance	| var_samp		| sample variance
stddev_samp	| stddev_samp	| sample standard deviation
stddev_pop	| stddev_pop	| population standard deviation
stddev		| stddev_samp	| sample standard deviation

@each moments_state state
@	state = gpu_moments_${family}

@each moments_state,dispersion_final final
@	function = gpu_${final}_${family}_final
@	comment = returns the ${returned} of ${article} ${name}

@each moments_type transition
@	transition = gpu_moments
@	argument = ${type}
@	symbol = ${name}
@	cost = 1
@	input = a value and its square

@each moments_type transition
@	transition = gpu_moments
@	argument = ${type}[]
@	symbol = ${name}_array
@	cost = 1000
@	input = the elements of an array and their squares

@each dispersion,moments_type aggregate
@	aggregate = gpu_${dispersion}
@	argument = ${type}
@	transition = gpu_moments
@	state = gpu_moments_${family}
@	finalfunc = gpu_${final}_${family}_final
@	comment = ${meaning}${how} of all ${type} values

@each dispersion,moments_type aggregate
@	aggregate = gpu_${dispersion}
@	argument = ${type}[]
@	transition = gpu_moments
@	state = gpu_moments_${family}
@	finalfunc = gpu_${final}_${family}_final
@	comment = ${meaning}${how} of all elements of all ${type} arrays

@each dispersion,moments_type array_function
@	function = gpu_array_${dispersion}
@	cost = 1000
@	comment = ${meaning}${how} of the elements of an array

@each dispersion,moments_type array_part
@	function = gpu_array_${dispersion}
@	cost = 1000
@	comment = ${meaning}${how} of the elements of array[first:last]

@each moments_type transition
@	transition = gpu_moments
@	argument = ${type}[], integer, integer
@	symbol = ${name}_array
@	cost = 1000
@	input = a part of an array and the squares of its elements

@each dispersion,moments_type aggregate
@	aggregate = gpu_${dispersion}
@	argument = ${type}[], first integer, last integer
@	transition = gpu_moments
@	state = gpu_moments_${family}
@	finalfunc = gpu_${final}_${family}_final
@	comment = ${meaning}${how} of all elements of array[first:last] of all ${type} arrays
