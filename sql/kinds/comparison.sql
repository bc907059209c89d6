@-- A comparison of exact sums, and its operator.
CREATE FUNCTION exactsum_${name}(exactsum, exactsum) RETURNS boolean
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION exactsum_${name}(exactsum, exactsum) IS
	'implementation of ${operator} of exact sums';
CREATE OPERATOR ${operator} (
	LEFTARG = exactsum, RIGHTARG = exactsum, FUNCTION = exactsum_${name},
	COMMUTATOR = ${commutator}, NEGATOR = ${negator},
	RESTRICT = ${selectivity}sel, JOIN = ${selectivity}joinsel${more}
);
COMMENT ON OPERATOR ${operator} (exactsum, exactsum) IS
	'${comment}';
