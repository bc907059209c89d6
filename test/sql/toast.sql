-- Arrays that are stored out of line: every way to read them gives the same.
--
-- Chunks have 1996 bytes, four on a page; an array without NULLs has 20 bytes
-- before its elements; it is read through a buffer of 256 kB.  Not in a
-- transaction, for it needs VACUUM.  The functions that read bytes are in the
-- test-only module; without it those tests are skipped.
\set ECHO none
\set QUIET on
SET client_min_messages = warning;
CREATE SCHEMA toast;
SET search_path = toast, public;
SELECT plan(96);

-- The same array, not stored.
CREATE FUNCTION here(a anyarray) RETURNS anyarray LANGUAGE sql IMMUTABLE AS
	'SELECT $1 || ''{}''';

-- VACUUM and REINDEX keep what a session of this database may still see, which
-- autovacuum's ANALYZE is, too.  Wait until there is none.
CREATE PROCEDURE wait_for_snapshots() LANGUAGE plpgsql AS $$
BEGIN
	FOR i IN 1..600 LOOP
		PERFORM pg_stat_clear_snapshot();
		IF NOT EXISTS (SELECT FROM pg_stat_activity WHERE datname = current_database() AND
				pid <> pg_backend_pid() AND (backend_xmin IS NOT NULL OR backend_xid IS NOT NULL)) THEN
			RETURN;
		END IF;
		PERFORM pg_sleep(0.1);
	END LOOP;
	RAISE 'another session of this database has a snapshot for a minute already';
END $$;

-- All five types, one array of n elements in each row.
CREATE TABLE typed (n integer, kind text, i2 smallint[], i4 integer[], i8 bigint[],
	f4 real[], f8 float8[]);
CREATE FUNCTION fill_typed(kind text, n integer, every integer) RETURNS void LANGUAGE sql AS $$
	INSERT INTO typed SELECT n, kind, array_agg(x), array_agg(x * 100003),
		array_agg(x * 10000000000000), array_agg(x / 8.0), array_agg(x / 1024.0)
	FROM (SELECT CASE WHEN i % every > 0 THEN (i * 7919 % 20011 - 10000)::smallint END
		  FROM generate_series(1, n) i) v(x) $$;
ALTER TABLE typed ALTER i2 SET STORAGE EXTERNAL, ALTER i4 SET STORAGE EXTERNAL,
	ALTER i8 SET STORAGE EXTERNAL, ALTER f4 SET STORAGE EXTERNAL,
	ALTER f8 SET STORAGE EXTERNAL, SET (toast_tuple_target = 128);

-- One element around the end of a chunk, a page, two pages, and the buffer.
SELECT fill_typed('borders', (b - 20) / size + i, 1000000)
	FROM (VALUES (1996), (2 * 1996), (4 * 1996), (8 * 1996), (262144)) c(b),
		(VALUES (2), (4), (8)) s(size), generate_series(-1, 1) i
	WHERE b < 262144 OR size = 8 OR i = 0 \g /dev/null
SELECT fill_typed('NULLs', n, 3) FROM unnest('{800,2000,2500,6000,70000}'::int[]) n \g /dev/null

-- Every type's totals against SUM over unnest.
CREATE FUNCTION wrong_sums() RETURNS bigint LANGUAGE sql AS $$
	SELECT count(*) FROM typed WHERE
		gpu_array_sum(i2) IS DISTINCT FROM (SELECT sum(x) FROM unnest(i2) x) OR
		gpu_array_sum(i4) IS DISTINCT FROM (SELECT sum(x) FROM unnest(i4) x) OR
		gpu_array_sum(i8) IS DISTINCT FROM (SELECT sum(x) FROM unnest(i8) x) OR
		gpu_array_sum(f4) IS DISTINCT FROM gpu_array_sum(here(f4)) OR
		gpu_array_sum(f8) IS DISTINCT FROM (SELECT sum(x) FROM unnest(f8) x) $$;
SELECT ok((SELECT pg_relation_size(reltoastrelid) FROM pg_class
	WHERE oid = 'typed'::regclass) > 4000000, 'the arrays are out of line');
