-- Bad input: an SQLSTATE, a message, and nothing lost.
--
-- Input that no user can make comes from the test-only module; without it (on a
-- server that it was not copied to) those tests are skipped.
\set ECHO none
\set QUIET on
BEGIN;
SELECT plan(98);

-- The message, detail, hint and SQLSTATE of a query.
CREATE FUNCTION pg_temp.error_of(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	state text;
	message text;
	detail text;
	hint text;
BEGIN
	EXECUTE query;
	RETURN 'no error';
EXCEPTION WHEN OTHERS THEN
	GET STACKED DIAGNOSTICS state = RETURNED_SQLSTATE, message = MESSAGE_TEXT,
		detail = PG_EXCEPTION_DETAIL, hint = PG_EXCEPTION_HINT;
	RETURN concat_ws('|', state, message, nullif(detail, ''), nullif(hint, ''));
END $$;

-- Overflow of the result.
SELECT is(pg_temp.error_of($$SELECT gpu_sum(a) FROM (VALUES
		('{9223372036854775807}'::bigint[]), ('{1}')) v(a)$$), 'no error',
	'a sum of bigint cannot overflow');
SELECT is(pg_temp.error_of($$SELECT gpu_array_sum('{1e308, 1e308}'::float8[])$$),
	'22003|value out of range: overflow|The exact sum is beyond the range of double precision.',
	'overflow of double precision');
SELECT is(pg_temp.error_of($$SELECT gpu_sum(x) FROM unnest('{1e308, 1e308}'::float8[]) x$$),
	'22003|value out of range: overflow|The exact sum is beyond the range of double precision.',
	'overflow of double precision, column');
SELECT is(pg_temp.error_of($$SELECT gpu_array_sum('{3e38, 3e38}'::real[])$$),
	'22003|value out of range: overflow|The exact sum is beyond the range of real.|Cast the input to double precision.',
	'overflow of real');
SELECT is(pg_temp.error_of($$SELECT gpu_array_sum('{1.797693134862315708e308, 9.9792015476735990e291}'::float8[])$$),
	'22003|value out of range: overflow|The exact sum is beyond the range of double precision.',
	'half a unit above the largest double is too much');
SELECT is(gpu_array_sum('{1.797693134862315708e308, 9.9792015476735e291}'::float8[]),
	1.797693134862315708e308::float8, 'less than half a unit is not');

-- Types that gpu_sum does not know: PostgreSQL's own errors, with its hint.
SELECT throws_ok($$SELECT gpu_sum('{a}'::text[])$$, '42883');
SELECT throws_ok($$SELECT gpu_array_sum('{a}'::text[])$$, '42883');
SELECT throws_ok($$SELECT gpu_sum('{1 day}'::interval[])$$, '42883');
SELECT throws_ok($$SELECT gpu_sum('1 day'::interval)$$, '42883');
SELECT throws_ok($$SELECT gpu_sum('{1,2}')$$, NULL, NULL, 'a literal without a type');

-- Settings.
SELECT throws_ok('SET gpuagg.cpu_engine = nonsense', '22023');
SELECT throws_ok('SET gpuagg.nonsense = 1', '42602');

-- Support functions take a type without values, so no query can call them.
-- PostgreSQL's message differs between minor releases.
SELECT matches(pg_temp.error_of('SELECT gpu_sum_accum(NULL, 1::float8)'),
	'^(42883|42846|0A000|55000)', 'a transition function cannot be called');
SELECT matches(pg_temp.error_of('SELECT gpu_sum_float8_final(NULL::internal)'),
	'^(42883|42846|0A000)', 'a final function cannot be called');

-- Input that no user can make.
\if :{?test_module}
CREATE FUNCTION broken_array(bytea, float8[]) RETURNS float8[]
	AS :'test_module', 'broken_array' LANGUAGE C STRICT;
CREATE FUNCTION reserialize(regprocedure, regprocedure, bytea) RETURNS bytea
	AS :'test_module', 'reserialize' LANGUAGE C STRICT;

-- An array's bytes behind its length: ndim, dataoffset, elemtype (701 is
-- float8), then dimensions, lower bounds and elements, in the
-- byte order of x86-64 and ARM.
CREATE FUNCTION pg_temp.words(VARIADIC w integer[]) RETURNS bytea LANGUAGE sql AS $$
	SELECT string_agg(substring(int4send(x) FROM byte FOR 1), '' ORDER BY o, byte DESC)
	FROM unnest(w) WITH ORDINALITY AS u(x, o), generate_series(1, 4) byte $$;
