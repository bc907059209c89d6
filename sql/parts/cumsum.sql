-- ---------------------------------------------------------------------------
-- gpu_cumsum: running totals
-- ---------------------------------------------------------------------------

CREATE FUNCTION gpu_cumsum_support(internal) RETURNS internal
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION gpu_cumsum_support(internal) IS
	'tells the planner the rows of gpu_cumsum, and its form in FROM';

@each element_type rows_scan
@	function = gpu_cumsum
@	comment = ${totals_of} an array, as rows

@each element_type array_scan
@	function = gpu_array_cumsum
@	comment = ${totals_of} an array, as an array of the same shape

@each element_type window_function
@	function = gpu_cumsum
@	comment = ${totals_of} the rows of a window

@-- From an exact sum on, which is NULL for none.  Totals of integers need no
@-- such function: what was before is added to them.
@table float_type name | type
float4	| real
float8	| double precision

@each float_type scan_start
@	function = gpu_cumsum
@	returned = SETOF ${type}
@	symbol = gpu_cumsum_${name}_array
@	planning = ROWS 100 SUPPORT gpu_cumsum_support
@	comment = exact running totals of an array after an exact sum, each rounded once, as rows

@each float_type scan_start
@	function = gpu_array_cumsum
@	returned = ${type}[]
@	symbol = gpu_array_cumsum_${name}
@	planning = COST 1000
@	comment = exact running totals of an array after an exact sum, each rounded once, as an array of the same shape

