@-- A function from an array, or from a part of it, to an array.  Besides names
@-- and comment: the arguments between the array and the part, as they are declared
@-- and as their types alone, each behind a comma.
CREATE FUNCTION ${function}(${type}[]${declared}) RETURNS ${returned}[]
	AS 'MODULE_PATHNAME', '${function}_${name}'
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION ${function}(${type}[]${types}) IS
	'${comment}';

CREATE FUNCTION ${function}(${type}[]${declared}, first integer, last integer)
	RETURNS ${returned}[]
	AS 'MODULE_PATHNAME', '${function}_${name}'
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION ${function}(${type}[]${types}, integer, integer) IS
	'${comment}, of the part with subscripts from first to last';