CREATE TEMP TABLE broken (name text, bytes bytea, state text);
INSERT INTO broken VALUES
	('no header', '\x0000', 'XX001'),
	('a negative number of dimensions', pg_temp.words(-1, 0, 701), 'XX001'),
	('too many dimensions', pg_temp.words(7, 0, 701), 'XX001'),
	('no dimensions there', pg_temp.words(1, 0, 701), 'XX001'),
	('elements that are not there', pg_temp.words(1, 0, 701, 1000, 1, 0, 0), 'XX001'),
	('more elements than memory', pg_temp.words(1, 0, 701, 2147483647, 1, 0, 0), '54000'),
	('a product of dimensions beyond 2^32', pg_temp.words(3, 0, 701, 65536, 65536, 65536, 1, 1, 1, 0, 0), '54000'),
	('a negative dimension', pg_temp.words(1, 0, 701, -5, 1, 0, 0), '54000'),
	('elements of another type', pg_temp.words(1, 0, 23, 1, 1, 5), '42804'),
	('a NULL bitmap that is not there', pg_temp.words(1, 1024, 701, 8000, 1), 'XX001'),
	('an offset into the header', pg_temp.words(1, 8, 701, 2, 1, 3, 0, 0, 0, 0), 'XX001'),
	('an offset beyond the end', pg_temp.words(1, 100000, 701, 2, 1, 3, 0, 0), 'XX001');
SELECT throws_ok(format('SELECT gpu_array_sum(broken_array(%L, ''{}''))', bytes), state, NULL,
	'array with ' || name) FROM broken;
SELECT is(gpu_array_sum(broken_array(pg_temp.words(1, 0, 701, 1, 1, 0, 1072693248), '{}')),
	1::float8, 'and a sound one, made the same way');
-- A part of one is refused like all of it: stored, compressed in the row, and plain.
CREATE TEMP TABLE broken_rows (name text, stored float8[], packed float8[]);
ALTER TABLE broken_rows ALTER stored SET STORAGE EXTERNAL;
INSERT INTO broken_rows SELECT name, a, a
	FROM (SELECT name, broken_array(bytes || decode(repeat('00', 3000), 'hex'), '{}') AS a FROM broken) q;
SELECT ok(bool_and(pg_column_size(stored) > 3000 AND pg_column_compression(packed) IS NOT NULL), 'they are stored so') FROM broken_rows;
SELECT is(pg_temp.error_of(format(part, c, name)), pg_temp.error_of(format(whole, c, name)), format('a part of a %s array with %s', c, name))
	FROM broken_rows, unnest(ARRAY['stored', 'packed']) c,
		(VALUES ('SELECT gpu_array_sum(%I, -10, 2147483646) FROM broken_rows WHERE name = %L',
			'SELECT gpu_array_sum(%I) FROM broken_rows WHERE name = %L')) v(part, whole);
SELECT isnt(pg_temp.error_of(format('SELECT gpu_array_sum(%I, -10, 2147483646) FROM broken_rows WHERE name = %L', c, name)), 'no error',
	format('... it is refused: a %s array with %s', c, name))
	FROM broken_rows, unnest(ARRAY['stored', 'packed']) c
	WHERE name NOT IN ('no dimensions there', 'a NULL bitmap that is not there'); -- zeros are sound ones
SELECT throws_ok(format('SELECT gpu_array_sum(broken_array(%L, ''{}''), -10, 2147483646)', bytes), state, NULL,
	'a part of an array with ' || name) FROM broken;
-- Bits behind the last element of a NULL bitmap mean nothing.
SELECT is(gpu_array_sum(broken_array(pg_temp.words(1, 32, 701, 2, 1, 253, 0, 0, 1072693248), '{}')),
	1::float8, 'a NULL bitmap with bits of no element');

-- Serialized states.
CREATE AGGREGATE pg_temp.float_state(float8) (
	SFUNC = gpu_sum_accum, STYPE = internal, FINALFUNC = gpu_sum_float_serialize);
CREATE AGGREGATE pg_temp.int_state(bigint) (
	SFUNC = gpu_sum_accum, STYPE = internal, FINALFUNC = gpu_sum_int_serialize);