SELECT is(wrong_sums(), 0::bigint, 'sums');
SELECT is((SELECT gpu_sum(f8) FROM typed), (SELECT sum(x) FROM typed, unnest(f8) x),
	'all of them aggregated');
SELECT is((SELECT count(*) FROM typed
	WHERE gpu_array_cumsum(i2) <> gpu_array_cumsum(here(i2)) OR
		gpu_array_cumsum(i8, true) <> gpu_array_cumsum(here(i8), true) OR
		gpu_array_cumsum(f8) <> gpu_array_cumsum(here(f8)) OR
		gpu_array_cumsum(f8, true) <> gpu_array_cumsum(here(f8), true)), 0::bigint,
	'running totals');
SELECT is((SELECT array_agg(t) FROM (SELECT gpu_cumsum(f8) t FROM typed
		WHERE n = 70000 AND kind = 'NULLs') q),
	(SELECT gpu_array_cumsum(here(f8)) FROM typed WHERE n = 70000 AND kind = 'NULLs'),
	'running totals as rows');
SELECT is((SELECT count(*) FROM (SELECT gpu_cumsum(f8) FROM typed LIMIT 5) q), 5::bigint,
	'rows that are not all read');

-- Rows that are deleted while a cursor is at them.
BEGIN;
DECLARE totals CURSOR FOR SELECT gpu_cumsum(f8) FROM typed WHERE n = 70000;
FETCH totals \gset first_
DELETE FROM typed WHERE n = 70000;
MOVE 69998 IN totals;
FETCH totals \gset last_
CLOSE totals;
ROLLBACK;
SELECT is(:'last_gpu_cumsum'::float8, (SELECT gpu_array_sum(f8) FROM typed WHERE n = 70000),
	'rows of an array that is deleted meanwhile');

-- Arrays that a function returns from a table, which it empties, or drops, in the
-- next row: aggregates have read them by then.
CREATE TABLE emptied (a float8[]);
ALTER TABLE emptied ALTER a SET STORAGE EXTERNAL;
CREATE FUNCTION emptied(i integer) RETURNS float8[] LANGUAGE sql AS $$
	TRUNCATE emptied;
	INSERT INTO emptied VALUES (array_fill(i::float8, '{40000}'));
	SELECT a FROM emptied $$;
CREATE FUNCTION dropped(i integer) RETURNS float8[] LANGUAGE plpgsql AS $$
DECLARE
	row record;
BEGIN
	DROP TABLE IF EXISTS dropped;
	CREATE TABLE dropped AS SELECT * FROM (SELECT array_fill(i::float8, '{40000}')) v(a) WITH NO DATA;
	ALTER TABLE dropped ALTER a SET STORAGE EXTERNAL;
	INSERT INTO dropped VALUES (array_fill(i::float8, '{40000}'));
	SELECT * INTO row FROM dropped;
	RETURN row.a;
END $$;
CREATE FUNCTION all_aggregates(engine text, source text) RETURNS float8[] LANGUAGE plpgsql AS $$
DECLARE
	result float8[];
BEGIN
	PERFORM set_config('gpuagg.engine', engine, true);
	EXECUTE format('SELECT ARRAY[gpu_sum(a), gpu_sum(a, 2, 39999), gpu_max(a), gpu_var_pop(a), gpu_dot(a, a),
		(gpu_elem_sum(a))[1], (gpu_elem_max(a))[1]] FROM (SELECT %I(i) FROM generate_series(1, 3) i OFFSET 0) v(a)', source)
		INTO result;
	RETURN result;
END $$;
SELECT is(all_aggregates(engine, source), '{240000,239988,3,0.6666666666666666,560000,6,3}',
	'arrays of a table that is ' || source || ' meanwhile: ' || engine)
	FROM unnest('{cpu,auto}'::text[]) engine, unnest('{emptied,dropped}'::text[]) source;
CREATE FUNCTION empty_at(i integer, last integer) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
	IF i = last THEN
		TRUNCATE emptied;
	END IF;
