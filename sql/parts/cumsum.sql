-- ---------------------------------------------------------------------------
-- gpu_cumsum: running totals
-- ---------------------------------------------------------------------------

CREATE FUNCTION gpu_cumsum_support(internal) RETURNS internal
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION gpu_cumsum_support(internal) IS
	'estimates the rows of gpu_cumsum for the planner';

@each element_type rows_scan
@	function = gpu_cumsum
@	comment = ${totals_of} an array, as rows

@each element_type array_scan
@	function = gpu_array_cumsum
@	comment = ${totals_of} an array, as an array of the same shape

@each element_type window_function
@	function = gpu_cumsum
@	comment = ${totals_of} the rows of a window

