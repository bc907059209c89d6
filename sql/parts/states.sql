-- ---------------------------------------------------------------------------
-- States
-- ---------------------------------------------------------------------------

@table sum_state family | article | name | mean
int		| an	| integer sum	| numeric
float	| a		| float sum		| double precision

@table sum_final final | result | comment
bigint	| bigint			| returns a sum of smallint or integer
numeric	| numeric			| returns a sum of bigint
float4	| real				| returns a sum of real, rounded once
float8	| double precision	| returns a sum of double precision, rounded once

@each sum_state state
@	state = gpu_sum_${family}

@each sum_final final
@	function = gpu_sum_${final}_final