CREATE TEMP TABLE states AS
	SELECT 'float' AS family, pg_temp.float_state(x) AS good
	FROM unnest('{1e300, 1, -1e-300, NaN, Infinity, -0}'::float8[]) x
	UNION ALL
	SELECT 'int', pg_temp.int_state(x) FROM unnest('{9223372036854775807, 5, 7}'::bigint[]) x;
CREATE FUNCTION pg_temp.again(family text, state bytea) RETURNS bytea LANGUAGE sql AS $$
	SELECT reserialize(format('gpu_sum_%s_deserialize(bytea,internal)', family)::regprocedure,
		format('gpu_sum_%s_serialize(internal)', family)::regprocedure, state) $$;
SELECT is(pg_temp.again(family, good), good, family || ' state: there and back') FROM states;

-- Every truncation, and every change of a byte: refused, or another sound
-- state; never a crash, never a state that is silently something else.
CREATE FUNCTION pg_temp.verdict(family text, state bytea) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	RETURN CASE WHEN pg_temp.again(family, state) = state THEN 'sound' ELSE 'changed' END;
EXCEPTION WHEN invalid_binary_representation THEN
	RETURN 'refused';
END $$;
SELECT is(array_agg(DISTINCT pg_temp.verdict(family, substring(good FOR n))), '{refused}',
	family || ' state: cut off anywhere')
	FROM states, generate_series(0, octet_length(good) - 1) n GROUP BY family ORDER BY family;
SELECT ok(array_agg(DISTINCT v) <@ '{refused,sound}', family || ' state: any byte changed')
	FROM (SELECT family, pg_temp.verdict(family, set_byte(good, n, get_byte(good, n) # bit)) AS v
		  FROM states, generate_series(0, octet_length(good) - 1) n,
			unnest(ARRAY[1, 16, 128, 255]) bit) q GROUP BY family ORDER BY family;
SELECT is(pg_temp.error_of(format('SELECT reserialize(%L, %L, %L)',
		'gpu_sum_int_deserialize(bytea,internal)', 'gpu_sum_int_serialize(internal)', '\x63')),
	'22P03|aggregate state of an unknown version|Run the same version of gpuagg on all nodes.',
	'state of a future version');
SELECT is(pg_temp.error_of(format('SELECT reserialize(%L, %L, %L)',
		'gpu_sum_float_deserialize(bytea,internal)', 'gpu_sum_float_serialize(internal)', '\xe50101ff')),
	'22P03|invalid aggregate state|The bytes are not a serialized sum.|The state was damaged on its way, or belongs to another aggregate.',
	'damaged state');

-- States that are combined have no more inputs than there can be.
CREATE FUNCTION combine_bytes(internal, regproc, regproc, bytea) RETURNS internal
	AS :'test_module', 'combine_bytes' LANGUAGE C;
CREATE AGGREGATE pg_temp.combined_float(regproc, regproc, bytea) (
	SFUNC = combine_bytes, STYPE = internal, FINALFUNC = gpu_sum_float_serialize);
CREATE AGGREGATE pg_temp.combined_int(regproc, regproc, bytea) (
	SFUNC = combine_bytes, STYPE = internal, FINALFUNC = gpu_sum_int_serialize);
CREATE FUNCTION pg_temp.combined(family text, state bytea, times integer) RETURNS bytea
LANGUAGE plpgsql AS $$
DECLARE result bytea;
BEGIN
	EXECUTE format('SELECT pg_temp.combined_%1$s(''gpu_sum_%1$s_deserialize'', ''gpu_sum_%1$s_combine'', $1)'
		' FROM generate_series(1, $2)', family) INTO result USING state, times;
	RETURN result;
END $$;
-- 2^55 inputs, whose total is 0
CREATE TEMP TABLE large AS SELECT family,
	(head || '0080000000000000' || zeros)::bytea AS state, (head || '0100000000000000' || zeros)::bytea AS twice
	FROM (VALUES ('float', '\xe50101', repeat('00', 34)), ('int', '\x01', repeat('00', 16))) AS s(family, head, zeros);
SELECT is(pg_temp.combined(family, state, 2), twice,
	family || ' states: as many inputs as there can be') FROM large ORDER BY family;
SELECT throws_ok(format('SELECT pg_temp.combined(%L, %L, 3)', family, state), '22P03',
	'invalid aggregate state', family || ' states: more inputs than there can be') FROM large ORDER BY family;
\else
SELECT skip('the test-only module is not on this server', 83);
\endif

SELECT * FROM finish();
ROLLBACK;
