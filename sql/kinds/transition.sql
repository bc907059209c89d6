@-- The transitions of aggregates that keep a sum: add an argument, and remove it
@-- when a window's frame moves.
@--
@-- Besides the name that they begin with: the type of the argument; the symbol
@-- that the C functions end in; the cost; and what a transition adds or removes.
CREATE FUNCTION ${transition}_accum(internal, ${argument}) RETURNS internal
	AS 'MODULE_PATHNAME', '${transition}_accum_${symbol}'
	LANGUAGE C IMMUTABLE PARALLEL SAFE COST ${cost};
COMMENT ON FUNCTION ${transition}_accum(internal, ${argument}) IS
	'adds ${input} to a sum';

CREATE FUNCTION ${transition}_remove(internal, ${argument}) RETURNS internal
	AS 'MODULE_PATHNAME', '${transition}_remove_${symbol}'
	LANGUAGE C IMMUTABLE PARALLEL SAFE COST ${cost};
COMMENT ON FUNCTION ${transition}_remove(internal, ${argument}) IS
	'removes ${input} from a sum';
