
-- ---------------------------------------------------------------------------
-- gpu_min and gpu_max: transitions
-- ---------------------------------------------------------------------------

@-- In the order of integers PostgreSQL's own functions combine two values, and an
@-- index on a column has the result at its end.  Floats are ordered here: -0 is
@-- less than 0, which are equal in indexes.
@table extremum name | type | aggregate | which | combine | sortop
int2	| smallint			| gpu_min	| least		| int2smaller	| , SORTOP = <
int4	| integer			| gpu_min	| least		| int4smaller	| , SORTOP = <
int8	| bigint			| gpu_min	| least		| int8smaller	| , SORTOP = <
float4	| real				| gpu_min	| least		| gpu_min_accum	|
float8	| double precision	| gpu_min	| least		| gpu_min_accum	|
int2	| smallint			| gpu_max	| largest	| int2larger	| , SORTOP = >
int4	| integer			| gpu_max	| largest	| int4larger	| , SORTOP = >
int8	| bigint			| gpu_max	| largest	| int8larger	| , SORTOP = >
float4	| real				| gpu_max	| largest	| gpu_max_accum	|
float8	| double precision	| gpu_max	| largest	| gpu_max_accum	|

@table float_extremum name | type | aggregate | which
float4	| real				| gpu_min	| lesser
float8	| double precision	| gpu_min	| lesser
float4	| real				| gpu_max	| larger
float8	| double precision	| gpu_max	| larger

@each float_extremum value_transition
@	argument = ${type}
@	symbol = ${name}
@	cost = 1
@	comment = ${which} one of two ${type} values, where -0 is less than 0

@-- Over arrays the device adds to the state, which is therefore no value.
@table extremum_state article | name
a	| state of gpu_min or gpu_max

@each extremum_state state
@	state = gpu_extremum

@each element_type final
@	function = gpu_extremum_${name}_final
@	result = ${type}
@	comment = returns the least or largest ${type} element

@each extremum state_transition
@	argument = ${type}[]
@	symbol = ${name}_array
@	comment = takes the elements of an array into the ${which}

-- ---------------------------------------------------------------------------
-- gpu_min and gpu_max of plain columns and of arrays
-- ---------------------------------------------------------------------------

@each extremum value_aggregate
@	argument = ${type}
@	transition = ${combine}
@	options = ${sortop}
@	comment = ${which} of all ${type} values

@each extremum state_aggregate
@	argument = ${type}[]
@	state = gpu_extremum
@	space = 32
@	finalfunc = gpu_extremum_${name}_final
@	comment = ${which} of all elements of all ${type} arrays

-- ---------------------------------------------------------------------------
-- gpu_array_min and gpu_array_max of one array
-- ---------------------------------------------------------------------------

@each element_type array_function
@	function = gpu_array_min
@	result = ${type}
@	cost = 1000
@	comment = least of the elements of an array

@each element_type array_function
@	function = gpu_array_max
@	result = ${type}
@	cost = 1000
@	comment = largest of the elements of an array