END $$;
SET gpuagg.engine = cpu;
SELECT is((SELECT ARRAY[count(*), max(total)] FROM (SELECT gpu_cumsum(emptied(1)) AS total, empty_at(generate_series(1, 40000), 3)
		OFFSET 0) q), '{40000,40000}'::float8[], 'totals as rows, of an array whose table is emptied meanwhile');
RESET gpuagg.engine;

-- Shapes.  The last ones have a NULL bitmap that is longer than the buffer.
CREATE TABLE shapes (name text, a smallint[]);
ALTER TABLE shapes ALTER a SET STORAGE EXTERNAL;
INSERT INTO shapes
	SELECT 'two dimensions', array_agg(ARRAY[x, x + 1, x + 2])
		FROM generate_series(1, 9999) i, CAST(i AS smallint) x UNION ALL
	SELECT 'three dimensions with NULLs', array_agg(ARRAY[[x, NULL], [3, nullif(x, 7)]])
		FROM generate_series(1, 9999) i, CAST(i AS smallint) x UNION ALL
	SELECT 'other lower bounds', array_fill(5::smallint, '{50,2,200}', '{-7,3,1000}') UNION ALL
	SELECT 'only NULLs', array_fill(NULL::smallint, '{100000}') UNION ALL
	SELECT 'NULLs and three', array_fill(NULL::smallint, '{2200000}') || '{1,2,NULL,3}'::smallint[]
	UNION ALL
	SELECT 'three and NULLs', '{1,NULL,2,3}'::smallint[] || array_fill(NULL::smallint, '{2200000}');
SELECT is(gpu_array_sum(a), (SELECT sum(x) FROM unnest(a) x), name || ': sum') FROM shapes;
SELECT ok(gpu_array_cumsum(a) = gpu_array_cumsum(here(a)) AND
	array_dims(gpu_array_cumsum(a)) = array_dims(a), name || ': running totals')
	FROM shapes WHERE name NOT LIKE '%three';

-- Compressed ones.  Where there is no lz4, pglz twice.
CREATE TABLE compressed (n integer, pglz float8[] COMPRESSION pglz, other float8[]);
DO $$ BEGIN
	IF (SELECT 'lz4' = ANY (enumvals) FROM pg_settings WHERE name = 'default_toast_compression') THEN
		ALTER TABLE compressed ALTER other SET COMPRESSION lz4;
	END IF;
END $$;
INSERT INTO compressed SELECT n, array_agg(x), array_agg(x) FROM (
	SELECT n, CASE WHEN i % 5 > 0 OR n < 50000 THEN i % 1000 / 8.0::float8 END
	FROM unnest('{10000,60000,200000}'::int[]) n, generate_series(1, n) i) v(n, x) GROUP BY n;
SELECT ok(pg_column_compression(pglz) = 'pglz' AND pg_column_compression(other) IS NOT NULL AND
	pg_column_size(pglz) > 2000 AND pg_column_size(other) > 2000, n || ' elements: compressed')
	FROM compressed;
SELECT is(ARRAY[gpu_array_sum(pglz), gpu_array_sum(other)],
	array_fill((SELECT sum(x) FROM unnest(pglz) x), ARRAY[2]), n || ' elements: sums')
	FROM compressed;

-- A table's history: free space that is filled, in the same transaction as the
-- sum and in a subtransaction that is rolled back; then two kinds of rewrite.
CREATE TABLE life (id integer PRIMARY KEY, a float8[]);
ALTER TABLE life ALTER a SET STORAGE EXTERNAL;
ALTER TABLE life SET (autovacuum_enabled = off, toast.autovacuum_enabled = off);
CREATE FUNCTION numbers(id integer, n integer) RETURNS float8[] LANGUAGE sql AS
	'SELECT array_agg(id + x / 64.0 ORDER BY x) FROM generate_series(1, n) x';
CREATE FUNCTION wrong_lives() RETURNS bigint LANGUAGE sql AS $$
	SELECT count(*) FROM life WHERE a <> numbers(id, cardinality(a)) OR
		gpu_array_sum(a) <> (SELECT sum(x) FROM unnest(a) x) $$;
