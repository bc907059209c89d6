-- ---------------------------------------------------------------------------
-- gpu_array_delta: each element minus the one before it
-- ---------------------------------------------------------------------------

@each element_type array_positions
@	function = gpu_array_delta
@	declared = 
@	types = 
@	returned = ${type}
@	comment = each element minus the one before it

