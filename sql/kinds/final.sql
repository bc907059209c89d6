@-- A function that makes the result of a state.
CREATE FUNCTION ${function}(internal) RETURNS ${result}
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION ${function}(internal) IS
	'${comment}';
