-- The SQL of the documents, read from the documents: README.md, doc/recipes.md,
-- doc/distribution.md, doc/reference.md and doc/operations.md.  A block of SQL that a block of text follows must give
-- the rows that this block shows; every other block must run.  META.json names
-- the version that is installed.  The table of errors has all messages of error.c.
\set ECHO none
\set QUIET on
\set readme `cat README.md`
\set recipes `cat doc/recipes.md`
\set distribution `cat doc/distribution.md`
\set reference `cat doc/reference.md`
\set operations `cat doc/operations.md`
\set meta `cat META.json`
\set errors `cat src/extension/error.c`
BEGIN;
SELECT no_plan();

-- Rows as psql shows them: the cells of each line, without the padding.
CREATE FUNCTION pg_temp.shown(result text) RETURNS text LANGUAGE sql AS $$
	SELECT string_agg(cells, E'\n' ORDER BY n)
	FROM (SELECT n, (SELECT string_agg(btrim(cell), ' | ' ORDER BY c)
					 FROM string_to_table(line, '|') WITH ORDINALITY u(cell, c)) AS cells
		  FROM string_to_table(btrim(result, E'\n'), E'\n') WITH ORDINALITY t(line, n)
		  WHERE n > 2) q $$;

-- The same of a query's rows.  JSON keeps the order of the columns, and writes
-- arrays with other brackets.
CREATE FUNCTION pg_temp.rows_of(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	r record;
	lines text[] := '{}';
BEGIN
	FOR r IN EXECUTE query LOOP
		lines := lines || (SELECT string_agg(CASE WHEN value LIKE '[%]' THEN
				replace(translate(value, '[]', '{}'), 'null', 'NULL') ELSE coalesce(value, '') END, ' | ' ORDER BY n)
			FROM json_each_text(row_to_json(r)) WITH ORDINALITY c(name, value, n));
	END LOOP;
	RETURN array_to_string(lines, E'\n');
END $$;

-- One test for each block of SQL in a document, named by the document and the
-- number of the block's line.  skip is a regular expression of blocks that a test
-- cannot run.
CREATE FUNCTION pg_temp.document(name text, text text, skip text) RETURNS SETOF text
	LANGUAGE plpgsql AS $$
DECLARE
	parts text[] := string_to_array(text, '```');
	query text;
	place text;
BEGIN
	FOR i IN 2 .. cardinality(parts) BY 2 LOOP
		CONTINUE WHEN parts[i] NOT LIKE E'sql\n%' OR parts[i] ~ skip;
		query := substr(parts[i], 5);
		place := name || ':' || cardinality(string_to_array(array_to_string(parts[:i - 1], ''), E'\n')) + 1;
		BEGIN
			IF parts[i + 1] = E'\n' AND parts[i + 2] LIKE E'text\n%' THEN
				RETURN NEXT is(pg_temp.rows_of(rtrim(query, E';\n')),
					pg_temp.shown(substr(parts[i + 2], 6)), place);
			ELSE
				EXECUTE query;
				RETURN NEXT pass(place);
			END IF;
		EXCEPTION WHEN others THEN
			RETURN NEXT fail(place || ': ' || SQLERRM);
		END;
	END LOOP;
END $$;

-- The tables that doc/recipes.md introduces: the weather of Seattle and the S&P 500,
-- a row a day.
CREATE TABLE weather (day date, rain float8, temp_max float8, temp_min float8, wind float8,
	weather text);
\copy weather FROM 'test/data/seattle-weather.csv' WITH (FORMAT csv, HEADER)
CREATE TABLE sp500 (day date, open float8, high float8, low float8, close float8, adjclose float8, volume bigint);
\copy sp500 FROM 'test/data/sp500-2000.csv' WITH (FORMAT csv, HEADER)

SELECT pg_temp.document('README.md', :'readme', 'CREATE EXTENSION');
SELECT pg_temp.document('doc/recipes.md', :'recipes', '^$');
SELECT pg_temp.document('doc/distribution.md', :'distribution', '^$');
-- The ladder needs a device, and ALTER SYSTEM cannot be in a transaction.
SELECT pg_temp.document('doc/reference.md', :'reference', 'gpuagg_bench');

SELECT pg_temp.document('doc/operations.md', :'operations', '(CREATE|DROP|ALTER) EXTENSION|ALTER (SYSTEM|ROLE|DATABASE)|pg_terminate_backend');

-- Its query for what DROP EXTENSION ... CASCADE drops finds columns of all types that are made of gpuagg's.
CREATE DOMAIN inner_domain AS exactsum;
CREATE DOMAIN outer_domain AS inner_domain;
CREATE DOMAIN array_domain AS exactmoments[];
CREATE TYPE sum_range AS RANGE (SUBTYPE = exactsum);
CREATE TABLE made_of (a exactsum, b exactmoments[], c inner_domain, d outer_domain, e array_domain, f inner_domain[],
	g sum_range, h sum_multirange, i sum_range[], none float8);
CREATE FUNCTION pg_temp.columns_of(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	result text;
BEGIN
	EXECUTE format('SELECT string_agg("column", '' '' ORDER BY "column") FROM (%s) q WHERE relation = ''made_of''::regclass', query)
		INTO result;
	RETURN result;
END $$;
SELECT is(pg_temp.columns_of(substring(:'operations' FROM E'```sql\n(WITH RECURSIVE stored.*?);\n```')), 'a b c d e f g h i',
	'columns that are dropped with the extension');

-- What each message has beside its values.
CREATE TEMP TABLE message_parts AS
	SELECT DISTINCT part
	FROM regexp_matches(:'errors', 'errmsg\(\s*((?:"(?:[^"\\]|\\.)*"\s*)+)', 'g') m(literals),
		regexp_split_to_table(regexp_replace(btrim(literals[1], E'" \n\t'), '"\s*"', '', 'g'), '%[sd]|\\"') part
	WHERE length(part) > 2 AND part NOT LIKE 'unexpected status%';
SELECT cmp_ok(count(*), '>', 20::bigint, 'messages of error.c') FROM message_parts;
SELECT ok(strpos(substring(:'reference' FROM '## Errors.*?## '), part) > 0, 'in the table of errors: ' || part)
	FROM message_parts;

SELECT is(:'meta'::json ->> 'version', extversion, 'META.json has the version')
	FROM pg_extension WHERE extname = 'gpuagg';
SELECT is(:'meta'::json #>> '{provides,gpuagg,version}', extversion, '... in both places')
	FROM pg_extension WHERE extname = 'gpuagg';

SELECT * FROM finish();
ROLLBACK;
