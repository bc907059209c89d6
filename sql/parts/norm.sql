-- ---------------------------------------------------------------------------
-- gpu_norm: the square root of the sum of squares, with the transitions and the
-- state of variances
-- ---------------------------------------------------------------------------

@each moments_state final
@	function = gpu_norm_${family}_final
@	result = double precision
@	comment = returns the square root of the sum of squares of ${article} ${name}

@each moments_type aggregate
@	aggregate = gpu_norm
@	argument = ${type}
@	transition = gpu_moments
@	state = gpu_moments_${family}
@	finalfunc = gpu_norm_${family}_final
@	comment = Euclidean norm of all ${type} values: the root of the exact sum of squares, rounded once

@each moments_type aggregate
@	aggregate = gpu_norm
@	argument = ${type}[]
@	transition = gpu_moments
@	state = gpu_moments_${family}
@	finalfunc = gpu_norm_${family}_final
@	comment = Euclidean norm of all elements of all ${type} arrays, rounded once

@each moments_type aggregate
@	aggregate = gpu_norm
@	argument = ${type}[], first integer, last integer
@	transition = gpu_moments
@	state = gpu_moments_${family}
@	finalfunc = gpu_norm_${family}_final
@	comment = Euclidean norm of all elements of array[first:last] of all ${type} arrays, rounded once

@each moments_type array_function
@	function = gpu_array_norm
@	result = double precision
@	cost = 1000
@	comment = Euclidean norm of an array: the root of the exact sum of squares, rounded once

@each moments_type array_part
@	function = gpu_array_norm
@	result = double precision
@	cost = 1000
@	comment = Euclidean norm of the elements of array[first:last], rounded once
