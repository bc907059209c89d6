-- ---------------------------------------------------------------------------
-- States
-- ---------------------------------------------------------------------------

@table sum_state family | article | name
int		| an	| integer sum
float	| a		| float sum

@table sum_final final | result | comment
bigint	| bigint			| gives a sum of smallint or integer
numeric	| numeric			| gives a sum of bigint
float4	| real				| gives a sum of real, rounded once
float8	| double precision	| gives a sum of double precision, rounded once

@each sum_state state
@	state = gpu_sum_${family}

@each sum_final final
@	function = gpu_sum_${final}_final