INSERT INTO life SELECT i, numbers(i, 300) FROM generate_series(1, 600) i;
DELETE FROM life WHERE id % 20 < 8 OR id % 5 = 0;
CALL wait_for_snapshots();
VACUUM life;
INSERT INTO life SELECT i, numbers(i, 20000) FROM generate_series(1001, 1004) i;
CREATE FUNCTION scattered() RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
	jumps bigint;
BEGIN
	EXECUTE (SELECT format('SELECT count(*) FROM (SELECT (ctid::text::point)[0] -
			lag((ctid::text::point)[0]) OVER (PARTITION BY chunk_id ORDER BY chunk_seq)
			FROM %s) s(step) WHERE step NOT IN (0, 1)', reltoastrelid::regclass)
		FROM pg_class WHERE oid = 'life'::regclass) INTO jumps;
	RETURN jumps > 10;
END $$;
SELECT ok(scattered(), 'chunks of an array are scattered');
SELECT is(wrong_lives(), 0::bigint, 'after DELETE, VACUUM and INSERT');
BEGIN;
INSERT INTO life SELECT i, numbers(i, 5000) FROM generate_series(2001, 2003) i;
SAVEPOINT s;
UPDATE life SET a = a || 1::float8 WHERE id > 2000;
SELECT is(gpu_array_sum(a), (SELECT sum(x) FROM unnest(a) x), 'changed in a savepoint')
	FROM life WHERE id = 2002;
ROLLBACK TO s;
SELECT is(wrong_lives(), 0::bigint, 'in the transaction that made them');
COMMIT;
VACUUM (FREEZE) life;
SELECT is(wrong_lives(), 0::bigint, 'after VACUUM (FREEZE)');
VACUUM FULL life;
SELECT is(wrong_lives(), 0::bigint, 'after VACUUM FULL');
CLUSTER life USING life_pkey;
SELECT is(wrong_lives(), 0::bigint, 'after CLUSTER');
REINDEX TABLE life;
SELECT is(wrong_lives(), 0::bigint, 'after REINDEX');
CREATE TEMP TABLE passing AS SELECT * FROM life WHERE id > 1000;
SELECT is((SELECT gpu_sum(a) FROM passing), (SELECT sum(x) FROM life, unnest(a) x WHERE id > 1000),
	'a temporary table');
SELECT is((SELECT gpu_sum(a) FROM (SELECT a FROM life WHERE id = 1002 UNION ALL SELECT numbers(1, 1000)) q),
	(SELECT gpu_array_sum(a) FROM life WHERE id = 1002) + gpu_array_sum(numbers(1, 1000)),
	'stored and plain ones together');

-- Reading by the functions of the test-only module.
\if :{?test_module}
CREATE FUNCTION toast_bytes(anyarray, integer, integer, boolean) RETURNS bytea
	AS :'test_module', 'toast_bytes' LANGUAGE C STRICT;
CREATE FUNCTION toast_walk(anyarray, integer, boolean) RETURNS bigint
	AS :'test_module', 'toast_walk' LANGUAGE C STRICT;
CREATE FUNCTION toast_first_xmin(anyarray) RETURNS bigint
	AS :'test_module', 'toast_first_xmin' LANGUAGE C STRICT;
CREATE FUNCTION toast_read_xmin(anyarray) RETURNS bigint
	AS :'test_module', 'toast_read_xmin' LANGUAGE C STRICT;
CREATE FUNCTION toast_spoil(anyarray, integer, text) RETURNS integer
	AS :'test_module', 'toast_spoil' LANGUAGE C STRICT;
CREATE FUNCTION toast_move(anyarray, integer, boolean) RETURNS void
	AS :'test_module', 'toast_move' LANGUAGE C STRICT;
CREATE FUNCTION array_elements(anyarray, integer, integer, integer) RETURNS anyarray
	AS :'test_module', 'array_elements' LANGUAGE C STRICT;

