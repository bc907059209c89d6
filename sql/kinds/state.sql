@-- The functions that all aggregates with one kind of state share.
CREATE FUNCTION ${state}_combine(internal, internal) RETURNS internal
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION ${state}_combine(internal, internal) IS
	'adds one ${name} to another';

CREATE FUNCTION ${state}_serialize(internal) RETURNS bytea
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION ${state}_serialize(internal) IS
	'writes ${article} ${name} in its canonical form';

CREATE FUNCTION ${state}_deserialize(bytea, internal) RETURNS internal
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION ${state}_deserialize(bytea, internal) IS
	'reads a serialized ${name}';
