@-- A function of one array, and of a part of it, as array[first:last] has it.
@-- Besides names and comment: the cost of a call.
CREATE FUNCTION ${function}(${type}[]) RETURNS ${result}
	AS 'MODULE_PATHNAME', '${function}_${name}'
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST ${cost};
COMMENT ON FUNCTION ${function}(${type}[]) IS
	'${comment} the elements of an array';

CREATE FUNCTION ${function}(${type}[], first integer, last integer)
	RETURNS ${result}
	AS 'MODULE_PATHNAME', '${function}_${name}'
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST ${cost};
COMMENT ON FUNCTION ${function}(${type}[], integer, integer) IS
	'${comment} the elements of a part of an array, as array[first:last]';