-- Page by page, and by the access method.
SELECT is((SELECT count(*) FROM typed
	WHERE toast_bytes(i2, 0, -1, true) <> toast_bytes(i2, 0, -1, false) OR
		toast_bytes(f8, 0, -1, true) <> toast_bytes(f8, 0, -1, false)), 0::bigint,
	'whole values: the same bytes');
SELECT is((SELECT count(*) FROM (SELECT toast_bytes(f8, at, n, true) fast,
			toast_bytes(f8, at, n, false) slow,
			substring(toast_bytes(f8, 0, -1, false) FROM at + 1 FOR n) cut
		FROM (SELECT f8 FROM typed WHERE typed.n = 2500) t,
			unnest('{0,1,19,1995,1996,1997,3992,7983,7984,7985,9400}'::int[]) at,
			unnest('{0,1,2,1995,1996,1997,4000}'::int[]) n) q
	WHERE fast <> slow OR fast <> cut), 0::bigint, 'any part of a value: the same bytes');
SELECT is((SELECT count(*) FROM compressed
	WHERE toast_bytes(other, 0, -1, true) <> toast_bytes(other, 0, -1, false)), 0::bigint,
	'compressed values: the same bytes');
SELECT is((SELECT count(*) FROM life WHERE id > 1000 AND
		toast_bytes(a, 100, -1, true) <> toast_bytes(a, 100, -1, false)), 0::bigint,
	'after all that happened: the same bytes');
CREATE TEMP TABLE fresh (a float8[]);
BEGIN;
INSERT INTO fresh SELECT numbers(1, 3000);
SELECT is((SELECT toast_first_xmin(a) FROM fresh), txid_current() % 4294967296,
	'xmin of a value that was just made');
COMMIT;
SELECT isnt((SELECT toast_first_xmin(a) FROM fresh), 0::bigint, '... and later');

-- All ways to the elements (see the module), and parts of them.
SELECT is((SELECT count(*) FROM typed, generate_series(0, 4) way
	WHERE array_elements(i2, 0, -1, way) <> array_remove(i2, NULL) OR
		array_elements(i4, 0, -1, way) <> array_remove(i4, NULL) OR
		array_elements(i8, 0, -1, way) <> array_remove(i8, NULL) OR
		array_elements(f4, 0, -1, way) <> array_remove(f4, NULL) OR
		array_elements(f8, 0, -1, way) <> array_remove(f8, NULL)), 0::bigint,
	'all ways to the elements');
SELECT is((SELECT count(*) FROM compressed, generate_series(0, 4) way
	WHERE array_elements(pglz, 0, -1, way) <> array_remove(pglz, NULL) OR
		array_elements(other, 0, -1, way) <> array_remove(other, NULL)), 0::bigint,
	'... of compressed arrays');
SELECT is((SELECT count(*) FROM typed, generate_series(0, 2) way,
		unnest('{0,1,246,247,248,1500}'::int[]) at, unnest('{1,2,50}'::int[]) m
	WHERE n = 6000 AND (
		array_elements(f8, at, m, way) <> (array_remove(f8, NULL))[at + 1:at + m] OR
		array_elements(i2, at, m, way) <> (array_remove(i2, NULL))[at + 1:at + m])), 0::bigint,
	'parts of them');
SELECT is((SELECT count(*) FROM shapes, generate_series(0, 4) way
	WHERE name <> 'only NULLs' AND array_elements(a, 0, -1, way) <> (SELECT array_agg(x ORDER BY o)
			FROM unnest(a) WITH ORDINALITY u(x, o) WHERE x IS NOT NULL)), 0::bigint,
	'... of all shapes');

-- Chunks that are in line: they are taken page after page, but not in these
-- cases.  How many values have a chunk that is not behind the one before, of
-- those of the table with at least 41 chunks, or whose last one is that?
CREATE FUNCTION n_jumps(name regclass, last boolean) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
	result bigint;
