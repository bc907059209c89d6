@-- A comparison of values of a type by their bytes, as bytea's, and its operator.
CREATE FUNCTION ${type}_${name}(${type}, ${type}) RETURNS boolean
	AS 'bytea${name}' LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION ${type}_${name}(${type}, ${type}) IS
	'implementation of ${operator} of ${type}';
CREATE OPERATOR ${operator} (
	LEFTARG = ${type}, RIGHTARG = ${type}, FUNCTION = ${type}_${name},
	COMMUTATOR = ${commutator}, NEGATOR = ${negator},
	RESTRICT = ${selectivity}sel, JOIN = ${selectivity}joinsel${more}
);
COMMENT ON OPERATOR ${operator} (${type}, ${type}) IS
	'${comment}';