BEGIN
	EXECUTE (SELECT format('SELECT count(DISTINCT chunk_id) FROM (
			SELECT chunk_id, chunk_seq = max(chunk_seq) OVER (PARTITION BY chunk_id) AS last,
				(ctid::text::point)[0] - lag((ctid::text::point)[0]) OVER w AS step
			FROM %s WINDOW w AS (PARTITION BY chunk_id ORDER BY chunk_seq)) s
		WHERE chunk_id IN (SELECT chunk_id FROM %1$s WHERE chunk_seq = 40) AND
			step NOT IN (0, 1) AND last = $1', reltoastrelid::regclass)
		FROM pg_class WHERE oid = name) INTO result USING last;
	RETURN result;
END $$;
CREATE TABLE lines (id integer, a float8[]);
ALTER TABLE lines ALTER a SET STORAGE EXTERNAL;
ALTER TABLE lines SET (autovacuum_enabled = off, toast.autovacuum_enabled = off);
INSERT INTO lines SELECT i, numbers(i, CASE WHEN i % 50 > 0 THEN 10000 ELSE 100000 END)
	FROM generate_series(1, 200) i;
CREATE FUNCTION wrong_lines() RETURNS bigint LANGUAGE sql AS $$
	SELECT count(*) FROM (SELECT * FROM lines WHERE id < 400 AND cardinality(a) >= 10000) l
	WHERE toast_bytes(a, 0, -1, true) <> toast_bytes(a, 0, -1, false) OR
		toast_bytes(a, 19960, 59000, true) <> toast_bytes(a, 19960, 59000, false) OR
		array_elements(a, 0, -1, 1) <> a OR array_elements(a, 0, -1, 3) <> a OR
		array_elements(a, 9000, 1000, 1) <> a[9001:10000] $$;
SELECT ok(n_jumps('lines', false) = 0 AND n_jumps('lines', true) > 0,
	'last chunks are elsewhere, others in line');
SELECT is(wrong_lines(), 0::bigint, '... the same bytes');
DELETE FROM lines WHERE id BETWEEN 60 AND 70;
CALL wait_for_snapshots();
VACUUM lines;
INSERT INTO lines SELECT i, numbers(i, CASE WHEN i % 2 > 0 THEN 700 ELSE 120000 END)
	FROM generate_series(301, 312) i;
SELECT ok(n_jumps('lines', false) > 0, 'lines are broken by others');
SELECT is(wrong_lines(), 0::bigint, '... the same bytes');
-- a chunk amid others is moved; then another value may take its place
SELECT toast_move(a, 30, false) FROM lines WHERE id IN (10, 20) \g /dev/null
CALL wait_for_snapshots();
VACUUM lines;
SELECT is(wrong_lines(), 0::bigint, 'a chunk was moved');
INSERT INTO lines SELECT i, numbers(i, 240) FROM generate_series(401, 420) i;
SELECT is((SELECT count(*) FROM lines WHERE id IN (10, 20) AND a <> numbers(id, 10000)), 0::bigint,
	'... and others are in its place');
-- One that the index does not know any more, of an older value: the right one is
-- elsewhere.  That it is read by the method may remove the older one.
SELECT toast_move(a, 30, true), toast_spoil(a, 30, 'older') FROM lines WHERE id IN (30, 40) \g /dev/null
CALL wait_for_snapshots();
SELECT format('REINDEX TABLE %s', reltoastrelid::regclass) FROM pg_class WHERE oid = 'lines'::regclass \gexec
CREATE TEMP TABLE read AS SELECT id, md5(toast_bytes(a, 0, -1, true)), array_elements(a, 0, -1, 1) = numbers(id, 10000) AS old
	FROM lines WHERE id IN (30, 40);
SELECT is((SELECT count(*) FROM read JOIN lines USING (id) WHERE md5(toast_bytes(a, 0, -1, false)) = md5), 2::bigint,
	'an older chunk in line is not taken');
SELECT is((SELECT count(*) FROM read WHERE old), 0::bigint, '... nor with the elements');

-- Damage: the errors are PostgreSQL's; an array that PostgreSQL can read in
-- spite of damage is read here, too.
CREATE FUNCTION outcome(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	result text;
BEGIN
	EXECUTE query INTO result;
	RETURN result;
EXCEPTION WHEN OTHERS THEN
	RETURN SQLSTATE || ' ' || SQLERRM;
END $$;
CREATE TABLE damaged (chunk integer, how text, a float8[]);
ALTER TABLE damaged ALTER a SET STORAGE EXTERNAL;
ALTER TABLE damaged SET (autovacuum_enabled = off, toast.autovacuum_enabled = off);
INSERT INTO damaged SELECT chunk, how, numbers(1, 2000)
	FROM unnest('{0,3,8}'::int[]) chunk,
		unnest('{missing,number,value,size,short,compressed,garbage}'::text[]) how;
SELECT is((SELECT sum(toast_spoil(a, chunk, how)) FROM damaged), 21::bigint, 'damage is done');
SELECT is(outcome(format('SELECT gpu_array_sum(a) FROM damaged WHERE chunk = %s AND how = %L', chunk, how)),
	outcome(format('SELECT sum(x) FROM damaged, unnest(a) x WHERE chunk = %s AND how = %L', chunk, how)),
	format('damaged chunk %s: %s', chunk, how)) FROM damaged;
SELECT matches(outcome('SELECT gpu_array_sum(a) FROM damaged WHERE chunk = 3 AND how = ''missing'''),
	'^XX001 unexpected chunk number 4', 'PostgreSQL''s own error');
SELECT is((SELECT toast_first_xmin(a) FROM damaged WHERE chunk = 0 AND damaged.how = spoiled.how), 0::bigint,
	'no xmin of a first chunk: ' || how)
	FROM unnest('{garbage,value,short}'::text[]) spoiled(how);
SELECT isnt((SELECT toast_first_xmin(a) FROM damaged WHERE chunk = 3 AND how = 'value'), 0::bigint,
	'the xmin of a first chunk, if a later one is spoiled');
SELECT is((SELECT toast_read_xmin(a) FROM damaged WHERE chunk = 3 AND how = 'value'), 0::bigint,
	'... which is not known after reading both');

-- ... far behind the chunks that the index gives first.
SELECT is((SELECT sum(toast_spoil(a, 30, 'missing')) FROM lines WHERE id = 50), 1::bigint, 'a late chunk is spoiled');
SELECT matches(outcome('SELECT gpu_array_sum(a) FROM lines WHERE id = 50'),
	'^XX001 unexpected chunk number 31', '... which is PostgreSQL''s own error');

-- Damage to the index as well: it lacks the chunks.
CALL wait_for_snapshots();
VACUUM (INDEX_CLEANUP ON) damaged;
SELECT is(outcome(format('SELECT gpu_array_sum(a) FROM damaged WHERE chunk = %s AND how = %L', chunk, how)),
	outcome(format('SELECT sum(x) FROM damaged, unnest(a) x WHERE chunk = %s AND how = %L', chunk, how)),
	format('chunk %s is gone: %s', chunk, how)) FROM damaged WHERE how IN ('missing', 'garbage');
SELECT matches(outcome('SELECT gpu_array_sum(a) FROM damaged WHERE chunk = 8 AND how = ''missing'''),
	'^XX001 missing chunk number 8', 'PostgreSQL''s own error for the last chunk');

-- Cancelled within one read of the array, in eight million parts.
CREATE FUNCTION is_cancelled(query text) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
	EXECUTE query;
	RETURN false;
EXCEPTION WHEN query_canceled THEN
	RETURN true;
END $$;
INSERT INTO life SELECT 5000, array_fill(1::float8, '{1000000}');
SET statement_timeout = '100ms';
SELECT is_cancelled('SELECT toast_walk(a, 1, true) FROM life WHERE id = 5000') AS cancelled \gset
RESET statement_timeout;
SELECT ok(:'cancelled', 'a read can be cancelled');
SELECT is((SELECT gpu_array_sum(a) FROM life WHERE id = 5000), 1000000::float8, '... and begun again');
\else
SELECT skip('the test-only module is not on this server', 57);
\endif

SELECT * FROM finish();
DROP SCHEMA toast CASCADE;
